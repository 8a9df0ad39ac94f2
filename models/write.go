package models

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// write takes an acknowledged write of one key.
func (s *State) write(c *Call) ([]*State, Refusal) {
	old := s.tip.root().get(c.Request.Key)
	next, met := s.meets(c.Request, old)
	if !met {
		return no(unmet(c.Request, old))
	}
	if c.Request.Kind == histories.Delete {
		return next.deletion(c, present(old))
	}
	if refusal := next.holder(c.Request); refusal.Refused() {
		return no(refusal)
	}
	return next.effect(put(c.Request, c.size, old, c.Answer.Revision))
}

// present is the list of an object that may be absent.
func present(old *histories.Object) []*histories.Object {
	if old == nil {
		return nil
	}
	return []*histories.Object{old}
}

// deletion takes an acknowledged delete of what was there.
func (s *State) deletion(c *Call, there []*histories.Object) ([]*State, Refusal) {
	seen, refusal := removed(c.Request, c.Answer, there)
	if refusal.Refused() {
		return no(refusal)
	}
	next, ok := s.binding(seen)
	switch {
	case !ok:
		return no(notRemoved(c.Request))
	case len(there) == 0:
		return next.position(WriteRevisionOrder, c.Answer.Revision)
	default:
		return next.effect(removals(there, c.Answer.Revision)...)
	}
}

// removed compares what the answer of a delete says with what was there.
func removed(r *histories.Request, a *histories.Answer, there []*histories.Object) (sighting, Refusal) {
	if told := a.Deleted; told != int64(len(there)) {
		return sighting{}, Refusal{
			Property: WriteDeletedCount, a: histories.Revision(told), b: histories.Revision(len(there)), key: r.Key,
			form: "the answer says that {a} keys were deleted, but {b} keys were there",
		}
	}
	if !r.PrevKV || r.Conditional {
		return sighting{same: true}, allowed
	}
	if len(a.Objects) != len(there) {
		return sighting{}, notRemoved(r)
	}
	seen := sighting{same: true}
	for i := 0; i < len(there) && seen.same; i++ {
		seen = sees(seen.bound, there[i], &a.Objects[i], false)
	}
	return seen, allowed
}

func notRemoved(r *histories.Request) Refusal {
	return Refusal{Property: DeleteRange, key: r.Key, form: "the objects that the answer says were removed are not those that were there"}
}

// within returns the objects of a scope.
func within(content *node, scope histories.Scope) []*histories.Object {
	in := spanOf(scope)
	var found []*histories.Object
	content.ascend(in.from, func(o *histories.Object) bool {
		if !in.open && o.Key.Compare(in.to) >= 0 {
			return false
		}
		found = append(found, o)
		return true
	})
	return found
}

// position takes the header of an answer that changed nothing.
func (s *State) position(property string, header histories.Revision) ([]*State, Refusal) {
	if header < s.newest {
		return no(s.older(property, header))
	}
	return one(s.raise(header))
}

// effect takes effects at the revision that their answer told.
func (s *State) effect(effects ...Effect) ([]*State, Refusal) {
	revision := effects[0].Revision
	if revision <= s.newest {
		return no(Refusal{
			Property: WriteRevisionOrder, a: revision, b: s.newest,
			form: "the write is at revision {a}, but the store was at {b} already",
		})
	}
	return one(s.push(effects...))
}

// meets reports whether the condition of a write holds, and returns the state
// with what follows if it does.
func (s *State) meets(r *histories.Request, old *histories.Object) (*State, bool) {
	switch {
	case r.Kind == histories.Create:
		return s, old == nil
	case r.Kind == histories.Put, r.Kind == histories.LeaseAttach, r.Kind == histories.Delete && !r.Conditional:
		return s, true
	case old == nil:
		return s, r.Expect == 0
	default:
		return s.bind(old.RV, r.Expect)
	}
}

// unmet refuses a write that succeeded against its condition.
func unmet(r *histories.Request, old *histories.Object) Refusal {
	refusal := Refusal{Property: WriteUpdateCAS, a: r.Expect, key: r.Key}
	switch {
	case r.Kind == histories.Create:
		refusal.Property, refusal.a = WriteCreateExclusive, old.RV
		refusal.form = "the create succeeded, but {key} was there, last changed at {a}"
		return refusal
	case r.Kind == histories.Delete:
		refusal.Property = WriteDeleteCAS
	}
	if old == nil {
		refusal.form = "the write succeeded on condition that {key} was last changed at {a}, but it was absent"
		return refusal
	}
	refusal.b = old.RV
	refusal.form = "the write succeeded on condition that {key} was last changed at {a}, but that was at {b}"
	return refusal
}

