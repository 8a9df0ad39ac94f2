package plans

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestErrorsQuoteLittle(t *testing.T) {
	const head = "# rvcheck plan v1 · layer etcd\n"
	long := strings.Repeat("x", 1000)
	for _, text := range []string{
		long, head + long, head + "c1 " + long, head + "c1 get " + long + " " + long, head + "c1 list a limit=" + long,
		head + "c1 next " + long, head + `c1 get "` + long + `\z"`, head + "! kill " + long, head + "! kill " + long + "=",
		head + "c1 get a revision=" + long, head + "c1 " + long + ": create a\nc1 " + long + ": create b",
		"# rvcheck plan v1 · layer " + long, "# rvcheck plan v1 · seed " + long, "# rvcheck plan " + long,
	} {
		_, err := Parse(text, "plan")
		if err == nil || len(err.Error()) > 500 {
			t.Errorf("%.60q: got an error of %d bytes: %.700v", text, len(fmt.Sprint(err)), err)
		}
	}
}

// examples are texts as Format writes them; they show every operation and option.
var examples = []string{
	`# rvcheck plan v1 · layer etcd · seed 42
c1    a1: create a {x=1}
c1    d1: delete a
--
c2@2  compact tombstone(d1)
c2@2  w1: watch all startRevision=tombstone(d1) progress
c1    b1: create b
c2@2  await w1 rv(b1)
!     kill member=1
expect watch/no-gap
`,
	`# rvcheck plan v1 · layer etcd
# names that need quotes, and some that do not
c1    create a/b {x=1,y="2 3"} size=100
c1    create "a\x00\xff"
c1    update a_b rv=last {} 
c1    put "all" size=1000000
c1    get a% revision=0 serializable
c1    l1: list [a,"a\x00") revision=now+100 limit=-1 startKey="" countOnly keysOnly serializable
c1    l2: list a/* limit=3
c1    n1: next l1
c1    n2: next n1 limit=2
c1    w1: watch a/b startRevision=-5 prevKV progress
c1    stop w1
c1    progress w1
c1    compact compacted+1 physical
c1    fill 1000 size=10
`,
	`# rvcheck plan v1 · layer etcd · seed 7
c1    g1: grant ttl=5
c1    a1: put a lease=g1
c1    attach b lease=g1
c1    keepalive g1
c1    timetolive g1
c1    t1: txn if mod(a)=rv(a1)-1 version(b)!=0 value("c d")=write(a1) lease(a)=lease(g1) then put a {x=1} lease=g1; delete b else get a; list all limit=1
c1    txn then put "else"
c1    txn
c1    revoke g1
c1    status
`,
	`# rvcheck plan v1 · layer etcd · seed 8
c1    g1: grant id=77 ttl=2
c1    create a lease=g1
c1    update a rv=last lease=99
c1    x1: attach a {x=1} size=10 lease=g1
c1    w1: watch all id=7 noput nodelete fragment prevKV
c1    w2: watch b on=w1
c1    stop w1
c1    w3: watch all startRevision=after(w1)+1 on=w2 prevKV progress
c1    d1: deleterange a* prevKV
c1    list all revision=tombstone(d1)-1 sort=mod:descend minMod=rv(x1) maxMod=now minCreate=2 maxCreate=last
c1    list [a,c) limit=2 sort=value countOnly
c1    get a minMod=3 keysOnly
c1    keepalive 99
c1    expire g1
c1    txn if value(a)=write(x1) then txn (if version(b)!=0 then put b lease=g1; deleterange a* else get b); get a else txn ()
`,
	`# rvcheck plan v1 · layer kube · seed 1
c1    a1: create configmaps:ns/a {x=1} dryRun
c1    update ns/a
c1    update ns/a rv=rv(a1) {x=2}
c1    delete namespaces:ns rv=last uid=uid(a1)
c1    get ns/a resourceVersion=0
c1    l1: list pods:ns/* resourceVersion=rv(a1) match=NotOlderThan labelSelector="x in (1,2)" fieldSelector="metadata.name=a" limit=2 timeoutSeconds=5
c1    next l1
c1    w1: watch configmaps:all resourceVersion=last-1 allowWatchBookmarks sendInitialEvents=true timeoutSeconds=1
`,
}

