package oracle

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
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
		history: h, evidence: gather(h), uncertainty: h.Header.ClockUncertainty, exclusive: h.Header.Exclusive,
		oneEndpoint: true, served: map[int]bool{}, expired: map[int]bool{}, seen: map[string]bool{}, limit: limit,
	}
	for i := range h.Operations {
		s.oneEndpoint = s.oneEndpoint && h.Operations[i].Endpoint == h.Operations[0].Endpoint
	}
	for i := range h.Operations {
		if op := &h.Operations[i]; s.ordered(op) {
			s.calls = append(s.calls, op)
		}
	}
	for i := range h.Streams {
		s.served[h.Streams[i].Op] = len(h.Streams[i].Events) > 0
		end := h.Streams[i].End
		s.expired[h.Streams[i].Op] = end != nil && end.Reason == histories.EndCompacted
	}
	if rule := s.owed(); rule != "" {
		return []string{rule}, true
	}
	for _, point := range s.earlier() {
		if s.run(begun(point), make([]bool, len(s.calls)), 0) {
			return nil, true
		}
	}
	if s.spent {
		return nil, false
	}
	return []string{s.reason}, true
}

// earlier returns the compactions that may have happened before the history began:
// none, or one that something in the history speaks of.
func (s *search) earlier() []histories.Revision {
	points := []histories.Revision{0}
	for _, op := range s.calls {
		if op.Answer.Outcome == histories.Fail && op.Answer.Error.Class == histories.Compacted {
			points = append(points, op.Request.Revision, op.Request.Revision+1)
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
	return &store{newest: point, point: point, points: []histories.Revision{point}}
}

// owed: a watch from below a compaction that the same endpoint had acknowledged
// must be told so (ETCD-16). Other endpoints may lag.
func (s *search) owed() string {
	for _, w := range s.history.Operations {
		start := w.Request.StartRevision
		if w.Request.Kind != histories.Watch {
			continue
		}
		for _, c := range s.calls {
			if c.Request.Kind != histories.Compact || c.Answer.Outcome != histories.OK || c.Endpoint != w.Endpoint ||
				c.Return+s.uncertainty >= w.Call {
				continue
			}
			if s.served[w.ID] && start != 0 && start < c.Request.Revision {
				return "a watch from below the compaction point was served (ETCD-16)"
			}
			if s.expired[w.ID] && s.history.Stream(w.ID).End.CompactRevision < c.Request.Revision {
				return "a watch was told of an old compaction (ETCD-16)"
			}
		}
	}
	return ""
}
