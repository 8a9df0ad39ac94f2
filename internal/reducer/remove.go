package reducer

import (
	"slices"

	"github.com/rvcheck/rvcheck/plans"
)

// reduce makes the best plan smaller, what promises most first, until a whole round
// changes nothing.
func (r *reduction) reduce() {
	for _, hint := range r.options.Hints {
		r.accept(hint, quick)
	}
	r.leap()
	for e := quick; !r.over(); {
		before := plans.Format(r.best)
		r.round(e)
		switch {
		case plans.Format(r.best) != before:
		case e == thorough:
			return
		default:
			e = thorough
			r.settle(8)
		}
	}
}

// round tries everything once.
func (r *reduction) round(e effort) {
	r.dropSkipped(e)
	r.serialise(e)
	r.removeLanes(e)
	r.removeSteps(e)
	r.mergeLanes(e)
	r.substitute(e)
	r.simplify(e)
}

// settle learns the rate of the best plan from some runs more: those that made it the
// best are a choice of the lucky ones.
func (r *reduction) settle(looks int) {
	if r.rate.estimate() > 0.8 {
		return
	}
	seen := tries{failed: 1}
	for range looks {
		outcome, ok := r.execute(r.best)
		if !ok {
			return
		}
		seen.count(outcome.violates(r.property))
	}
	r.rate.failed, r.rate.runs = 0, 0
	r.rate.learn(seen)
}

// serialise puts the operations of several lanes into one, in the order of the last run
// that failed. Where that takes the failure away it leaves those together that
// overlapped what failed.
func (r *reduction) serialise(e effort) {
	if !r.isRecorded() || len(r.best.Lanes()) < 2 {
		return
	}
	plan, history := r.best, r.result.Outcome.History
	c := coneOf(plan, history, simplest(r.result.Outcome.Findings, r.property))
	order := observed(plan, history)
	if r.accept(serial(plan, order), e) || r.accept(raced(plan, ofLines(order, closed(plan, union(c.involved, c.close))), c.close), e) {
		return
	}
	if r.accept(raced(plan, order, c.close), e) {
		return
	}
	if alone := beset(serial(plan, ofLines(order, c.involved))); alone.Operations() < plan.Operations() {
		r.accept(alone, e)
	}
}

// isRecorded reports whether the history at hand is one of the best plan, so that its
// lines are those of the plan.
func (r *reduction) isRecorded() bool {
	h := r.result.Outcome.History
	return h != nil && h.Plan == plans.Format(r.best)
}

// dropSkipped leaves out what the last run of the best plan did not carry out.
func (r *reduction) dropSkipped(e effort) {
	if !r.isRecorded() {
		return
	}
	skipped := r.result.Outcome.skippedLines()
	if len(skipped) == 0 {
		return
	}
	r.accept(without(r.best, func(i int, _ plans.Step) bool { return skipped[plans.Line(i)] }), e)
}

// without leaves out steps.
func without(plan plans.Plan, leave func(int, plans.Step) bool) plans.Plan {
	var kept []plans.Step
	for i, step := range plan.Steps {
		if !leave(i, step) {
			kept = append(kept, step)
		}
	}
	return withSteps(plan, kept)
}

// removeLanes leaves out one lane after the other.
func (r *reduction) removeLanes(e effort) {
	lanes := r.best.Lanes()
	if len(lanes) < 2 {
		return
	}
	slices.SortStableFunc(lanes, func(a, b plans.Lane) int { return len(b.Ops) - len(a.Ops) })
	for _, lane := range lanes {
		r.accept(without(r.best, func(_ int, step plans.Step) bool {
			return step.Op != nil && step.Op.Lane == lane.Name
		}), e)
	}
}

// removeSteps leaves out runs of steps, long ones first, from the end on: what stands
// late depends on what stands early.
func (r *reduction) removeSteps(e effort) {
	for size := max(1, len(r.best.Steps)/2); size >= 1; size /= 2 {
		for end := len(r.best.Steps); end > 0; {
			start := max(end-size, 0)
			if r.over() {
				return
			}
			r.accept(without(r.best, func(i int, _ plans.Step) bool { return i >= start && i < end }), e)
			end = min(start, len(r.best.Steps))
		}
	}
}

// mergeLanes moves the operations of one lane into another, where they then happen
// one after the other.
func (r *reduction) mergeLanes(e effort) {
	lanes := r.best.Lanes()
	for i := len(lanes) - 1; i > 0; i-- {
		for _, into := range lanes[:i] {
			if r.accept(merged(r.best, lanes[i].Name, into), e) {
				break
			}
		}
	}
}

// substitute lets what stands just before a barrier take the place of what another
// lane does after it: what is needed anyway may be what races, too.
func (r *reduction) substitute(e effort) {
	for i := len(r.best.Steps) - 2; i > 0 && !r.over(); i-- {
		if i >= len(r.best.Steps)-1 || !r.best.Steps[i].Barrier || r.best.Steps[i-1].Op == nil {
			continue
		}
		before := r.best.Steps[i-1].Op
		for n := i + 1; n < len(r.best.Steps) && r.best.Steps[n].Op != nil; n++ {
			if other := r.best.Steps[n].Op; other.Lane != before.Lane && r.accept(substituted(r.best, i-1, n), e) {
				break
			}
		}
	}
}

// substituted moves a step to the place and into the lane of another, which is left out.
func substituted(plan plans.Plan, from, to int) plans.Plan {
	all := slices.Clone(plan.Steps)
	into := all[to].Op
	all[to] = inLane(into.Lane, into.Endpoint, all[from:from+1])[0]
	return withSteps(plan, slices.Delete(all, from, from+1))
}

func merged(plan plans.Plan, from string, into plans.Lane) plans.Plan {
	all := slices.Clone(plan.Steps)
	for i, step := range all {
		if step.Op != nil && step.Op.Lane == from {
			all[i] = inLane(into.Name, into.Endpoint, all[i:i+1])[0]
		}
	}
	return withSteps(plan, all)
}
