package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/models"
)

// judgeUntold reports answers without a revision: every answer to a read or a
// write carries the store's (ETCD-01). An importer may
// have lost that of a compaction.
func (j *judge) judgeUntold() {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op.Answer.Revision > 0 || !isAnswered(op) && !isRefusal(op) && !isEmptyDelete(op) {
			continue
		}
		j.report(models.Finding{
			Property: staleProperty(op), Operations: []int{op.ID},
			Allowed: "the store's revision", Observed: fmt.Sprintf("revision %d", op.Answer.Revision),
			Explanation: fmt.Sprintf("Every answer tells the store's revision, which is at least %d; that of %s says %d.", beginning, j.name(op.ID), op.Answer.Revision),
		})
	}
}
