package oracle

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/oracle/calls"
)

// search is the state of a brute-force search for an order.
type search struct {
	calls.Book
	history     *histories.History
	evidence    *evidence
	exclusive   bool
	oneEndpoint bool
	served      map[int]bool // watches that delivered anything
	expired     map[int]bool // watches that were cancelled as compacted
}

// ordered reports whether an operation has a place in the order. Watches have none
// where there are several endpoints: a member may lag.
func (s *search) ordered(op *histories.Operation) bool {
	k := op.Request.Kind
	switch op.Answer.Outcome {
	case histories.OK:
		return k.IsWrite() || k.IsRead() || k == histories.Compact || k == histories.Watch && s.oneEndpoint
	case histories.Fail:
		return refuses(op) && (k.IsWrite() || k.IsRead() || k == histories.Compact)
	default:
		return k.IsWrite() || k == histories.Compact
	}
}

// refuses reports whether a failure says something about the store's content.
func refuses(op *histories.Operation) bool {
	if op.Answer.Error == nil {
		return false
	}
	switch op.Answer.Error.Class {
	case histories.Conflict, histories.Compacted, histories.Future:
		return true
	default:
		return false
	}
}

// run looks for an order. done says for each call whether it is placed.
func (s *search) run(at *store, done []bool, placed int) bool {
	if !s.New(fingerprint(at, done)) {
		return false
	}
	if s.Complete(done) && s.fits(at, placed) {
		return true
	}
	candidates := s.Candidates(done)
	for _, i := range candidates { // what changes nothing is placed at once
		if next := s.after(at, s.Calls[i]); len(next) == 1 && *fingerprintOf(next[0]) == *fingerprintOf(at) && !calls.Optional(s.Calls[i]) {
			return s.run(next[0], calls.With(done, i), placed+1)
		}
	}
	for _, i := range candidates {
		for _, next := range s.after(at, s.Calls[i]) {
			if s.run(next, calls.With(done, i), placed+1) {
				return true
			}
		}
	}
	s.Stuck(placed, candidates)
	return false
}

// fits checks at the end of an order that the store explains every stream.
func (s *search) fits(at *store, placed int) bool {
	newest, point := s.evidence.floor(histories.Never, 0)
	final := s.raised(at, newest, point)
	if final == nil {
		s.Note(placed, "something was seen that no call explains")
		return false
	}
	for i := range s.history.Streams {
		if rule := s.stream(final, &s.history.Streams[i]); rule != "" {
			s.Note(placed+1, fmt.Sprintf("watch %d: %s", s.history.Streams[i].Op, rule))
			return false
		}
	}
	return true
}

func fingerprint(at *store, done []bool) string { return fmt.Sprint(done, *fingerprintOf(at)) }

// fingerprintOf tells two stores apart by whatever can make a difference later.
func fingerprintOf(at *store) *string {
	text := fmt.Sprint(at.newest, at.points, at.starts, at.told)
	for _, c := range at.changes {
		text += fmt.Sprint(" ", c.revision, c.key, c.deleted, c.object.Write)
	}
	return &text
}
