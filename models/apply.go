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
	switch {
	case request.Kind.IsRead():
		return s, s.answer(&request)
	case request.Kind == histories.Compact:
		return s.applyCompact(&request)
	default:
		return s.applyWrite(&request, revision)
	}
}

// Answers of requests that are refused.
func refused(class histories.ErrorClass, code string) histories.Answer {
	return histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: class, Code: code}}
}

func (s *State) applyWrite(r *histories.Request, revision histories.Revision) (*State, histories.Answer) {
	if revision <= s.newest {
		panic("models: internal fault: Apply: a write's revision must be above the newest")
	}
	if r.Lease != 0 {
		return s, refused(histories.NoLease, "NotFound")
	}
	old := s.tip.root().get(r.Key)
	if _, met := s.meets(r, old); !met {
		return s, s.conflicting(r, old)
	}
	answer := histories.Answer{Outcome: histories.OK, Revision: revision}
	if r.Kind != histories.Delete {
		return s.push(put(NewCall(0, r, nil), old, revision)), answer
	}
	if old == nil {
		answer.Revision = s.newest
		return s, answer
	}
	answer.Deleted = 1
	return s.push(removal(old, revision)), answer
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

func (s *State) answer(r *histories.Request) histories.Answer {
	at := r.Revision
	switch {
	case at <= 0:
		at = s.newest
	case at > s.newest:
		return refused(histories.Future, "OutOfRange")
	case at < s.compacted:
		return refused(histories.Compacted, "OutOfRange")
	}
	content, in := s.tip.find(at).root(), reads(r)
	total := in.count(content)
	return histories.Answer{
		Outcome: histories.OK, Revision: s.newest, Objects: collect(content, in, r, cut(r, total)),
		Count: int64(total), More: more(r, total),
	}
}

func collect(content *node, in span, r *histories.Request, wanted int) []histories.Object {
	if wanted == 0 {
		return nil
	}
	objects := make([]histories.Object, 0, wanted)
	content.ascend(in.from, func(o *histories.Object) bool {
		objects = append(objects, *o)
		if r.KeysOnly {
			last := &objects[len(objects)-1]
			last.Write, last.Labels, last.Size, last.Lease = "", nil, 0, 0
		}
		return len(objects) < wanted
	})
	return objects
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
