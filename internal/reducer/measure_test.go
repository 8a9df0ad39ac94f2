package reducer_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rvcheck/rvcheck/internal/reducer"
	"github.com/rvcheck/rvcheck/plans"
)

// onFresh is a store that breaks the property as usual, but in series only if the plan
// matters there.
func onFresh(matters func(plans.Plan) bool) reducer.Try {
	return func(ctx context.Context, trial reducer.Trial) (reducer.Outcome, error) {
		return fake(func(plan plans.Plan) bool {
			return deletesWritten(plan) && (trial.Series == 0 || matters(plan))
		})(ctx, trial)
	}
}

// A plan that fails only with what other plans left is kept, with both rates.
func TestPlanThatNeedsAHistory(t *testing.T) {
	never := onFresh(func(plans.Plan) bool { return false })
	result, err := reducer.Plan(t.Context(), parsed(t, long), property, never, reducer.Options{Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	if plans.Format(result.Plan) != short || result.Reproduced() != "0/20" || result.Used() != "20/20" {
		t.Errorf("reproduced %s, used %s:\n%s", result.Reproduced(), result.Used(), plans.Format(result.Plan))
	}
	if result.Executions > 200 {
		t.Errorf("%d runs, expected at most 200", result.Executions)
	}
}

// What makes a plan fail on a fresh store is not left out, although the store of the
// search does not need it.
func TestPlanThatFailsOnAFreshStoreIsPreferred(t *testing.T) {
	compacted := onFresh(func(plan plans.Plan) bool { return strings.Contains(plans.Format(plan), "compact") })
	result, err := reducer.Plan(t.Context(), parsed(t, long), property, compacted, reducer.Options{Fresh: true})
	if err != nil {
		t.Fatal(err)
	}
	if result.Operations != 4 || result.Reproduced() != "20/20" || result.Used() != "" {
		t.Errorf("reproduced %s, used %q:\n%s", result.Reproduced(), result.Used(), plans.Format(result.Plan))
	}
}

// Each series begins with its first run and is of one plan.
func TestSeries(t *testing.T) {
	last, text := 0, ""
	try := func(ctx context.Context, trial reducer.Trial) (reducer.Outcome, error) {
		if trial.Series > 1 && (trial.Series != last+1 || plans.Format(trial.Plan) != text) {
			t.Errorf("run %d of a series comes after run %d, or is of another plan", trial.Series, last)
		}
		last, text = trial.Series, plans.Format(trial.Plan)
		return onFresh(func(plan plans.Plan) bool { return strings.Contains(plans.Format(plan), "compact") })(ctx, trial)
	}
	result, err := reducer.Plan(t.Context(), parsed(t, long), property, try, reducer.Options{Fresh: true})
	if err != nil || result.Runs != reducer.DefaultMeasure {
		t.Errorf("%+v, %v", result, err)
	}
}
