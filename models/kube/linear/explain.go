package linear

import (
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/linear"
)

// refusal says why an answer is not allowed, as the property that it breaks where it
// stands.
type refusal struct{ property, text string }

// explain says which operation cannot follow the longest order, and why: the one among
// the rest that ended first, since every order has to take it next or after others that
// do not help.
func explain(best *node, moves []porcupine.Operation) *models.Finding {
	blocked := firstLeft(best, moves)
	if blocked == nil {
		panic("models/kube/linear: fault of this program: the search found no order, but nothing is left to put into it")
	}
	_, why := blocked.take(best.Place.state)
	if why == nil {
		panic("models/kube/linear: fault of this program: what no order takes is allowed")
	}
	property, _ := models.Lookup(why.property)
	f := &models.Finding{
		Property: why.property, Operations: involved(best, blocked), Culprit: blocked.op.ID, Revision: blocked.op.Answer.Revision,
		Allowed: property.Statement, Observed: why.text,
		Explanation: linear.NoOrder(orderOf(best), blocked.op.ID, why.text),
	}
	if key := blocked.request.Key; key != (histories.Key{}) {
		f.Key = &key
	}
	return f
}

func firstLeft(best *node, moves []porcupine.Operation) *move {
	done := make(map[*move]bool)
	for _, m := range best.Way() {
		done[m] = true
	}
	var first *move
	for i := range moves {
		m := moves[i].Input.(*move)
		if !done[m] && !m.optional && m.op != nil && (first == nil || m.returned < first.returned) {
			first = m
		}
	}
	return first
}

// involved are the operation that cannot follow and the last write of what it is about.
func involved(best *node, blocked *move) []int {
	ids := []int{blocked.op.ID}
	for _, m := range slices.Backward(best.Way()) {
		if m.op != nil && single(m.request.Kind) && m.op.Answer.Outcome != histories.Fail && blocked.concerns(m.request.Key) {
			ids = append(ids, m.op.ID)
			break
		}
	}
	slices.Sort(ids)
	return ids
}

func (m *move) concerns(key histories.Key) bool {
	if m.request.Kind == histories.List || m.request.Kind == histories.Next {
		return m.request.Scope.Contains(key)
	}
	return m.request.Key == key
}
