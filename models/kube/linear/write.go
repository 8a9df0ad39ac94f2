package linear

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// write takes a write of one object.
func (m *move) write(s *state) (*state, *refusal) {
	r, a := m.request, &m.op.Answer
	stored := s.tip.object(r.Key)
	before := supposed(stored, r)
	if uid := toldUID(a); before != nil && stored.UID == "" && uid != "" {
		before.UID = uid
	}
	out := kube.WriteTo(m.evidence.header, before, r)
	switch {
	case a.Outcome == histories.Fail:
		if out.MayRefuse(a.Error.Class) || a.Error.Class == histories.Conflict && guessed(stored, before) {
			return s, nil
		}
		return nil, &refusal{models.WriteConflictOwed, "it was refused, but nothing was in its way"}
	case out.Refused():
		return nil, &refusal{conditionOf(r), "it took effect, but should have been refused"}
	case r.Options().DryRun:
		return s, nil
	case a.Outcome == histories.Unknown:
		return m.silent(s, &out)
	default:
		return m.acknowledged(s, before, &out)
	}
}

// supposed is the object before a write, with what its conditions ask for where that is
// not known of it.
func supposed(o *histories.Object, r *histories.Request) *histories.Object {
	if o == nil {
		return nil
	}
	before := *o
	if r.Conditional && before.RV <= 0 && r.Expect > -before.RV {
		before.RV = r.Expect
	}
	if before.UID == "" {
		before.UID = r.ExpectUID
	}
	return &before
}

// guessed reports whether an object was only supposed to be what a write asks for.
func guessed(stored, before *histories.Object) bool {
	return before != nil && (before.RV != stored.RV || before.UID != stored.UID)
}

// toldUID is the uid of the object that a write says it has met, empty where it does not
// say.
func toldUID(a *histories.Answer) string {
	if a.Outcome == histories.OK && len(a.Objects) == 1 {
		return a.Objects[0].UID
	}
	return a.Details().UID
}

func conditionOf(r *histories.Request) string {
	switch {
	case r.Kind == histories.Create:
		return models.WriteCreateExclusive
	case r.Kind == histories.Delete && (r.Conditional || r.ExpectUID != ""):
		return models.WriteDeleteCAS
	case r.Kind == histories.Delete:
		return models.WriteDurable
	case r.Kind == histories.Patch && !r.Conditional && r.ExpectUID == "":
		return models.WritePatch
	default:
		return models.WriteUpdateCAS
	}
}

// silent takes a write whose answer was lost.
func (m *move) silent(s *state, out *kube.Outcome) (*state, *refusal) {
	switch out.Change {
	case kube.Stored:
		return s.push(0, m.request.Key, out.Object), nil
	case kube.Removed:
		return s.push(0, m.request.Key, nil), nil
	default:
		return s, nil
	}
}

// acknowledged takes a write that says it has succeeded.
func (m *move) acknowledged(s *state, before *histories.Object, out *kube.Outcome) (*state, *refusal) {
	a, key := &m.op.Answer, m.request.Key
	var shown histories.Object
	if len(a.Objects) == 1 {
		shown = a.Objects[0]
	}
	if out.Change == kube.Removed {
		shown.UID = a.Details().UID
	}
	if before != nil && before.UID != "" && shown.UID != "" && before.UID != shown.UID {
		return nil, &refusal{conditionOf(m.request), "it is about an object with another uid"}
	}
	switch {
	case out.Change == kube.Removed:
		return s.push(0, key, nil), nil
	case out.Change == kube.Unchanged, out.Loose && before != nil && before.RV == shown.RV:
		return unchanged(s, before, &shown)
	}
	after := *out.Object
	if shown.UID != "" {
		after.UID = shown.UID
	}
	if out.Loose {
		after.Labels = shown.Labels
	}
	at := shown.RV
	if m.request.Kind == histories.Create && a.Revision > 0 {
		at = a.Revision
	}
	next := s.push(at, key, &after)
	if next == nil {
		return nil, &refusal{models.WriteRevisionOrder, "it took effect at a revision that the store had passed"}
	}
	return next, nil
}

// unchanged takes a write that leaves an object as it is. That a new version of the
// same content has a new revision is the timeline judge's matter.
func unchanged(s *state, before, shown *histories.Object) (*state, *refusal) {
	switch {
	case shown.RV <= 0 || before.RV == shown.RV:
		return s, nil
	case before.RV <= 0 && shown.RV > -before.RV:
		return s.learn(shown.RV, []histories.Object{*shown}), nil
	}
	after := *before
	if next := s.push(shown.RV, before.Key, &after); next != nil {
		return next, nil
	}
	return nil, &refusal{models.WriteUpdateCAS, "its answer shows an older version of the object"}
}
