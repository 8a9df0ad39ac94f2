package simulation

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// txnDamages are transactions that compare, show or apply wrongly.
var txnDamages = []Damage{
	{ID: "txn-other-branch", Property: "txn/compare", Apply: alter(Both(succeeded(histories.Transact), readsOnly), otherBranch)},
	{ID: "txn-result-older", Property: "txn/result", Apply: alter(succeeded(histories.Transact), olderResult)},
	{ID: "txn-result-missing", Property: "txn/result", Apply: alter(succeeded(histories.Transact), missingResult)},
	{ID: "txn-deleted-count", Property: "txn/result", Apply: alter(succeeded(histories.Transact), otherDeleted)},
	{ID: "txn-refused-applied", Property: "txn/atomic", Apply: alter(Both(succeeded(histories.Transact), puts), refuse(histories.Future))},
	{ID: "txn-header-back", Property: "header/monotone", Apply: alter(Both(succeeded(histories.Transact), readsOnly), headerBack)},
}

// readsOnly: neither branch of the transaction writes, so nothing else tells which
// was taken.
func readsOnly(op *histories.Operation) bool {
	return !slices.ContainsFunc(slices.Concat(op.Request.Txn.Then, op.Request.Txn.Else), func(r histories.Request) bool { return !r.Kind.IsRead() })
}

func puts(op *histories.Operation) bool {
	return slices.ContainsFunc(parts(op), func(part histories.Operation) bool { return part.Request.Kind == histories.Put })
}

func otherBranch(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	l := readLedger(h)
	a := &op.Answer
	a.Succeeded, a.Results = !a.Succeeded, nil
	ops := op.Request.Txn.Else
	if a.Succeeded {
		ops = op.Request.Txn.Then
	}
	for i := range ops {
		at := ops[i].Revision
		if at == 0 {
			at = a.Revision
		}
		a.Results = append(a.Results, l.answer(&ops[i], at, a.Revision))
	}
	return true
}

// olderResult shows in one of the results what was before.
func olderResult(rng *rand.Rand, h *histories.History, op *histories.Operation) bool {
	i := resultOf(rng, op, func(part histories.Operation) bool { return len(part.Answer.Objects) > 0 })
	if i < 0 {
		return false
	}
	o := &op.Answer.Results[i].Objects[0]
	older := readLedger(h).before(o.Key.Name, o.RV)
	if older == nil {
		return false
	}
	*o = *older
	return true
}

func missingResult(rng *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	i := resultOf(rng, op, func(part histories.Operation) bool { return len(part.Answer.Objects) > 0 })
	if i < 0 {
		return false
	}
	result := &op.Answer.Results[i]
	result.Objects = result.Objects[1:]
	return true
}

func otherDeleted(rng *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	i := resultOf(rng, op, func(part histories.Operation) bool { return part.Answer.Deleted > 0 })
	if i < 0 {
		return false
	}
	op.Answer.Results[i].Deleted += int64(2*rng.IntN(2) - 1)
	return true
}

// resultOf draws the place of a result, -1 if there is none.
func resultOf(rng *rand.Rand, op *histories.Operation, want func(histories.Operation) bool) int {
	var found []int
	for i, part := range parts(op) {
		if want(part) {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return -1
	}
	return one(rng, found)
}
