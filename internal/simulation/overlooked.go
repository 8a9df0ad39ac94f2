package simulation

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// Overlooked returns the wrong answers that etcd's own robustness validator is
// known to accept. Unlike other damages these are applied only where nothing can
// explain them: a history that was altered is invalid for certain.
func Overlooked() []Damage {
	return []Damage{
		{ID: "false compacted on a read", Property: "expiry/justified", Apply: alterSurely(succeeded(reads...), uncompactedRead, refuse(histories.Compacted))},
		{ID: "false future on a read", Property: "read/future", Apply: alterSurely(succeeded(reads...), pastRead, refuse(histories.Future))},
		{ID: "false compacted on a watch", Property: "expiry/justified", Streams: true, Apply: falselyCompacted},
		{ID: "a watch that goes silent", Property: "watch/delivers", Streams: true, Apply: goesSilent},
		{ID: "a watch silent but for progress", Property: "progress/no-overtaking", Streams: true, Apply: silentButProgress},
		{ID: "a missing previous value", Property: "watch/prev", Streams: true, Apply: missingPrevious},
		{ID: "headers that go back on a watch", Property: "watch/header", Streams: true, Apply: headerGoesBack},
		{ID: "progress far ahead of the store", Property: "progress/not-ahead", Streams: true, Apply: progressFarAhead},
		{ID: "a page that forgets its revision", Property: "page/pinned", Apply: forgottenPin},
	}
}

// alterSurely is alter with a condition that looks at the whole history.
func alterSurely(
	want func(*histories.Operation) bool, surely func(*histories.History, *histories.Operation) bool,
	change func(*rand.Rand, *histories.History, *histories.Operation) bool,
) func(*rand.Rand, *histories.History) bool {
	return func(rng *rand.Rand, h *histories.History) bool {
		return alter(func(op *histories.Operation) bool { return want(op) && surely(h, op) }, change)(rng, h)
	}
}

// uncompactedRead: no compaction can have passed the revision that the read asks for.
func uncompactedRead(h *histories.History, op *histories.Operation) bool {
	return newestRead(op) || !perhapsCompacted(h, op.Request.Revision, op.Return)
}

// pastRead: when the read was called its revision was known to exist.
func pastRead(h *histories.History, op *histories.Operation) bool {
	return newestRead(op) || exactRead(op) && op.Request.Revision <= known(h, op.Call)
}

// perhapsCompacted reports whether a revision may have been below the compaction
// point at a time: by a call, or before the history began.
func perhapsCompacted(h *histories.History, revision histories.Revision, by int64) bool {
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Kind == histories.Compact && op.Answer.Outcome != histories.Fail && op.Request.Revision > revision && op.Call <= by {
			return true
		}
	}
	return revision < begun(h)
}

// begun is a revision that the store cannot have been beyond when the history began.
func begun(h *histories.History) histories.Revision {
	least := histories.Revision(math.MaxInt64)
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Answer.Revision > 0 && !mayBeOld(op) && op.Request.Kind != histories.Watch {
			least = min(least, op.Answer.Revision)
		}
	}
	return least
}

// falselyCompacted cancels a watch as compacted that needs nothing old any more.
func falselyCompacted(rng *rand.Rand, h *histories.History) bool {
	return alterStream(func(s *histories.Stream) bool {
		return s.End != nil && !expired(s) && !perhapsCompacted(h, needed(h, s), s.End.Time)
	}, falseEnd)(rng, h)
}

// needed is a revision that a watch needs nothing below of at its end.
func needed(h *histories.History, s *histories.Stream) histories.Revision {
	op := h.Operation(s.Op)
	need := op.Request.StartRevision
	if need == 0 { // on a member that lags a watch from now may begin early
		need = begun(h)
	}
	for i := range s.Events {
		need = max(need, s.Events[i].Object.RV+1)
	}
	return need
}

