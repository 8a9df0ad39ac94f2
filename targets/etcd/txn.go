package etcd

import (
	"context"
	"fmt"
	"strconv"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/rvcheck/rvcheck/histories"
)

// sendTransaction sends a general transaction. The answer holds one result for each
// operation of the branch that the server says it took.
func (k keyspace) sendTransaction(txn *histories.Txn) (sender, error) {
	request, err := k.transaction(txn)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, rpc grpc.ClientConnInterface) (histories.Answer, error) {
		answer, err := pb.NewKVClient(rpc).Txn(ctx, request)
		if err != nil {
			return histories.Answer{}, err
		}
		return k.transactionAnswer(answer, request), nil
	}, nil
}

func (k keyspace) transaction(txn *histories.Txn) (*pb.TxnRequest, error) {
	if txn == nil {
		return &pb.TxnRequest{}, nil
	}
	request := &pb.TxnRequest{}
	for _, c := range txn.Compares {
		compare, err := k.compare(c)
		if err != nil {
			return nil, err
		}
		request.Compare = append(request.Compare, compare)
	}
	var err error
	if request.Success, err = k.branch(txn.Then); err != nil {
		return nil, err
	}
	request.Failure, err = k.branch(txn.Else)
	return request, err
}

func (k keyspace) branch(requests []histories.Request) (ops []*pb.RequestOp, err error) {
	for i := range requests {
		op, err := k.operation(requests[i])
		if err != nil {
			return nil, err
		}
		ops = append(ops, op)
	}
	return ops, nil
}

// operation is one operation inside a transaction.
func (k keyspace) operation(request histories.Request) (*pb.RequestOp, error) {
	switch {
	case request.Conditional:
	case request.Kind == histories.Put:
		return opPut(k.put(request)), nil
	case request.Kind == histories.Delete:
		return opDelete(k.delete(request)), nil
	case request.Kind == histories.DeleteRange:
		return opDelete(k.deleteRange(request)), nil
	case request.Kind == histories.Get:
		return opRange(k.get(request)), nil
	case request.Kind == histories.List:
		return opRange(k.list(request)), nil
	case request.Kind == histories.Transact:
		nested, err := k.transaction(request.Txn)
		return &pb.RequestOp{Request: &pb.RequestOp_RequestTxn{RequestTxn: nested}}, err
	}
	return nil, fmt.Errorf("inside a transaction: expected put, delete without a condition, deleterange, get, list or txn, not %s", request.Kind)
}

var compareResults = map[string]pb.Compare_CompareResult{
	"=": pb.Compare_EQUAL, "!=": pb.Compare_NOT_EQUAL, "<": pb.Compare_LESS, ">": pb.Compare_GREATER,
}

func (k keyspace) compare(c histories.Compare) (*pb.Compare, error) {
	result, known := compareResults[c.Op]
	if !known {
		return nil, fmt.Errorf("compare of %q: expected one of %v, not %q", c.Key.Name, histories.CompareOps, c.Op)
	}
	compare := &pb.Compare{Key: []byte(k.key(c.Key)), Result: result}
	if c.Target == "value" {
		compare.Target = pb.Compare_VALUE
		compare.TargetUnion = &pb.Compare_Value{Value: histories.EncodeValue(histories.WriteID(c.Value), c.Labels, c.Size)}
		return compare, nil
	}
	number, err := strconv.ParseInt(c.Value, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("compare of %q: expected a decimal for %s, not %q", c.Key.Name, c.Target, c.Value)
	}
	return compare, setOperand(compare, c.Target, number)
}

func setOperand(compare *pb.Compare, target string, number int64) error {
	switch target {
	case "version":
		compare.Target, compare.TargetUnion = pb.Compare_VERSION, &pb.Compare_Version{Version: number}
	case "create":
		compare.Target, compare.TargetUnion = pb.Compare_CREATE, &pb.Compare_CreateRevision{CreateRevision: number}
	case "mod":
		compare.Target, compare.TargetUnion = pb.Compare_MOD, &pb.Compare_ModRevision{ModRevision: number}
	case "lease":
		compare.Target, compare.TargetUnion = pb.Compare_LEASE, &pb.Compare_Lease{Lease: number}
	default:
		return fmt.Errorf("compare of %q: expected one of %v, not %q", compare.GetKey(), histories.CompareTargets, target)
	}
	return nil
}

// transactionAnswer reads the results along the branch that was taken.
func (k keyspace) transactionAnswer(answer *pb.TxnResponse, request *pb.TxnRequest) histories.Answer {
	result := acknowledged(answer)
	result.Succeeded = answer.GetSucceeded()
	taken := request.GetFailure()
	if result.Succeeded {
		taken = request.GetSuccess()
	}
	for i, told := range answer.GetResponses() {
		// A server that tells more results than there are operations shows them all.
		asked := &pb.RequestOp{}
		if i < len(taken) {
			asked = taken[i]
		}
		result.Results = append(result.Results, k.result(told, asked))
	}
	return result
}

func (k keyspace) result(told *pb.ResponseOp, asked *pb.RequestOp) histories.Answer {
	switch r := told.GetResponse().(type) {
	case *pb.ResponseOp_ResponseRange:
		return k.rangeAnswer(r.ResponseRange, asked.GetRequestRange().GetKeysOnly())
	case *pb.ResponseOp_ResponsePut:
		return acknowledged(r.ResponsePut)
	case *pb.ResponseOp_ResponseDeleteRange:
		return k.deleteAnswer(r.ResponseDeleteRange)
	case *pb.ResponseOp_ResponseTxn:
		return k.transactionAnswer(r.ResponseTxn, asked.GetRequestTxn())
	default:
		return histories.Answer{Outcome: histories.Unknown, Error: &histories.Error{
			Class: histories.Other, Message: "the server told no result of this operation",
		}}
	}
}
