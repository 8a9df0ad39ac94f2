package kube

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/oracle/calls"
)

// DefaultLimit is the number of search states after which the oracle gives up.
const DefaultLimit = 30_000

// Check returns the rule that a history breaks, nothing if it is valid. Decided is false
// if the search was too large.
func Check(h *histories.History) (broken []string, decided bool) {
	s := &search{Book: calls.Book{Limit: DefaultLimit}, history: h, cached: !strings.HasSuffix(h.Header.Profile, "-uncached")}
	if rule := s.unordered(); rule != "" {
		return []string{rule}, true
	}
	s.gather()
	for i := range h.Operations {
		if op := &h.Operations[i]; ordered(op) {
			s.Calls = append(s.Calls, op)
		}
	}
	s.follow()
	if s.run(&store{newest: 1}, make([]bool, len(s.Calls)), 0) {
		return nil, true
	}
	if s.Spent {
		return nil, false
	}
	return []string{s.Reason}, true
}

// search is the state of a brute-force search for an order.
type search struct {
	calls.Book
	history *histories.History
	// cached: the servers have a watch cache.
	cached bool
	// finalizers: there are some, so that writes may take two steps.
	finalizers bool

	claims         []claim
	observations   []observation
	revisionsNamed []histories.Revision
	pages, starts  map[int]page
	streams        []*stream
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

// run looks for an order. done says for each call whether it is over.
func (s *search) run(at *store, done []bool, placed int) bool {
	if !s.New(fingerprint(at, done)) {
		return false
	}
	if s.Complete(done) && s.fits(at, placed) {
		return true
	}
	candidates := s.Candidates(done)
	for _, i := range candidates { // what changes nothing is placed at once
		op := s.Calls[i]
		if next := s.after(at, op); len(next) == 1 && next[0] == at && !calls.Optional(op) && at.pending[op.ID].seen == nil && len(s.steps(at, op)) == 0 {
			return s.run(at, calls.With(done, i), placed+1)
		}
	}
	for _, i := range candidates {
		op := s.Calls[i]
		for _, next := range s.after(at, op) {
			_, more := next.pending[op.ID]
			if more && s.run(next, done, placed) || !more && s.run(next, calls.With(done, i), placed+1) {
				return true
			}
		}
		for _, next := range s.steps(at, op) {
			if s.run(next, done, placed) {
				return true
			}
		}
	}
	s.Stuck(placed, candidates)
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

// fits checks at the end of an order that the store explains every stream.
func (s *search) fits(at *store, placed int) bool {
	final := s.raised(at, s.floor(histories.Never))
	if final == nil {
		s.Note(placed, "something was seen that no call explains")
		return false
	}
	for _, w := range s.streams {
		if rule := s.explain(final, w); rule != "" {
			s.Note(placed+1, fmt.Sprintf("watch %d: %s", w.op.ID, rule))
			return false
		}
	}
	return true
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