// goesSilent cuts a watch before a change that it had delivered when somebody
// waited for it, and lets all waiting be in vain.
func goesSilent(rng *rand.Rand, h *histories.History) bool {
	await := pick(rng, h, func(op *histories.Operation) bool {
		return closingAwait(op) && len(owedBy(h, op)) > 0
	})
	if await == nil {
		return false
	}
	s := h.Stream(await.Request.Of)
	s.Events = s.Events[:one(rng, owedBy(h, await))]
	remark(s)
	failAwaits(h, s)
	return true
}

// owedBy returns the indexes of the changes that somebody waited for on a watch
// that went on after that.
func owedBy(h *histories.History, await *histories.Operation) []int {
	s := h.Stream(await.Request.Of)
	if s == nil || s.End != nil && (s.End.Time <= await.Return || expired(s)) {
		return nil
	}
	var owed []int
	for _, i := range changes(s) {
		if s.Events[i].Object.RV <= await.Request.Revision {
			owed = append(owed, i)
		}
	}
	return owed
}

// silentButProgress takes changes out of a stream, the first of which comes before
// one of its progress notifications. Where a watch from now began is not certain,
// but it was not beyond its header.
func silentButProgress(rng *rand.Rand, h *histories.History) bool {
	return alterStream(hasProgress, func(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
		op := h.Operation(s.Op)
		var late []int // changes with progress behind them
		for last, i := len(s.Events), len(s.Events)-1; i >= 0; i-- {
			switch {
			case !isChange(&s.Events[i]):
				last = i
			case !acknowledged(h, s.Events[i].Object.RV):
			case op.Request.StartRevision == 0 && s.Events[i].Object.RV <= op.Answer.Revision:
			case last < len(s.Events):
				late = append(late, i)
			}
		}
		if len(late) == 0 {
			return false
		}
		from := one(rng, late)
		kept := s.Events[:from:from]
		for _, e := range s.Events[from:] {
			if !isChange(&e) {
				kept = append(kept, e)
			}
		}
		s.Events = kept
		remark(s)
		return true
	})(rng, h)
}

// acknowledged reports whether a write was answered with this revision.
func acknowledged(h *histories.History, revision histories.Revision) bool {
	return slices.ContainsFunc(h.Operations, func(op histories.Operation) bool {
		return op.Answer.Outcome == histories.OK && op.Answer.Revision == revision && slices.ContainsFunc(parts(&op), changed)
	})
}

// changed reports whether a call that succeeded has changed something.
func changed(op histories.Operation) bool {
	switch op.Request.Kind {
	case histories.Create, histories.Update, histories.Put:
		return true
	default:
		return op.Answer.Deleted > 0
	}
}

// missingPrevious leaves out a previous value that cannot have been compacted.
func missingPrevious(rng *rand.Rand, h *histories.History) bool {
	return alterSome(func(e *histories.Event) bool {
		return e.Prev != nil && !perhapsCompacted(h, e.Object.RV-1, e.Time)
	}, func(_ *ledger, e *histories.Event) bool {
		e.Prev = nil
		return true
	})(rng, h)
}

// progressFarAhead announces a revision that a call still later did not find.
func progressFarAhead(rng *rand.Rand, h *histories.History) bool {
	return alterStream(anyStream, func(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
		i := rng.IntN(len(s.Events) + 1)
		insertProgress(h, s, i, 0)
		time := s.Events[i].Time
		later := pick(rng, h, func(op *histories.Operation) bool {
			return op.Call > time && op.Answer.Outcome == histories.OK && (op.Request.Kind.IsRead() || op.Request.Kind.IsWrite()) && !mayBeOld(op)
		})
		if later == nil {
			return false
		}
		s.Events[i].Header = later.Answer.Revision + histories.Revision(1+rng.IntN(1_000_000))
		return true
	})(rng, h)
}

// forgottenPin shows the newest state on a page, and in it what was written after
// the revision of the page.
func forgottenPin(rng *rand.Rand, h *histories.History) bool {
	return alter(succeeded(histories.Next), func(rng *rand.Rand, h *histories.History, op *histories.Operation) bool {
		if !newestContent(rng, h, op) {
			return false
		}
		for _, o := range op.Answer.Objects {
			if o.RV > op.Request.Revision {
				return true
			}
		}
		return false
	})(rng, h)
}
