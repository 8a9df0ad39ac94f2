package reducer

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// phases divides operations, in the observed order, where one was called by another
// client after one before had returned. Those of one phase overlapped, as far as a
// barrier between all clients can tell.
func phases(order []deed) [][]deed {
	var all [][]deed
	var phase []deed
	for _, d := range order {
		if slices.ContainsFunc(phase, d.follows) {
			all = append(all, phase)
			phase = nil
		}
		phase = append(phase, d)
	}
	if len(phase) > 0 {
		all = append(all, phase)
	}
	return all
}

// raced returns the operations in the observed order. Those of the racing lines that
// overlapped stay together, in as few lanes as that needs; all others go into the
// first lane, before or after them.
func raced(plan plans.Plan, order []deed, racing map[int]bool) plans.Plan {
	var before, race, after []deed
	for _, d := range order {
		switch {
		case racing[d.line]:
			race, before, after = append(race, d), append(before, after...), nil
		default:
			after = append(after, d)
		}
	}
	l := &layout{alone: true}
	l.add(oneLane(before))
	for _, phase := range phases(race) {
		l.add(phase)
	}
	l.add(oneLane(after))
	return withSteps(plan, l.steps)
}

// layout puts phases one below the other.
type layout struct {
	steps []plans.Step
	// alone: the last phase has one lane.
	alone bool
}

// add appends a phase, which has one lane if none of its operations races another.
func (l *layout) add(phase []deed) {
	names := map[string]string{}
	for _, d := range phase {
		if lane := d.step.Op.Lane; names[lane] == "" {
			names[lane] = fmt.Sprintf("c%d", len(names)+1)
		}
	}
	alone := len(names) <= 1
	if len(l.steps) > 0 && !(l.alone && alone) {
		l.steps = append(l.steps, plans.Step{Barrier: true})
	}
	l.alone = alone
	for _, d := range phase {
		l.steps = append(l.steps, inLane(names[d.step.Op.Lane], 1, []plans.Step{d.step})...)
	}
}

func oneLane(order []deed) []deed {
	all := slices.Clone(order)
	for i, step := range inLane("c1", 1, steps(order)) {
		all[i].step = step
	}
	return all
}

// window is a time in which a client, or what was delivered to it, was under way.
type window struct {
	client   string
	from, to int64
}

// rivals are the lines of what other clients had in flight while one of these
// operations was, or while what its stream delivered of a revision was on its way.
func rivals(h *histories.History, operations []int, revision histories.Revision) map[int]bool {
	var windows []window
	for _, id := range operations {
		if op := h.Operation(id); op != nil && op.Line > 0 {
			windows = append(windows, windowsOf(h, op, revision)...)
		}
	}
	lines := map[int]bool{}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Line == 0 || waits(op) {
			continue
		}
		if slices.ContainsFunc(windows, func(w window) bool {
			return w.client != op.Client && op.Call <= w.to && op.Return >= w.from
		}) {
			lines[op.Line] = true
		}
	}
	return lines
}

// windowsOf are the span of a call and, of a watch, the times before the responses that
// are about a revision.
func windowsOf(h *histories.History, op *histories.Operation, revision histories.Revision) []window {
	var windows []window
	if !waits(op) {
		windows = append(windows, window{op.Client, op.Call, op.Return})
	}
	stream := h.Stream(op.ID)
	if op.Request.Kind != histories.Watch || stream == nil || revision == 0 {
		return windows
	}
	before := op.Return
	for _, e := range stream.Events {
		if e.Object.RV == revision || e.Header == revision {
			windows = append(windows, window{from: before, to: e.Time})
		}
		before = e.Time
	}
	return windows
}

// waits reports whether an operation calls nothing: it only waits for events.
func waits(op *histories.Operation) bool { return op.Request.Kind == histories.Await }

func union(sets ...map[int]bool) map[int]bool {
	all := map[int]bool{}
	for _, set := range sets {
		for line := range set {
			all[line] = true
		}
	}
	return all
}
