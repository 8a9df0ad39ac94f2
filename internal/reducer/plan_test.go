package reducer_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/reducer"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
)

const property = "watch/no-gap"

// long holds, among much else, what the fake store minds: a delete of ns/b after an
// update of it.
const long = `# rvcheck plan v1 · layer etcd · seed 9
# a comment
c1    a1: create ns/a {x=1} size=100
c2    b1: create ns/b
c2    w1: watch all startRevision=rv(b1) prevKV
--
c1    get ns/a serializable
c2    u1: update ns/b rv=rv(b1) {x=2,y=3} size=1000
c3    list ns/* limit=3
c3    txn if version(ns/a)=0 then put ns/c; get ns/b else list all
--
c4@2  d1: delete ns/b
c1    compact rv(u1)-1
c2    await w1 tombstone(d1)
c1    fill 100
`

func parsed(t *testing.T, text string) plans.Plan {
	t.Helper()
	plan, err := plans.Parse(text, "plan")
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// fake is a store that breaks the property whenever a plan matters to it.
func fake(matters func(plans.Plan) bool) reducer.Try {
	return func(_ context.Context, trial reducer.Trial) (reducer.Outcome, error) {
		o := reducer.Outcome{History: record(trial.Plan)}
		if matters(trial.Plan) {
			o.Findings = []models.Finding{{Property: property, Operations: []int{len(o.History.Operations)}}}
		}
		return o, nil
	}
}

// record is a history in which everything happened in the order of the text.
func record(plan plans.Plan) *histories.History {
	h := &histories.History{Plan: plans.Format(plan)}
	for i, step := range plan.Steps {
		if step.Op == nil {
			continue
		}
		now := int64(10 * (i + 1))
		h.Operations = append(h.Operations, histories.Operation{
			ID: len(h.Operations) + 1, Line: plans.Line(i), Label: step.Op.Label, Client: step.Op.Lane, Call: now, Return: now + 5,
			Request: histories.Request{Kind: step.Op.Kind, Key: step.Op.Key, Scope: step.Op.Scope, Txn: &histories.Txn{}},
			Answer:  histories.Answer{Outcome: histories.OK, Revision: histories.Revision(i + 2)},
		})
	}
	return h
}

// deletesWritten says that some key is written, and deleted by a later operation.
func deletesWritten(plan plans.Plan) bool {
	written := map[string]int{}
	for _, step := range plan.Steps {
		switch {
		case step.Op == nil:
		case step.Op.Kind == histories.Put || step.Op.Kind == histories.Create || step.Op.Kind == histories.Update:
			written[step.Op.Key.Name]++
		case step.Op.Kind == histories.Delete && written[step.Op.Key.Name] > 1:
			return true
		}
	}
	return false
}

const short = `# rvcheck plan v1 · layer etcd · seed 9
c1    put a
c1    put a
c1    delete a
expect watch/no-gap
`

func TestPlanIsReduced(t *testing.T) {
	var improved []string
	result, err := reducer.Plan(t.Context(), parsed(t, long), property, fake(deletesWritten), reducer.Options{
		Improved: func(r reducer.Result) error {
			improved = append(improved, plans.Format(r.Plan))
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := plans.Format(result.Plan); got != short {
		t.Errorf("got\n%s\nexpected\n%s", got, short)
	}
	if result.Ending != reducer.Complete || result.Reproduced() != "20/20" || result.From != 11 || result.Operations != 3 || !result.Reduced() {
		t.Errorf("the result is %+v", result)
	}
	if result.Executions > 100 {
		t.Errorf("%d runs, expected at most 100", result.Executions)
	}
	if len(improved) == 0 || improved[len(improved)-1] != short {
		t.Errorf("the best plan was not told: %q", improved)
	}
}

// A violation that shows in one run of five is reduced to the same plan.
func TestRareFailuresAreReduced(t *testing.T) {
	same := 0
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 1))
		rare := func(plan plans.Plan) bool { return deletesWritten(plan) && random.Float64() < 0.2 }
		result, err := reducer.Plan(t.Context(), parsed(t, long), property, fake(rare), reducer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if plans.Format(result.Plan) == short {
			same++
		}
		if result.Runs != reducer.DefaultMeasure {
			t.Errorf("seed %d: the rate was not measured: %s", seed, result.Reproduced())
		}
	}
	if same < 9 {
		t.Errorf("%d of 10 seeds came to the shortest plan, expected at least 9", same)
	}
}

// A part without which the violation hardly ever shows is not left out.
func TestRateIsKept(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	helped := func(plan plans.Plan) bool {
		if strings.Contains(plans.Format(plan), "compact") {
			return deletesWritten(plan)
		}
		return deletesWritten(plan) && random.Float64() < 0.02
	}
	result, err := reducer.Plan(t.Context(), parsed(t, long), property, fake(helped), reducer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Reproduced() != "20/20" {
		t.Errorf("reproduced %s:\n%s", result.Reproduced(), plans.Format(result.Plan))
	}
}

// A short plan that was taken by luck and hardly fails when it is measured gives way to
// one before it.
func TestLuckIsLeft(t *testing.T) {
	runs := map[string]int{}
	lucky := func(plan plans.Plan) bool {
		text := plans.Format(plan)
		runs[text]++
		return deletesWritten(plan) && (plan.Operations() > 3 || runs[text] <= 3)
	}
	result, err := reducer.Plan(t.Context(), parsed(t, long), property, fake(lucky), reducer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Operations != 4 || result.Reproduced() != "20/20" {
		t.Errorf("%d operations, reproduced %s:\n%s", result.Operations, result.Reproduced(), plans.Format(result.Plan))
	}
}

func TestPlanThatNeverFails(t *testing.T) {
	result, err := reducer.Plan(t.Context(), parsed(t, long), property, fake(func(plans.Plan) bool { return false }), reducer.Options{})
	if err != nil || result.Ending != reducer.NeverFailed || result.Reduced() {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestBudgetOfAttempts(t *testing.T) {
	runs := 0
	try := func(ctx context.Context, trial reducer.Trial) (reducer.Outcome, error) {
		runs++
		return fake(deletesWritten)(ctx, trial)
	}
	result, err := reducer.Plan(t.Context(), parsed(t, long), property, try, reducer.Options{Attempts: 12, Measure: 5})
	if err != nil || result.Ending != reducer.OutOfRuns || runs > 12 || result.Executions != runs || result.Runs != 5 {
		t.Errorf("%d runs, %+v, %v", runs, result, err)
	}
}

// A slow plan that seldom fails leaves most of the time for its reduction.
func TestBudgetOfFirstRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		try := func(ctx context.Context, trial reducer.Trial) (reducer.Outcome, error) {
			runs++
			time.Sleep(time.Second)
			return fake(func(plans.Plan) bool { return runs%10 == 0 })(ctx, trial)
		}
		first, _ := fake(deletesWritten)(t.Context(), reducer.Trial{Plan: parsed(t, long)})
		result, err := reducer.Plan(t.Context(), parsed(t, long), property, try, reducer.Options{First: &first, Budget: 28 * time.Second})
		if err != nil || result.OriginalRuns > 8 {
			t.Errorf("%d first runs in 28 s, expected a quarter of it: %v", result.OriginalRuns, err)
		}
	})
}

// Whoever interrupts has the best plan so far; a run that was cut short proves nothing.
func TestInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	try := func(ctx context.Context, trial reducer.Trial) (reducer.Outcome, error) {
		if runs++; runs == 25 {
			cancel()
		}
		return fake(deletesWritten)(ctx, trial)
	}
	result, err := reducer.Plan(ctx, parsed(t, long), property, try, reducer.Options{})
	if err != nil || result.Ending != reducer.Interrupted || runs != 25 || !result.Reduced() {
		t.Errorf("%d runs, %+v, %v", runs, result, err)
	}
}

// A target that is gone ends the reduction; what was found so far comes with the error.
func TestErrorOfATry(t *testing.T) {
	gone, runs := errors.New("gone"), 0
	try := func(ctx context.Context, trial reducer.Trial) (reducer.Outcome, error) {
		if runs++; runs == 25 {
			return reducer.Outcome{}, gone
		}
		return fake(deletesWritten)(ctx, trial)
	}
	result, err := reducer.Plan(t.Context(), parsed(t, long), property, try, reducer.Options{})
	if !errors.Is(err, gone) || !result.Reduced() {
		t.Errorf("got %+v, %v", result, err)
	}
}

// What does not show with short deadlines is reduced with the full ones.
func TestPatience(t *testing.T) {
	try := func(ctx context.Context, trial reducer.Trial) (reducer.Outcome, error) {
		return fake(func(plan plans.Plan) bool { return trial.Patient && deletesWritten(plan) })(ctx, trial)
	}
	result, err := reducer.Plan(t.Context(), parsed(t, long), property, try, reducer.Options{})
	if err != nil || plans.Format(result.Plan) != short {
		t.Errorf("got %+v, %v", result, err)
	}
	try = func(ctx context.Context, trial reducer.Trial) (reducer.Outcome, error) {
		return fake(func(plan plans.Plan) bool { return !trial.Patient || deletesWritten(plan) })(ctx, trial)
	}
	result, err = reducer.Plan(t.Context(), parsed(t, long), property, try, reducer.Options{})
	if err != nil || plans.Format(result.Plan) != short {
		t.Errorf("what only shortness of time shows was kept: %+v, %v", result, err)
	}
}

const recorded = `# rvcheck plan v1 · layer etcd
c1    put a
c1    get a
--
c2    put b
c3    put c
`

func TestRecorded(t *testing.T) {
	plan := parsed(t, "# rvcheck plan v1 · layer etcd\nc3    put c\nc2    put b\nc1    put a\nc1    get a\n")
	h := &histories.History{Plan: plans.Format(plan), Operations: []histories.Operation{
		{ID: 1, Line: 4, Call: 1, Return: 2, Answer: histories.Answer{Outcome: histories.OK, Revision: 2}, Request: histories.Request{Kind: histories.Put}},
		{ID: 2, Line: 5, Call: 3, Return: 4},
		{ID: 3, Line: 2, Call: 5, Return: 8, Answer: histories.Answer{Outcome: histories.OK, Revision: 4}, Request: histories.Request{Kind: histories.Put}},
		{ID: 4, Line: 3, Call: 6, Return: 9, Answer: histories.Answer{Outcome: histories.OK, Revision: 3}, Request: histories.Request{Kind: histories.Put}},
	}}
	if got := plans.Format(reducer.Recorded(plan, h)); got != recorded {
		t.Errorf("got\n%s\nexpected\n%s", got, recorded)
	}
}
