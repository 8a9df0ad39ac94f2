package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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
	// Plan counts the plans of the run; zero: it is the plan of a waiver, which is
	// none of them. Name is how a remark refers to it where no file was kept, empty:
	// by its number. PlanFile and HistoryFile are empty where nothing was kept.
	Plan        int
	Name        string
	PlanFile    string
	HistoryFile string
	// Number is the plan's number in the run that recorded it, zero: Plan.
	Number int
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
	known       claims
	cutShort    bool
	// met are the properties that plans of the run exercised or violated.
	met map[string]bool
	// skips are the operations that were skipped, by how many plans they were.
	skips   skips
	trouble trouble
}

// record is what is known of one property so far.
type record struct {
	exercised, undecided int
	// open are the violations that count, waived those that are known.
	open, waived sample
	// lines are those of the waivers that made some known.
	lines []int
}

// sample counts violations of one property and holds some of them.
type sample struct {
	// plans counts the plans of the run, without those of waivers; added all that could
	// be examples.
	violations, plans, added int
	last                     int // the plan that was counted last
	examples                 []report.Violation
}

// NewTally counts for the given properties; findings of others are left out.
func NewTally(properties []models.Property) *Tally {
	t := &Tally{
		properties: properties,
		records:    make(map[string]*record, len(properties)),
		layers:     make(map[histories.Layer]bool),
		shapes:     coverage.Set{},
		met:        make(map[string]bool),
		skips:      skips{times: make(map[string]int)},
		trouble:    newTrouble(),
		report:     report.Report{Format: report.Format},
	}
	for _, p := range properties {
		t.records[p.ID] = &record{}
	}
	return t
}

// Add counts one history. It reports whether one of the tally's properties was
// violated in a way that is not known.
func (t *Tally) Add(j Judged) (violated bool) {
	t.meet(&j.History.Header)
	if j.Plan != 0 {
		t.report.Plans++
	}
	t.report.Operations += len(j.History.Operations)
	t.skipped(&j)
	t.trouble.add(j.History)
	t.meets(&j)
	for id, n := range j.Judgement.Exercised {
		if r := t.records[id]; r != nil {
			r.exercised += n
		}
	}
	t.shapes.Add(j.History)
	t.undecided(j)
	t.findings(j)
	broken, known := t.shown(&j)
	switch {
	case len(broken) > 0:
		t.report.Failed++
	case len(known) > 0 && j.Plan != 0:
		t.report.FailedAsKnown++
	}
	return len(broken) > 0
}

// findings counts the findings of one history.
func (t *Tally) findings(j Judged) {
	groups := t.known.grouped(j.History, j.Judgement.Findings)
	for _, g := range slices.SortedFunc(maps.Keys(groups), group.compare) {
		findings := groups[g]
		r := t.records[g.property]
		switch {
		case r == nil:
			t.unclaimed(g.property)
		case g.line == 0:
			r.open.add(t.violation(j, findings), j.Plan)
		default:
			v := t.violation(j, findings)
			v.Waived = g.line
			r.waived.add(v, j.Plan)
			if !slices.Contains(r.lines, g.line) {
				r.lines = append(r.lines, g.line)
			}
			for i := range findings {
				t.known.credit(j.History, &findings[i])
			}
		}
	}
}

// shown are the properties that a history violates, and those that it violates in
// ways that are all known, in the order of the catalogue.
func (t *Tally) shown(j *Judged) (broken, known []string) {
	open, waived := map[string]bool{}, map[string]bool{}
	for g := range t.known.grouped(j.History, j.Judgement.Findings) {
		open[g.property] = open[g.property] || g.line == 0
		waived[g.property] = true
	}
	for _, p := range t.properties {
		switch {
		case open[p.ID]:
			broken = append(broken, p.ID)
		case waived[p.ID]:
			known = append(known, p.ID)
		}
	}
	return broken, known
}

// unclaimed makes sure that no finding is lost because its id has a slip: only
// properties of the catalogue can have been left out on purpose.
func (t *Tally) unclaimed(id string) {
	if _, known := models.Lookup(id); !known {
		t.Fail(fmt.Errorf("internal fault of the checker: a finding of property %q, which is not in the catalogue", id))
	}
}

// Violates reports whether a judgement violates one of the tally's properties, in
// a known way or not.
func (t *Tally) Violates(j models.Judgement) bool {
	for i := range j.Findings {
		if t.records[j.Findings[i].Property] != nil {
			return true
		}
	}
	return false
}

// Violated returns the ids of the properties that were violated so far in a way that
// is not known, in the order of the catalogue.
func (t *Tally) Violated() []string {
	var ids []string
	for _, p := range t.properties {
		if t.records[p.ID].open.violations > 0 {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// Fail notes a failure to reach the target, or a fault of the checker.
func (t *Tally) Fail(err error) {
	// Errors that were joined have a line each; in the report one error is one line.
	t.report.Errors = append(t.report.Errors, strings.ReplaceAll(err.Error(), "\n", "; "))
}

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
	if j.Plan == 0 {
		return "plan " + j.Name
	}
	return fmt.Sprintf("plan %d", j.Plan)
}

// add keeps the examples with the shortest plans.
func (s *sample) add(v report.Violation, plan int) {
	s.violations += v.Occurrences
	s.added++
	if plan != s.last && plan != 0 {
		s.plans, s.last = s.plans+1, plan
	}
	if len(s.examples) < maxExamples {
		s.examples = append(s.examples, v)
		return
	}
	longest := 0
	for i := range s.examples {
		if s.examples[i].Operations > s.examples[longest].Operations {
			longest = i
		}
	}
	if v.Operations < s.examples[longest].Operations {
		s.examples[longest] = v
	}
}
