package reducer

import (
	"time"

	"github.com/rvcheck/rvcheck/plans"
)

// A plan may fail only because of what the plans before it left in the store. Whoever gets
// it begins with a store of his own, so it is measured on a fresh one where there can be one.
// Where it fails there too rarely it is measured on the store of the search as well: the
// two rates tell a plan that needs a history from one that is rare.

// measure runs the best plan patiently and counts how often it fails.
func (r *reduction) measure() {
	r.result.Failed, r.result.Runs, r.result.UsedFailed, r.result.UsedRuns = 0, 0, 0, 0
	fresh := r.times(r.result.Plan, true)
	r.result.Failed, r.result.Runs = fresh.failed, fresh.runs()
	if !r.options.Fresh || fresh.runs() == 0 || r.isSteady(r.result) {
		return
	}
	used := r.times(r.result.Plan, false)
	if used.failed*fresh.runs() > fresh.failed*used.runs() {
		r.result.UsedFailed, r.result.UsedRuns = used.failed, used.runs()
	}
}

// isUsed reports whether a result that was measured fails in a fair share of its runs, but
// only on a store that holds what other plans left.
func (r *reduction) isUsed(of Result) bool {
	return of.UsedFailed > 0 && float64(of.UsedFailed) >= r.fair()*float64(of.UsedRuns)
}

// times runs a plan so often as was asked for, as a series or not. The budget of time may
// be exceeded a little, so that there is something to count.
func (r *reduction) times(plan plans.Plan, series bool) tries {
	var seen tries
	limit := r.options.Budget + r.options.Budget/5
	for n := 1; n <= r.options.Measure && r.err == nil && r.ctx.Err() == nil; n++ {
		late := r.options.Budget > 0 && time.Since(r.began) >= limit
		if late && (n > 1 || !series) || !series && r.executions >= r.options.Attempts {
			break
		}
		trial := Trial{Plan: plan, Patient: true}
		if series {
			trial.Series = n
		}
		r.executions++
		outcome, err := r.try(r.ctx, trial)
		if r.ctx.Err() != nil {
			r.end(Interrupted)
			break
		}
		if r.err = err; err != nil {
			break
		}
		seen.count(outcome.violates(r.property))
		if outcome.violates(r.property) {
			r.result.Outcome = outcome
		}
	}
	return seen
}
