package kube

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// page says where a page stands in its list: behind which key, and at which revision,
// zero where that is the latest.
type page struct {
	behind   string
	revision histories.Revision
}

// follow finds for each page what it follows (PAGE-01, PAGE-10).
func (s *search) follow() {
	s.pages = map[int]page{}
	for i := range s.history.Operations {
		op := &s.history.Operations[i]
		p := page{}
		if op.Request.Kind == histories.Next {
			before := s.history.Operation(op.Request.Of)
			p = s.pages[before.ID] // behind its last object by now
			if p.revision = before.Answer.Revision; before.Answer.Outcome == histories.Fail {
				p.revision = 0
			}
		}
		first := p
		for k := range op.Answer.Objects {
			p.behind = max(p.behind, path(op.Answer.Objects[k].Key))
		}
		s.pages[op.ID] = p
		if s.starts == nil {
			s.starts = map[int]page{}
		}
		s.starts[op.ID] = first
	}
}

// mode says what a read is promised.
type mode int

const (
	recent mode = iota
	anyState
	notOlder
	exactly
	continued
)

func modeOf(r *histories.Request) (mode, histories.Revision) {
	o := r.Options()
	n := number(o.ResourceVersion)
	single := r.Scope.Shape == histories.Single || r.Scope.Shape == histories.Namespace && len(o.FieldSelector) > 0 && o.FieldSelector[:14] == "metadata.name="
	switch {
	case r.Kind == histories.Next:
		return continued, 0
	case o.ResourceVersion == "":
		return recent, 0
	case n == 0:
		return anyState, 0
	case r.Kind == histories.List && (o.ResourceVersionMatch == "Exact" || o.ResourceVersionMatch == "" && r.Limit > 0 && !single):
		return exactly, n
	default:
		return notOlder, n
	}
}

// read returns the store after a read, as far as the answer raises its revision.
func (s *search) read(at *store, op *histories.Operation) []*store {
	if op.Request.Kind == histories.Get {
		return s.get(at, op)
	}
	asked, n := modeOf(&op.Request)
	r, first := op.Answer.Revision, s.starts[op.ID]
	switch {
	case asked == continued && first.revision > 0 && r != first.revision,
		(asked == recent || asked == continued && first.revision == 0) && r < at.newest,
		asked == exactly && r != n, asked == notOlder && r < n:
		return nil
	}
	if at = s.raised(at, r); at == nil || !s.lists(at, op, first.behind) {
		return nil
	}
	return []*store{at}
}

func (s *search) get(at *store, op *histories.Operation) []*store {
	asked, n := modeOf(&op.Request)
	shows := func(o *histories.Object) bool {
		if op.Answer.Outcome != histories.OK {
			return o == nil
		}
		return o != nil && len(op.Answer.Objects) == 1 && same(o, &op.Answer.Objects[0], isPartial(&op.Request))
	}
	if asked == recent {
		if shows(at.now(op.Request.Key)) {
			return []*store{at}
		}
		return nil
	}
	if at = s.raised(at, n); at == nil {
		return nil
	}
	if shows(at.at(op.Request.Key, n)) {
		return []*store{at}
	}
	for _, c := range at.changes {
		if c.key == op.Request.Key && c.revision > n && shows(c.after) {
			return []*store{at}
		}
	}
	return nil
}

// lists reports whether the answer to a list shows the state at its revision, from a key
// on and to where it says that there is more (LIST-01, PAGE-02 to PAGE-04).
func (s *search) lists(at *store, op *histories.Operation, behind string) bool {
	a := &op.Answer
	takes := filter(&op.Request)
	owed := at.snapshot(a.Revision, func(o *histories.Object) bool { return takes(o) && path(o.Key) > behind })
	if len(a.Objects) > len(owed) || a.Continue == "" && len(a.Objects) < len(owed) {
		return false
	}
	if a.Continue != "" && op.Request.Limit > 0 && int64(len(a.Objects)) > op.Request.Limit {
		return false
	}
	for i := range a.Objects {
		if !same(owed[i], &a.Objects[i], isPartial(&op.Request)) {
			return false
		}
	}
	return true
}

// collect is the first step of a deletion of a collection: it lists (WR-26).
func (s *search) collect(at *store, op *histories.Operation) []*store {
	found := at.snapshot(at.newest, filter(&op.Request))
	if op.Answer.Outcome == histories.OK {
		shown := op.Answer.Objects
		if len(shown) != len(found) {
			return nil
		}
		for i := range shown {
			if !same(found[i], &shown[i], false) {
				return nil
			}
		}
	}
	if len(found) == 0 {
		return []*store{at}
	}
	p := pending{}
	for _, o := range found {
		p.keys = append(p.keys, o.Key)
	}
	return []*store{at.with(op.ID, &p)}
}

// deleteNext deletes the next object of those that it found.
func (s *search) deleteNext(at *store, op *histories.Operation, p pending) []*store {
	r := &histories.Request{Kind: histories.Delete, Key: p.keys[0]}
	rest := &pending{keys: slices.Clone(p.keys[1:])}
	if len(rest.keys) == 0 {
		rest = nil
	}
	over := at.with(op.ID, rest)
	before := at.now(r.Key)
	out := performed(before, r)
	if out.fails {
		return []*store{over}
	}
	return s.written(over, op, r, before, out, s.revisions(at))
}
