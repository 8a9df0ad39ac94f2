package plans

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/rvcheck/rvcheck/histories"
)

// arbitrary draws any valid plan, without regard to whether it makes sense.
var arbitrary = rapid.Custom(func(t *rapid.T) Plan {
	layer := rapid.SampledFrom(layers).Draw(t, "layer")
	a := &author{T: t, layer: layer, endpoints: map[string]int{}}
	p := Plan{Layer: layer, Seed: rapid.Uint64().Draw(t, "seed")}
	for range rapid.IntRange(0, 25).Draw(t, "steps") {
		p.Steps = append(p.Steps, a.step())
	}
	return p
})

// author draws the parts of one plan.
type author struct {
	*rapid.T
	layer     histories.Layer
	endpoints map[string]int
	labels    []string
	kinds     []histories.Kind // by label
}

func (a *author) step() Step {
	switch rapid.IntRange(0, 12).Draw(a.T, "step") {
	case 0:
		return Step{Barrier: true}
	case 1:
		return Step{Fault: a.fault()}
	case 2:
		return Step{Expect: &Expect{Property: a.text()}}
	case 3:
		return Step{Comment: strings.TrimRight(rapid.StringMatching(`[^\r\n]{0,20}`).Draw(a.T, "comment"), " \t") + "."}
	default:
		return Step{Op: a.op()}
	}
}

func (a *author) fault() *Fault {
	f := &Fault{Action: a.name()}
	for range rapid.IntRange(0, 3).Draw(a.T, "args") {
		f.Args = append(f.Args, Arg{Name: a.name(), Value: a.text()})
	}
	return f
}

func (a *author) name() string {
	return rapid.StringMatching(`[A-Za-z][-A-Za-z0-9_.]{0,5}`).Filter(func(s string) bool { return s != "expect" }).Draw(a.T, "name")
}

// text draws byte strings that try to be something else.
func (a *author) text() string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "a/b", "a/", "all", "then", "else", "if", "a*", "[a,b)", "\"", "\\", "#", " #", "--", "!", "\n", "\r\n", "\x00", "\xff", "é", "a=b", "rv(x)", "a:b", ";", "{x=1}", "limit", "\ufeff"}),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) }),
		rapid.String(),
	).Draw(a.T, "text")
}

func (a *author) key() histories.Key {
	if a.layer == histories.EtcdLayer {
		return histories.Key{Name: a.text()}
	}
	key := histories.Key{Resource: a.text(), Namespace: strings.ReplaceAll(a.text(), "/", ""), Name: a.text()}
	if key.Namespace == "" {
		key.Name = strings.ReplaceAll(key.Name, "/", "")
	}
	return key
}

func (a *author) scope() histories.Scope {
	key := a.key()
	shapes := []histories.Shape{histories.All, histories.Single, histories.Prefix, histories.Range}
	if a.layer != histories.EtcdLayer {
		shapes = []histories.Shape{histories.All, histories.Single, histories.Namespace}
	}
	scope := histories.Scope{Shape: rapid.SampledFrom(shapes).Draw(a.T, "shape"), Key: key}
	switch scope.Shape {
	case histories.All:
		scope.Key = histories.Key{Resource: key.Resource}
	case histories.Namespace:
		scope.Key = histories.Key{Resource: key.Resource, Namespace: "n" + key.Namespace}
	case histories.Range:
		scope.End = a.text()
	default:
	}
	return scope
}

// of draws a label of an operation of one of the kinds, of any if there are none.
func (a *author) of(kinds ...histories.Kind) (string, bool) {
	var found []string
	for i, label := range a.labels {
		if len(kinds) == 0 || slices.Contains(kinds, a.kinds[i]) {
			found = append(found, label)
		}
	}
	if len(found) == 0 {
		return "", false
	}
	return rapid.SampledFrom(found).Draw(a.T, "of"), true
}

func (a *author) number() int64 {
	return rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64()).Draw(a.T, "number")
}

func (a *author) ref(kinds ...RefKind) Ref {
	kind := rapid.SampledFrom(append(kinds, Number)).Draw(a.T, "ref")
	r := Ref{Kind: kind, Offset: a.number()}
	if kind.labelled() {
		label, ok := a.of(kind.about()...)
		if !ok {
			return Ref{Kind: Number, Offset: r.Offset}
		}
		r.Label = label
	}
	return r
}

func (a *author) op() *Op {
	op := &Op{Lane: a.name()}
	if a.endpoints[op.Lane] == 0 {
		a.endpoints[op.Lane] = rapid.IntRange(1, 3).Draw(a.T, "endpoint")
	}
	op.Endpoint = a.endpoints[op.Lane]
	here := func(f form) bool { return f.reach.includes(a.layer) }
	a.body(op, rapid.SampledFrom(forms).Filter(here).Draw(a.T, "form"), false)
	if rapid.Bool().Draw(a.T, "labelled") {
		op.Label = fmt.Sprintf("%s-%d", a.name(), len(a.labels))
		a.labels, a.kinds = append(a.labels, op.Label), append(a.kinds, op.Kind)
	}
	return op
}

func (a *author) body(op *Op, f form, nested bool) {
	op.Kind = f.kind
	if !a.argument(op, f) {
		op.Kind, f = histories.Get, form{kind: histories.Get}
		op.Key = a.key()
	}
	for _, o := range optionsOf(op.Kind, a.layer, nested) {
		required := slices.Contains(o.required, op.Kind) && a.layer == histories.EtcdLayer
		if required || rapid.Bool().Draw(a.T, o.name) {
			a.option(op, o.name)
		}
	}
	if op.Kind == histories.LeaseAttach && op.Lease == "" {
		*op = Op{Lane: op.Lane, Endpoint: op.Endpoint, Kind: histories.Status}
	}
}

