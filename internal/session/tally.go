package session

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/coverage"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/models"
)

// maxExamples is how many violations of one property a report holds; all are counted.
const maxExamples = 10

// Judged is one history with what the judges said, and the files that were kept.
type Judged struct {
	History   *histories.History
	Judgement models.Judgement
	// Plan counts the plans of the run; PlanFile and HistoryFile are empty where
	// nothing was kept.
	Plan        int
	PlanFile    string
	HistoryFile string
	// Operations is the number of operations of the plan.
	Operations int
	// Commands are the commands to go on with if it failed.
	Commands []string
}

// Tally counts what the judges said of many histories and makes the report.
type Tally struct {
	properties  []models.Property
	records     map[string]*record
	layers      map[histories.Layer]bool
	shapes      coverage.Set
	described   bool
	unsupported map[string]string
	report      report.Report
}

// record is what is known of one property so far.
type record struct {
	exercised, violations, undecided int
	violatedPlans                    int
	examples                         []report.Violation
}

// NewTally counts for the given properties; findings of others are left out.
func NewTally(properties []models.Property) *Tally {
	t := &Tally{
		properties: properties,
		records:    make(map[string]*record, len(properties)),
		layers:     make(map[histories.Layer]bool),
		shapes:     coverage.Set{},
		report:     report.Report{Format: report.Format},
	}
	for _, p := range properties {
		t.records[p.ID] = &record{}
	}
	return t
}

// Add counts one history. It reports whether one of the tally's properties was violated.
func (t *Tally) Add(j Judged) (violated bool) {
	t.meet(&j.History.Header)
	t.report.Plans++
	t.report.Operations += len(j.History.Operations)
	for id, n := range j.Judgement.Exercised {
		if r := t.records[id]; r != nil {
			r.exercised += n
		}
	}
	t.shapes.Add(j.History)
	t.undecided(j)
	defer func() {
		if violated {
			t.report.Failed++
		}
	}()
	for id, findings := range grouped(j.Judgement.Findings) {
		r := t.records[id]
		if r == nil {
			t.unclaimed(id)
			continue
		}
		r.add(t.violation(j, findings))
		violated = true
	}
	return violated
}

// unclaimed makes sure that no finding is lost because its id has a slip: only
// properties of the catalogue can have been left out on purpose.
func (t *Tally) unclaimed(id string) {
	if _, known := models.Lookup(id); !known {
		t.Fail(fmt.Errorf("internal fault of the checker: a finding of property %q, which is not in the catalogue", id))
	}
}

// Violates reports whether a judgement violates one of the tally's properties.
func (t *Tally) Violates(j models.Judgement) bool {
	for i := range j.Findings {
		if t.records[j.Findings[i].Property] != nil {
			return true
		}
	}
	return false
}

// Violated returns the ids of the properties that were violated so far, in the
// order of the catalogue.
func (t *Tally) Violated() []string {
	var ids []string
	for _, p := range t.properties {
		if t.records[p.ID].violations > 0 {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// Fail notes a failure to reach the target, or a fault of the checker.
func (t *Tally) Fail(err error) { t.report.Errors = append(t.report.Errors, err.Error()) }

// Note adds a remark for the reader.
func (t *Tally) Note(format string, args ...any) {
	t.report.Notes = append(t.report.Notes, fmt.Sprintf(format, args...))
}

func (t *Tally) undecided(j Judged) {
	if j.Judgement.Inconclusive == "" {
		return
	}
	concerns := false
	for _, id := range j.Judgement.Undecided {
		if r := t.records[id]; r != nil && j.Judgement.Exercised[id] > 0 {
			r.undecided++
			concerns = true
		}
	}
	if concerns || len(j.Judgement.Undecided) == 0 {
		t.report.Inconclusive = append(t.report.Inconclusive, j.name()+": "+j.Judgement.Inconclusive)
	}
}

// name is how a remark refers to the history.
func (j Judged) name() string {
	if j.HistoryFile != "" {
		return j.HistoryFile
	}
	return fmt.Sprintf("plan %d", j.Plan)
}

func grouped(findings []models.Finding) map[string][]models.Finding {
	groups := make(map[string][]models.Finding)
	for _, f := range findings {
		groups[f.Property] = append(groups[f.Property], f)
	}
	return groups
}

// add keeps the examples with the shortest plans.
func (r *record) add(v report.Violation) {
	r.violations += v.Occurrences
	r.violatedPlans++
	if len(r.examples) < maxExamples {
		r.examples = append(r.examples, v)
		return
	}
	longest := 0
	for i := range r.examples {
		if r.examples[i].Operations > r.examples[longest].Operations {
			longest = i
		}
	}
	if v.Operations < r.examples[longest].Operations {
		r.examples[longest] = v
	}
}
