// Package search is porcupine's search for an order, within a budget: what the judges
// of both layers share that try orders of calls.
package search

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
)

// Place is where a search stands: what a store may be after some moves.
type Place[P any] interface {
	// Equal and Hash say which places porcupine need not search twice.
	Equal(P) bool
	Hash() uint64
	// Over reports whether the history has ended: what was not done by then was never done.
	Over() bool
}

// Step returns the place that a move leads to, false if the move is not allowed.
type Step[P, M any] func(P, M) (P, bool)

// Node is a place with the way that led to it.
type Node[P, M any] struct {
	Place  P
	last   M
	before *Node[P, M]
	depth  int
}

// Way returns the moves that led to a node, in order.
func (n *Node[P, M]) Way() []M {
	way := make([]M, 0, n.depth)
	for ; n.before != nil; n = n.before {
		way = append(way, n.last)
	}
	slices.Reverse(way)
	return way
}

// Budget bounds a search.
type Budget struct {
	Time time.Duration
	// Memory is, roughly and in bytes, what the search may remember. It never forgets, so
	// this is what it grows to.
	Memory int64
}

// nodeCost is roughly what one remembered step takes besides the set of operations that
// porcupine keeps with it.
const nodeCost = 512

// Search is one search. Porcupine calls its steps from one goroutine; what is read
// after a search that ran out of time is atomic, since that goroutine may still be
// ending.
type Search[P Place[P], M any] struct {
	step    Step[P, M]
	initial *Node[P, M]
	budget  Budget
	// cost is what porcupine and the node take for one remembered step.
	cost        int64
	steps, kept atomic.Int64
	spent       atomic.Bool
	fault       atomic.Pointer[string]
	// best is the deepest node before the end of the history so far. It is read only
	// after the search has ended by itself.
	best *Node[P, M]
}

// New returns a search from a place through so many moves.
func New[P Place[P], M any](initial P, step Step[P, M], moves int, budget Budget) *Search[P, M] {
	start := &Node[P, M]{Place: initial}
	return &Search[P, M]{step: step, initial: start, budget: budget, cost: nodeCost + int64(moves)/8, best: start}
}

// Result is how a search ended.
type Result[P, M any] struct {
	// Spent says which budget was used up, empty if the search came to its end.
	Spent string
	// Found: there is an order.
	Found bool
	// Best is the longest order that was found where there is none of all moves.
	Best *Node[P, M]
	// Steps counts the steps that were tried.
	Steps int64
}

// Run searches. The inputs of the operations are moves. It panics with a fault of a step.
func (s *Search[P, M]) Run(moves []porcupine.Operation) Result[P, M] {
	return s.end(porcupine.CheckOperationsTimeout(s.Model(), moves, s.budget.Time))
}

// RunVerbose is Run that also returns the orders that porcupine tried, for a picture.
func (s *Search[P, M]) RunVerbose(moves []porcupine.Operation) (Result[P, M], porcupine.LinearizationInfo) {
	verdict, orders := porcupine.CheckOperationsVerbose(s.Model(), moves, s.budget.Time)
	return s.end(verdict), orders
}

func (s *Search[P, M]) end(verdict porcupine.CheckResult) Result[P, M] {
	if fault := s.fault.Load(); fault != nil {
		panic(*fault)
	}
	result := Result[P, M]{Steps: s.steps.Load()}
	switch {
	case s.spent.Load():
		result.Spent = "the search for an order used up its memory"
	case verdict == porcupine.Unknown:
		result.Spent = "the search for an order used up its time"
	case verdict == porcupine.Ok:
		result.Found = true
	default:
		result.Best = s.best
	}
	return result
}

// Model is the search as porcupine takes it.
func (s *Search[P, M]) Model() porcupine.Model {
	return porcupine.Model{
		Init:  func() any { return s.initial },
		Step:  func(at, input, _ any) (bool, any) { return s.take(at.(*Node[P, M]), input.(M)) },
		Equal: func(a, b any) bool { return a.(*Node[P, M]).Place.Equal(b.(*Node[P, M]).Place) },
		Hash:  func(at any) uint64 { return at.(*Node[P, M]).Place.Hash() },
	}
}

// take is the model's step. It is pure but for its accounts: when the budget of memory
// is spent it refuses everything, which ends the search quickly. A fault of this program
// must not end the process from porcupine's goroutine; end panics with it.
func (s *Search[P, M]) take(n *Node[P, M], move M) (ok bool, next any) {
	if s.spent.Load() {
		return false, n
	}
	defer func() {
		if cause := recover(); cause != nil {
			text := fmt.Sprintf("%v\n%s", cause, debug.Stack())
			s.fault.Store(&text)
			s.spent.Store(true)
			ok, next = false, n
		}
	}()
	s.steps.Add(1)
	place, allowed := s.step(n.Place, move)
	if !allowed {
		return false, n
	}
	if s.kept.Add(s.cost) > s.budget.Memory {
		s.spent.Store(true)
	}
	to := &Node[P, M]{Place: place, last: move, before: n, depth: n.depth + 1}
	if !place.Over() && to.depth > s.best.depth {
		s.best = to
	}
	return true, to
}
