package reducer

import "math"

// A plan of two operations that fails in one run of twenty is worth less than one of
// four that fails in each: nobody can work with it. So of the plans that were measured
// the result is, first of all, one that fails in a fair share of its runs, or that still
// comes to a failure in fewer operations than those that do; of plans that fail fairly
// the one with the fewest operations; and else the one that fails most often.

// fair is the share of its runs in which a plan should fail: a third, or half of what the
// plan to be reduced did, where that is less.
func (r *reduction) fair() float64 {
	const third = 1.0 / 3
	original := tries{failed: r.result.OriginalFailed, passed: r.result.OriginalRuns - r.result.OriginalFailed}
	if original.failed == 0 {
		return third / 2 // it failed once, when it was found
	}
	return min(third, float64(original.failed)/float64(original.runs())/2)
}

// isSteady reports whether a result that was measured fails in a fair share of its runs.
func (r *reduction) isSteady(of Result) bool {
	return of.Failed > 0 && float64(of.Failed) >= r.fair()*float64(of.Runs)
}

// better reports whether of two results that were measured the first is the one to keep.
func (r *reduction) better(a, b Result) bool {
	switch x, y := r.isSteady(a), r.isSteady(b); {
	case x && y && a.Operations != b.Operations:
		return a.Operations < b.Operations
	case x && !y:
		return !sooner(b, a)
	case y && !x:
		return sooner(a, b)
	}
	return a.Failed*b.Runs > b.Failed*a.Runs
}

// sooner reports whether a rare plan, run again and again, comes to a failure in fewer
// operations than another. The fault itself may be rare: then a longer plan only has more
// occasions for it, and says less.
func sooner(rare, other Result) bool {
	const least = 10 // one run in ten should fail all the same
	return rare.Failed*least >= rare.Runs &&
		rare.Operations*rare.Runs*other.Failed <= other.Operations*other.Runs*rare.Failed
}

// steady measures what the search came to. Where that fails too rarely it goes back to a
// plan that did not, and searches on from there.
func (r *reduction) steady() {
	const turns = 2
	r.measure()
	best := r.result
	for range turns {
		if r.result.Runs == 0 || r.isSteady(r.result) || !r.back() {
			break
		}
		r.reduce()
		if r.measure(); r.result.Runs > 0 && r.better(r.result, best) {
			best = r.result
		}
	}
	best.Ending = r.result.Ending
	r.result = best
}

// back looks among the plans that once were the best for one that fails in a fair
// share of its runs when it is given time, the newest first and then in longer and
// longer steps. It makes that the best plan again.
func (r *reduction) back() bool {
	r.final = true
	for i, leap := len(r.trail)-2, 1; i >= 0; i, leap = i-leap, 2*leap {
		seen, ok := r.fairly(r.trail[i])
		if !ok {
			return false
		}
		if seen.failed == 0 || float64(seen.failed) < r.fair()*float64(seen.runs()) {
			continue
		}
		measured := r.result
		r.result = r.trail[i]
		r.result.OriginalFailed, r.result.OriginalRuns = measured.OriginalFailed, measured.OriginalRuns
		r.result.Ending = Complete
		r.best, r.trail = tidy(r.result.Plan), r.trail[:i+1]
		r.rate = rate{}
		r.rate.learn(seen)
		if r.isUsed(measured) {
			r.anew, r.last, r.tried = true, "", map[string]*tries{}
		}
		return true
	}
	return false
}

// fairly runs a plan until it has failed three times, or can no longer do so in a fair
// share of its runs; false if the reduction is over.
func (r *reduction) fairly(of Result) (tries, bool) {
	const enough = 3
	var seen tries
	most := int(math.Ceil(enough / r.fair()))
	for seen.failed < enough && seen.passed <= most-enough {
		outcome, ok := r.once(Trial{Plan: of.Plan, Patient: true, Series: seen.runs() + 1})
		if !ok {
			return seen, false
		}
		seen.count(outcome.violates(r.property))
	}
	return seen, true
}
