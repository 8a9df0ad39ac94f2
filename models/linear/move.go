package linear

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// role says what a move does.
type role int

const (
	// step takes an operation.
	step role = iota
	// learn reads the header of a compaction, after it took effect.
	learn
	// end closes the history: unknown operations that come later never happened.
	end
)

// move is what porcupine puts in order.
type move struct {
	role role
	call *models.Call
	// unknown: the operation may never have happened.
	unknown bool
	// returned is when the operation ended, for the explanation.
	returned int64
}

// from returns the place that a move leads to, false if it is not allowed.
func (m *move) from(p *place) (*place, bool) {
	switch {
	case m.role == end:
		return p.close(), true
	case p.closed:
		return p, m.unknown
	}
	states, _ := m.over(p)
	if len(states) == 0 {
		return nil, false
	}
	return newPlace(states), true
}

// over returns the states that follow from those of a place, and, if there are
// none, why.
func (m *move) over(p *place) ([]*models.State, models.Refusal) {
	if len(p.states) == 1 {
		return m.after(p.states[0])
	}
	var found []*models.State
	var last models.Refusal
	for _, s := range p.states {
		states, refusal := m.after(s)
		found = append(found, states...)
		if refusal.Refused() {
			last = refusal
		}
	}
	if len(found) > 0 {
		last = models.Refusal{}
	}
	return found, last
}

func (m *move) after(s *models.State) ([]*models.State, models.Refusal) {
	if m.role == learn {
		return m.learned(s)
	}
	return s.Branches(m.call)
}

// learned reads a compaction's header, which happens after the compaction.
func (m *move) learned(s *models.State) ([]*models.State, models.Refusal) {
	if s.Compacted() < m.call.Request.Revision {
		return nil, models.Refusal{}
	}
	next, refusal := s.Learn(m.call.Answer.Revision)
	if refusal.Refused() {
		return nil, refusal
	}
	return []*models.State{next}, refusal
}

// telling reports whether an answer says anything about the store.
func telling(op *histories.Operation) bool {
	kind, a := op.Request.Kind, &op.Answer
	if !kind.IsRead() && !kind.IsWrite() && kind != histories.Compact && !aboutLease(kind) {
		return false
	}
	switch a.Outcome {
	case histories.OK:
		return true
	case histories.Unknown:
		return kind.IsWrite() || kind == histories.Compact || kind == histories.LeaseGrant && op.Request.Lease != 0
	default:
		return a.Error != nil && tells(kind, a.Error.Class)
	}
}

func tells(kind histories.Kind, class histories.ErrorClass) bool {
	switch class {
	case histories.Conflict:
		return kind.IsWrite()
	case histories.Compacted, histories.Future:
		return !kind.IsWrite() || kind == histories.Transact
	case histories.NoLease:
		return kind.IsWrite() || aboutLease(kind)
	default:
		return false
	}
}

// uncovered says what keeps the specification from judging the history.
func uncovered(h *histories.History) string {
	if h.Header.Layer != histories.EtcdLayer && h.Header.Layer != "" {
		return "the specification covers the etcd layer, not layer " + string(h.Header.Layer)
	}
	if h.Header.World == histories.Open {
		return "in an open world others write, and only streams show what"
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		if !telling(op) {
			continue
		}
		if reason := models.Unspecified(&op.Request); reason != "" {
			return reason
		}
	}
	return nameless(h)
}
