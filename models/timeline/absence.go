package timeline

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// absence is a key that a read showed to be gone, though nobody told of its end:
// something removed it in (after, upTo].
type absence struct {
	rank        int
	after, upTo histories.Revision
	op          *histories.Operation
}

// noteAbsence remembers the first read that did not show an object, which something
// that nobody saw may have removed. The sweep comes to reads by their revision.
func (j *judge) noteAbsence(op *histories.Operation, present *effect, revision histories.Revision) {
	if present.gone {
		return
	}
	present.gone = true
	j.absences = append(j.absences, absence{present.rank, present.revision, revision, op})
}

// judgeAbsences reports the first delete that the watch owed and that no event told of.
func (w *watcher) judgeAbsences() {
	s := w.stream
	if s.heir || slices.Contains(s.op.Request.Filters, histories.NoDelete) {
		return
	}
	for _, a := range w.absences {
		owed := a.after+1 >= w.first && a.upTo <= w.at && s.op.Request.Scope.Contains(w.keys[a.rank])
		if !owed || w.blamed(a.op.ID) {
			continue
		}
		property := models.WatchNoGap
		if a.upTo > w.delivered {
			property = models.ProgressNoOvertaking // the notification alone says that it was delivered
		}
		w.reportStream(models.Finding{
			Property: property, Operations: []int{s.op.ID, a.op.ID}, Revision: a.upTo, Key: &w.keys[a.rank],
			Allowed:  fmt.Sprintf("the event of a delete above revision %d and up to %d", a.after, a.upTo),
			Observed: fmt.Sprintf("the watch went on to revision %d without it", w.at),
			Explanation: fmt.Sprintf("%s delivered everything up to revision %d, but no delete of %q, which %s showed to be gone at revision %d.",
				w.name(s.op.ID), w.at, w.keys[a.rank].Name, w.name(a.op.ID), a.upTo),
		})
		return
	}
}
