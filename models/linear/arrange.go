package linear

import (
	"math"

	"github.com/anishathalye/porcupine"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// arrangement builds what porcupine puts in order.
type arrangement struct {
	moves     []porcupine.Operation
	clients   map[string]int
	next      int
	last      int64
	tolerance int64
	unknown   bool
}

// nothing leaves out every operation of unknown outcome that nobody saw.
func nothing(*histories.Operation) bool { return false }

// arrange turns the operations that say something about the store into moves. Of
// those of unknown outcome that nobody saw it takes what the filter says.
func arrange(h *histories.History, e *evidence, unseen func(*histories.Operation) bool) []porcupine.Operation {
	a := &arrangement{clients: make(map[string]int), tolerance: h.Header.ClockUncertainty}
	for i := range h.Operations {
		op := &h.Operations[i]
		if !telling(op) {
			continue
		}
		if op.Answer.Outcome != histories.Unknown {
			a.answered(op)
			continue
		}
		if revision, found := e.revision(op); found {
			a.seen(op, revision)
		} else if unseen(op) {
			a.unseen(op)
		}
	}
	for i := range e.expiries {
		if unseen(&e.expiries[i]) {
			a.unseen(&e.expiries[i])
		}
	}
	if a.unknown {
		a.add("", a.last+1, histories.Never, &move{role: end})
	}
	return a.moves
}

// answered adds an operation with its answer. The header of a compaction was
// read after it took effect, and is a move of its own.
func (a *arrangement) answered(op *histories.Operation) {
	returned := a.later(op.Return)
	call := models.NewCall(op.ID, &op.Request, &op.Answer)
	a.add(op.Client, op.Call, returned, &move{call: call})
	if op.Request.Kind == histories.Compact && op.Answer.Outcome == histories.OK && op.Answer.Revision > 0 {
		a.add(op.Client+" header", op.Call, returned, &move{role: learn, call: call})
	}
}

// seen adds a write without an answer that somebody saw: it happened, at the
// revision that was seen.
func (a *arrangement) seen(op *histories.Operation, revision histories.Revision) {
	a.add(op.Client, op.Call, histories.Never, &move{call: models.NewSeenCall(op.ID, &op.Request, revision)})
	delete(a.clients, op.Client)
}

// unseen adds an operation that may have happened at any time or never.
func (a *arrangement) unseen(op *histories.Operation) {
	call := models.NewCall(op.ID, &op.Request, &op.Answer)
	a.add(op.Client, op.Call, histories.Never, &move{call: call, unknown: true})
	delete(a.clients, op.Client)
	a.unknown = true
}

func (a *arrangement) add(client string, call, returned int64, m *move) {
	m.returned = returned
	a.moves = append(a.moves, porcupine.Operation{
		ClientId: a.client(client), Input: m, Call: call, Return: returned,
	})
	a.last = max(a.last, call)
	if returned != histories.Never {
		a.last = max(a.last, returned)
	}
}

// client numbers the clients. One whose call is still open when it makes the
// next gets a new number.
func (a *arrangement) client(name string) int {
	id, found := a.clients[name]
	if !found {
		id = a.next
		a.clients[name] = id
		a.next++
	}
	return id
}

// later adds the clock's uncertainty to a time.
func (a *arrangement) later(t int64) int64 {
	if t > math.MaxInt64-a.tolerance-1 {
		return histories.Never
	}
	return t + a.tolerance
}
