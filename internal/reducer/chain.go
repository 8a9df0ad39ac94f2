package reducer

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// shortenChains makes a list or its pages shorter together with what is listed. Neither
// alone would do: the page that fails would begin elsewhere.
func (r *reduction) shortenChains(e effort) {
	for again := true; again && !r.over(); {
		again = r.shortenOne(e)
	}
}

func (r *reduction) shortenOne(e effort) bool {
	for page := range r.best.Steps {
		for write := range page {
			if shorter, ok := shortened(r.best, page, write); ok && r.accept(shorter, e) {
				return true
			}
		}
	}
	return false
}

// shortened is the plan with one page, or one object of a page, less, and without a
// write before it. It is false where the steps are no such two.
func shortened(plan plans.Plan, page, write int) (plans.Plan, bool) {
	op, removed := plan.Steps[page].Op, plan.Steps[write].Op
	if op == nil || removed == nil || !removed.Kind.IsWrite() {
		return plan, false
	}
	all := slices.Clone(plan.Steps)
	switch {
	case op.Limit > 1 && op.Txn == nil:
		smaller := op.Clone()
		smaller.Limit--
		all[page].Op = smaller
	case op.Kind == histories.Next && op.Label != "":
		all = slices.Delete(relinked(all, op.Label, op.Of), page, page+1)
	default:
		return plan, false
	}
	return withSteps(plan, slices.Delete(all, write, write+1)), true
}

// relinked lets what follows one page follow another.
func relinked(all []plans.Step, from, to string) []plans.Step {
	for i, step := range all {
		if step.Op != nil && step.Op.Of == from {
			op := step.Op.Clone()
			op.Of = to
			all[i].Op = op
		}
	}
	return all
}
