package session

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/rvcheck/rvcheck/internal/recording"
	"github.com/rvcheck/rvcheck/internal/report"
)

// keep leaves the files of a plan that failed or could not be decided, compressed,
// and removes those of the others.
func (r *run) keep(j *Judged, fault bool) error {
	if r.folder == nil {
		return nil
	}
	failed := fault || r.tally.Violates(j.Judgement) || j.Judgement.Inconclusive != ""
	file := r.folder.History(j.Name)
	if !failed && !r.Keep {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("removing the history of a plan that passed: %w", err)
		}
		return nil
	}
	var err error
	if j.HistoryFile, err = recording.Compress(file); err != nil {
		return err
	}
	if j.PlanFile, err = r.folder.WritePlan(j.Name, j.History.Plan); err != nil {
		return err
	}
	if r.Commands != nil {
		j.Commands = r.Commands(j.PlanFile, j.HistoryFile)
	}
	return nil
}

// reproduced words how often each property was violated, of how many runs, and
// leaves one violation a property, and one that is known: all runs were of the
// same plan.
func (t *Tally) reproduced(r *report.Report) {
	r.Violations = nil
	for _, p := range t.properties {
		record := t.records[p.ID]
		for _, s := range []*sample{&record.open, &record.waived} {
			chosen := s.reproduced(r.Plans)
			r.Violations = append(r.Violations, chosen...)
			s.examples = chosen
		}
		if i := slices.IndexFunc(r.Properties, func(q report.Property) bool { return q.ID == p.ID }); i >= 0 {
			r.Properties[i].ExamplesCut = record.cut()
		}
	}
}

// reproduced are one example of the plan that was run so many times, and one of a
// replayed waiver's, if there are such.
func (s *sample) reproduced(runs int) []report.Violation {
	var chosen []report.Violation
	for _, replay := range []bool{false, true} {
		at := slices.IndexFunc(s.examples, func(v report.Violation) bool { return (v.PlanNumber == 0) == replay })
		if at < 0 {
			continue
		}
		v := s.examples[at]
		if !replay {
			v.Reproduced = fmt.Sprintf("%d/%d", s.plans, runs)
		}
		chosen = append(chosen, v)
	}
	return chosen
}

func runID(start time.Time, seed uint64) string {
	return fmt.Sprintf("%s-%d", start.UTC().Format("20060102T150405.000Z"), seed)
}
