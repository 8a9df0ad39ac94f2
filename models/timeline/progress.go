package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// takeProgress judges one progress notification. An event that it overtakes is
// reported when the event arrives, one that never does as a gap.
func (w *watcher) takeProgress(e *histories.Event) {
	w.exercise(models.ProgressMonotone)
	w.exercise(models.ProgressNotAhead)
	if floor := w.progressFloor(); e.Header < floor {
		w.fail(models.ProgressMonotone, e, fmt.Sprintf("progress of at least revision %d", floor), fmt.Sprintf("progress of revision %d", e.Header),
			"%s was told of progress to revision %d, but had come to revision %d before", e.Header, floor)
		return
	}
	if e.Header >= w.first {
		w.exercise(models.ProgressNoOvertaking)
		w.passOver(e.Header)
	}
	w.progress = max(w.progress, e.Header)
}

// progressFloor is the lowest revision that a notification may name: what the
// watch delivered before, or where it began, unless it began in the future. A
// notification for a whole transport stream may have been queued before the watch
// began, and a member that lags may not have got there.
func (w *watcher) progressFloor() histories.Revision {
	floor := max(1, w.delivered, w.progress, w.header)
	if w.endpoints > 1 || w.stream.op.Request.Transport != "" {
		return floor
	}
	if start := w.stream.op.Request.StartRevision; start > 0 && start-1 <= w.time.learned(w.stream.op.Call) {
		floor = max(floor, start-1)
	}
	return floor
}

// judgeLiveness looks at the run's closing await: a healthy stream reaches the
// last write within the deadline.
func (w *watcher) judgeLiveness() {
	await := w.stream.awaited
	if await == nil || await.Answer.Outcome == histories.Unknown || w.stream.op.Request.StartRevision < 0 {
		return
	}
	property := models.ProgressAnswered
	switch start := w.stream.op.Request.StartRevision; {
	case start > 0 && w.certainlyCompacted(w.stream.op, start):
		property = models.ExpiryWatchTold
	case w.owesEvent(await.Request.Revision), await.Answer.Outcome == histories.OK && w.delivered > w.progress:
		property = models.WatchDelivers
	}
	w.exercise(property)
	if await.Answer.Outcome != histories.Fail || w.stream.end != nil && w.stream.end.Time < await.Return {
		return
	}
	w.reportStream(models.Finding{
		Property: property, Operations: []int{w.stream.op.ID, await.ID}, Revision: await.Request.Revision,
		Allowed:     fmt.Sprintf("revision %d reached, or the watch ended, within the run's deadline", await.Request.Revision),
		Observed:    fmt.Sprintf("nothing beyond revision %d", max(w.delivered, w.progress)),
		Explanation: w.unheard(property, await.Request.Revision),
	})
}

// unheard says what a watch failed to deliver in time.
func (w *watcher) unheard(property string, wanted histories.Revision) string {
	name, reached := w.name(w.stream.op.ID), max(w.delivered, w.progress)
	switch property {
	case models.ExpiryWatchTold:
		return fmt.Sprintf("%s begins at revision %d, which was compacted before it was asked for. It was not cancelled, and nothing came before the run's deadline passed.",
			name, w.stream.op.Request.StartRevision)
	case models.WatchDelivers:
		return fmt.Sprintf("%s stayed open and owed the changes up to revision %d, but when the run's deadline passed it %s.", name, wanted, cameTo(reached))
	default:
		return fmt.Sprintf("%s stayed open and was asked for its progress to revision %d, but when the run's deadline passed it %s.", name, wanted, cameTo(reached))
	}
}

func cameTo(revision histories.Revision) string {
	if revision == 0 {
		return "had told nothing at all"
	}
	return fmt.Sprintf("had come no further than revision %d", revision)
}

// owesEvent reports whether a change in scope lies above what the stream
// delivered, up to a revision.
func (w *watcher) owesEvent(upTo histories.Revision) bool {
	for i := w.search(max(w.first, w.delivered+1)); i < len(w.effects) && w.effects[i].revision <= upTo; i++ {
		if e := &w.effects[i]; !e.lost && !filteredOut(w.stream, e) && w.stream.op.Request.Scope.Contains(w.keys[e.rank]) {
			return true
		}
	}
	return false
}
