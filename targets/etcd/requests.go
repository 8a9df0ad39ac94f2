package etcd

import (
	"slices"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// checkOffered refuses what would have to be sent otherwise than it was meant, and
// what could reach beyond the space.
func (s *space) checkOffered(request histories.Request) error {
	if ofKubernetes(request) {
		return &targets.Unsupported{Feature: targets.KubeOptions, Reason: noKubernetes}
	}
	if err := s.checkLease(request); err != nil {
		return err
	}
	if request.Txn == nil {
		return nil
	}
	for _, nested := range slices.Concat(request.Txn.Then, request.Txn.Else) {
		if err := s.checkOffered(nested); err != nil {
			return err
		}
	}
	return nil
}

func ofKubernetes(request histories.Request) bool {
	named := func(key histories.Key) bool { return key.Namespace != "" || key.Resource != "" }
	return request.Kube != nil || request.ExpectUID != "" || request.Scope.Shape == histories.Namespace ||
		named(request.Key) || named(request.Scope.Key)
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
		Success: []*pb.RequestOp{opDelete(&pb.DeleteRangeRequest{Key: []byte(key)})},
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

func opDelete(remove *pb.DeleteRangeRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: remove}}
}

func (k keyspace) put(request histories.Request) *pb.PutRequest {
	return &pb.PutRequest{
		Key:   []byte(k.key(request.Key)),
		Value: histories.EncodeValue(request.Write, request.Labels, request.Size),
		Lease: request.Lease,
	}
}

// delete removes one key, whatever it holds.
func (k keyspace) delete(request histories.Request) *pb.DeleteRangeRequest {
	return &pb.DeleteRangeRequest{Key: []byte(k.key(request.Key)), PrevKv: request.PrevKV}
}

// deleteRange removes a scope, which lies within the space.
func (k keyspace) deleteRange(request histories.Request) *pb.DeleteRangeRequest {
	covered := k.span(request.Scope)
	return &pb.DeleteRangeRequest{
		Key: []byte(covered.key), RangeEnd: []byte(covered.end), PrevKv: request.PrevKV,
	}
}

// get reads one key, as a kube-apiserver does with a limit of one.
func (k keyspace) get(request histories.Request) *pb.RangeRequest {
	read := rangeOptions(request)
	read.Key, read.Limit = []byte(k.key(request.Key)), 1
	return read
}

// list reads a scope, or a page of it.
func (k keyspace) list(request histories.Request) *pb.RangeRequest {
	covered := k.span(request.Scope)
	if request.HasStart {
		covered = k.startingAt(covered, request.Start)
	}
	read := rangeOptions(request)
	read.Key, read.RangeEnd, read.Limit = []byte(covered.key), []byte(covered.end), request.Limit
	return read
}

var sortTargets = map[histories.SortTarget]pb.RangeRequest_SortTarget{
	histories.SortByKey:     pb.RangeRequest_KEY,
	histories.SortByVersion: pb.RangeRequest_VERSION,
	histories.SortByCreate:  pb.RangeRequest_CREATE,
	histories.SortByMod:     pb.RangeRequest_MOD,
	histories.SortByValue:   pb.RangeRequest_VALUE,
}

var sortOrders = map[histories.SortOrder]pb.RangeRequest_SortOrder{
	histories.Ascend:  pb.RangeRequest_ASCEND,
	histories.Descend: pb.RangeRequest_DESCEND,
}

// rangeOptions are those that say nothing about which keys.
func rangeOptions(request histories.Request) *pb.RangeRequest {
	return &pb.RangeRequest{
		Revision:          int64(request.Revision),
		SortTarget:        sortTargets[request.SortTarget],
		SortOrder:         sortOrders[request.SortOrder],
		Serializable:      request.Serializable,
		KeysOnly:          request.KeysOnly,
		CountOnly:         request.CountOnly,
		MinModRevision:    int64(request.MinModRevision),
		MaxModRevision:    int64(request.MaxModRevision),
		MinCreateRevision: int64(request.MinCreateRevision),
		MaxCreateRevision: int64(request.MaxCreateRevision),
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
			WatchId:        request.WatchID,
			Fragment:       request.Fragment,
			Filters:        watchFilters(request.Filters),
		},
	}}
}

func watchFilters(names []string) (filters []pb.WatchCreateRequest_FilterType) {
	for _, name := range names {
		switch name {
		case histories.NoPut:
			filters = append(filters, pb.WatchCreateRequest_NOPUT)
		case histories.NoDelete:
			filters = append(filters, pb.WatchCreateRequest_NODELETE)
		default:
			panic("fault of this program: " + name + " is no filter of a watch")
		}
	}
	return filters
}

func cancelWatch(id int64) *pb.WatchRequest {
	return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_CancelRequest{
		CancelRequest: &pb.WatchCancelRequest{WatchId: id},
	}}
}

func progressOfWatches() *pb.WatchRequest {
	return &pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{
		ProgressRequest: &pb.WatchProgressRequest{},
	}}
}
