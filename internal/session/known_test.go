package session

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/waivers"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
)

// known is a known-failing file, whose plans are "stale" and "harmless".
func known(t *testing.T, text string) *waivers.File {
	t.Helper()
	file, err := waivers.Parse(text, "known.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i := range file.Waivers {
		if w := &file.Waivers[i]; w.PlanFile != "" {
			plan := parsed(t, map[string]string{"stale": stale, "harmless": harmless}[w.PlanFile])
			w.Plan = &plan
		}
	}
	return file
}

// both alternates, and exercises what the mutant breaks on an honest store, too.
func both(t *testing.T) func(int) plans.Plan {
	rest := parsed(t, "# rvcheck plan v1 · layer etcd · seed 1\nc1    a1: create a\nc1    delete a rv=rv(a1)\n")
	return func(n int) plans.Plan {
		if n == 1 {
			return rest
		}
		return alternating(t)(n)
	}
}

// TestWaivers is the table of what becomes of a line, on a store that fails
// write/delete-cas in every third plan and on one that fails nothing.
func TestWaivers(t *testing.T) {
	const broken, honest = "delete-stale-succeeds", ""
	for _, test := range []struct {
		name, store, line string
		verdict           report.Verdict
		property          report.Status // of write/delete-cas
		waiver            report.WaiverStatus
		advice            string
	}{
		{"fails and does", broken, `write/delete-cas fails reason=x`, report.Conformant, report.Waived, report.WaiverFailed, ""},
		{"a group", broken, `write fails reason=x`, report.Conformant, report.Waived, report.WaiverFailed, ""},
		{"narrowed to what is involved", broken, `write/* op=delete rv fails reason=x`, report.Conformant, report.Waived, report.WaiverFailed, ""},
		{"narrowed to something else", broken, `write/delete-cas op=list flaky reason=x`, report.Violated, report.Broken, report.WaiverPassed, ""},
		{"another property", broken, `write/update-cas flaky reason=x`, report.Violated, report.Broken, report.WaiverPassed, ""},
		{"flaky and does", broken, `write/delete-cas flaky reason=x`, report.Conformant, report.Waived, report.WaiverFlaked, ""},
		{"flaky may pass", honest, `write/delete-cas flaky reason=x`, report.Conformant, report.Passed, report.WaiverPassed, ""},
		{"fails must fail", honest, `write/delete-cas fails reason=x`, report.Violated, report.Passed, report.WaiverPassed, "known.txt:1: write/delete-cas: did not fail; remove this line"},
		{"fails has to be exercised", honest, `page fails reason=x`, report.Violated, report.Passed, report.WaiverPassed, "remove this line"},
		{"flaky has not", honest, `page flaky reason=x`, report.Conformant, report.Passed, report.WaiverUntested, ""},
		{"expired", broken, `write/delete-cas fails reason=x until=2020-01-01`, report.Violated, report.Broken, report.WaiverExpired, "expired after 2020-01-01; remove this line"},
		{"expired on an honest store", honest, `write/delete-cas flaky reason=x until=2020-01-01`, report.Violated, report.Passed, report.WaiverExpired, "remove this line"},
		{"names nothing", honest, `write/delete-cass flaky reason=x`, report.Violated, report.Passed, report.WaiverUnmatched, "names no property; remove this line"},
		{"its plan fails", broken, `write/delete-cas fails reason=x plan=stale`, report.Conformant, report.Waived, report.WaiverFailed, ""},
		{"its plan passes", honest, `write/delete-cas fails reason=x plan=stale`, report.Violated, report.Passed, report.WaiverPassed, "its plan passed 20 times; remove this line"},
		{"its plan passes, but the run fails", broken, `write/delete-cas fails reason=x plan=harmless`, report.Violated, report.Waived, report.WaiverPassed, "though the run failed"},
		{"a plan of a flaky line is not replayed", honest, `write/delete-cas flaky reason=x plan=stale`, report.Conformant, report.Passed, report.WaiverPassed, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := runs(t, mutant(t, test.store), Options{Source: both(t), Plans: 3, Known: known(t, test.line)})
			w := r.Waivers[0]
			if r.Verdict != test.verdict || status(r, models.WriteDeleteCAS) != test.property || w.Status != test.waiver {
				t.Errorf("got %s, write/delete-cas %s, waiver %s; expected %s, %s, %s",
					r.Verdict, status(r, models.WriteDeleteCAS), w.Status, test.verdict, test.property, test.waiver)
			}
			if !strings.Contains(w.Advice, test.advice) || (w.Advice == "") != (test.advice == "") {
				t.Errorf("got the advice %q, expected %q", w.Advice, test.advice)
			}
			if r.Plans != 3 {
				t.Errorf("the report counts %d plans; those of waivers are none of the run", r.Plans)
			}
		})
	}
}

// The plan is replayed before the run and shows the property as waived, even if the
// run itself does not fail.
func TestReplayedWaiverShows(t *testing.T) {
	plan := parsed(t, harmless)
	r := runs(t, mutant(t, "delete-stale-succeeds"), Options{
		Source: func(int) plans.Plan { return plan }, Plans: 2, Out: t.TempDir(),
		Known: known(t, `write/delete-cas fails reason=x plan=stale`),
	})
	if r.Verdict != report.Conformant || status(r, models.WriteDeleteCAS) != report.Waived || r.Waivers[0].Replays != 1 {
		t.Errorf("got %s, %s, %+v", r.Verdict, status(r, models.WriteDeleteCAS), r.Waivers)
	}
	if v := r.KnownExamples(models.WriteDeleteCAS); len(v) != 1 || filepath.Base(v[0].Plan) != "known-1-01.plan" || v[0].Waived != 1 {
		t.Errorf("got %+v", v)
	}
	if r.Failed != 0 || r.Plans != 2 {
		t.Errorf("got %d failed of %d plans", r.Failed, r.Plans)
	}
}

