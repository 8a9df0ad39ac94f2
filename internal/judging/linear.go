package judging

import (
	"context"
	"time"

	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/linear"
)

// linearResult is what the porcupine judge says, in this package's words.
type linearResult struct {
	findings []models.Finding
	// undecided says why the judge has no verdict, empty if it has one.
	undecided string
}

func resultOf(result linear.Result) linearResult {
	switch {
	case result.Verdict == linear.Inconclusive:
		return linearResult{undecided: result.Reason}
	case result.Finding != nil:
		return linearResult{findings: []models.Finding{*result.Finding}}
	case result.Verdict == linear.Violated:
		panic("the history is violated, but there is no finding")
	default:
		return linearResult{}
	}
}

// within is the budget that is left before the deadline of ctx.
func within(ctx context.Context, budget time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		// A budget of zero would mean the default.
		return max(min(budget, time.Until(deadline)), time.Millisecond)
	}
	return budget
}
