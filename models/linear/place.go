package linear

import (
	"slices"

	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/internal/search"
)

// place is where the search stands: the states that the store can be in after
// the moves so far. There are several only where a write of unknown outcome may
// lie on either side of a revision that was read.
type place struct {
	states []*models.State
	// closed: the history is over. What was not done by then was never done.
	closed bool
	hash   uint64
}

// node is a place with the moves that led to it.
type node = search.Node[*place, *move]

func newPlace(states []*models.State) *place {
	p := &place{states: distinct(states)}
	for _, s := range p.states {
		p.hash += s.Hash()
	}
	return p
}

// close returns the place at the end of the history.
func (p *place) close() *place {
	return &place{states: p.states, closed: true, hash: ^p.hash}
}

// Hash is equal for equal places.
func (p *place) Hash() uint64 { return p.hash }

// Over reports whether the history has ended.
func (p *place) Over() bool { return p.closed }

// Equal compares places as sets of states.
func (p *place) Equal(other *place) bool {
	if p.closed != other.closed || p.hash != other.hash || len(p.states) != len(other.states) {
		return false
	}
	for _, s := range p.states {
		if !slices.ContainsFunc(other.states, s.Equal) {
			return false
		}
	}
	return true
}

// orderOf returns the ids of the operations that led to a node.
func orderOf(n *node) []int {
	var ids []int
	for _, m := range n.Way() {
		if m.role == step {
			ids = append(ids, m.call.Operation)
		}
	}
	return ids
}

// distinct drops states that are equal to others.
func distinct(states []*models.State) []*models.State {
	if len(states) == 1 {
		return states
	}
	var found []*models.State
	for _, s := range states {
		if !slices.ContainsFunc(found, s.Equal) {
			found = append(found, s)
		}
	}
	return found
}