// A plan for a property that nobody asked for, or that the target cannot show,
// refutes nothing.
func TestPlanOutsideTheSelectionIsNotReplayed(t *testing.T) {
	properties, err := Select([]string{"object"})
	if err != nil {
		t.Fatal(err)
	}
	r := runs(t, mutant(t, ""), Options{
		Source: alternating(t), Plans: 1, Properties: properties, Known: known(t, `write/delete-cas fails reason=x plan=stale`),
	})
	if w := r.Waivers[0]; w.Status != report.WaiverUntested || w.Replays != 0 || r.Verdict == report.Violated {
		t.Errorf("got %+v, %s", w, r.Verdict)
	}
}

func TestKnownFailuresDoNotStopTheRun(t *testing.T) {
	var seen []Progress
	r := runs(t, mutant(t, "delete-stale-succeeds"), Options{
		Source: alternating(t), Plans: 4, FailFast: true, Known: known(t, `write/delete-cas flaky reason=x`),
		Observe: func(p Progress) { seen = append(seen, p) },
	})
	if r.Plans != 4 || r.Failed != 0 || r.FailedAsKnown != 1 {
		t.Errorf("got %d plans, %d failed, %d as known", r.Plans, r.Failed, r.FailedAsKnown)
	}
	if p := seen[2]; len(p.Broken) != 0 || p.Violated != 0 || p.Verdict() != "failed as known: write/delete-cas" {
		t.Errorf("got %+v", p)
	}
}

// A run that was interrupted cannot tell that something no longer fails.
func TestInterruptedRunRefutesNoWaiver(t *testing.T) {
	for name, line := range map[string]string{
		"without a plan": `write/create-exclusive fails reason=x`,
		"with a plan":    `write/create-exclusive fails reason=x plan=harmless`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancelled := func(int) plans.Plan { cancel(); return parsed(t, harmless) }
			file := known(t, line)
			if file.Waivers[0].Plan != nil {
				cancel()
			}
			r, err := Run(ctx, mutant(t, ""), Options{Source: cancelled, Known: file})
			if err != nil {
				t.Fatal(err)
			}
			if w := r.Waivers[0]; w.Status != report.WaiverUntested || w.Advice != "" {
				t.Errorf("got %+v", w)
			}
		})
	}
}

// A failed setup is never waived.
func TestSetupFailureIsNotWaived(t *testing.T) {
	for _, line := range []string{`*/* fails reason=x`, `*/* flaky reason=x`, `write fails reason=x plan=stale`} {
		r, err := Run(t.Context(), broken{mutant(t, "")}, Options{Source: alternating(t), Plans: 5, Known: known(t, line)})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != report.Error || len(r.Errors) != 1 {
			t.Errorf("%s: got %s with errors %q", line, r.Verdict, r.Errors)
		}
	}
}

// Of several findings of a property in one plan only those that are covered are
// waived, and each line that covers one is right.
func TestFindingsAreWaivedOneByOne(t *testing.T) {
	tally := NewTally(models.Catalogue())
	tally.Waive(known(t, "get op=get fails reason=x\nget/fresh op=get,list flaky reason=y\n"), time.Now())
	j := judged(models.Judgement{
		Exercised: exercised(models.GetFresh),
		Findings: []models.Finding{
			{Property: models.GetFresh, Operations: []int{1}},
			{Property: models.GetFresh, Operations: []int{2}},
			{Property: models.GetFresh, Operations: []int{3}},
		},
	}, nil)
	j.History.Operations = []histories.Operation{
		{ID: 1, Request: histories.Request{Kind: histories.Get}},
		{ID: 2, Request: histories.Request{Kind: histories.List}},
		{ID: 3, Request: histories.Request{Kind: histories.Next}},
	}
	j.Plan = 1
	if !tally.Add(j) {
		t.Error("the finding that nothing covers was waived")
	}
	r := tally.Report()
	p := r.Properties[0]
	for _, other := range r.Properties {
		if other.ID == models.GetFresh {
			p = other
		}
	}
	if p.Status != report.Broken || p.Violations != 3 || p.Waived != 2 {
		t.Errorf("got %+v", p)
	}
	if r.Waivers[0].Failures != 1 || r.Waivers[1].Failures != 2 || r.Failed != 1 || r.FailedAsKnown != 0 {
		t.Errorf("got %+v, %d failed, %d as known", r.Waivers, r.Failed, r.FailedAsKnown)
	}
	if len(r.Examples(models.GetFresh)) != 1 || len(r.KnownExamples(models.GetFresh)) != 2 {
		t.Errorf("got %d examples, %d known", len(r.Examples(models.GetFresh)), len(r.KnownExamples(models.GetFresh)))
	}
}

func TestReplayOfAKnownFailure(t *testing.T) {
	plan := parsed(t, stale)
	r := runs(t, mutant(t, "delete-stale-succeeds"), Options{
		Source: func(int) plans.Plan { return plan }, Plans: 3, Repeats: true,
		Known: known(t, "write/delete-cas fails reason=x plan=stale\nwrite flaky reason=y"),
	})
	var rates []string
	for _, v := range r.Violations {
		rates = append(rates, v.Reproduced)
	}
	if strings.Join(rates, " ") != "3/3 " || r.Verdict != report.Conformant || r.FailedAsKnown != 3 {
		t.Errorf("got the rates %q, %s, %d as known", rates, r.Verdict, r.FailedAsKnown)
	}
}