func TestExamples(t *testing.T) {
	for _, text := range examples {
		plan, err := Parse(text, "example.plan")
		if err != nil {
			t.Error(err)
			continue
		}
		if d := cmp.Diff(strings.Replace(text, " {} ", "", 1), Format(plan)); d != "" {
			t.Errorf("Format gives another text (-example +formatted):\n%s", d)
		}
	}
}

func TestTolerance(t *testing.T) {
	tidy := `# rvcheck plan v1 · layer etcd · seed 42
# a remark
c1    a1: create a {x=1,y=2}
--
c2@2  w1: watch a* startRevision=rv(a1)+1
c2@2  await w1 rv(a1)
`
	untidy := []string{
		strings.ReplaceAll(tidy, "\n", "\r\n"),
		"\ufeff\n\n" + strings.ReplaceAll(tidy, "\n", "\n\n"),
		strings.ReplaceAll(tidy, "·", "-"),
		strings.ReplaceAll(tidy, "·", ";"),
		strings.TrimSuffix(tidy, "\n"),
		`#rvcheck plan v1   layer etcd;seed 42
	#a remark
	c1 a1 :create  a  { x = 1 y=2 }   # why
#
-------- all lanes meet
c2@2	w1: watch a * startRevision = rv( a1 )+1
  c2 await w1 rv(a1)	# c2 stays on its endpoint`,
	}
	want, err := Parse(tidy, "tidy")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range untidy {
		got, err := Parse(text, "untidy")
		if err != nil {
			t.Errorf("%v\n%s", err, text)
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("another plan (-tidy +untidy):\n%s\n%s", d, text)
		}
	}
}

const head = "# rvcheck plan v1 · layer etcd\n"

