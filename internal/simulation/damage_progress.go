package simulation

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// progressDamages are progress notifications that say too much.
var progressDamages = []Damage{
	{ID: "progress-early", Property: "progress/no-overtaking", Streams: true, Apply: alterStream(hasEvents, progressEarly)},
	{ID: "event-delayed", Property: "progress/no-overtaking", Streams: true, Apply: alterStream(hasProgress, delayEvent)},
	{ID: "progress-ahead", Property: "progress/not-ahead", Streams: true, Apply: alterStream(anyStream, progressAhead)},
	{ID: "progress-next", Property: "progress/not-ahead", Streams: true, Apply: alterStream(anyStream, progressNext)},
	{ID: "progress-back", Property: "progress/monotone", Streams: true, Apply: alterStream(anyStream, progressBack)},
	{ID: "progress-zero", Property: "progress/monotone", Streams: true, Apply: alterStream(anyStream, progressZero)},
	{ID: "event-lost-before-progress", Property: "progress/no-overtaking", Streams: true, Apply: alterStream(hasProgress, loseBeforeProgress)},
}

func hasProgress(s *histories.Stream) bool {
	return slices.ContainsFunc(s.Events, func(e histories.Event) bool { return !isChange(&e) })
}

func insertProgress(h *histories.History, s *histories.Stream, i int, header histories.Revision) {
	insertEvent(h, s, i, histories.Event{Type: histories.ProgressEvent})
	s.Events[i].Header = header
}

// progressEarly announces an event before it is delivered.
func progressEarly(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	i := one(rng, changes(s))
	event := s.Events[i]
	insertProgress(h, s, i, event.Object.RV)
	s.Events[i].Time = event.Time
	return true
}

// delayEvent moves an event behind the progress notification that follows it.
func delayEvent(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	for i := len(s.Events) - 1; i > 0; i-- {
		e := s.Events[i-1]
		if isChange(&s.Events[i]) || !isChange(&e) {
			continue
		}
		s.Events = slices.Delete(s.Events, i-1, i)
		insertEvent(h, s, i, histories.Event{Type: e.Type, Object: e.Object, Prev: e.Prev})
		return true
	}
	return false
}

func progressAhead(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	i := rng.IntN(len(s.Events) + 1)
	insertProgress(h, s, i, readLedger(h).newest+histories.Revision(1+rng.IntN(1000)))
	return true
}

// progressNext announces the revision that the store reaches next.
func progressNext(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	i := rng.IntN(len(s.Events) + 1)
	insertProgress(h, s, i, 0)
	s.Events[i].Header = known(h, s.Events[i].Time+1) + 1
	return true
}

func progressBack(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	i := rng.IntN(len(s.Events) + 1)
	low := h.Operation(s.Op).Answer.Revision
	if i > 0 {
		low = s.Events[i-1].Header
	}
	if low <= 1 {
		return false
	}
	insertProgress(h, s, i, max(1, low-1-histories.Revision(rng.IntN(3))))
	return true
}

func progressZero(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	insertProgress(h, s, rng.IntN(len(s.Events)+1), 0)
	return true
}

// loseBeforeProgress drops the last event before a progress notification.
func loseBeforeProgress(_ *rand.Rand, _ *histories.History, s *histories.Stream) bool {
	for i := len(s.Events) - 1; i > 0; i-- {
		if !isChange(&s.Events[i]) && isChange(&s.Events[i-1]) {
			s.Events = slices.Delete(s.Events, i-1, i)
			remark(s)
			return true
		}
	}
	return false
}
