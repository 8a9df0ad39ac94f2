package etcd

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// sender sends one request and reads its answer.
type sender func(context.Context, pb.KVClient) (histories.Answer, error)

// sender chooses the shape of the request.
func (c *client) sender(request histories.Request) (sender, error) {
	if err := checkOffered(request); err != nil {
		return nil, err
	}
	keys := c.space.keys
	switch request.Kind {
	case histories.Create:
		return keys.sendTxn(keys.create(request)), nil
	case histories.Update:
		return keys.sendTxn(keys.update(request)), nil
	case histories.Delete:
		if request.Conditional {
			return keys.sendTxn(deleteTxn(keys.key(request.Key), int64(request.Expect))), nil
		}
		return sendDelete(keys.key(request.Key)), nil
	case histories.Put:
		return sendPut(keys.put(request)), nil
	case histories.Get:
		return keys.sendRange(keys.get(request)), nil
	case histories.List, histories.Next:
		return keys.sendRange(keys.list(request)), nil
	case histories.Compact:
		return c.sendCompact(request)
	case histories.Transact:
		return nil, lacking(targets.Transactions)
	case histories.LeaseGrant, histories.LeaseAttach, histories.LeaseKeepAlive, histories.LeaseTimeToLive, histories.LeaseRevoke:
		return nil, lacking(targets.Leases)
	case histories.Status:
		return nil, lacking(targets.StatusCalls)
	default:
		panic("fault of this program: " + string(request.Kind) + " is no call of a client's Do")
	}
}

func (k keyspace) sendTxn(request *pb.TxnRequest) sender {
	return func(ctx context.Context, kv pb.KVClient) (histories.Answer, error) {
		answer, err := kv.Txn(ctx, request)
		if err != nil {
			return histories.Answer{}, err
		}
		return k.txnAnswer(answer), nil
	}
}

// txnAnswer reads the answer of a conditional write. A compare that failed is a
// conflict, which shows what the failure branch read.
func (k keyspace) txnAnswer(answer *pb.TxnResponse) histories.Answer {
	result := histories.Answer{Outcome: histories.OK, Revision: headerRevision(answer)}
	if !answer.GetSucceeded() {
		result.Outcome = histories.Fail
		result.Error = &histories.Error{
			Class: histories.Conflict, Code: "succeeded=false", Message: "the compare on the mod revision failed",
		}
	}
	for _, op := range answer.GetResponses() {
		result.Objects = append(result.Objects, k.objects(op.GetResponseRange().GetKvs())...)
		result.Deleted += op.GetResponseDeleteRange().GetDeleted()
	}
	return result
}

func sendPut(request *pb.PutRequest) sender {
	return func(ctx context.Context, kv pb.KVClient) (histories.Answer, error) {
		answer, err := kv.Put(ctx, request)
		if err != nil {
			return histories.Answer{}, err
		}
		return histories.Answer{Outcome: histories.OK, Revision: headerRevision(answer)}, nil
	}
}

func sendDelete(key string) sender {
	return func(ctx context.Context, kv pb.KVClient) (histories.Answer, error) {
		answer, err := kv.DeleteRange(ctx, &pb.DeleteRangeRequest{Key: []byte(key)})
		if err != nil {
			return histories.Answer{}, err
		}
		return histories.Answer{
			Outcome: histories.OK, Revision: headerRevision(answer), Deleted: answer.GetDeleted(),
		}, nil
	}
}

func (k keyspace) sendRange(request *pb.RangeRequest) sender {
	return func(ctx context.Context, kv pb.KVClient) (histories.Answer, error) {
		answer, err := kv.Range(ctx, request)
		if err != nil {
			return histories.Answer{}, err
		}
		return histories.Answer{
			Outcome: histories.OK, Revision: headerRevision(answer),
			Objects: k.objects(answer.GetKvs()), Count: answer.GetCount(), More: answer.GetMore(),
		}, nil
	}
}

func (c *client) sendCompact(request histories.Request) (sender, error) {
	if !c.space.target.config.Exclusive {
		return nil, &targets.Unsupported{Feature: targets.Compaction, Reason: notExclusive}
	}
	compact := &pb.CompactionRequest{Revision: int64(request.Revision), Physical: request.Physical}
	return func(ctx context.Context, kv pb.KVClient) (histories.Answer, error) {
		answer, err := kv.Compact(ctx, compact)
		if err != nil {
			return histories.Answer{}, err
		}
		return histories.Answer{Outcome: histories.OK, Revision: headerRevision(answer)}, nil
	}, nil
}

func headerRevision(answer interface{ GetHeader() *pb.ResponseHeader }) histories.Revision {
	return histories.Revision(answer.GetHeader().GetRevision())
}
