package session

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/models"
)

func judged(j models.Judgement, unsupported map[string]string) Judged {
	return Judged{
		History: &histories.History{Header: histories.Header{
			Layer: histories.EtcdLayer, Target: "memory://", Unsupported: unsupported,
		}},
		Judgement: j,
	}
}

func exercised(ids ...string) map[string]int {
	counts := map[string]int{}
	for _, id := range ids {
		counts[id]++
	}
	return counts
}

func TestStatuses(t *testing.T) {
	tally := NewTally(models.Catalogue())
	tally.Add(judged(models.Judgement{
		Exercised: exercised(models.GetFresh, models.ListFresh, models.ListOrder),
		Findings:  []models.Finding{{Property: models.ListOrder}, {Property: models.ListOrder}},
	}, map[string]string{"compaction": "not exclusive", "progress": "lost"}))
	tally.Add(judged(models.Judgement{
		Exercised:    exercised(models.GetFresh, models.ListFresh),
		Inconclusive: "budget", Undecided: []string{models.ListFresh, models.ListScope},
	}, map[string]string{"compaction": "not exclusive"}))
	r := tally.Report()
	got := map[string]report.Status{}
	for _, id := range []string{
		models.GetFresh, models.ListOrder, models.ListFresh, models.ListScope, models.ExpiryOwed, models.ProgressMonotone,
	} {
		got[id] = status(r, id)
	}
	want := map[string]report.Status{
		models.GetFresh: report.Passed, models.ListOrder: report.Broken, models.ListFresh: report.Undecided,
		models.ListScope: report.NotExercised, models.ExpiryOwed: report.Unsupported,
		// One of the two histories could have exercised it.
		models.ProgressMonotone: report.NotExercised,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if r.Failed != 1 || len(r.Violations) != 1 || r.Violations[0].Occurrences != 2 {
		t.Errorf("got %d failed plans and %d violations, expected one of each, with two occurrences", r.Failed, len(r.Violations))
	}
}

// A finding must not be lost because its id is misspelt.
func TestUnknownPropertyIsAFault(t *testing.T) {
	tally := NewTally(models.Catalogue())
	tally.Add(judged(models.Judgement{Findings: []models.Finding{{Property: "list/ordr"}}, Exercised: exercised(models.GetFresh)}, nil))
	if r := tally.Report(); r.Verdict != report.Error {
		t.Errorf("got the verdict %s, expected error", r.Verdict)
	}
}

func TestInconclusiveOutsideTheSelectionDoesNotCount(t *testing.T) {
	properties, err := Select([]string{"watch/*"})
	if err != nil {
		t.Fatal(err)
	}
	tally := NewTally(properties)
	tally.Add(judged(models.Judgement{
		Exercised:    exercised(models.WatchOrdered, models.ListFresh),
		Inconclusive: "budget", Undecided: []string{models.ListFresh},
	}, nil))
	if r := tally.Report(); r.Verdict != report.Conformant {
		t.Errorf("got the verdict %s, expected conformant", r.Verdict)
	}
}

func TestExamplesAreTheShortest(t *testing.T) {
	tally := NewTally(models.Catalogue())
	for i := range 3 * maxExamples {
		j := judged(models.Judgement{Findings: []models.Finding{{Property: models.GetFresh}}}, nil)
		j.Operations = 100 - i
		tally.Add(j)
	}
	r := tally.Report()
	if len(r.Violations) != maxExamples || r.Examples(models.GetFresh)[0].Operations != 71 {
		t.Errorf("got %d examples, the shortest of %d operations", len(r.Violations), r.Examples(models.GetFresh)[0].Operations)
	}
	if r.Properties[slices.IndexFunc(r.Properties, func(p report.Property) bool { return p.ID == models.GetFresh })].Violations != 3*maxExamples {
		t.Error("violations that are not shown were not counted")
	}
}

func TestSelect(t *testing.T) {
	all := len(models.Catalogue())
	for _, test := range []struct {
		patterns []string
		want     int
	}{
		{nil, all},
		{[]string{"*"}, all},
		{[]string{"*/*"}, all},
		{[]string{"read"}, 3},
		{[]string{"read/*", "read/future"}, 3},
		{[]string{"get/fresh", "list/fresh"}, 2},
		{[]string{"*/fresh"}, 2},
	} {
		got, err := Select(test.patterns)
		if err != nil || len(got) != test.want {
			t.Errorf("%q selects %d (%v), expected %d", test.patterns, len(got), err, test.want)
		}
	}
}

func TestSelectRefusesWhatMatchesNothing(t *testing.T) {
	for pattern, near := range map[string][]string{
		"watch/no-gaps": {"watch/no-gap"},
		"fresh":         {"get/fresh", "list/fresh"},
		"[":             nil,
		"":              nil,
		"get/frsh":      {"get/fresh"},
	} {
		_, err := Select([]string{"watch", pattern})
		var wrong *PatternError
		if !errors.As(err, &wrong) || wrong.Pattern != pattern {
			t.Errorf("%q: got %v, expected a PatternError", pattern, err)
			continue
		}
		// The first ones are the nearest; what follows depends on the whole catalogue.
		if diff := cmp.Diff(near, wrong.Near[:min(len(near), len(wrong.Near))]); diff != "" || near == nil && wrong.Near != nil {
			t.Errorf("%q: near (-want +got)\n%s", pattern, diff)
		}
	}
}

// What the report does not hold an example of is counted, also where histories of
// several runs have the same number.
func TestCutExamplesAreCounted(t *testing.T) {
	tally := NewTally(models.Catalogue())
	for i := range maxExamples + 4 {
		j := judged(models.Judgement{Findings: []models.Finding{{Property: models.GetFresh}, {Property: models.GetFresh}}}, nil)
		j.Plan, j.Number, j.History.Header.Run = i+1, 7, "20260102T030405.000Z-42"
		tally.Add(j)
	}
	r := tally.Report()
	p := r.Properties[slices.IndexFunc(r.Properties, func(p report.Property) bool { return p.ID == models.GetFresh })]
	if p.Violations != 2*maxExamples+8 || p.FailedPlans != maxExamples+4 || p.ExamplesCut != 4 {
		t.Errorf("got %d findings in %d plans, %d examples cut", p.Violations, p.FailedPlans, p.ExamplesCut)
	}
	if r.Seed != 42 || r.Violations[0].PlanNumber != 7 {
		t.Errorf("got the seed %d and plan %d, expected those of the header", r.Seed, r.Violations[0].PlanNumber)
	}
	other := judged(models.Judgement{}, nil)
	other.History.Header.Run = "20260102T030405.000Z-43"
	tally.Add(other)
	if seed := tally.Report().Seed; seed != 0 {
		t.Errorf("histories of two runs have the seed %d", seed)
	}
}
