package etcd

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// checkOffered refuses what would have to be sent otherwise than it was meant.
func checkOffered(request histories.Request) error {
	switch {
	case request.CountOnly, request.KeysOnly, request.Serializable:
		return lacking(targets.RangeOptions)
	case request.Lease != 0:
		return lacking(targets.Leases)
	case request.Kube != nil, request.ExpectUID != "", request.Scope.Shape == histories.Namespace,
		request.Key.Namespace != "", request.Key.Resource != "",
		request.Scope.Key.Namespace != "", request.Scope.Key.Resource != "":
		return lacking(targets.KubeOptions)
	}
	return nil
}

func lacking(feature targets.Feature) error {
	return &targets.Unsupported{Feature: feature, Reason: notYet}
}

// create writes only where the key is absent; there is nothing to read otherwise.
func (k keyspace) create(request histories.Request) *pb.TxnRequest {
	key := k.key(request.Key)
	return &pb.TxnRequest{
		Compare: modRevisionIs(key, 0),
		Success: []*pb.RequestOp{opPut(k.put(request))},
	}
}

// update writes where the key has the expected mod revision, zero being that of an
// absent key, and otherwise reads what is there.
func (k keyspace) update(request histories.Request) *pb.TxnRequest {
	key := k.key(request.Key)
	return &pb.TxnRequest{
		Compare: modRevisionIs(key, int64(request.Expect)),
		Success: []*pb.RequestOp{opPut(k.put(request))},
		Failure: []*pb.RequestOp{opRange(&pb.RangeRequest{Key: []byte(key)})},
	}
}

// deleteTxn deletes where the key has the mod revision, and otherwise reads what is
// there.
func deleteTxn(key string, modRevision int64) *pb.TxnRequest {
	return &pb.TxnRequest{
		Compare: modRevisionIs(key, modRevision),
		Success: []*pb.RequestOp{{Request: &pb.RequestOp_RequestDeleteRange{
			RequestDeleteRange: &pb.DeleteRangeRequest{Key: []byte(key)},
		}}},
		Failure: []*pb.RequestOp{opRange(&pb.RangeRequest{Key: []byte(key)})},
	}
}

func modRevisionIs(key string, revision int64) []*pb.Compare {
	return []*pb.Compare{{
		Key:         []byte(key),
		Result:      pb.Compare_EQUAL,
		Target:      pb.Compare_MOD,
		TargetUnion: &pb.Compare_ModRevision{ModRevision: revision},
	}}
}

func opPut(put *pb.PutRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: put}}
}

func opRange(read *pb.RangeRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestRange{RequestRange: read}}
}

func (k keyspace) put(request histories.Request) *pb.PutRequest {
	return &pb.PutRequest{
		Key:   []byte(k.key(request.Key)),
		Value: histories.EncodeValue(request.Write, request.Labels, request.Size),
	}
}

// get reads one key, as a kube-apiserver does with a limit of one.
func (k keyspace) get(request histories.Request) *pb.RangeRequest {
	return &pb.RangeRequest{
		Key: []byte(k.key(request.Key)), Limit: 1, Revision: int64(request.Revision),
	}
}

// list reads a scope, or a page of it.
func (k keyspace) list(request histories.Request) *pb.RangeRequest {
	covered := k.span(request.Scope)
	if request.HasStart {
		covered = k.startingAt(covered, request.Start)
	}
	return &pb.RangeRequest{
		Key: []byte(covered.key), RangeEnd: []byte(covered.end),
		Limit: request.Limit, Revision: int64(request.Revision),
	}
}

func (k keyspace) watch(request histories.Request) *pb.WatchRequest {
	covered := k.span(request.Scope)
	return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{
		CreateRequest: &pb.WatchCreateRequest{
			Key: []byte(covered.key), RangeEnd: []byte(covered.end),
			StartRevision:  int64(request.StartRevision),
			PrevKv:         request.PrevKV,
			ProgressNotify: request.ProgressNotify,
		},
	}}
}