// refused are texts with something wrong in them.
var refused = []struct{ text, message string }{
	{"", `x.plan:1: the text is empty; expected a header such as "# rvcheck plan v1 · layer etcd · seed 42"`},
	{"c1 get a\n", `x.plan:1: the header is missing, "c1 get a" stands in its place; expected a header such as "# rvcheck plan v1 · layer etcd · seed 42"`},
	{"\n# rvcheck plan v1\n", `x.plan:2: the header does not name the layer; expected layer etcd, layer storage or layer kube`},
	{"# rvcheck plan v2 layer etcd", `x.plan:1: the header says that the plan has version "v2"; expected v1`},
	{"# rvcheck plan v1 layer disk", `x.plan:1: the header names the unknown layer "disk"; expected layer etcd, layer storage or layer kube`},
	{"# rvcheck plan v1 layer etcd seed x", `x.plan:1: the header has the seed "x"; expected a decimal number of at most 64 bits`},
	{"# rvcheck plan v1 layer etcd seed", `x.plan:1: the header says "seed" without a value; expected a header such as "# rvcheck plan v1 · layer etcd · seed 42"`},
	{"# rvcheck plan v1 layer etcd colour red", `x.plan:1: the header has the unknown field "colour"; expected layer and seed`},
	{head + "c1 creat a", `x.plan:2: unknown operation "creat"; expected one of create, update, delete, put, deleterange, get, list, next, watch, stop, await, progress, compact, fill, txn, grant, attach, keepalive, timetolive, revoke, expire or status`},
	{head + "c1", `x.plan:2: the line ends; expected one of create, update, delete, put, deleterange, get, list, next, watch, stop, await, progress, compact, fill, txn, grant, attach, keepalive, timetolive, revoke, expire or status`},
	{head + "=", `x.plan:2: "=" stands here; expected a lane such as c1 or c2@2, --, ! or expect`},
	{head + "c1 get", `x.plan:2: the line ends; expected a key, quoted if it has unusual characters`},
	{head + "c1 delete all", `x.plan:2: all is a scope; expected "all" in quotes for the key of that name`},
	{head + "c1 put all", `x.plan:2: all is a scope; expected "all" in quotes for the key of that name`},
	{head + "c1 get then", `x.plan:2: then is a word of transactions; expected "then" in quotes for the key of that name`},
	{"# rvcheck plan v1 layer kube\nc1 get configmaps:all", `x.plan:2: all is a scope; expected "all" in quotes for the key of that name`},
	{head + "c1 get a limit=1", `x.plan:2: get has no option "limit"; expected revision, sort, minMod, maxMod, minCreate, maxCreate, countOnly, keysOnly or serializable`},
	{head + "c1 get a b", `x.plan:2: get has no option "b"; expected revision, sort, minMod, maxMod, minCreate, maxCreate, countOnly, keysOnly or serializable`},
	{head + "c1 list all labelSelector=x", `x.plan:2: list has no option "labelSelector" here (it belongs to the storage and kube layers); expected revision, limit, startKey, sort, minMod, maxMod, minCreate, maxCreate, countOnly, keysOnly or serializable`},
	{head + "c1 list all limit=many", `x.plan:2: "many" stands here; expected a number`},
	{head + "c1 list all limit=1 limit=2", `x.plan:2: option "limit" is there twice; expected each option once`},
	{head + "c1 list all limit 1", `x.plan:2: "1" stands here; expected "=" and the value of limit`},
	{head + "c1 list all limit=9223372036854775808", `x.plan:2: "9223372036854775808" stands here; expected a number`},
	{head + "c1 list [a,b", `x.plan:2: the line ends; expected ")" after a range such as [a,b)`},
	{head + "c1 update a", `x.plan:2: update has no rv; expected rv=…`},
	{head + "c1 update a rv=newest", `x.plan:2: "newest" is no reference that can stand here; expected a number, rv(label), tombstone(label), after(label), now, compacted or last`},
	{head + "c1 update a rv=now+x", `x.plan:2: "+x" follows a reference; expected an offset such as +1 or -100`},
	{head + "c1 update a rv=rv(b)", `x.plan:2: no operation has the label "b"; expected the label of another operation`},
	{head + "c1 next l1", `x.plan:2: no operation has the label "l1"; expected the label of another operation`},
	{head + "c1 l1: next l1", `x.plan:2: "l1" refers to itself; expected the label of another operation`},
	{head + "c1 a: get a\n\nc2 next a", `x.plan:4: "a" is the label of a get on line 2; expected the label of a list or a next`},
	{head + "c1 a: get a\nc2 a: get b", `x.plan:3: label "a" is on line 2 already; expected each label once`},
	{head + "c1 get é", `x.plan:2: character "é" stands outside quotes; expected a quoted string such as "\x00" around unusual characters`},
	{head + "c1 get a#b", `x.plan:2: character "#" stands outside quotes; expected a quoted string such as "\x00" around unusual characters`},
	{head + `c1 get "a`, `x.plan:2: quoted string without an end; expected a closing "`},
	{head + `c1 get "a\"`, `x.plan:2: quoted string without an end; expected a closing "`},
	{head + `c1 get "\q"`, `x.plan:2: quoted string "\"\\q\"" has a bad escape or bad bytes; expected escapes as in Go, such as \x00, \n or \"`},
	{head + `c1 create a {x}`, `x.plan:2: "}" stands here; expected "=" and the value of label x`},
	{head + `c1 create a {x=1,x=2}`, `x.plan:2: label "x" is there twice; expected each label once`},
	{head + `c1 create a {x=1`, `x.plan:2: the line ends; expected a label such as x=1, or }`},
	{head + "c1 get a\nc1@2 get a", `x.plan:3: lane c1 is on endpoint 2 here and on 1 above; expected one endpoint a lane`},
	{head + "c1@0 get a", `x.plan:2: "0" stands here; expected the number of an endpoint, from 1`},
	{head + "c1 fill 0", `x.plan:2: "0" stands here; expected a number of revisions from 1 to 1000000`},
	{head + "c1 txn then compact 1", `x.plan:2: a transaction cannot hold the operation "compact"; expected one of put, delete, deleterange, get, list or txn`},
	{head + "c1 txn if mod(a)~1", `x.plan:2: "~1" stands here; expected =, !=, < or >`},
	{head + "c1 txn put a", `x.plan:2: "put" stands here; expected if mod(key)=rv(label) …, then or else`},
	{head + "c1 txn then txn put a", `x.plan:2: "put" stands here; expected "(" around a transaction inside another`},
	{head + "c1 txn then txn (then put a", `x.plan:2: the line ends; expected ")" after a transaction inside another`},
	{head + "c1 txn then txn (then txn (then put a))", `x.plan:2: a transaction cannot hold the operation "txn"; expected one of put, delete, deleterange, get or list`},
	{head + "c1 txn then put a)", `x.plan:2: ")" stands here; expected if mod(key)=rv(label) …, then or else`},
	{head + "c1 list all sort=size", `x.plan:2: "size" stands here; expected key, version, create, mod or value`},
	{head + "c1 list all sort=mod:up", `x.plan:2: "up" stands here; expected ascend or descend`},
	{head + "c1 put a lease=-", `x.plan:2: "-" stands here; expected the label of a grant, or the id of a lease`},
	{head + "c1 a: get a\nc1 watch a on=a", `x.plan:3: "a" is the label of a get on line 2; expected the label of a watch`},
	{head + "c1 a: get a\nc1 watch a startRevision=after(a)", `x.plan:3: "a" is the label of a get on line 2; expected the label of a watch`},
	{head + "c1 grant", `x.plan:2: grant has no ttl; expected ttl=…`},
	{head + "! ", `x.plan:2: the line ends; expected the name of a fault, such as kill`},
	{head + "! kill 1", `x.plan:2: "1" stands here; expected an argument such as member=1`},
	{head + "expect", `x.plan:2: the line ends; expected the id of a property, such as watch/no-gap`},
	{head + "expect a b", `x.plan:2: "b" stands here; expected the end of the line`},
}

