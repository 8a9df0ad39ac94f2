package linear_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube/linear"
	etcd "github.com/rvcheck/rvcheck/models/linear"
	"github.com/rvcheck/rvcheck/models/scenarios"
)

func parse(t *testing.T, text string) *histories.History {
	t.Helper()
	h, err := scenarios.Parse("set kube\n" + strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestOrders has what no watch tells: each history has an order or none, as the property
// that it breaks.
func TestOrders(t *testing.T) {
	for _, c := range []struct{ name, broken, history string }{
		{"a lost create that a read shows", "", `
c1 1 2 create a/x #1 = unknown
c2 3 4 get a/x = ok a/x@5#1`},
		{"a lost create that takes effect later", "", `
c1 1 2 create a/x #1 = unknown
c2 3 4 get a/x = fail notFound
c2 5 6 get a/x = ok a/x@5#1
c2 7 8 delete a/x = ok uid=a/x
c2 9 10 list all = ok @9`},
		{"a lost create that comes twice", models.GetFresh, `
c1 1 2 create a/x #1 = unknown
c2 3 4 get a/x = ok a/x@5#1
c2 5 6 delete a/x = ok uid=a/x
c2 7 8 get a/x = ok a/x@5#1`},
		{"a lost create that nobody saw", "", `
c1 1 2 create a/x #1 = unknown
c2 3 4 create a/x #2 = fail exists`},
		{"a refusal that nothing explains", models.WriteConflictOwed, `
c1 1 2 create a/y #1 = unknown
c2 3 4 create a/x #2 = fail exists`},
		{"a lost delete", "", `
c1 1 2 create a/x #1 = ok a/x@5#1
c1 3 4 delete a/x = unknown
c2 5 6 list all = ok @5 a/x@5#1
c2 7 8 list all = ok @6
c2 9 10 create a/x #2 = ok a/x@7#2;uid=u2`},
		{"a lost delete that has no revision left", models.WriteRevisionOrder, `
c1 1 2 create a/x #1 = ok a/x@5#1
c1 3 4 delete a/x = unknown
c2 7 8 get a/x = fail notFound
c2 9 10 create a/y #2 = ok a/y@6#2`},
		{"a lost delete that others' writes make room for", "", `
c1 1 2 create a/x #1 = ok a/x@5#1
c1 3 4 delete a/x = unknown
c2 7 8 get a/x = fail notFound
c2 9 10 create a/y #2 = ok a/y@9#2
c2 11 12 list all rv=7 match=Exact = ok @7
c2 13 14 list all rv=7 match=Exact = ok @7 a/x@5#1`},
		{"a lost update on one of two versions", models.WriteUpdateCAS, `
c1 1 2 create a/x #1 = ok a/x@5#1
c1 3 4 update a/x #2 rv=5 = unknown
c2 3 4 update a/x #3 rv=5 = ok a/x@6#3
c2 5 6 get a/x = ok a/x@7#2`},
		{"an update on what a lost one made", "", `
c1 1 2 create a/x #1 = ok a/x@5#1
c1 3 4 update a/x #2 rv=5 = unknown
c2 5 6 update a/x #3 rv=6 = ok a/x@8#3`},
		{"a list that misses what is there", models.ListFresh, `
c1 1 2 create a/x #1 = ok a/x@5#1
c1 3 4 create a/y #2 = unknown
c2 5 6 list all = ok @7 a/y@6#2`},
		{"a status for a wrong uid on what a lost create made", "", `
c1 1 2 create a/x #1 = unknown
c2 3 4 patch a/x #2 uid=u9 status = ok a/x@5#1;s=2;uid=u1
c2 5 6 get a/x = ok a/x@5#1;s=2;uid=u1`},
		{"an update for a wrong uid on what a lost create made", models.WriteUpdateCAS, `
c1 1 2 create a/x #1 = unknown
c2 3 4 update a/x #2 uid=u9 = ok a/x@5#2;uid=u1
c2 5 6 get a/x = ok a/x@5#2;uid=u1`},
		{"two deletes of one object", models.WriteDurable, `
c1 1 2 create a/x #1 = ok a/x@5#1
c1 3 4 delete a/x = ok uid=a/x
c2 3 4 delete a/x = ok uid=a/x`},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := linear.Judge(parse(t, c.history), etcd.Options{})
			switch {
			case c.broken == "" && result.Verdict != etcd.OK:
				t.Errorf("expected an order: %+v %+v", result, result.Finding)
			case c.broken != "" && (result.Finding == nil || result.Finding.Property != c.broken):
				t.Errorf("expected a violation of %s: %+v %+v", c.broken, result, result.Finding)
			}
		})
	}
}

