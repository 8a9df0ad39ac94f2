package oracle

import "github.com/rvcheck/rvcheck/histories"

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
		oneEndpoint: true, served: map[int]bool{}, seen: map[string]bool{}, limit: limit,
	}
	for i := range h.Operations {
		if op := &h.Operations[i]; ordered(op) {
			s.calls = append(s.calls, op)
		}
		s.oneEndpoint = s.oneEndpoint && h.Operations[i].Endpoint == h.Operations[0].Endpoint
	}
	for i := range h.Streams {
		s.served[h.Streams[i].Op] = len(h.Streams[i].Events) > 0
	}
	if rule := s.owed(); rule != "" {
		return []string{rule}, true
	}
	if s.run(&store{newest: 1}, make([]bool, len(s.calls)), 0) {
		return nil, true
	}
	if s.spent {
		return nil, false
	}
	return []string{s.reason}, true
}

// owed: a watch from below a compaction that the same endpoint had acknowledged
// must be told so (ETCD-16). Other endpoints may lag.
func (s *search) owed() string {
	for _, w := range s.calls {
		start := w.Request.StartRevision
		if w.Request.Kind != histories.Watch || !s.served[w.ID] || start == 0 {
			continue
		}
		for _, c := range s.calls {
			if c.Request.Kind == histories.Compact && c.Answer.Outcome == histories.OK && c.Endpoint == w.Endpoint &&
				c.Return+s.uncertainty < w.Call && start < c.Request.Revision {
				return "a watch from below the compaction point was served (ETCD-16)"
			}
		}
	}
	return ""
}
