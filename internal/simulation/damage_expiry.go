package simulation

import (
	"math/rand/v2"

	"github.com/rvcheck/rvcheck/histories"
)

func expired(s *histories.Stream) bool {
	return s.End != nil && s.End.Reason == histories.EndCompacted
}

// expiryDamages are what a store answers that is wrong about what it has forgotten.
var expiryDamages = []Damage{
	{ID: "read-false-compacted", Property: "expiry/justified", Apply: alter(Both(succeeded(reads...), exactRead), refuse(histories.Compacted))},
	{ID: "newest-false-compacted", Property: "expiry/justified", Apply: alter(Both(succeeded(histories.Get, histories.List), newestRead), refuse(histories.Compacted))},
	{ID: "read-compacted-served", Property: "expiry/owed", Apply: alter(refusedAs(histories.Compacted, reads...), serveCompacted)},
	{ID: "read-compacted-empty", Property: "expiry/owed", Apply: alter(refusedAs(histories.Compacted, reads...), serveEmpty)},
	{ID: "read-compacted-future", Property: "read/future", Apply: alter(refusedAs(histories.Compacted, reads...), refuse(histories.Future))},
	{ID: "read-future-compacted", Property: "expiry/justified", Apply: alter(refusedAs(histories.Future, reads...), refuse(histories.Compacted))},
	{ID: "compact-false-compacted", Property: "expiry/compact-refused", Apply: alter(succeeded(histories.Compact), refuse(histories.Compacted))},
	{ID: "compact-false-future", Property: "expiry/compact-refused", Apply: alter(succeeded(histories.Compact), refuse(histories.Future))},
	{ID: "compact-compacted-accepted", Property: "expiry/compact-refused", Apply: alter(refusedAs(histories.Compacted, histories.Compact), acceptCompact)},
	{ID: "compact-future-accepted", Property: "expiry/compact-refused", Apply: alter(refusedAs(histories.Future, histories.Compact), acceptCompact)},
	{ID: "compact-future-compacted", Property: "expiry/compact-refused", Apply: alter(refusedAs(histories.Future, histories.Compact), refuse(histories.Compacted))},
	{ID: "compact-header-back", Property: "header/monotone", Apply: alter(succeeded(histories.Compact), headerBack)},
	{ID: "compact-header-ahead", Property: "header/not-ahead", Apply: alter(succeeded(histories.Compact), ahead)},
	{ID: "watch-false-compacted", Property: "expiry/justified", Streams: true, Apply: alterStream(func(s *histories.Stream) bool { return s.End != nil && !expired(s) }, falseEnd)},
	{ID: "watch-compact-revision", Property: "expiry/compact-revision", Streams: true, Apply: alterStream(expired, otherPoint)},
	{ID: "watch-compact-revision-zero", Property: "expiry/compact-revision", Streams: true, Apply: alterStream(expired, pointZero)},
	{ID: "watch-compacted-served", Property: "expiry/owed", Streams: true, Apply: alterStream(expired, serveStream)},
	{ID: "watch-compacted-skipped", Property: "watch/no-gap", Streams: true, Apply: alterStream(expired, skipStream)},
}

func serveCompacted(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	op.Answer = readLedger(h).answer(&op.Request, op.Request.Revision, max(known(h, op.Call), op.Request.Revision+1))
	return true
}

func serveEmpty(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	op.Answer = histories.Answer{Outcome: histories.OK, Revision: max(known(h, op.Call), op.Request.Revision+1)}
	return true
}

func acceptCompact(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	op.Answer = histories.Answer{Outcome: histories.OK, Revision: max(1, known(h, op.Call))}
	return true
}

// alterStream makes a damage's Apply of a choice of stream and a change to it.
func alterStream(
	want func(*histories.Stream) bool, change func(*rand.Rand, *histories.History, *histories.Stream) bool,
) func(*rand.Rand, *histories.History) bool {
	return func(rng *rand.Rand, h *histories.History) bool {
		var found []*histories.Stream
		for i := range h.Streams {
			if want(&h.Streams[i]) {
				found = append(found, &h.Streams[i])
			}
		}
		s := one(rng, found)
		return s != nil && change(rng, h, s)
	}
}

// falseEnd cancels a watch as compacted that needs nothing old.
func falseEnd(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	s.End.Reason, s.End.Error = histories.EndCompacted, nil
	s.End.CompactRevision = h.Operation(s.Op).Answer.Revision + histories.Revision(rng.IntN(2))
	return true
}

func otherPoint(rng *rand.Rand, _ *histories.History, s *histories.Stream) bool {
	s.End.CompactRevision += histories.Revision(1 + rng.IntN(2))
	if Chance(rng, 0.5) {
		s.End.CompactRevision = max(1, s.End.CompactRevision-3)
	}
	return true
}

func pointZero(_ *rand.Rand, _ *histories.History, s *histories.Stream) bool {
	s.End.CompactRevision = 0
	return true
}

// serveStream delivers everything to a watch that was to be cancelled.
func serveStream(_ *rand.Rand, h *histories.History, s *histories.Stream) bool {
	return replay(h, s, h.Operation(s.Op).Request.StartRevision)
}

// skipStream goes on after the compaction as if nothing had been before.
func skipStream(_ *rand.Rand, h *histories.History, s *histories.Stream) bool {
	return replay(h, s, s.End.CompactRevision)
}

// replay appends to a stream what happened in its scope from a revision on.
func replay(h *histories.History, s *histories.Stream, from histories.Revision) bool {
	for i := range s.Events {
		from = max(from, s.Events[i].Header+1)
	}
	var events []histories.Event
	for name, entries := range readLedger(h).entries {
		for _, e := range entries {
			if e.revision >= from && contains(h.Operation(s.Op).Request.Scope, name) {
				events = append(events, eventOf(e))
			}
		}
	}
	sortEvents(events)
	for _, e := range events {
		appendEvent(h, s, e)
	}
	s.End = nil
	return len(events) > 0
}
