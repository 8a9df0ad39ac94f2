package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/models"
)

// judgeGeneration holds the generation of an object against the version before: it counts
// changes of the specification and nothing else (WR-30). Types that have none show zero.
// The mark of a deletion may count or not.
func (j *judge) judgeGeneration(e, b *effect) {
	if b == nil || e.deleted() || e.partial || b.partial || b.uid != e.uid || b.object.Generation == 0 {
		return
	}
	j.Exercise(models.WriteGeneration)
	step := e.object.Generation - b.object.Generation
	specified := e.object.Write != b.object.Write || e.object.Size != b.object.Size
	least, most := int64(0), int64(0)
	switch {
	case e.object.Deleting != b.object.Deleting:
		most = 1
	case specified && j.closed():
		least, most = 1, 1
	case specified:
		// Where a type of others holds the value is not known: it may be an annotation.
		most = 1
	}
	if step >= least && step <= most {
		return
	}
	allowed := fmt.Sprintf("generation %d", b.object.Generation+most)
	if least != most {
		allowed = fmt.Sprintf("generation %d or %d", b.object.Generation, b.object.Generation+1)
	}
	change := "changed nothing that is specified of"
	if specified {
		change = "changed"
	}
	j.Report(models.Finding{
		Property: models.WriteGeneration, Operations: append(opsOf(e), opsOf(b)...), Revision: e.revision, Key: &j.keys[e.rank],
		Allowed: allowed, Observed: fmt.Sprintf("generation %d", e.object.Generation),
		Explanation: fmt.Sprintf("What happened at resource version %d %s %s, whose generation was %d before and %d afterwards.",
			e.revision, change, j.quoted(e.rank), b.object.Generation, e.object.Generation),
	})
}
