package linear

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/anishathalye/porcupine"

	"github.com/rvcheck/rvcheck/models"
)

// run is one search. Porcupine calls its steps from one goroutine; what Judge
// reads after a search that ran out of time is atomic, since that goroutine may
// still be ending.
type run struct {
	initial *place
	// cost is what porcupine and the place take for one remembered step.
	cost, memory int64
	steps, kept  atomic.Int64
	spent        atomic.Bool
	fault        atomic.Pointer[string]
	// best is the deepest place before the end of the history so far. It is read
	// only after the search has ended by itself.
	best *place
}

// placeCost is roughly what one remembered step takes besides the set of
// operations that porcupine keeps with it.
const placeCost = 512

func newRun(initial *models.State, moves int, opts Options) *run {
	start := newPlace([]*models.State{initial})
	return &run{initial: start, best: start, cost: placeCost + int64(moves)/8, memory: opts.memory()}
}

func (r *run) model() porcupine.Model {
	return porcupine.Model{
		Init:  func() any { return r.initial },
		Step:  func(state, input, _ any) (bool, any) { return r.step(state.(*place), input.(*move)) },
		Equal: func(a, b any) bool { return a.(*place).equal(b.(*place)) },
		Hash:  func(state any) uint64 { return state.(*place).hash },
	}
}

// step is the model's step. It is pure but for its accounts: when the budget of
// memory is spent it refuses everything, which ends the search quickly. A fault
// of this program must not end the process from porcupine's goroutine; Judge
// panics with it.
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
	to = p.then(m, to)
	if !to.closed && to.depth > r.best.depth {
		r.best = to
	}
	return true, to
}
