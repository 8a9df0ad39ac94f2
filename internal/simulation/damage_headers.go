package simulation

import (
	"math/rand/v2"

	"github.com/rvcheck/rvcheck/histories"
)

// headerDamages are wrong headers on watches.
var headerDamages = []Damage{
	{ID: "event-header-low", Property: "watch/header", Streams: true, Apply: alterBatch(func(_ *rand.Rand, e *histories.Event) { e.Header = e.Object.RV - 1 })},
	{ID: "event-header-zero", Property: "watch/header", Streams: true, Apply: alterBatch(func(_ *rand.Rand, e *histories.Event) { e.Header = 0 })},
	{ID: "event-header-back", Property: "watch/header", Streams: true, Apply: headerGoesBack},
	{ID: "event-header-ahead", Property: "header/not-ahead", Streams: true, Apply: alterBatch(func(rng *rand.Rand, e *histories.Event) { e.Header += 1 + histories.Revision(rng.IntN(1000)) })},
	{ID: "created-header-zero", Property: "watch/created", Watches: true, Apply: alter(succeeded(histories.Watch), headerZero)},
	{ID: "created-header-back", Property: "watch/created", Watches: true, Apply: alter(succeeded(histories.Watch), headerBack)},
	{ID: "created-other-id", Property: "watch/id", Watches: true, Apply: alter(Both(succeeded(histories.Watch), choosesID), otherID)},
	{ID: "created-header-ahead", Property: "header/not-ahead", Watches: true, Apply: alter(succeeded(histories.Watch), ahead)},
}

// alterBatch changes the header of one response.
func alterBatch(change func(*rand.Rand, *histories.Event)) func(*rand.Rand, *histories.History) bool {
	return alterStream(hasEvents, func(rng *rand.Rand, _ *histories.History, s *histories.Stream) bool {
		e := s.Events[one(rng, changes(s))]
		change(rng, &e)
		for i := range s.Events {
			if s.Events[i].Batch == e.Batch {
				s.Events[i].Header = e.Header
			}
		}
		return true
	})
}

// headerGoesBack lowers a header below the one before, but not below its events.
func headerGoesBack(rng *rand.Rand, h *histories.History) bool {
	return alterStream(hasEvents, func(_ *rand.Rand, _ *histories.History, s *histories.Stream) bool {
		for i := 1; i < len(s.Events); i++ {
			e, before := &s.Events[i], &s.Events[i-1]
			if e.Batch != before.Batch && e.Last && isChange(e) && e.Object.RV < before.Header {
				e.Header = e.Object.RV
				return true
			}
		}
		return false
	})(rng, h)
}

func choosesID(op *histories.Operation) bool { return op.Request.WatchID != 0 }

func otherID(rng *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer.WatchID += 1 + rng.Int64N(5)
	return true
}
