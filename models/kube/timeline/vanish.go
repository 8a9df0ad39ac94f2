package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// A delete hides its revision. Where no watch tells of it either, it is still known to lie
// behind the last state of the object, and below the next one, or what was sent after the
// delete was answered: a watch that was there before and has come further left it out.

// judgeVanished holds a watch against the acknowledged deletes that nobody told of.
func (j *judge) judgeVanished(s *stream, start histories.Revision) {
	wanted, reached := takes(s.op.Request.Scope, s.selector), j.reached(s, start)
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		for _, uid := range j.removedBy(op) {
			known := j.byUID[uid]
			last := known[len(known)-1]
			latest := j.time.ceiling(j.surely(op.Return))
			if next := j.after(last.rank, last.revision); next != nil {
				latest = min(latest, next.revision-1)
			}
			if last.revision >= start && !last.lost && wanted(last.object) && latest <= reached && !s.toldRemoval(last, latest) {
				j.reportUntold(s, op, last, latest, reached)
			}
		}
	}
}

func (j *judge) reportUntold(s *stream, op *histories.Operation, last *effect, latest, reached histories.Revision) {
	property := models.WatchNoGap
	if !s.selector.Empty() {
		property = models.WatchSelector
	}
	j.ReportStream(models.Finding{
		Property: property, Operations: []int{s.Op, op.ID}, Revision: latest, Key: &j.keys[last.rank],
		Allowed:  fmt.Sprintf("an event of the deletion of %s, up to resource version %d", j.quoted(last.rank), latest),
		Observed: fmt.Sprintf("the watch went on to resource version %d without it", reached),
		Explanation: fmt.Sprintf("%s was told that %s is deleted, which was after resource version %d and not above %d, but %s went on to %d without it.",
			j.name(op.ID), j.quoted(last.rank), last.revision, latest, j.name(s.Op), reached),
	})
}

// toldRemoval reports whether a watch tells that an object has gone, or no longer matches,
// between a state and a later revision.
func (s *stream) toldRemoval(last *effect, upTo histories.Revision) bool {
	for i := range s.Events {
		e := &s.Events[i]
		if e.Type == histories.DeleteEvent && e.Object.Key == last.object.Key && e.Object.RV > last.revision && e.Object.RV <= upTo {
			return true
		}
	}
	return false
}
