package reducer

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// deed is a step of a plan and what a history tells of it.
type deed struct {
	step plans.Step
	line int
	// called and returned are the span of all its calls, both zero if it made none.
	called, returned int64
	// revision is the position that an answer tells, zero if it has none; made: it is one
	// that the operation made.
	revision histories.Revision
	made     bool
}

// happened reports whether the operation was called.
func (d deed) happened() bool { return d.returned > 0 }

// observed returns the operations of a plan, each with what the history tells of
// it, in the order in which they took effect: by the revisions of the answers where
// those are positions, else by time. The operations of one lane keep their order,
// whatever the store said. What was not called stands where its lane has it.
func observed(plan plans.Plan, h *histories.History) []deed {
	lanes := deedsByLane(plan, h)
	var order []deed
	for {
		lanes = slices.DeleteFunc(lanes, func(lane []deed) bool { return len(lane) == 0 })
		if len(lanes) == 0 {
			return order
		}
		next := earliest(lanes)
		order = append(order, lanes[next][0])
		lanes[next] = lanes[next][1:]
	}
}

// earliest chooses the lane whose next operation comes first. Nothing may come before
// what had returned when it was called; of those that overlap, the revision decides
// where there are two, else the answer.
func earliest(lanes [][]deed) int {
	first := 0
	for i, lane := range lanes {
		if lane[0].returned < lanes[first][0].returned {
			first = i
		}
	}
	best := first
	for i, lane := range lanes {
		overlaps := lane[0].called < lanes[first][0].returned
		if overlaps && lane[0].precedes(lanes[best][0]) {
			best = i
		}
	}
	return best
}

// precedes reports whether the revisions say that the operation took effect before another:
// what others read of a revision comes after what made it.
func (d deed) precedes(other deed) bool {
	return d.revision > 0 && (d.revision < other.revision || d.revision == other.revision && d.made && !other.made)
}

// deedsByLane reads off the history what became of the operations of each lane.
func deedsByLane(plan plans.Plan, h *histories.History) [][]deed {
	called := byLine(h)
	var lanes [][]deed
	for _, lane := range plan.Lanes() {
		var deeds []deed
		for _, o := range lane.Ops {
			d := deed{step: plans.Step{Op: o.Op}, line: o.Line}
			for _, op := range called[o.Line] {
				d.add(op)
			}
			deeds = append(deeds, d)
		}
		lanes = append(lanes, deeds)
	}
	return lanes
}

func (d *deed) add(op *histories.Operation) {
	if d.called == 0 || op.Call < d.called {
		d.called = op.Call
	}
	d.returned = max(d.returned, op.Return)
	if isPosition(op) {
		d.revision = op.Answer.Revision
		d.made = op.Request.Kind.IsWrite() && op.Answer.Outcome == histories.OK
	}
}

// isPosition reports whether the revision of the answer is where the call took effect.
func isPosition(op *histories.Operation) bool {
	if op.Answer.Outcome == histories.Unknown || op.Answer.Revision == 0 {
		return false
	}
	kind := op.Request.Kind
	return kind.IsRead() || kind.IsWrite() && kind != histories.LeaseRevoke
}

// byLine are the calls of a history by the line of the plan that made them.
func byLine(h *histories.History) map[int][]*histories.Operation {
	lines := make(map[int][]*histories.Operation)
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Line > 0 {
			lines[op.Line] = append(lines[op.Line], op)
		}
	}
	return lines
}

// serial returns the operations in the observed order, all of them in one lane.
func serial(plan plans.Plan, order []deed) plans.Plan {
	return withSteps(plan, inLane("c1", 1, steps(order)))
}

// steps are the operations alone.
func steps(order []deed) []plans.Step {
	all := make([]plans.Step, 0, len(order))
	for _, d := range order {
		all = append(all, d.step)
	}
	return all
}

// inLane moves operations into one lane.
func inLane(lane string, endpoint int, all []plans.Step) []plans.Step {
	moved := make([]plans.Step, 0, len(all))
	for _, step := range all {
		if step.Op != nil {
			op := *step.Op
			op.Lane, op.Endpoint = lane, endpoint
			step.Op = &op
		}
		moved = append(moved, step)
	}
	return moved
}

// Recorded returns the plan with the order that a history of it shows turned into
// barriers: whatever had returned before another client's call began is waited for.
// Calls that overlapped stay concurrent as far as a barrier between all clients
// allows. The plan's own barriers, comments and faults give way to it; what the plan
// is meant to show stays.
func Recorded(plan plans.Plan, h *histories.History) plans.Plan {
	var all []plans.Step
	for i, phase := range phases(observed(plan, h)) {
		if i > 0 {
			all = append(all, plans.Step{Barrier: true})
		}
		all = append(all, steps(phase)...)
	}
	for _, step := range plan.Steps {
		if step.Expect != nil {
			all = append(all, step)
		}
	}
	return withSteps(plan, all)
}

// follows reports whether the operation was called by another client after the one
// before had returned.
func (d deed) follows(before deed) bool {
	return before.step.Op.Lane != d.step.Op.Lane && d.happened() && before.happened() && before.returned <= d.called
}

func withSteps(plan plans.Plan, all []plans.Step) plans.Plan {
	plan.Steps = all
	return plan
}
