package plans

// Phase is the part of a plan between two barriers: lanes that run concurrently,
// and what happens to the store meanwhile.
type Phase struct {
	// Lanes are in the order of their first operation in the phase.
	Lanes  []Lane
	Faults []PhaseFault
}

// Lane is one client's share of a phase.
type Lane struct {
	Name     string
	Endpoint int
	Ops      []LaneOp
}

// LaneOp is an operation and the line of the plan's text that it stands on.
type LaneOp struct {
	Line int
	Op   *Op
}

// PhaseFault is a fault of a phase.
type PhaseFault struct {
	Line int
	// After is the number of the phase's operations, of all lanes, that stand
	// above the fault in the text.
	After int
	Fault *Fault
}

// Line is the line, counted from 1, on which Format writes the step with this index.
func Line(step int) int { return step + 2 }

// Phases splits the plan at its barriers. Phases without an operation or a fault
// are left out.
func (p Plan) Phases() []Phase {
	var phases []Phase
	var current Phase
	ops := 0
	flush := func() {
		if len(current.Lanes)+len(current.Faults) > 0 {
			phases = append(phases, current)
		}
		current, ops = Phase{}, 0
	}
	for i, step := range p.Steps {
		switch {
		case step.Barrier:
			flush()
		case step.Op != nil:
			current.add(LaneOp{Line: Line(i), Op: step.Op})
			ops++
		case step.Fault != nil:
			current.Faults = append(current.Faults, PhaseFault{Line: Line(i), After: ops, Fault: step.Fault})
		}
	}
	flush()
	return phases
}

func (p *Phase) add(op LaneOp) {
	for i := range p.Lanes {
		if p.Lanes[i].Name == op.Op.Lane {
			p.Lanes[i].Ops = append(p.Lanes[i].Ops, op)
			return
		}
	}
	p.Lanes = append(p.Lanes, Lane{Name: op.Op.Lane, Endpoint: op.Op.Endpoint, Ops: []LaneOp{op}})
}

// Lanes are all lanes of the plan with all their operations, in the order of
// their first one.
func (p Plan) Lanes() []Lane {
	var all Phase
	for i, step := range p.Steps {
		if step.Op != nil {
			all.add(LaneOp{Line: Line(i), Op: step.Op})
		}
	}
	return all.Lanes
}

// Expectations are the properties that the plan says it is meant to show, in text order.
func (p Plan) Expectations() []string {
	var properties []string
	for _, step := range p.Steps {
		if step.Expect != nil {
			properties = append(properties, step.Expect.Property)
		}
	}
	return properties
}
