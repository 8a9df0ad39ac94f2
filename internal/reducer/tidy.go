package reducer

import (
	"slices"

	"github.com/rvcheck/rvcheck/plans"
)

// tidy takes out of a plan what does nothing: comments, expectations, barriers where
// nobody meets, labels that nobody names.
func tidy(plan plans.Plan) plans.Plan {
	single := len(plan.Lanes()) <= 1
	var all []plans.Step
	for _, step := range plan.Steps {
		switch {
		case step.Op != nil, step.Fault != nil:
			all = append(all, step)
		case step.Barrier && !single && len(all) > 0 && !all[len(all)-1].Barrier:
			all = append(all, step)
		}
	}
	for len(all) > 0 && all[len(all)-1].Barrier {
		all = all[:len(all)-1]
	}
	return withSteps(plan, unlabelled(all))
}

// unlabelled drops labels that nobody names.
func unlabelled(all []plans.Step) []plans.Step {
	named := map[string]bool{}
	for _, step := range all {
		if step.Op != nil {
			for _, label := range step.Op.References() {
				named[label] = true
			}
		}
	}
	for i, step := range all {
		if step.Op != nil && step.Op.Label != "" && !named[step.Op.Label] {
			op := *step.Op
			op.Label = ""
			all[i].Op = &op
		}
	}
	return all
}

// meant adds the property that the plan is meant to show.
func meant(plan plans.Plan, property string) plans.Plan {
	return withSteps(plan, append(slices.Clone(plan.Steps), plans.Step{Expect: &plans.Expect{Property: property}}))
}

// skippedLines are the lines of a plan that a run of it did not carry out.
func (o Outcome) skippedLines() map[int]bool {
	lines := map[int]bool{}
	for _, note := range o.History.Notes {
		if note.Kind == "skipped" && note.Line > 0 {
			lines[note.Line] = true
		}
	}
	return lines
}
