package engine

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// script is a plan made ready to run: for each operation why it must be skipped,
// if so, and a place for what becomes of it.
type script struct {
	phases  []phase
	lanes   []plans.Lane // all of the plan, for their names and endpoints
	results map[string]*outcome
	// shared are the labels of the watches that others share a transport stream with.
	shared map[string]bool
}

// phase is the part between two barriers.
type phase struct {
	lanes  []lane
	faults []plans.PhaseFault
}

type lane struct {
	name  string
	steps []*step
}

// step is one operation of a lane.
type step struct {
	op   *plans.Op
	line int
	// skip says why the operation is not done, empty if it is.
	skip string
	// result is nil for an operation without a label.
	result *outcome
}

// outcome is what became of an operation that others may refer to. Its fields but
// the line and the lane may be read once done is closed.
type outcome struct {
	line int
	lane string
	done chan struct{}
	// happened is false for an operation that was skipped.
	happened bool
	id       int
	request  histories.Request
	answer   histories.Answer
	stream   *stream // of a watch that was opened
}

// prepare makes the script of a plan for a target.
func prepare(plan plans.Plan, target targets.Description) *script {
	s := &script{lanes: plan.Lanes(), results: map[string]*outcome{}, shared: map[string]bool{}}
	endpoints := map[string]int{}
	for _, l := range s.lanes {
		endpoints[l.Name] = l.Endpoint
	}
	for _, planned := range plan.Phases() {
		p := phase{faults: planned.Faults}
		for _, l := range planned.Lanes {
			p.lanes = append(p.lanes, s.lane(l, endpoints[l.Name], target))
		}
		s.phases = append(s.phases, p)
	}
	return s
}

func (s *script) lane(planned plans.Lane, endpoint int, target targets.Description) lane {
	l := lane{name: planned.Name}
	for _, o := range planned.Ops {
		st := &step{op: o.Op, line: o.Line, skip: obstacle(o.Op, target)}
		if o.Op.Endpoint != endpoint {
			st.skip = "a lane talks to one endpoint, that of its first operation"
		}
		if o.Op.On != "" {
			s.shared[o.Op.On] = true
		}
		if o.Op.Label != "" && s.results[o.Op.Label] == nil {
			st.result = &outcome{line: o.Line, lane: planned.Name, done: make(chan struct{})}
			s.results[o.Op.Label] = st.result
		}
		l.steps = append(l.steps, st)
	}
	return l
}

// settle publishes what became of the step. It is called exactly once.
func (s *step) settle(o outcome) {
	if s.result == nil {
		return
	}
	s.result.happened, s.result.id, s.result.stream = o.happened, o.id, o.stream
	s.result.request, s.result.answer = o.request, o.answer
	close(s.result.done)
}
