package reducer

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// variants are operations that are one step simpler, the simplest first: a plainer
// kind, fewer parts of a transaction, one option less, a smaller number. Not all of
// them are valid in their place.
func variants(layer histories.Layer, op *plans.Op) []*plans.Op {
	v := &variation{layer: layer, op: op}
	if layer == histories.EtcdLayer {
		v.kinds()
	} else {
		v.kubeKinds()
	}
	v.asked()
	v.transaction()
	for _, option := range op.Options() {
		v.add(func(o *plans.Op) { o.Unset(option) })
	}
	v.scope()
	v.numbers()
	v.references()
	return v.found
}

// variation collects the variants of one operation.
type variation struct {
	layer histories.Layer
	op    *plans.Op
	found []*plans.Op
}

// add makes a variant by changing a copy.
func (v *variation) add(change func(*plans.Op)) {
	c := v.op.Clone()
	change(c)
	v.found = append(v.found, c)
}

// asked changes what is asked for to what does not depend on others.
func (v *variation) asked() {
	if v.layer == histories.EtcdLayer {
		v.extremes()
	} else {
		v.kubeExtremes()
	}
	v.conditions()
}

// kinds makes a plain put of what writes, and of a transaction one of its parts.
func (v *variation) kinds() {
	switch v.op.Kind {
	case histories.Create, histories.Update, histories.LeaseAttach:
		v.add(func(o *plans.Op) { o.Kind, o.Expect, o.DryRun = histories.Put, plans.Ref{}, false })
	case histories.Transact:
		for _, nested := range slices.Concat(v.op.Txn.Then, v.op.Txn.Else) {
			v.add(func(o *plans.Op) {
				lane, endpoint, label := o.Lane, o.Endpoint, o.Label
				*o = *nested.Clone()
				o.Lane, o.Endpoint, o.Label = lane, endpoint, label
			})
		}
	case plans.FillKind:
		if v.op.Fill == 1 {
			v.add(func(o *plans.Op) { o.Kind, o.Fill, o.Key.Name = histories.Put, 0, "a" })
		}
	default:
	}
}

// The revisions at the ends of any history: the one of an empty store, which the first
// compaction takes, and one that no store has.
const (
	firstRevision = 1
	noRevision    = -1
)

// extremes asks for the oldest revision, and for one that no store has, in the place of
// one that others have to make or to compact. A page becomes a read of its own.
func (v *variation) extremes() {
	if v.op.Kind == histories.Next {
		v.add(func(o *plans.Op) {
			*o = plans.Op{Lane: o.Lane, Endpoint: o.Endpoint, Label: o.Label, Kind: histories.List, Revision: plans.Ref{Kind: plans.Number, Offset: firstRevision}}
		})
		return
	}
	if !v.op.Kind.IsRead() && v.op.Kind != histories.Watch {
		return
	}
	for _, revision := range []func(*plans.Op) *plans.Ref{
		func(o *plans.Op) *plans.Ref { return &o.Revision },
		func(o *plans.Op) *plans.Ref { return &o.StartRevision },
	} {
		if of := revision(v.op); of.Kind == plans.Unset || of.Kind == plans.Number && of.Offset < 0 {
			continue
		}
		for _, n := range []int64{noRevision, firstRevision} {
			if ref := (plans.Ref{Kind: plans.Number, Offset: n}); *revision(v.op) != ref {
				v.add(func(o *plans.Op) { *revision(o) = ref })
			}
		}
	}
}

// kubeExtremes asks for the oldest resource version in the place of one that others have to
// make or to compact. A page becomes a list of its own.
func (v *variation) kubeExtremes() {
	oldest := plans.Ref{Kind: plans.Number, Offset: firstRevision}
	if v.op.Kind == histories.Next {
		v.add(func(o *plans.Op) {
			*o = plans.Op{
				Lane: o.Lane, Endpoint: o.Endpoint, Label: o.Label, Kind: histories.List, ResourceVersion: oldest, Match: "Exact",
			}
		})
	}
	if of := v.op.ResourceVersion; of.Kind != plans.Unset && of != oldest {
		v.add(func(o *plans.Op) { o.ResourceVersion = oldest })
	}
}

