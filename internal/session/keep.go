package session

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/plans"
)

// keep leaves the files of a plan that failed or could not be decided, compressed,
// and removes those of the others.
func (r *run) keep(j *Judged, fault bool) error {
	j.Operations = CountOperations(r.Source(j.Plan))
	if r.folder == nil {
		return nil
	}
	failed := fault || r.tally.Violates(j.Judgement) || j.Judgement.Inconclusive != ""
	file := r.folder.History(j.Plan)
	if !failed && !r.Keep {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("removing the history of a plan that passed: %w", err)
		}
		return nil
	}
	var err error
	if j.HistoryFile, err = compress(file); err != nil {
		return err
	}
	if j.PlanFile, err = r.folder.WritePlan(j.Plan, j.History.Plan); err != nil {
		return err
	}
	if r.Commands != nil {
		j.Commands = r.Commands(j.PlanFile, j.HistoryFile)
	}
	return nil
}

// CountOperations counts the operations that a plan has in all lanes.
func CountOperations(p plans.Plan) int {
	n := 0
	for i := range p.Steps {
		if p.Steps[i].Op != nil {
			n++
		}
	}
	return n
}

// reproduced words how often each property was violated, of how many runs, and
// leaves one violation a property: all runs were of the same plan.
func (t *Tally) reproduced(r *report.Report) {
	r.Violations = nil
	for _, p := range t.properties {
		record := t.records[p.ID]
		if len(record.examples) == 0 {
			continue
		}
		v := record.examples[0]
		v.Reproduced = fmt.Sprintf("%d/%d", record.violatedPlans, r.Plans)
		r.Violations = append(r.Violations, v)
	}
}

func runID(start time.Time, seed uint64) string {
	return fmt.Sprintf("%s-%d", start.UTC().Format("20060102T150405.000Z"), seed)
}
