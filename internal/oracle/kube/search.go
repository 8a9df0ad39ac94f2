package kube

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// DefaultLimit is the number of search states after which the oracle gives up.
const DefaultLimit = 30_000

// Check returns the rule that a history breaks, nothing if it is valid. Decided is false
// if the search was too large.
func Check(h *histories.History) (broken []string, decided bool) {
	s := &search{history: h, seen: map[string]bool{}, limit: DefaultLimit, cached: !strings.HasSuffix(h.Header.Profile, "-uncached")}
	if rule := s.unordered(); rule != "" {
		return []string{rule}, true
	}
	s.gather()
	for i := range h.Operations {
		if op := &h.Operations[i]; ordered(op) {
			s.calls = append(s.calls, op)
		}
	}
	s.follow()
	if s.run(&store{newest: 1}, make([]bool, len(s.calls)), 0) {
		return nil, true
	}
	if s.spent {
		return nil, false
	}
	return []string{s.reason}, true
}

// search is the state of a brute-force search for an order.
type search struct {
	history *histories.History
	// cached: the servers have a watch cache.
	cached bool
	// finalizers: there are some, so that writes may take two steps.
	finalizers bool

	calls          []*histories.Operation
	claims         []claim
	observations   []observation
	revisionsNamed []histories.Revision
	pages, starts  map[int]page
	streams        []*stream

	seen  map[string]bool
	limit int
	spent bool
	// furthest is the largest number of calls that were placed, reason what stood in the
	// way then.
	furthest int
	reason   string
}

// ordered reports whether an operation has a place in the order.
func ordered(op *histories.Operation) bool {
	k, a := op.Request.Kind, &op.Answer
	switch {
	case k == histories.Compact:
		return false
	case a.Outcome == histories.Unknown:
		return k.IsWrite() && !op.Request.Options().DryRun
	case a.Outcome == histories.Fail:
		return (k.IsWrite() && k != histories.DeleteCollection || k == histories.Get) && a.Error != nil && tells(a.Error.Class)
	default:
		return k.IsWrite() || k.IsRead()
	}
}

// tells reports whether a failure says something about the store's content.
func tells(class histories.ErrorClass) bool {
	return slices.Contains([]histories.ErrorClass{histories.Conflict, histories.NotFound, histories.Exists}, class)
}

// named is the request of a write with the whole name of its object.
func (s *search) named(op *histories.Operation) *histories.Request {
	if !op.Request.Options().GenerateName || len(op.Answer.Objects) != 1 {
		return &op.Request
	}
	r := op.Request
	r.Key = op.Answer.Objects[0].Key
	return &r
}

// optional: the call may have had no effect.
func optional(op *histories.Operation) bool { return op.Answer.Outcome == histories.Unknown }

// run looks for an order. done says for each call whether it is over.
func (s *search) run(at *store, done []bool, placed int) bool {
	key := fingerprint(at, done)
	if s.seen[key] || s.spent {
		return false
	}
	s.seen[key] = true
	if len(s.seen) > s.limit {
		s.spent = true
		return false
	}
	if s.complete(done) && s.fits(at, placed) {
		return true
	}
	candidates := s.candidates(done)
	for _, i := range candidates { // what changes nothing is placed at once
		op := s.calls[i]
		if next := s.after(at, op); len(next) == 1 && next[0] == at && !optional(op) && at.pending[op.ID].seen == nil && len(s.steps(at, op)) == 0 {
			return s.run(at, with(done, i), placed+1)
		}
	}
	for _, i := range candidates {
		op := s.calls[i]
		for _, next := range s.after(at, op) {
			_, more := next.pending[op.ID]
			if more && s.run(next, done, placed) || !more && s.run(next, with(done, i), placed+1) {
				return true
			}
		}
		for _, next := range s.steps(at, op) {
			if s.run(next, done, placed) {
				return true
			}
		}
	}
	s.stuck(placed, candidates)
	return false
}

// after are the stores in which a call may leave a store, as a whole or by its next step.
func (s *search) after(at *store, op *histories.Operation) []*store {
	if at = s.raised(at, s.floor(op.Call)); at == nil {
		return nil
	}
	p, begun := at.pending[op.ID]
	switch {
	case op.Request.Kind == histories.DeleteCollection && begun:
		return s.deleteNext(at, op, p)
	case op.Request.Kind == histories.DeleteCollection:
		return s.collect(at, op)
	case begun:
		return s.finish(at, op, p.seen)
	case op.Request.Kind.IsRead():
		return s.read(at, op)
	default:
		return s.write(at, op)
	}
}

// steps are the stores in which the first step of a call that takes two leaves a store.
func (s *search) steps(at *store, op *histories.Operation) []*store {
	if _, begun := at.pending[op.ID]; begun || !op.Request.Kind.IsWrite() || op.Request.Kind == histories.DeleteCollection {
		return nil
	}
	if at = s.raised(at, s.floor(op.Call)); at == nil {
		return nil
	}
	return s.look(at, op)
}

// candidates are the calls that no other open call had to precede.
func (s *search) candidates(done []bool) []int {
	var found []int
	for i, op := range s.calls {
		if done[i] {
			continue
		}
		free := true
		for j, other := range s.calls {
			free = free && (done[j] || optional(other) || other.Return >= op.Call)
		}
		if free {
			found = append(found, i)
		}
	}
	return found
}

func (s *search) complete(done []bool) bool {
	for i, op := range s.calls {
		if !done[i] && !optional(op) {
			return false
		}
	}
	return true
}

// fits checks at the end of an order that the store explains every stream.
func (s *search) fits(at *store, placed int) bool {
	final := s.raised(at, s.floor(histories.Never))
	if final == nil {
		s.note(placed, "something was seen that no call explains")
		return false
	}
	for _, w := range s.streams {
		if rule := s.explain(final, w); rule != "" {
			s.note(placed+1, fmt.Sprintf("watch %d: %s", w.op.ID, rule))
			return false
		}
	}
	return true
}

func (s *search) stuck(placed int, candidates []int) {
	var ids []string
	for _, i := range candidates {
		ids = append(ids, fmt.Sprintf("%d %s", s.calls[i].ID, s.calls[i].Request.Kind))
	}
	s.note(placed, "no order explains one of: "+strings.Join(ids, ", "))
}

func (s *search) note(placed int, reason string) {
	if placed > s.furthest || s.reason == "" {
		s.furthest, s.reason = placed, reason
	}
}

func with(done []bool, i int) []bool {
	next := slices.Clone(done)
	next[i] = true
	return next
}

func fingerprint(at *store, done []bool) string {
	var b strings.Builder
	fmt.Fprint(&b, done, at.newest)
	for _, c := range at.changes {
		fmt.Fprint(&b, " ", c.revision, c.key, c.by)
		if c.after != nil {
			fmt.Fprint(&b, c.after.UID, c.after.Labels, c.after.Meta().Finalizers)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(at.pending)) {
		p := at.pending[id]
		fmt.Fprint(&b, " p", id, p.keys)
		if p.seen != nil {
			fmt.Fprint(&b, p.seen.RV)
		}
	}
	return b.String()
}
