package linear

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/rvcheck/rvcheck/models/linear"
)

// place is where the search stands: a state, and the way that led to it.
type place struct {
	state *state
	// closed: the history is over. What was not done by then was never done.
	closed bool
	last   *move
	before *place
	depth  int
}

func (p *place) equal(other *place) bool {
	return p.closed == other.closed && p.state.equal(other.state)
}

func (p *place) hash() uint64 {
	if p.closed {
		return ^p.state.hash()
	}
	return p.state.hash()
}

// order returns the ids of the operations that led here.
func (p *place) order() []int {
	var ids []int
	for ; p != nil && p.last != nil; p = p.before {
		if p.last.op != nil {
			ids = append(ids, p.last.op.ID)
		}
	}
	slices.Reverse(ids)
	return ids
}

// run is one search. What Judge reads after one that ran out of time is atomic, since
// porcupine's goroutine may still be ending.
type run struct {
	cost, memory int64
	timeout      time.Duration
	steps, kept  atomic.Int64
	spent        atomic.Bool
	fault        atomic.Pointer[string]
	// best is the deepest place before the end of the history so far. It is read only
	// after the search has ended by itself.
	best *place
}

// placeCost is roughly what one remembered step takes besides the set of operations
// that porcupine keeps with it.
const placeCost = 512

func newRun(moves int, opts linear.Options) *run {
	r := &run{cost: placeCost + int64(moves)/8, memory: opts.Memory, timeout: opts.Timeout, best: &place{state: beginning()}}
	if r.memory <= 0 {
		r.memory = linear.DefaultMemory
	}
	if r.timeout <= 0 {
		r.timeout = linear.DefaultTimeout
	}
	return r
}

func (r *run) model() porcupine.Model {
	initial := r.best
	return porcupine.Model{
		Init:  func() any { return initial },
		Step:  func(at, input, _ any) (bool, any) { return r.step(at.(*place), input.(*move)) },
		Equal: func(a, b any) bool { return a.(*place).equal(b.(*place)) },
		Hash:  func(at any) uint64 { return at.(*place).hash() },
	}
}

// step is the model's step. When the budget of memory is spent it refuses everything,
// which ends the search quickly. A fault of this program must not end the process from
// porcupine's goroutine; search panics with it.
func (r *run) step(p *place, m *move) (ok bool, next any) {
	if r.spent.Load() {
		return false, p
	}
	defer func() {
		if cause := recover(); cause != nil {
			text := fmt.Sprintf("%v\n%s", cause, debug.Stack())
			r.fault.Store(&text)
			r.spent.Store(true)
			ok, next = false, p
		}
	}()
	r.steps.Add(1)
	to := m.from(p)
	if to == nil {
		return false, p
	}
	if r.kept.Add(r.cost) > r.memory {
		r.spent.Store(true)
	}
	to.last, to.before, to.depth = m, p, p.depth+1
	if !to.closed && to.depth > r.best.depth {
		r.best = to
	}
	return true, to
}
