package linear

import (
	"math"

	"github.com/anishathalye/porcupine"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/kube"
)

// move is what porcupine puts in order: a call, or, without one, the end of the
// history: unknown calls that come later never happened.
type move struct {
	op *histories.Operation
	// request is the operation's, with the whole name of the object.
	request *histories.Request
	// page is what of a list's scope the answer shows.
	page page
	// optional: the operation may never have happened.
	optional bool
	// returned is when the operation ended, for the explanation.
	returned int64
	evidence *evidence
}

// from returns the place that a move leads to, false if it is not allowed.
func (m *move) from(p *place) (*place, bool) {
	switch {
	case m.op == nil:
		return &place{state: p.state, closed: true}, true
	case p.closed:
		return p, m.optional
	}
	next, refused := m.take(p.state)
	if refused != nil {
		return nil, false
	}
	return &place{state: next}, true
}

// take returns the state after the operation, or why its answer is not allowed.
func (m *move) take(s *state) (*state, *refusal) {
	if m.request.Kind.IsRead() {
		return m.read(s)
	}
	return m.write(s)
}

// telling reports whether the judge looks at an operation.
func (e *evidence) telling(op *histories.Operation) bool {
	r, a := &op.Request, &op.Answer
	switch {
	case r.Kind == histories.List || r.Kind == histories.Next:
		return a.Outcome == histories.OK && a.Revision > 0
	case r.Kind == histories.Get:
		return a.Outcome == histories.OK && len(a.Objects) == 1 && !e.wild[r.Key] && mode(r) != kube.Refused ||
			isError(a, histories.NotFound) && !e.wild[r.Key] && mode(r) != kube.Refused
	case !single(r.Kind):
		return false
	case e.wild[e.key(op)]:
		return false
	case a.Outcome == histories.OK:
		return true
	case a.Outcome == histories.Unknown:
		return !r.Options().DryRun && !r.Options().NoOp && e.key(op).Name != ""
	default:
		return refusalTells(r, a)
	}
}

// refusalTells reports whether a refused write says something of the object. One
// without a condition may be refused because of others that came between.
func refusalTells(r *histories.Request, a *histories.Answer) bool {
	switch {
	case r.Options().GenerateName:
		return false
	case isError(a, histories.Exists):
		return r.Kind == histories.Create
	case isError(a, histories.NotFound):
		return r.Kind != histories.Create
	case isError(a, histories.Conflict):
		return r.Kind != histories.Create && (r.Conditional && r.Expect != 0 || r.ExpectUID != "")
	default:
		return false
	}
}

func mode(r *histories.Request) kube.Mode {
	m, _ := kube.ReadMode(r)
	return m
}

func isError(a *histories.Answer, class histories.ErrorClass) bool {
	return a.Outcome == histories.Fail && a.Error != nil && a.Error.Class == class
}

// single reports whether a kind is a write of one object.
func single(kind histories.Kind) bool {
	switch kind {
	case histories.Create, histories.Update, histories.Patch, histories.Delete:
		return true
	default:
		return false
	}
}

// arrange turns the operations into moves, those of unknown outcome that nobody saw
// only where it is told so. It reports whether there are such.
func arrange(h *histories.History, e *evidence, unseen bool) ([]porcupine.Operation, bool) {
	var moves []porcupine.Operation
	open, last := false, int64(0)
	for i := range h.Operations {
		op := &h.Operations[i]
		if !e.telling(op) {
			continue
		}
		m := &move{op: op, request: e.named(op), returned: histories.Never, evidence: e}
		if op.Answer.Outcome != histories.Unknown {
			m.returned = later(op.Return, h.Header.ClockUncertainty)
		} else if m.optional = !e.saw(op); m.optional {
			if open = true; !unseen {
				continue
			}
		}
		if last = max(last, op.Call); m.returned != histories.Never {
			last = max(last, m.returned)
		}
		m.page = e.pageOf(op)
		moves = append(moves, porcupine.Operation{ClientId: len(moves), Input: m, Call: op.Call, Return: m.returned})
	}
	if open && unseen {
		m := &move{returned: histories.Never, evidence: e}
		moves = append(moves, porcupine.Operation{ClientId: len(moves), Input: m, Call: last + 1, Return: histories.Never})
	}
	return moves, open
}

// later adds the clock's uncertainty to a time.
func later(t, uncertainty int64) int64 {
	if t > math.MaxInt64-uncertainty-1 {
		return histories.Never
	}
	return t + uncertainty
}
