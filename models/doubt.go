package models

import (
	"cmp"

	"github.com/rvcheck/rvcheck/histories"
)

// glance looks at a state to judge one answer. Where the answer depends on which
// side of a revision an open write lies, it notes the doubt and goes on anyhow:
// what it finds then is worth nothing, and settled divides the state and looks
// again.
type glance struct {
	state *State
	doubt *doubt
}

// doubt asks whether an open write lies at or below a revision, or above it.
type doubt struct {
	operation int
	at        histories.Revision
}

func (g *glance) ask(operation int, at histories.Revision) {
	if g.doubt == nil {
		g.doubt = &doubt{operation: operation, at: at}
	}
}

// settled takes a step on every state that its doubts divide this one into.
func (s *State) settled(step func(g *glance) ([]*State, Refusal)) ([]*State, Refusal) {
	g := &glance{state: s}
	states, refusal := step(g)
	if g.doubt == nil {
		return states, refusal
	}
	states, refusal = nil, allowed
	for _, part := range s.divide(*g.doubt) {
		found, r := part.settled(step)
		states = append(states, found...)
		if r.Refused() {
			refusal = r
		}
	}
	if len(states) > 0 {
		return states, allowed
	}
	return no(refusal)
}

// divide returns the states in which the open write lies on one side of the
// revision of a doubt.
func (s *State) divide(d doubt) []*State {
	var parts []*State
	if below, ok := s.narrow(d.operation, 0, d.at); ok {
		parts = append(parts, below)
	}
	if above, ok := s.narrow(d.operation, d.at+1, unbounded); ok {
		parts = append(parts, above)
	}
	return parts
}

// compare orders a stored revision and one that was named.
func (g *glance) compare(stored, named histories.Revision) int {
	if !isSymbol(stored) {
		return cmp.Compare(stored, named)
	}
	i := g.state.intervalOf(int(-stored))
	switch {
	case i.high < named, named > far:
		return -1
	case i.low > named:
		return 1
	case i.low < named:
		g.ask(i.operation, named-1)
	case i.high > named:
		g.ask(i.operation, named)
	}
	return 0
}

// content is what the store held at a revision that is not above its newest.
func (g *glance) content(at histories.Revision) *node {
	for v := g.state.tip.find(at); ; v = v.prev {
		low, high := g.state.bounds(v)
		if low > at {
			continue
		}
		if high > at && at <= far {
			g.ask(v.open, at)
		}
		return v.root()
	}
}

// place is a revision that has the same order among the revisions of the chain as
// a stored one, known or not.
func (g *glance) place(stored histories.Revision) histories.Revision {
	if !isSymbol(stored) {
		return stored
	}
	return g.state.intervalOf(int(-stored)).low
}
