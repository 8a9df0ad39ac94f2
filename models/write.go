package models

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// write takes an acknowledged write.
func (s *State) write(c *Call) ([]*State, Refusal) {
	old := s.tip.root().get(c.Request.Key)
	next, met := s.meets(c.Request, old)
	if !met {
		return no(unmet(c.Request, old))
	}
	if c.Request.Kind == histories.Delete {
		return next.deletion(c, old)
	}
	return next.effect(c, put(c, old, c.Answer.Revision))
}

func (s *State) deletion(c *Call, old *histories.Object) ([]*State, Refusal) {
	present := histories.Revision(0)
	if old != nil {
		present = 1
	}
	if told := histories.Revision(c.Answer.Deleted); told != present {
		return no(Refusal{
			Property: WriteDeletedCount, a: told, b: present, key: c.Request.Key,
			form: "the answer says that {a} keys were deleted, but {b} keys were there",
		})
	}
	if old == nil {
		return s.position(WriteRevisionOrder, c.Answer.Revision)
	}
	return s.effect(c, removal(old, c.Answer.Revision))
}

// position takes the header of an answer that changed nothing.
func (s *State) position(property string, header histories.Revision) ([]*State, Refusal) {
	if header < s.newest {
		return no(s.older(property, header))
	}
	return one(s.raise(header))
}

// effect takes an effect at the revision that its answer told.
func (s *State) effect(c *Call, e Effect) ([]*State, Refusal) {
	if e.Revision <= s.newest {
		return no(Refusal{
			Property: WriteRevisionOrder, a: e.Revision, b: s.newest,
			form: "the write is at revision {a}, but the store was at {b} already",
		})
	}
	return one(s.push(e))
}

// meets reports whether the condition of a write holds, and returns the state
// with what follows if it does.
func (s *State) meets(r *histories.Request, old *histories.Object) (*State, bool) {
	switch {
	case r.Kind == histories.Create:
		return s, old == nil
	case r.Kind == histories.Put, r.Kind == histories.Delete && !r.Conditional:
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
	old := s.tip.root().get(c.Request.Key)
	next, met := s.meets(c.Request, old)
	if !met || old == nil && c.Request.Kind == histories.Delete {
		return no(Refusal{
			Property: WriteNoEffect, key: c.Request.Key,
			form: "the write of {key} would have had no effect",
		})
	}
	if c.Request.Kind == histories.Delete {
		return one(next.pushOpen(c, removal(old, symbol(c.Operation))))
	}
	return one(next.pushOpen(c, put(c, old, symbol(c.Operation))))
}

// pushOpen returns the state after an effect at a revision that is not known.
func (s *State) pushOpen(c *Call, e Effect) *State {
	if c.Operation <= 0 {
		panic("models: internal fault: an unknown write without an operation id")
	}
	next := s.clone()
	next.newest++
	next.open = append(slices.Clip(s.open), interval{operation: c.Operation, low: next.newest, high: unbounded})
	v := version{low: next.newest, open: c.Operation, effect: e, content: e.apply(s.tip.root())}
	next.tip = v.follow(s.tip)
	return next
}

// put is the effect of create, update and put.
func put(c *Call, old *histories.Object, revision histories.Revision) Effect {
	r := c.Request
	o := histories.Object{
		Key: r.Key, Write: r.Write, RV: revision, CreateRevision: revision, Version: 1,
		Lease: r.Lease, Labels: r.Labels, Size: c.size,
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
