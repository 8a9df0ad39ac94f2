package reducer

import (
	"maps"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
)

// simplest is the finding of a property that involves the fewest operations.
func simplest(findings []models.Finding, property string) models.Finding {
	var best models.Finding
	for _, f := range findings {
		if f.Property == property && (best.Property == "" || len(f.Operations) < len(best.Operations)) {
			best = f
		}
	}
	return best
}

// cone is a guess which lines of a plan a finding needs: each set holds the one
// before.
type cone struct {
	// named are the operations that the finding names.
	named map[int]bool
	// involved are the operations that the finding names and what they refer to.
	involved map[int]bool
	// related are also the writes of the keys concerned, what happened at the revision
	// concerned, and all that is about the leases that are involved.
	related map[int]bool
	// history is also everything that decides which revisions there are to be seen:
	// compactions, and all that is about the watches that are involved.
	history map[int]bool
	// close is the operation whose answer or stream is wrong, and what other clients had in
	// flight at that time; beside is the same of all operations involved.
	close, beside map[int]bool
	// culprit is the line of the operation whose answer or stream is wrong, zero if it is none
	// of the plan.
	culprit int
	// last is the last line, in the order of time, of an operation involved; zero if
	// the finding names none of the plan.
	last int
	// stream: what is wrong came on the stream of a watch.
	stream bool
}

// coneOf looks up a finding in the history that shows it.
func coneOf(plan plans.Plan, h *histories.History, f models.Finding) cone {
	involved, returned := map[int]bool{}, int64(0)
	c := cone{named: involved, stream: h.Stream(f.Culprit) != nil}
	for _, id := range f.Operations {
		op := h.Operation(id)
		if op == nil || op.Line == 0 {
			continue
		}
		involved[op.Line] = true
		if op.Return >= returned {
			c.last, returned = op.Line, op.Return
		}
	}
	related := copied(involved)
	keys := concerned(plan, involved, f)
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Line > 0 && (writesAny(op, keys) || f.Revision > 0 && op.Answer.Revision == f.Revision && op.Request.Kind.IsWrite()) {
			related[op.Line] = true
		}
	}
	leases := grants(plan, closed(plan, involved))
	for i, step := range plan.Steps {
		if step.Op != nil && slices.ContainsFunc(step.Op.References(), func(label string) bool { return leases[label] }) {
			related[plans.Line(i)] = true
		}
	}
	history := copied(related)
	about := labels(plan, involved)
	for i, step := range plan.Steps {
		if step.Op != nil && (step.Op.Kind == histories.Compact || about[step.Op.Of]) {
			history[plans.Line(i)] = true
		}
	}
	c.close = rivals(h, []int{f.Culprit}, f.Revision)
	if op := h.Operation(f.Culprit); op != nil && op.Line > 0 {
		c.culprit, c.close[op.Line] = op.Line, true
	}
	c.beside = union(involved, rivals(h, f.Operations, f.Revision))
	c.involved, c.related, c.history = closed(plan, involved), closed(plan, related), closed(plan, history)
	return c
}

// suspects are the first lines of the plan that a finding names, the culprit before all.
func (c cone) suspects() []int {
	const most = 3
	var lines []int
	if c.culprit > 0 {
		lines = append(lines, c.culprit)
	}
	for _, line := range slices.Sorted(maps.Keys(c.named)) {
		if line != c.culprit && len(lines) < most {
			lines = append(lines, line)
		}
	}
	return lines
}

func copied(set map[int]bool) map[int]bool {
	c := make(map[int]bool, len(set))
	for line := range set {
		c[line] = true
	}
	return c
}

// concerned are the keys that a finding is about.
func concerned(plan plans.Plan, lines map[int]bool, f models.Finding) map[histories.Key]bool {
	keys := map[histories.Key]bool{}
	if f.Key != nil {
		keys[*f.Key] = true
	}
	for i, step := range plan.Steps {
		if step.Op == nil || !lines[plans.Line(i)] {
			continue
		}
		for _, key := range keysOf(step.Op) {
			keys[key] = true
		}
	}
	return keys
}

// keysOf are the keys that an operation names.
func keysOf(op *plans.Op) []histories.Key {
	var keys []histories.Key
	op.Clone().Rekey(func(key histories.Key) histories.Key {
		keys = append(keys, key)
		return key
	})
	return keys
}

// writesAny reports whether a call may change one of the keys.
func writesAny(op *histories.Operation, keys map[histories.Key]bool) bool {
	request := &op.Request
	if !request.Kind.IsWrite() {
		return false
	}
	for key := range keys {
		if mayWrite(request, key) {
			return true
		}
	}
	return false
}

func mayWrite(request *histories.Request, key histories.Key) bool {
	switch request.Kind {
	case histories.DeleteRange:
		return request.Scope.Contains(key)
	case histories.Transact:
		touches := func(r histories.Request) bool { return r.Kind.IsWrite() && mayWrite(&r, key) }
		return slices.ContainsFunc(request.Txn.Then, touches) || slices.ContainsFunc(request.Txn.Else, touches)
	default:
		return request.Key == key
	}
}

// grants are the labels of the leases that the lines grant.
func grants(plan plans.Plan, lines map[int]bool) map[string]bool {
	granted := copied(lines)
	for i, step := range plan.Steps {
		if step.Op == nil || step.Op.Kind != histories.LeaseGrant {
			delete(granted, plans.Line(i))
		}
	}
	return labels(plan, granted)
}

// labels are the labels of the lines.
func labels(plan plans.Plan, lines map[int]bool) map[string]bool {
	found := map[string]bool{}
	for i, step := range plan.Steps {
		if step.Op != nil && step.Op.Label != "" && lines[plans.Line(i)] {
			found[step.Op.Label] = true
		}
	}
	return found
}

// closed adds what the lines refer to, and what that refers to.
func closed(plan plans.Plan, lines map[int]bool) map[int]bool {
	defined := map[string]int{}
	for i, step := range plan.Steps {
		if step.Op != nil && step.Op.Label != "" {
			defined[step.Op.Label] = plans.Line(i)
		}
	}
	all, open := copied(lines), make([]int, 0, len(lines))
	for line := range lines {
		open = append(open, line)
	}
	for len(open) > 0 {
		step := plan.Steps[open[0]-plans.Line(0)]
		open = open[1:]
		if step.Op == nil {
			continue
		}
		for _, label := range step.Op.References() {
			if line := defined[label]; line > 0 && !all[line] {
				all[line] = true
				open = append(open, line)
			}
		}
	}
	return all
}

// only returns the plan with the operations of these lines, and the barriers.
func only(plan plans.Plan, lines map[int]bool) plans.Plan {
	var kept []plans.Step
	for i, step := range plan.Steps {
		if step.Op == nil || lines[plans.Line(i)] {
			kept = append(kept, step)
		}
	}
	return withSteps(plan, kept)
}

// ofLines keeps the deeds of these lines.
func ofLines(order []deed, lines map[int]bool) []deed {
	return slices.DeleteFunc(slices.Clone(order), func(d deed) bool { return !lines[d.line] })
}
