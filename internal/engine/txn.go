package engine

import (
	"context"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// txn resolves everything inside a transaction.
func (r *resolver) txn(ctx context.Context, planned *plans.Txn) (*histories.Txn, error) {
	txn := &histories.Txn{}
	for _, c := range planned.Compares {
		compare, err := r.compare(ctx, c)
		if err != nil {
			return nil, err
		}
		txn.Compares = append(txn.Compares, compare)
	}
	var err error
	if txn.Then, err = r.branch(ctx, planned.Then); err != nil {
		return nil, err
	}
	txn.Else, err = r.branch(ctx, planned.Else)
	return txn, err
}

func (r *resolver) branch(ctx context.Context, ops []plans.Op) ([]histories.Request, error) {
	var requests []histories.Request
	for i := range ops {
		request, err := r.request(ctx, &ops[i])
		if err != nil {
			return nil, err
		}
		requests = append(requests, request)
	}
	return requests, nil
}

func (r *resolver) compare(ctx context.Context, planned plans.Compare) (histories.Compare, error) {
	compare := histories.Compare{Key: planned.Key, Target: planned.Target, Op: planned.Op}
	switch planned.Value.Kind {
	case plans.Written:
		return r.written(ctx, compare, planned.Value.Label)
	case plans.Granted:
		id, err := r.granted(ctx, planned.Value.Label)
		compare.Value = add(histories.Revision(id), planned.Value.Offset).String()
		return compare, err
	default:
		revision, err := r.revision(ctx, planned.Value, planned.Key)
		compare.Value = revision.String()
		return compare, err
	}
}

// written compares with the value that the labelled operation stored or tried to.
func (r *resolver) written(ctx context.Context, compare histories.Compare, label string) (histories.Compare, error) {
	o, err := r.happened(ctx, label)
	if err != nil {
		return compare, err
	}
	compare.Value, compare.Labels, compare.Size = string(o.request.Write), o.request.Labels, o.request.Size
	return compare, nil
}

// sign gives every operation that stores a value, those inside a transaction
// included, a write id of its own.
func (e *execution) sign(request *histories.Request) {
	if stores(request.Kind) && !request.Options().NoOp {
		request.Write = e.writeID()
	}
	if request.Txn == nil {
		return
	}
	for _, branch := range [][]histories.Request{request.Txn.Then, request.Txn.Else} {
		for i := range branch {
			e.sign(&branch[i])
		}
	}
}

// stores reports whether the call puts a value.
func stores(kind histories.Kind) bool {
	switch kind {
	case histories.Create, histories.Update, histories.Put, histories.LeaseAttach, histories.Patch:
		return true
	default:
		return false
	}
}

// taken is the branch that a transaction took.
func taken(txn *histories.Txn, succeeded bool) []histories.Request {
	if succeeded {
		return txn.Then
	}
	return txn.Else
}