// argument draws the argument, and reports whether there is something to refer to.
func (a *author) argument(op *Op, f form) bool {
	ok := true
	switch f.argument {
	case keyArgument:
		op.Key = a.key()
	case scopeArgument:
		op.Scope = a.scope()
	case ofArgument:
		op.Of, ok = a.of(f.about...)
	case awaitArgument:
		if op.Of, ok = a.of(f.about...); ok {
			op.Revision = a.ref(revisionRefs...)
		}
	case leaseArgument:
		op.Lease, ok = a.lease()
	case revisionArgument:
		op.Revision = a.ref(revisionRefs...)
	case fillArgument:
		op.Fill = rapid.IntRange(1, 1_000_000).Draw(a.T, "fill")
	case txnArgument:
		op.Txn = a.txn(1)
	case noArgument:
	}
	return ok
}

// lease draws a lease: the label of a grant, or a number.
func (a *author) lease() (string, bool) {
	if rapid.Bool().Draw(a.T, "lease by number") {
		return strconv.FormatInt(a.number(), 10), true
	}
	return a.of(histories.LeaseGrant)
}

func (a *author) txn(depth int) *Txn {
	txn := &Txn{}
	for range rapid.IntRange(0, 3).Draw(a.T, "compares") {
		target := rapid.SampledFrom(targets).Draw(a.T, "target")
		txn.Compares = append(txn.Compares, Compare{
			Key: a.key(), Target: target.name,
			Op:    rapid.SampledFrom([]string{"=", "!=", "<", ">"}).Draw(a.T, "op"),
			Value: a.ref(target.refs...),
		})
	}
	for _, branch := range []*[]Op{&txn.Then, &txn.Else} {
		for range rapid.IntRange(0, 3).Draw(a.T, "branch") {
			kind := rapid.SampledFrom(nestedKinds[:len(nestedKinds)-1+depth]).Draw(a.T, "nested")
			f, _ := formOf(histories.Kind(kind))
			op := Op{Kind: f.kind}
			if f.argument == txnArgument {
				op.Txn = a.txn(depth - 1)
			} else {
				a.body(&op, f, true)
			}
			*branch = append(*branch, op)
		}
	}
	return txn
}

func (a *author) option(op *Op, name string) {
	yes := true
	switch name {
	case "{":
		op.Labels = map[string]string{a.text(): a.text(), a.text(): a.text()}
	case "rv":
		op.Expect = a.ref(revisionRefs...)
	case "uid":
		op.UID = a.ref(UIDOf, Last)
	case "revision":
		op.Revision = a.ref(revisionRefs...)
	case "startRevision":
		op.StartRevision = a.ref(revisionRefs...)
	case "resourceVersion":
		op.ResourceVersion = a.ref(revisionRefs...)
	case "match":
		op.Match = a.text()
	case "labelSelector":
		op.LabelSelector = a.text()
	case "fieldSelector":
		op.FieldSelector = a.text()
	case "limit":
		op.Limit = a.number()
	case "startKey":
		op.Start, op.HasStart = a.text(), true
	case "countOnly":
		op.CountOnly = true
	case "keysOnly":
		op.KeysOnly = true
	case "serializable":
		op.Serializable = true
	case "prevKV":
		op.PrevKV = true
	case "progress":
		op.ProgressNotify = true
	case "allowWatchBookmarks":
		op.AllowWatchBookmarks = true
	case "sendInitialEvents":
		yes = rapid.Bool().Draw(a.T, "yes")
		op.SendInitialEvents = &yes
	case "timeoutSeconds":
		op.TimeoutSeconds = rapid.Int64Range(0, 1<<40).Draw(a.T, "timeout")
	case "physical":
		op.Physical = true
	case "rawResourceVersion":
		op.RawResourceVersion = a.text()
	case "encoding":
		op.Encoding = a.text()
	case "finalizers":
		op.Finalizers = a.text()
	case "type":
		op.Patch = rapid.SampledFrom([]string{histories.MergePatch, histories.JSONPatch, histories.ApplyPatch}).Draw(a.T, "type")
	case "clearFinalizers":
		op.ClearFinalizers = true
	case "force":
		op.Force = true
	case "noop":
		op.NoOp = true
	case "status":
		op.Status = true
	case "generateName":
		op.GenerateName = true
	case "damaged":
		op.Damaged = true
	case "slow":
		op.Slow = true
	case "size":
		op.Size = rapid.IntRange(0, 1<<30).Draw(a.T, "size")
	case "sort":
		op.Sort = histories.SortTarget(rapid.SampledFrom(sortTargets).Draw(a.T, "target"))
		op.Order = histories.SortOrder(rapid.SampledFrom(append(sortOrders, "")).Draw(a.T, "order"))
	case "minMod":
		op.MinMod = a.ref(revisionRefs...)
	case "maxMod":
		op.MaxMod = a.ref(revisionRefs...)
	case "minCreate":
		op.MinCreate = a.ref(revisionRefs...)
	case "maxCreate":
		op.MaxCreate = a.ref(revisionRefs...)
	case "on":
		op.On, _ = a.of(watches...)
	case "id":
		op.ID = a.number()
	case "noput":
		op.NoPut = true
	case "nodelete":
		op.NoDelete = true
	case "fragment":
		op.Fragment = true
	case "lease":
		op.Lease, _ = a.lease()
	case "ttl":
		op.TTL = a.number()
	case "dryRun":
		op.DryRun = true
	default:
		panic("fault of this test: it does not know the option " + name)
	}
}
