package linear

import "github.com/rvcheck/rvcheck/models/internal/search"

// place is where the search stands.
type place struct {
	state *state
	// closed: the history is over. What was not done by then was never done.
	closed bool
}

// node is a place with the moves that led to it.
type node = search.Node[*place, *move]

// Equal reports whether both stand for the same store.
func (p *place) Equal(other *place) bool {
	return p.closed == other.closed && p.state.equal(other.state)
}

// Hash is equal for equal places.
func (p *place) Hash() uint64 {
	if p.closed {
		return ^p.state.hash()
	}
	return p.state.hash()
}

// Over reports whether the history has ended.
func (p *place) Over() bool { return p.closed }

// orderOf returns the ids of the operations that led to a node.
func orderOf(n *node) []int {
	var ids []int
	for _, m := range n.Way() {
		if m.op != nil {
			ids = append(ids, m.op.ID)
		}
	}
	return ids
}