func TestRefused(t *testing.T) {
	for _, bad := range refused {
		_, err := Parse(bad.text, "x.plan")
		if err == nil {
			t.Errorf("accepted:\n%s", bad.text)
			continue
		}
		if d := cmp.Diff(bad.message, err.Error()); d != "" {
			t.Errorf("%s\nanother message (-want +got):\n%s", bad.text, d)
		}
		checkForm(t, err)
	}
}

var messageForm = regexp.MustCompile(`^[^\n:]+:[0-9]+: [^\n]+; expected [^\n]+$`)

// checkForm checks that an error is an *Error and one line of the promised form.
func checkForm(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Line < 1 || !messageForm.MatchString(err.Error()) {
		t.Errorf("error %q, expected one line: name:line: what; expected what", err)
	}
}

func TestValidate(t *testing.T) {
	for name, steps := range map[string][]Step{
		"nothing set":         {{}},
		"two lines":           {{Comment: "a\nb"}},
		"no lane":             {{Op: &Op{Endpoint: 1, Kind: "status"}}},
		"field of other kind": {{Op: &Op{Lane: "c1", Endpoint: 1, Kind: "status", Limit: 3}}},
		"empty labels":        {{Op: &Op{Lane: "c1", Endpoint: 1, Kind: "put", Labels: map[string]string{}}}},
		"dangling":            {{Op: &Op{Lane: "c1", Endpoint: 1, Kind: "stop", Of: "w1"}}},
	} {
		if err := (Plan{Layer: "etcd", Steps: steps}).Validate(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
