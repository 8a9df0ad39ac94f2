package linear

import (
	"slices"

	"github.com/rvcheck/rvcheck/models"
)

// place is where the search stands: the states that the store can be in after
// the moves so far. There are several only where a write of unknown outcome may
// lie on either side of a revision that was read.
type place struct {
	states []*models.State
	// closed: the history is over. What was not done by then was never done.
	closed bool
	hash   uint64
	// last is the move that led here, before the place it came from.
	last   *move
	before *place
	depth  int
}

func newPlace(states []*models.State) *place {
	p := &place{states: distinct(states)}
	for _, s := range p.states {
		p.hash += s.Hash()
	}
	return p
}

// then returns the place with the way that led to it.
func (p *place) then(m *move, next *place) *place {
	next.last, next.before, next.depth = m, p, p.depth+1
	return next
}

// close returns the place at the end of the history.
func (p *place) close() *place {
	return &place{states: p.states, closed: true, hash: ^p.hash}
}

// rest returns the same place; a call that had no effect follows it.
func (p *place) rest() *place {
	return &place{states: p.states, closed: p.closed, hash: p.hash}
}

// equal compares places as sets of states.
func (p *place) equal(other *place) bool {
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

// order returns the ids of the operations that led here.
func (p *place) order() []int {
	var ids []int
	for ; p != nil && p.last != nil; p = p.before {
		if p.last.role == step {
			ids = append(ids, p.last.call.Operation)
		}
	}
	slices.Reverse(ids)
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