// kubeKinds makes a plain create of what writes once.
func (v *variation) kubeKinds() {
	if v.op.Kind != plans.FillKind || v.op.Fill != 1 {
		return
	}
	for _, namespace := range []string{plainNamespace, ""} { // the second where there are none
		v.add(func(o *plans.Op) {
			o.Kind, o.Fill, o.Key = histories.Create, 0, histories.Key{Namespace: namespace, Name: "a"}
		})
	}
}

// conditions takes away what a write demands of its object, or demands what certainly is
// not so: of a condition that fails only since others write, that is left in one lane.
func (v *variation) conditions() {
	const never = 1 // the resource version of an empty store, and no object's
	for _, condition := range []func(*plans.Op) *plans.Ref{
		func(o *plans.Op) *plans.Ref { return &o.Expect },
		func(o *plans.Op) *plans.Ref { return &o.UID },
	} {
		if kind := condition(v.op).Kind; kind == plans.Unset || kind == plans.Number {
			continue
		}
		v.add(func(o *plans.Op) { *condition(o) = plans.Ref{} })
		v.add(func(o *plans.Op) { *condition(o) = plans.Ref{Kind: plans.Number, Offset: never} })
	}
}

// transaction leaves out whole parts, then single ones, then simplifies those.
func (v *variation) transaction() {
	txn := v.op.Txn
	if txn == nil {
		return
	}
	if len(txn.Compares) > 0 {
		v.add(func(o *plans.Op) { o.Txn.Compares = nil })
	}
	for _, branch := range []func(*plans.Op) *[]plans.Op{
		func(o *plans.Op) *[]plans.Op { return &o.Txn.Else },
		func(o *plans.Op) *[]plans.Op { return &o.Txn.Then },
	} {
		v.branch(branch)
	}
	for i := range txn.Compares {
		if len(txn.Compares) > 1 {
			v.add(func(o *plans.Op) { o.Txn.Compares = slices.Delete(o.Txn.Compares, i, i+1) })
		}
	}
}

func (v *variation) branch(of func(*plans.Op) *[]plans.Op) {
	ops := *of(v.op)
	if len(ops) > 0 {
		v.add(func(o *plans.Op) { *of(o) = nil })
	}
	for i := range ops {
		if len(ops) > 1 {
			v.add(func(o *plans.Op) { *of(o) = slices.Delete(*of(o), i, i+1) })
		}
	}
	for i := range ops {
		for _, simpler := range variants(v.layer, &ops[i]) {
			v.add(func(o *plans.Op) { (*of(o))[i] = *simpler })
		}
	}
}

// scope widens what is read to everything, and narrows what is deleted to one key.
func (v *variation) scope() {
	switch shape := v.op.Scope.Shape; {
	case shape == histories.All:
	case v.op.Kind == histories.List || v.op.Kind == histories.Watch || v.op.Kind == histories.DeleteRange:
		v.add(func(o *plans.Op) { o.Scope = histories.Scope{} })
		if shape == histories.Range {
			v.add(func(o *plans.Op) { o.Scope = histories.Scope{Shape: histories.Prefix, Key: o.Scope.Key} })
		}
	}
}

// numbers makes numbers smaller.
func (v *variation) numbers() {
	for _, n := range smaller(int64(v.op.Fill)) {
		v.add(func(o *plans.Op) { o.Fill = int(n) })
	}
	for _, n := range smaller(int64(v.op.Size)) {
		v.add(func(o *plans.Op) { o.Size = int(n) })
	}
	for _, n := range smaller(v.op.Limit) {
		v.add(func(o *plans.Op) { o.Limit = n })
	}
	for _, n := range smaller(v.op.TTL) {
		v.add(func(o *plans.Op) { o.TTL = n })
	}
	for name, value := range v.op.Labels {
		if len(v.op.Labels) > 1 {
			v.add(func(o *plans.Op) { o.Labels = map[string]string{name: value} })
		}
	}
}

// smaller are numbers to try in place of a positive one.
func smaller(n int64) []int64 {
	switch {
	case n <= 1:
		return nil
	case n <= 3:
		return []int64{1}
	default:
		return []int64{1, 2, n / 2}
	}
}

// references takes the offset from them.
func (v *variation) references() {
	for i, ref := range v.op.Refs() {
		if ref.Kind != plans.Number && ref.Offset != 0 && v.op.Txn == nil {
			v.add(func(o *plans.Op) { o.Refs()[i].Offset = 0 })
		}
	}
}
