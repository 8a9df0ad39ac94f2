package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// judgeExpiryOfWatch checks that a watch was cancelled as compacted exactly when
// its history was gone. It returns the first revision whose events the watch can
// still owe after that.
func (j *judge) judgeExpiryOfWatch(s *stream) histories.Revision {
	first, start := j.certainStart(s), s.op.Request.StartRevision
	if isExpired(s.end) {
		j.judgeCancelled(s)
		return first
	}
	if start >= 0 && (start == 0 || !j.certainlyCompacted(s.op, start)) {
		return first
	}
	j.exercise(models.ExpiryOwed)
	sure := j.known(s.op)
	if len(s.events) > 0 && !s.heir {
		j.reportOwed(s.op.ID, sure, fmt.Sprintf("%s was to begin at revision %d", j.name(s.op.ID), start), j.reportStream)
	}
	return max(first, sure.point)
}

func (j *judge) judgeCancelled(s *stream) {
	start := s.op.Request.StartRevision
	if start < 0 {
		return // below every compaction; etcd names none
	}
	if j.certainlyCompacted(s.op, start) {
		j.exercise(models.ExpiryOwed)
		j.exercise(models.ExpiryWatchTold)
	}
	needed := j.lowestNeed(s)
	j.exerciseJustified(needed)
	if !j.mayBeCompacted(needed, s.end.Time) {
		j.reportUnjustified(s.op.ID, fmt.Sprintf("%s still needed revision %d", j.name(s.op.ID), needed), j.reportOf(s))
		return
	}
	j.exercise(models.ExpiryCompactRevision)
	if at := s.end.CompactRevision; at <= needed || j.certainlyCompacted(s.op, at) || !j.happened(at, s.end.Time) {
		j.reportOf(s)(models.Finding{
			Property: models.ExpiryCompactRevision, Operations: []int{s.op.ID}, Revision: at,
			Allowed: fmt.Sprintf("a compaction that happened, above revision %d", needed), Observed: fmt.Sprintf("compaction revision %d", at),
			Explanation: fmt.Sprintf("%s was cancelled as compacted; it still needed revision %d, so the cancellation must name a compaction above that, but it names revision %d.", j.name(s.op.ID), needed, at),
		})
	}
}

// reportOf reports what a stream did. How a watch ended that took over an id is what
// may have been meant for the one that had it before.
func (j *judge) reportOf(s *stream) func(models.Finding) {
	return func(f models.Finding) {
		if s.heir {
			f.Property = models.WatchIsolated
		}
		j.reportStream(f)
	}
}

// lowestNeed is the lowest revision that a watch can still have needed at its end.
// Where a watch from now began is not known: somewhere above what was known when
// it was asked for, on a member that lags even below. What a watch was sent that
// took over an id may have been another's.
func (j *judge) lowestNeed(s *stream) histories.Revision {
	switch start := s.op.Request.StartRevision; {
	case start > 0 && s.heir:
		return start
	case start > 0:
		return s.reached + 1
	}
	need := histories.Revision(1)
	if j.endpoints == 1 {
		need = j.time.learned(s.op.Call) + 1
	}
	for i := range s.events {
		e := &s.events[i]
		switch {
		case s.heir, j.time.refuted[source{s.op.ID, i + 1}]:
		case e.Type == histories.ProgressEvent:
			need = max(need, e.Header+1)
		default:
			need = max(need, e.Object.RV+1)
		}
	}
	return need
}