// conflict takes a write that was refused because its condition did not hold.
func (s *State) conflict(c *Call) ([]*State, Refusal) {
	if c.Answer.Revision < s.newest {
		return no(s.older(HeaderMonotone, c.Answer.Revision))
	}
	old := s.tip.root().get(c.Request.Key)
	if s.holds(c, old) {
		return no(Refusal{
			Property: WriteConflictOwed, key: c.Request.Key,
			form: "the write of {key} was refused, but its condition held",
		})
	}
	next, ok := s.raise(c.Answer.Revision).branch(c, old)
	if !ok {
		return no(Refusal{
			Property: WriteFailureBranch, key: c.Request.Key,
			form: "the refused write did not return {key} as it was",
		})
	}
	return one(next)
}

// holds reports whether the condition of a refused write held. Where the stored
// revision is not known, the failure branch tells it.
func (s *State) holds(c *Call, old *histories.Object) bool {
	if old != nil && isSymbol(old.RV) && compares(c.Request) {
		seen := c.Answer.Objects
		return len(seen) == 1 && seen[0].RV == c.Request.Expect
	}
	_, met := s.meets(c.Request, old)
	return met
}

// compares reports whether a write is conditional on a revision.
func compares(r *histories.Request) bool {
	return r.Kind == histories.Update || r.Kind == histories.Delete && r.Conditional
}

// branch compares what a failed compare returned: nothing from a create, the
// object or its absence from the others.
func (s *State) branch(c *Call, old *histories.Object) (*State, bool) {
	seen := c.Answer.Objects
	if c.Request.Kind == histories.Create && len(seen) == 0 {
		return s, true
	}
	if old == nil || len(seen) != 1 {
		return s, old == nil && len(seen) == 0
	}
	return s.binding(sees(nil, old, &seen[0], false))
}

// writeUnseen takes a write of unknown outcome as having taken effect here.
func (s *State) writeUnseen(c *Call) ([]*State, Refusal) {
	r := c.Request
	if r.Kind == histories.DeleteRange {
		return s.removeUnseen(c, within(s.tip.root(), r.Scope))
	}
	old := s.tip.root().get(r.Key)
	next, met := s.meets(r, old)
	switch {
	case !met:
		return no(ineffective(r))
	case r.Kind == histories.Delete:
		return next.removeUnseen(c, present(old))
	case s.unheardOf(r.Lease):
		return no(ineffective(r))
	}
	return one(next.pushOpen(c, []Effect{put(r, c.size, old, symbol(c.Operation))}))
}

func (s *State) removeUnseen(c *Call, there []*histories.Object) ([]*State, Refusal) {
	if len(there) == 0 {
		return no(ineffective(c.Request))
	}
	return one(s.pushOpen(c, removals(there, symbol(c.Operation))))
}

func ineffective(r *histories.Request) Refusal {
	if r.Kind == histories.DeleteRange {
		return Refusal{Property: WriteNoEffect, form: "there was nothing to delete"}
	}
	return Refusal{Property: WriteNoEffect, key: r.Key, form: "the write of {key} would have had no effect"}
}

// pushOpen returns the state after effects at a revision that is not known.
func (s *State) pushOpen(c *Call, effects []Effect) *State {
	if c.Operation <= 0 {
		panic("models: internal fault: an unknown write without an operation id")
	}
	next := s.clone()
	next.newest++
	next.open = append(slices.Clip(s.open), interval{operation: c.Operation, low: next.newest, high: unbounded})
	v := newVersion(next.newest, s.tip.root(), effects)
	v.open = c.Operation
	next.tip = v.follow(s.tip)
	return next
}

// put is the effect of create, update, put and attach.
func put(r *histories.Request, size int, old *histories.Object, revision histories.Revision) Effect {
	o := histories.Object{
		Key: r.Key, Write: r.Write, RV: revision, CreateRevision: revision, Version: 1,
		Lease: r.Lease, Labels: r.Labels, Size: size,
	}
	if old != nil {
		o.CreateRevision, o.Version = old.CreateRevision, old.Version+1
	}
	return Effect{Revision: revision, Key: r.Key, Object: o, Prev: old}
}

// removal is the effect of a delete.
func removal(old *histories.Object, revision histories.Revision) Effect {
	return Effect{
		Revision: revision, Key: old.Key, Object: histories.Object{Key: old.Key, RV: revision},
		Deleted: true, Prev: old,
	}
}

// removals are the effects of a delete of several keys.
func removals(there []*histories.Object, revision histories.Revision) []Effect {
	effects := make([]Effect, len(there))
	for i, old := range there {
		effects[i] = removal(old, revision)
	}
	return effects
}
