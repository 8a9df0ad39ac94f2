package models

import (
	"github.com/rvcheck/rvcheck/histories"
)

// Apply performs a request as etcd does and returns the state after it and the
// answer. The revision is the one that a write gets if it has an effect; it must
// be above the newest, gaps are allowed. Sizes are not limited.
//
// Apply is for states of a store that is fully known, such as those that it
// returns itself.
func (s *State) Apply(request histories.Request, revision histories.Revision) (*State, histories.Answer) {
	if reason := Unspecified(&request); reason != "" {
		panic("models: internal fault: Apply: " + reason)
	}
	if len(s.open) > 0 {
		panic("models: internal fault: Apply on a state with open writes")
	}
	r := &request
	switch kind := r.Kind; {
	case kind.IsRead():
		return s, s.applyRead(r)
	case kind == histories.Compact:
		return s.applyCompact(r)
	case kind == histories.Status:
		return s, histories.Answer{Outcome: histories.OK, Revision: s.newest}
	}
	if revision <= s.newest {
		panic("models: internal fault: Apply: a write's revision must be above the newest")
	}
	switch {
	case r.Kind == histories.Transact:
		return s.applyTransaction(r, revision)
	case r.Kind == histories.DeleteRange:
		return s.applyRemoval(r, within(s.tip.root(), r.Scope), revision)
	case isLeaseCall(r.Kind):
		return s.applyLease(r, revision)
	default:
		return s.applyWrite(r, revision)
	}
}

// Answers of requests that are refused.
func refused(class histories.ErrorClass, code string) histories.Answer {
	return histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: class, Code: code}}
}

func (s *State) applyWrite(r *histories.Request, revision histories.Revision) (*State, histories.Answer) {
	old := s.tip.root().get(r.Key)
	if _, met := s.meets(r, old); !met {
		return s, s.conflicting(r, old)
	}
	if r.Kind == histories.Delete {
		return s.applyRemoval(r, present(old), revision)
	}
	if s.missing(r.Lease) {
		return s, refused(histories.NoLease, "NotFound")
	}
	next := s.push(put(r, storedSize(r), old, revision))
	return next, histories.Answer{Outcome: histories.OK, Revision: revision}
}

// applyRemoval deletes what is there. Of nothing there is no effect.
func (s *State) applyRemoval(r *histories.Request, there []*histories.Object, revision histories.Revision) (*State, histories.Answer) {
	answer := histories.Answer{Outcome: histories.OK, Revision: s.newest}
	if len(there) == 0 {
		return s, answer
	}
	tellRemoved(&answer, r, there)
	answer.Revision = revision
	return s.push(removals(there, revision)...), answer
}

// tellRemoved says in the answer of a delete what was there.
func tellRemoved(a *histories.Answer, r *histories.Request, there []*histories.Object) {
	a.Deleted = int64(len(there))
	if !r.PrevKV || r.Conditional {
		return
	}
	for _, o := range there {
		a.Objects = append(a.Objects, *o)
	}
}

// conflicting is the answer of a failed compare. A create has no failure branch.
func (s *State) conflicting(r *histories.Request, old *histories.Object) histories.Answer {
	answer := refused(histories.Conflict, "")
	answer.Revision = s.newest
	if old != nil && r.Kind != histories.Create {
		answer.Objects = []histories.Object{*old}
	}
	return answer
}

func (s *State) applyRead(r *histories.Request) histories.Answer {
	at := r.Revision
	switch {
	case at <= 0:
		at = s.newest
	case at > s.newest:
		return refused(histories.Future, "OutOfRange")
	case at < s.compacted:
		return refused(histories.Compacted, "OutOfRange")
	}
	answer := (&glance{state: s}).answer(r, s.tip.find(at).root())
	answer.Revision = s.newest
	return answer
}

func (s *State) applyCompact(r *histories.Request) (*State, histories.Answer) {
	switch {
	case r.Revision <= s.compacted:
		return s, refused(histories.Compacted, "OutOfRange")
	case r.Revision > s.newest:
		return s, refused(histories.Future, "OutOfRange")
	}
	next := s.clone()
	next.compacted = r.Revision
	return next, histories.Answer{Outcome: histories.OK, Revision: s.newest}
}
