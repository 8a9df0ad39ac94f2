package oracle

import (
	"fmt"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// search is the state of a brute-force search for an order.
type search struct {
	history     *histories.History
	evidence    *evidence
	uncertainty int64
	exclusive   bool
	oneEndpoint bool
	calls       []*histories.Operation
	served      map[int]bool // watches that delivered anything
	expired     map[int]bool // watches that were cancelled as compacted
	seen        map[string]bool
	limit       int
	spent       bool
	// furthest is the largest number of calls that were placed, reason what
	// stood in the way then.
	furthest int
	reason   string
}

// optional: the call may have had no effect.
func optional(op *histories.Operation) bool { return op.Answer.Outcome == histories.Unknown }

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
		if next := s.after(at, s.calls[i]); len(next) == 1 && *fingerprintOf(next[0]) == *fingerprintOf(at) && !optional(s.calls[i]) {
			return s.run(next[0], with(done, i), placed+1)
		}
	}
	for _, i := range candidates {
		for _, next := range s.after(at, s.calls[i]) {
			if s.run(next, with(done, i), placed+1) {
				return true
			}
		}
	}
	s.stuck(placed, candidates)
	return false
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
			if !done[j] && !optional(other) && other.Return+s.uncertainty < op.Call {
				free = false
			}
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
	newest, point := s.evidence.floor(histories.Never, 0)
	final := s.raised(at, newest, point)
	if final == nil {
		s.note(placed, "something was seen that no call explains")
		return false
	}
	for i := range s.history.Streams {
		if rule := s.stream(final, &s.history.Streams[i]); rule != "" {
			s.note(placed+1, fmt.Sprintf("watch %d: %s", s.history.Streams[i].Op, rule))
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
	next := append([]bool(nil), done...)
	next[i] = true
	return next
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
