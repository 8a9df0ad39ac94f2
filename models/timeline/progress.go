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
		w.fail(models.ProgressMonotone, e, fmt.Sprintf("progress of at least revision %d", floor), fmt.Sprintf("progress of revision %d", e.Header))
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
	if await == nil || w.stream.op.Request.StartRevision < 0 {
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
		Allowed:  fmt.Sprintf("revision %d reached, or the watch ended, within the run's deadline", await.Request.Revision),
		Observed: fmt.Sprintf("nothing beyond revision %d", max(w.delivered, w.progress)),
		Explanation: fmt.Sprintf("%s stayed open but had not reached revision %d when the run's deadline passed.",
			w.name(w.stream.op.ID), await.Request.Revision),
	})
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
