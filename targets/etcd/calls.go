package etcd

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// sender sends one request and reads its answer.
type sender func(context.Context, grpc.ClientConnInterface) (histories.Answer, error)

// sender chooses the shape of the request.
func (c *client) sender(request histories.Request) (sender, error) {
	if err := c.space.checkOffered(request); err != nil {
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
		return keys.sendDelete(keys.delete(request)), nil
	case histories.DeleteRange:
		return keys.sendDelete(keys.deleteRange(request)), nil
	case histories.Put, histories.LeaseAttach:
		return sendPut(keys.put(request)), nil
	case histories.Get:
		return keys.sendRange(keys.get(request)), nil
	case histories.List, histories.Next:
		return keys.sendRange(keys.list(request)), nil
	case histories.Transact:
		return keys.sendTransaction(request.Txn)
	case histories.Compact:
		return c.sendCompact(request)
	case histories.LeaseGrant:
		return c.space.sendGrant(request), nil
	case histories.LeaseKeepAlive:
		return sendKeepAlive(request.Lease), nil
	case histories.LeaseTimeToLive:
		return keys.sendTimeToLive(request.Lease), nil
	case histories.LeaseRevoke:
		return sendRevoke(request.Lease), nil
	case histories.Status:
		return sendStatus, nil
	default:
		panic("fault of this program: " + string(request.Kind) + " is no call of a client's Do")
	}
}

func (k keyspace) sendTxn(request *pb.TxnRequest) sender {
	return func(ctx context.Context, rpc grpc.ClientConnInterface) (histories.Answer, error) {
		answer, err := pb.NewKVClient(rpc).Txn(ctx, request)
		if err != nil {
			return histories.Answer{}, err
		}
		return k.conditionalAnswer(answer), nil
	}
}

// conditionalAnswer reads the answer of a conditional write. A compare that failed
// is a conflict, which shows what the failure branch read.
func (k keyspace) conditionalAnswer(answer *pb.TxnResponse) histories.Answer {
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
	return func(ctx context.Context, rpc grpc.ClientConnInterface) (histories.Answer, error) {
		answer, err := pb.NewKVClient(rpc).Put(ctx, request)
		if err != nil {
			return histories.Answer{}, err
		}
		return acknowledged(answer), nil
	}
}

func (k keyspace) sendDelete(request *pb.DeleteRangeRequest) sender {
	return func(ctx context.Context, rpc grpc.ClientConnInterface) (histories.Answer, error) {
		answer, err := pb.NewKVClient(rpc).DeleteRange(ctx, request)
		if err != nil {
			return histories.Answer{}, err
		}
		return k.deleteAnswer(answer), nil
	}
}

func (k keyspace) deleteAnswer(answer *pb.DeleteRangeResponse) histories.Answer {
	result := acknowledged(answer)
	result.Deleted, result.Objects = answer.GetDeleted(), k.objects(answer.GetPrevKvs())
	return result
}

func (k keyspace) sendRange(request *pb.RangeRequest) sender {
	return func(ctx context.Context, rpc grpc.ClientConnInterface) (histories.Answer, error) {
		answer, err := pb.NewKVClient(rpc).Range(ctx, request)
		if err != nil {
			return histories.Answer{}, err
		}
		return k.rangeAnswer(answer, request.GetKeysOnly()), nil
	}
}

func (k keyspace) rangeAnswer(answer *pb.RangeResponse, keysOnly bool) histories.Answer {
	result := acknowledged(answer)
	result.Count, result.More = answer.GetCount(), answer.GetMore()
	if keysOnly {
		result.Objects = k.bareObjects(answer.GetKvs())
	} else {
		result.Objects = k.objects(answer.GetKvs())
	}
	return result
}

func (c *client) sendCompact(request histories.Request) (sender, error) {
	if !c.space.target.config.Exclusive {
		return nil, &targets.Unsupported{Feature: targets.Compaction, Reason: notExclusive}
	}
	compact := &pb.CompactionRequest{Revision: int64(request.Revision), Physical: request.Physical}
	return func(ctx context.Context, rpc grpc.ClientConnInterface) (histories.Answer, error) {
		answer, err := pb.NewKVClient(rpc).Compact(ctx, compact)
		if err != nil {
			return histories.Answer{}, err
		}
		return acknowledged(answer), nil
	}, nil
}

func sendStatus(ctx context.Context, rpc grpc.ClientConnInterface) (histories.Answer, error) {
	answer, err := pb.NewMaintenanceClient(rpc).Status(ctx, &pb.StatusRequest{})
	if err != nil {
		return histories.Answer{}, err
	}
	result := acknowledged(answer)
	result.Version = answer.GetVersion()
	return result, nil
}

// headed is an answer that tells a revision in its header.
type headed interface{ GetHeader() *pb.ResponseHeader }

// acknowledged is what every answer of a call that succeeded says.
func acknowledged(answer headed) histories.Answer {
	return histories.Answer{Outcome: histories.OK, Revision: headerRevision(answer)}
}

func headerRevision(answer headed) histories.Revision {
	return histories.Revision(answer.GetHeader().GetRevision())
}