// TestLeftOut: what the judge does not look at makes it inconclusive, unless something
// else is wrong.
func TestLeftOut(t *testing.T) {
	for _, text := range []string{
		"c1 1 2 create a/x #1 fin=f = ok a/x@5#1;f=f\nc1 3 4 get a/x = fail notFound",
		"c1 1 2 patch a/x apply #1 = unknown\nc1 3 4 get a/x = ok a/x@5#9",
		"c1 1 2 create a/x- #1 generate = unknown\nc1 3 4 list a/* table = ok @5 a/x-1@5#",
		"c1 1 2 create a/x #1 = ok a/x@5#1\nc1 3 4 deletecollection a/* = ok\nc1 5 6 get a/x = fail notFound",
	} {
		result := linear.Judge(parse(t, text), etcd.Options{})
		if result.Verdict != etcd.Inconclusive || result.Reason == "" {
			t.Errorf("%+v\n%s", result, text)
		}
		broken := parse(t, text+"\nc1 8 9 create a-b/x #3 = ok a-b/x@50#3\nc1 10 11 get a-b/x = fail notFound")
		if result := linear.Judge(broken, etcd.Options{}); result.Verdict != etcd.Violated || result.Finding.Property != models.GetFresh {
			t.Errorf("%+v\n%s", result, text)
		}
	}
	other := parse(t, "c1 1 2 get a/x = fail notFound")
	other.Header.World = histories.Open
	etcds := parse(t, "c1 1 2 get a/x = fail notFound")
	etcds.Header.Layer = histories.EtcdLayer
	for _, h := range []*histories.History{other, etcds} {
		if result := linear.Judge(h, etcd.Options{}); result.Verdict != etcd.Inconclusive || result.Reason == "" {
			t.Errorf("%+v", result)
		}
	}
}

// TestClusterScoped: a list that names one object may be newer than its resource version
// where the objects are in no namespaces, in spite of its limit (LIST-12).
func TestClusterScoped(t *testing.T) {
	const history = `
c1 1 2 create a/x #1 = ok a/x@5#1
c1 3 4 create a/y #2 = ok a/y@6#2
c2 5 6 list all rv=5 limit=1 field=metadata.name=z = ok @6`
	h := parse(t, history)
	if r := linear.Judge(h, etcd.Options{}); r.Verdict != etcd.Violated {
		t.Errorf("in namespaces: %+v, expected a violation", r)
	}
	h.Header.Unsupported = map[string]string{histories.Namespaces: "for this test"}
	if r := linear.Judge(h, etcd.Options{}); r.Verdict != etcd.OK {
		t.Errorf("cluster-scoped: %+v", r)
	}
}

// hard is a history that takes a search long: many lost deletes of which a list tells
// just enough.
func hard(t *testing.T, n int) *histories.History {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "c%d 1 2 create a/x%d #%d = ok a/x%d@%d#%d\n", i, i, i+1, i, i+5, i+1)
		fmt.Fprintf(&b, "c%d 3 4 delete a/x%d = unknown\n", i, i)
	}
	fmt.Fprintf(&b, "c0 5 6 list all = ok @%d a/y@2#none\n", n+1000)
	return parse(t, b.String())
}

func TestBudgets(t *testing.T) {
	for _, budget := range []etcd.Options{{Timeout: 100 * time.Millisecond}, {Timeout: time.Minute, Memory: 1 << 20}} {
		start := time.Now()
		if r := linear.Judge(hard(t, 24), budget); r.Verdict != etcd.Inconclusive || r.Reason == "" || r.Finding != nil {
			t.Errorf("%+v, expected an inconclusive result with a reason", r)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("the judge took %s beyond its budget", took)
		}
	}
	if r := linear.Judge(hard(t, 3), etcd.Options{}); r.Verdict != etcd.Violated {
		t.Errorf("%+v, expected the small one to be decided", r)
	}
}
