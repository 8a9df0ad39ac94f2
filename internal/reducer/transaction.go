package reducer

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// oneTransaction is the plan with one transaction in the place of its writes: what takes effect
// at one revision may need no more, such as the keys of a lease or of a deleted range. It
// is false where no two keys are written, or where there is a transaction anyway.
func oneTransaction(plan plans.Plan) (plans.Plan, bool) {
	const enough = 2
	var puts []plans.Op
	var rest []plans.Step
	at, first := -1, (*plans.Op)(nil)
	for _, step := range plan.Steps {
		op := step.Op
		switch {
		case op == nil || !op.Kind.IsWrite() && !isLease(op.Kind):
			rest = append(rest, step)
			continue
		case op.Kind == histories.Transact:
			return plan, false
		case at < 0:
			at, first = len(rest), op
		}
		known := slices.ContainsFunc(puts, func(put plans.Op) bool { return put.Key == op.Key })
		if stores := op.Kind != histories.DeleteRange && !isLease(op.Kind); stores && !known && len(puts) < enough {
			puts = append(puts, plans.Op{Kind: histories.Put, Key: op.Key})
		}
	}
	if plan.Layer != histories.EtcdLayer || len(puts) < enough {
		return plan, false
	}
	txn := plans.Step{Op: &plans.Op{Lane: first.Lane, Endpoint: first.Endpoint, Kind: histories.Transact, Txn: &plans.Txn{Then: puts}}}
	return withSteps(plan, slices.Insert(rest, at, txn)), true
}

func isLease(kind histories.Kind) bool {
	switch kind {
	case histories.LeaseGrant, histories.LeaseKeepAlive, histories.LeaseTimeToLive, histories.LeaseRevoke, plans.ExpireKind:
		return true
	default:
		return false
	}
}
