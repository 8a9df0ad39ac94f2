package kube

import (
	"maps"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// result is what a write does to an object.
type result struct {
	// refusals are the classes with which it may fail; fails: it must.
	refusals []histories.ErrorClass
	fails    bool
	// after is what is stored, nil with removes for nothing. Where neither is so the
	// object stays as it is.
	after   *histories.Object
	removes bool
	// loose: labels, finalizers and size depend on who owns what (WR-15).
	loose bool
}

func failing(classes ...histories.ErrorClass) result { return result{refusals: classes, fails: true} }

// performed is what a write does to an object, nil for none.
func performed(before *histories.Object, r *histories.Request) result {
	switch {
	case r.Kind == histories.Create && before != nil:
		return failing(histories.Exists)
	case r.Kind == histories.Create:
		return result{after: fresh(r)}
	case r.Kind == histories.Delete:
		return deleted(before, r)
	case before == nil:
		return missing(r)
	}
	if r.Expect != 0 && r.Expect != before.RV {
		return failing(histories.Conflict)
	}
	other := r.ExpectUID != "" && r.ExpectUID != before.UID
	statusPatch := r.Kind == histories.Patch && r.Options().Status
	if other && !statusPatch {
		return failing(histories.Conflict, histories.Invalid) // WR-12
	}
	out := changed(before, r)
	switch {
	case other:
		out.refusals = append(out.refusals, histories.Invalid, histories.Conflict)
	case r.Kind == histories.Update && r.Expect == 0: // WR-10
		out.refusals = append(out.refusals, histories.Invalid)
	}
	if r.Options().Patch == histories.ApplyPatch {
		out.loose = true
		out.refusals = append(out.refusals, histories.Conflict)
	}
	return out
}

// missing is a write of what is not there: an apply makes it (WR-15).
func missing(r *histories.Request) result {
	o := r.Options()
	switch {
	case r.Kind == histories.Patch && o.Patch == histories.ApplyPatch && !o.Status && r.ExpectUID == "":
		out := result{after: fresh(r)}
		if r.Expect != 0 {
			out.refusals = []histories.ErrorClass{histories.NotFound, histories.Conflict, histories.Invalid}
		}
		return out
	default:
		return failing(histories.NotFound, histories.Conflict, histories.Invalid)
	}
}

func fresh(r *histories.Request) *histories.Object {
	o := &histories.Object{Key: r.Key, Write: r.Write, Labels: r.Labels, Size: r.Size}
	return withMeta(o, r.Options().Finalizers, "")
}

func withMeta(o *histories.Object, finalizers []string, status histories.WriteID) *histories.Object {
	next := *o
	next.Kube = &histories.KubeMeta{Finalizers: finalizers, Status: status}
	return &next
}

func deleted(before *histories.Object, r *histories.Request) result {
	switch {
	case before == nil:
		return failing(histories.NotFound)
	case r.Conditional && r.Expect != before.RV, r.ExpectUID != "" && r.ExpectUID != before.UID:
		return failing(histories.Conflict)
	case len(before.Meta().Finalizers) == 0:
		return result{removes: true}
	case before.Deleting:
		return result{}
	default:
		marked := *before
		marked.Deleting = true
		return result{after: &marked}
	}
}

// changed is what an update or a patch makes of an object.
func changed(before *histories.Object, r *histories.Request) result {
	o := r.Options()
	meta := before.Meta()
	if o.NoOp {
		return result{}
	}
	if o.Status {
		return result{after: withMeta(before, meta.Finalizers, r.Write)}
	}
	after := *before
	finalizers := meta.Finalizers
	switch {
	case r.Kind == histories.Update:
		after.Write, after.Size, after.Labels, finalizers = r.Write, r.Size, r.Labels, o.Finalizers
	default:
		if r.Write != "" {
			after.Write, after.Size = r.Write, r.Size
		}
		after.Labels = patchedLabels(before.Labels, r)
		finalizers = patchedFinalizers(finalizers, &o)
	}
	result := result{after: withMeta(&after, finalizers, meta.Status)}
	switch {
	case same(before, result.after, false): // WR-16
		result.after = nil
		return result
	case !before.Deleting:
		return result
	}
	for _, f := range finalizers {
		if !slices.Contains(meta.Finalizers, f) {
			return failing(histories.Invalid)
		}
	}
	result.removes = len(finalizers) == 0 // after is what the answer shows
	return result
}

func patchedLabels(old map[string]string, r *histories.Request) map[string]string {
	if len(r.Labels) == 0 {
		return old
	}
	all := map[string]string{}
	if r.Options().Patch != histories.JSONPatch {
		maps.Copy(all, old)
	}
	maps.Copy(all, r.Labels)
	return all
}

func patchedFinalizers(old []string, o *histories.KubeOptions) []string {
	switch {
	case o.ClearFinalizers:
		return nil
	case len(o.Finalizers) == 0:
		return old
	case o.Patch != histories.ApplyPatch:
		return o.Finalizers
	}
	all := slices.Clone(old)
	for _, f := range o.Finalizers {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}

// write returns the stores in which a write of one object may leave a store. Where nobody
// was shown the uid of an object it may be the one that the write is for, or not.
func (s *search) write(at *store, op *histories.Operation) []*store {
	r := s.named(op)
	before := at.now(r.Key)
	if before == nil || before.UID != "" || r.ExpectUID == "" {
		return s.writeOn(at, op, r, before)
	}
	meant, other := *before, *before
	meant.UID, other.UID = r.ExpectUID, "another"
	return append(s.writeOn(at, op, r, &meant), s.writeOn(at, op, r, &other)...)
}

func (s *search) writeOn(at *store, op *histories.Operation, r *histories.Request, before *histories.Object) []*store {
	out := performed(before, r)
	a := &op.Answer
	if a.Outcome == histories.Fail {
		if out.fails || len(out.refusals) > 0 {
			if a.Error != nil && slices.Contains(out.refusals, a.Error.Class) {
				return []*store{at}
			}
		}
		return nil
	}
	if out.fails {
		return s.without(at, op)
	}
	if r.Options().DryRun {
		return []*store{at}
	}
	if a.Outcome == histories.Unknown {
		return s.written(at, op, r, before, out, s.revisions(at))
	}
	return s.acknowledged(at, op, r, before, out)
}

// without is the store after a write that does nothing, if it need not succeed.
func (s *search) without(at *store, op *histories.Operation) []*store {
	if op.Answer.Outcome == histories.Unknown {
		return []*store{at}
	}
	return nil
}

// written makes the change of a write at each of some revisions.
func (s *search) written(at *store, op *histories.Operation, r *histories.Request, before *histories.Object, out result, revisions []histories.Revision) []*store {
	if !out.removes && out.after == nil {
		return []*store{at}
	}
	var all []*store
	for _, revision := range revisions {
		c := change{revision: revision, key: r.Key, before: before, by: op.ID}
		if !out.removes {
			after := *out.after
			after.RV = revision
			c.after = &after
		}
		if next := s.applied(at, c, out.loose); next != nil {
			all = append(all, next)
		}
	}
	return all
}

// acknowledged takes a write that says that it succeeded: its answer shows what it made,
// with the revision, or names whom it deleted.
func (s *search) acknowledged(at *store, op *histories.Operation, r *histories.Request, before *histories.Object, out result) []*store {
	a := &op.Answer
	switch {
	case out.removes && r.Kind == histories.Delete:
		uid := a.Details().UID
		if len(a.Objects) > 0 || before.UID != "" && uid != before.UID || before.UID == "" && at.used(uid) {
			return nil
		}
		named := *before
		named.UID = uid
		before = &named
		return s.written(at, op, r, before, out, s.revisions(at))
	case len(a.Objects) != 1, before != nil && before.UID != "" && before.UID != a.Objects[0].UID:
		return nil
	case out.removes: // the answer shows what never was stored (WR-25)
		if last := &a.Objects[0]; !last.Deleting || len(last.Meta().Finalizers) > 0 || last.Write != out.after.Write {
			return nil
		}
		return s.written(at, op, r, before, out, s.revisions(at))
	}
	shown := &a.Objects[0]
	if out.after == nil || out.loose && before != nil && before.RV == shown.RV {
		if before.RV != shown.RV || !same(before, shown, false) {
			return nil
		}
		return []*store{at}
	}
	if r.Kind == histories.Create && a.Revision != shown.RV {
		return nil
	}
	if out.after.UID == "" {
		if shown.UID == "" || at.used(shown.UID) {
			return nil // WR-05
		}
		made := *out.after
		made.UID = shown.UID
		out.after = &made
	}
	if out.loose {
		out.after = adopt(out.after, shown, true)
	}
	all := s.written(at, op, r, before, out, []histories.Revision{shown.RV})
	return slices.DeleteFunc(all, func(next *store) bool { return !same(next.now(r.Key), shown, false) })
}

// look is the first step of a write that takes two: it sees an object that it will remove
// whatever becomes of it (traps of the contract: two requests can share one effect).
func (s *search) look(at *store, op *histories.Operation) []*store {
	r := s.named(op)
	if r.Kind == histories.Create || r.Options().DryRun || op.Answer.Outcome == histories.Fail || !s.finalizers {
		return nil
	}
	before := at.now(r.Key)
	if before == nil || !performed(before, r).removes {
		return nil
	}
	return []*store{at.with(op.ID, &pending{seen: before})}
}

// finish is the second step.
func (s *search) finish(at *store, op *histories.Operation, seen *histories.Object) []*store {
	r := s.named(op)
	over := at.with(op.ID, nil)
	now := at.now(r.Key)
	gone := now == nil || now.UID != seen.UID
	if op.Answer.Outcome == histories.OK {
		uid := op.Answer.Details().UID
		if len(op.Answer.Objects) == 1 {
			uid = op.Answer.Objects[0].UID
		}
		if (r.Kind == histories.Delete) != (len(op.Answer.Objects) == 0) || seen.UID != "" && uid != seen.UID {
			return nil
		}
		if r.Kind != histories.Delete && op.Answer.Objects[0].Write != performed(seen, r).after.Write {
			return nil
		}
	}
	switch {
	case gone && r.Kind == histories.Delete:
		return s.without(over, op)
	case gone:
		return []*store{over}
	case r.Kind == histories.Delete && (r.Conditional && r.Expect != now.RV || len(now.Meta().Finalizers) == 0):
		return s.without(over, op) // in one step, or not at all
	}
	return s.written(over, op, r, now, result{removes: true}, s.revisions(at))
}
