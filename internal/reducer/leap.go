package reducer

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// leap tries plans that are much smaller than the best, or much more likely to fail
// again: what the finding involves alone, in one lane in the order in which it took
// effect, and then with what other clients did meanwhile. Each is looked at once, and
// if nothing shows, or only with several clients or now and then, those that are shorter
// still are looked at more often; but what is no race only where the plan fails less often
// than not. What is hardly shorter and takes several clients all the same comes last.
func (r *reduction) leap() {
	all, certain := r.leaps()
	hardly := func(p plans.Plan) bool { return len(p.Lanes()) > 1 && 4*p.Operations() > r.best.Operations() }
	far := slices.DeleteFunc(slices.Clone(all), hardly)
	near := slices.DeleteFunc(slices.Clone(all), func(p plans.Plan) bool { return !hardly(p) })
	if r.leapTo(append(slices.Clone(far), certain...), glance) {
		if r.settle(2); (len(r.best.Lanes()) > 1 || r.rate.estimate() < often) && r.leapTo(slices.DeleteFunc(far, r.notShorter), hopeful) {
			r.settle(2)
		}
		return
	}
	if r.leapTo(far, hopeful) || r.leapTo(near, glance) || r.leapTo(near, hopeful) {
		r.settle(2)
	}
}

// notShorter reports whether a plan has as many operations as the best, or more.
func (r *reduction) notShorter(plan plans.Plan) bool {
	return plan.Operations() >= r.best.Operations()
}

// leapTo tries the shortest first, until one is taken.
func (r *reduction) leapTo(all []plans.Plan, e effort) bool {
	slices.SortStableFunc(all, func(a, b plans.Plan) int { return weight(a) - weight(b) })
	return slices.ContainsFunc(all, func(candidate plans.Plan) bool {
		once := e == hopeful && r.rate.estimate() > often && !races(candidate)
		return !once && r.accept(candidate, e)
	})
}

// races reports whether something is under way while a client calls: the call of another, or
// what a stream delivers.
func races(plan plans.Plan) bool {
	watches := func(s plans.Step) bool { return s.Op != nil && s.Op.Kind == histories.Watch }
	return len(plan.Lanes()) > 1 || slices.ContainsFunc(plan.Steps, watches)
}

// leaps are the candidates, and those that show certainly, if at all, what they are about.
func (r *reduction) leaps() (all, certain []plans.Plan) {
	history := r.result.Outcome.History
	plan, err := plans.Parse(history.Plan, "the plan of the history")
	if err != nil {
		return nil, nil
	}
	c := coneOf(plan, history, simplest(r.result.Outcome.Findings, r.property))
	order := observed(plan, history)
	upTo := order
	if i := slices.IndexFunc(order, func(d deed) bool { return d.line == c.last }); i >= 0 {
		upTo = order[:i+1]
	}
	truncated := only(plan, linesOf(upTo))
	all = slices.Concat(alone(plan, c, order, upTo), inLanes(plan, c, order), slices.DeleteFunc(families(plan, c), r.notShorter), []plans.Plan{truncated, Recorded(truncated, history)})
	return all, slices.DeleteFunc(outright(plan, ofLines(upTo, c.involved), c.culprit), r.notShorter)
}

// alone are plans of one lane, with another client beside it that writes all the time or not.
func alone(plan plans.Plan, c cone, order, upTo []deed) []plans.Plan {
	var all, besides []plans.Plan
	for _, lines := range []map[int]bool{c.involved, c.related, c.history} {
		one := serial(plan, ofLines(upTo, lines))
		all = append(all, one)
		if brief, some := briefLeases(one); some {
			all = append(all, brief)
		}
		besides = append(besides, beset(serial(plan, ofLines(order, lines))))
	}
	return append(append(all, serial(plan, upTo), serial(plan, order)), besides...)
}

// inLanes are plans in which what overlapped is left together, or all in its lane.
func inLanes(plan plans.Plan, c cone, order []deed) []plans.Plan {
	var all []plans.Plan
	for _, lines := range []map[int]bool{c.involved, c.related, c.history} {
		all = append(all, raced(plan, ofLines(order, closed(plan, union(lines, c.close))), c.close))
	}
	all = append(all, raced(plan, ofLines(order, closed(plan, union(c.history, c.beside))), c.beside))
	for _, lines := range []map[int]bool{c.related, c.history} {
		all = append(all, only(plan, lines))
	}
	return all
}

// weight is how long a plan is; one more client is worth some operations.
func weight(plan plans.Plan) int {
	const lane = 4
	return plan.Operations() + lane*len(plan.Lanes())
}

func linesOf(order []deed) map[int]bool {
	lines := map[int]bool{}
	for _, d := range order {
		lines[d.line] = true
	}
	return lines
}
