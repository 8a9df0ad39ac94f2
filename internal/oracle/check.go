package oracle

import (
	"math"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/oracle/calls"
)

// DefaultLimit is the number of search states after which the oracle gives up.
const DefaultLimit = 200_000

// Check returns the rule that a history breaks, nothing if it is valid. Decided is
// false if the search was too large.
func Check(h *histories.History) (broken []string, decided bool) {
	return CheckWithin(h, DefaultLimit)
}

// CheckWithin is Check with a limit on the number of search states.
func CheckWithin(h *histories.History, limit int) (broken []string, decided bool) {
	s := &search{
		Book:    calls.Book{Uncertainty: h.Header.ClockUncertainty, Limit: limit},
		history: h, evidence: gather(h), exclusive: h.Header.Exclusive,
		oneEndpoint: true, served: map[int]bool{}, expired: map[int]bool{},
	}
	for i := range h.Operations {
		s.oneEndpoint = s.oneEndpoint && h.Operations[i].Endpoint == h.Operations[0].Endpoint
	}
	for i := range h.Operations {
		if op := &h.Operations[i]; s.ordered(op) {
			s.Calls = append(s.Calls, op)
		}
	}
	for i := range h.Streams {
		op, end := h.Streams[i].Op, h.Streams[i].End
		s.expired[op] = end != nil && end.Reason == histories.EndCompacted
		s.served[op] = slices.ContainsFunc(h.Streams[i].Events, func(e histories.Event) bool {
			return e.Type != histories.ProgressEvent || !s.expired[op]
		})
	}
	for _, point := range s.earlier() {
		if rule := s.owed(point); rule != "" {
			s.Note(0, rule)
			continue
		}
		if s.run(begun(point), make([]bool, len(s.Calls)), 0) {
			return nil, true
		}
	}
	if s.Spent {
		return nil, false
	}
	return []string{s.Reason}, true
}

// earlier returns the compactions that may have happened before the history began:
// none, or one that something in the history speaks of.
func (s *search) earlier() []histories.Revision {
	points := []histories.Revision{0}
	for _, op := range s.Calls {
		if op.Answer.Outcome != histories.Fail || op.Answer.Error.Class != histories.Compacted {
			continue
		}
		points = append(points, op.Request.Revision, op.Request.Revision+1)
		if txn := op.Request.Txn; txn != nil {
			for _, r := range slices.Concat(txn.Then, txn.Else) {
				points = append(points, r.Revision+1)
			}
		}
	}
	for i := range s.history.Streams {
		if end := s.history.Streams[i].End; end != nil {
			points = append(points, end.CompactRevision)
		}
	}
	slices.Sort(points)
	points = slices.Compact(points)
	return points[slices.Index(points, 0):]
}

// begun is the store when the history begins. A store that was compacted has a
// revision at or above that compaction.
func begun(point histories.Revision) *store {
	if point == 0 {
		return &store{newest: 1}
	}
	return &store{newest: point, point: point, earlier: point, points: []histories.Revision{point}}
}

// owed: a watch from below a compaction that the same endpoint had acknowledged, or
// had refused others for, must be told so (ETCD-16). Other endpoints may lag.
// Earlier is the compaction point when the history began.
func (s *search) owed(earlier histories.Revision) string {
	for i := range s.history.Operations {
		w := &s.history.Operations[i]
		if w.Request.Kind != histories.Watch {
			continue
		}
		point := s.toldBefore(w, earlier)
		if start := w.Request.StartRevision; s.served[w.ID] && start != 0 && start < point {
			return "a watch from below the compaction point was served (ETCD-16)"
		}
		if s.expired[w.ID] && s.history.Stream(w.ID).End.CompactRevision < point {
			return "a watch was told of an old compaction (ETCD-16)"
		}
	}
	return ""
}

// toldBefore is the compaction point that an endpoint had named before a call.
func (s *search) toldBefore(call *histories.Operation, earlier histories.Revision) histories.Revision {
	var point histories.Revision
	for i := range s.history.Operations {
		op := &s.history.Operations[i]
		if op.Endpoint != call.Endpoint {
			continue
		}
		if op.Return+s.Uncertainty < call.Call {
			point = max(point, s.shown(named(op), earlier, op.Return))
		}
		if stream := s.history.Stream(op.ID); s.expired[op.ID] && stream.End.Time+s.Uncertainty < call.Call {
			point = max(point, stream.End.CompactRevision)
		}
	}
	return point
}

// shown is the least compaction point of an answer that came by a time and shows that
// the point is at least so high: where nobody else compacts, what is above the point
// of the beginning was compacted by one of the calls.
func (s *search) shown(atLeast, earlier histories.Revision, by int64) histories.Revision {
	if !s.exclusive || atLeast <= earlier {
		return atLeast
	}
	least := histories.Revision(math.MaxInt64)
	for i := range s.history.Operations {
		op := &s.history.Operations[i]
		happened := op.Request.Kind == histories.Compact && op.Answer.Outcome != histories.Fail && op.Call <= by+s.Uncertainty
		if happened && op.Request.Revision >= atLeast {
			least = min(least, op.Request.Revision)
		}
	}
	if least == math.MaxInt64 {
		return atLeast // nothing explains it: the search will find that out
	}
	return least
}

// named is the compaction point that an answer implies.
func named(op *histories.Operation) histories.Revision {
	refused := op.Answer.Outcome == histories.Fail && op.Answer.Error != nil && op.Answer.Error.Class == histories.Compacted
	switch {
	case op.Request.Kind == histories.Transact: // it may be any of its reads
		return 0
	case op.Request.Kind == histories.Compact && (refused || op.Answer.Outcome == histories.OK):
		return op.Request.Revision
	case refused:
		return op.Request.Revision + 1
	default:
		return 0
	}
}
