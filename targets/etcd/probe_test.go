package etcd_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

// lacking are the features that the target says the store is without, in order.
func lacking(target targets.Target) []targets.Feature {
	missing := maps.Clone(target.Describe().Unsupported)
	for _, ofTheRun := range []targets.Feature{targets.Faults, targets.KubeOptions, targets.ManyEndpoints} {
		delete(missing, ofTheRun)
	}
	return slices.Sorted(maps.Keys(missing))
}

// etcd itself lacks nothing, and asking changes nothing in a store that is not
// exclusive.
func TestAskingEtcd(t *testing.T) {
	client := openClient(t, openSpace(t, open(t, sharedConfig()), "asking"))
	made := do(t, client, create("a", "w1"))
	config := etcd.Config{Endpoints: []string{shared.Endpoint()}}
	if missing := lacking(open(t, config)); !slices.Equal(missing, []targets.Feature{targets.Compaction}) {
		t.Errorf("etcd lacks %v", missing)
	}
	if got := do(t, client, histories.Request{Kind: histories.Get, Key: key("a")}); got.Revision != made.Revision {
		t.Errorf("asking moved the store from revision %d to %d", made.Revision, got.Revision)
	}
	config.Exclusive = true
	target := open(t, config)
	if missing := lacking(target); len(missing) > 0 || !target.Describe().Exclusive {
		t.Errorf("etcd lacks %v: %+v", missing, target.Describe())
	}
}

// modest is a store that takes what a kube-apiserver sends, and puts.
type modest struct {
	*stub
	// compacts says whether a compaction does anything.
	compacts bool
	point    int64
}

func (m *modest) Compact(_ context.Context, r *pb.CompactionRequest) (*pb.CompactionResponse, error) {
	m.point = r.GetRevision()
	return &pb.CompactionResponse{}, nil
}

func (m *modest) answer(request proto.Message) (proto.Message, error) {
	switch r := request.(type) {
	case *pb.RangeRequest:
		if r.GetSerializable() || r.GetSortOrder() != 0 || r.GetMinModRevision() != 0 {
			return nil, status.Error(codes.Unknown, "such reads are not supported")
		}
		if m.compacts && r.GetRevision() > 0 && r.GetRevision() < m.point {
			return nil, status.Error(codes.OutOfRange, "etcdserver: mvcc: required revision has been compacted")
		}
		if strings.HasSuffix(string(r.GetKey()), "/probe") {
			return &pb.RangeResponse{Kvs: []*mvccpb.KeyValue{{Key: r.GetKey(), ModRevision: 7}}}, nil
		}
	case *pb.TxnRequest:
		if len(r.GetCompare()) > 1 {
			return nil, status.Error(codes.InvalidArgument, "unsupported transaction")
		}
		return &pb.TxnResponse{Succeeded: true, Header: &pb.ResponseHeader{Revision: 7}}, nil
	case *pb.DeleteRangeRequest:
		return nil, status.Error(codes.Unimplemented, "delete is not supported")
	}
	return nil, nil
}

// refuseIDs is a watch server that picks its ids alone.
func refuseIDs(stream pb.Watch_WatchServer) error {
	request, err := stream.Recv()
	if err != nil {
		return err
	}
	refused := request.GetCreateRequest().GetWatchId() != 0
	answer := &pb.WatchResponse{Created: true, Canceled: refused, CancelReason: "ids are not supported"}
	return errors.Join(stream.Send(answer), stream.Context().Err())
}

func startModest(t *testing.T, compacts bool) (string, *stub) {
	t.Helper()
	s := &stub{watched: refuseIDs}
	m := &modest{stub: s, compacts: compacts}
	s.answer = m.answer
	server := grpc.NewServer()
	pb.RegisterKVServer(server, m)
	pb.RegisterWatchServer(server, s)
	pb.RegisterMaintenanceServer(server, s)
	listener := listen(t)
	serve(t, server, listener)
	return listener.Addr().String(), s
}

func opened(t *testing.T, url string) (targets.Target, error) {
	t.Helper()
	config, err := etcd.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	return etcd.Open(t.Context(), config)
}

func mustOpen(t *testing.T, url string) targets.Target {
	t.Helper()
	target, err := opened(t, url)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func TestAskingAModestStore(t *testing.T) {
	for compacts, want := range map[bool][]targets.Feature{
		true: {
			targets.RevisionBounds, targets.Deletes, targets.Leases, targets.Serializable, targets.SortedReads,
			targets.Transactions, targets.Versions, targets.WatchIDs,
		},
		false: {
			targets.RevisionBounds, targets.Compaction, targets.Deletes, targets.Leases, targets.Serializable,
			targets.SortedReads, targets.Transactions, targets.Versions, targets.WatchIDs,
		},
	} {
		endpoint, _ := startModest(t, compacts)
		target := mustOpen(t, "etcd://"+endpoint+"?exclusive=true")
		if diff := cmp.Diff(want, lacking(target)); diff != "" {
			t.Errorf("compacts %v: -want +got\n%s", compacts, diff)
		}
		got := target.Describe()
		if got.Exclusive != compacts || !strings.Contains(got.Unsupported[targets.Deletes], "delete is not supported") {
			t.Errorf("compacts %v: got %+v", compacts, got)
		}
	}
}

// A store that compacts by itself is compacted by the run too, but is not the run's own.
func TestSelfCompactingStore(t *testing.T) {
	endpoint, _ := startModest(t, true)
	target := mustOpen(t, "etcd://"+endpoint+"?exclusive=true&self-compacting=true")
	if target.Describe().Exclusive || slices.Contains(lacking(target), targets.Compaction) {
		t.Errorf("got %+v", target.Describe())
	}
}

// What is declared is not asked for, and stays as it was declared.
func TestDeclaredProfiles(t *testing.T) {
	endpoint, s := startModest(t, false)
	kine, _ := targets.ProfileWithout("kine")
	for parameters, want := range map[string][]targets.Feature{
		"?profile=etcd&exclusive=true":                             nil,
		"?profile=kine&exclusive=true":                             slices.Sorted(maps.Keys(kine)),
		"?profile=etcd-3.5&exclusive=true&without=leases,watchIDs": {targets.Leases, targets.WatchIDs},
	} {
		s.sent()
		target := mustOpen(t, "etcd://"+endpoint+parameters)
		if diff := cmp.Diff(want, lacking(target)); diff != "" {
			t.Errorf("%s: -want +got\n%s", parameters, diff)
		}
		if profile := target.Describe().Profile; !strings.Contains(parameters, "profile="+profile) {
			t.Errorf("%s: profile %q", parameters, profile)
		}
		if sent := s.sent(); len(sent) > 1 {
			t.Errorf("%s: asked %v", parameters, sent)
		}
	}
}

// A store that does not answer has refused nothing.
func TestNoAnswerIsNoRefusal(t *testing.T) {
	endpoint, s := startModest(t, true)
	first := true
	s.answerWith(func(proto.Message) (proto.Message, error) {
		if first {
			first = false
			return nil, nil
		}
		return nil, status.Error(codes.Unavailable, "busy")
	})
	_, err := opened(t, "etcd://"+endpoint)
	var setup *targets.SetupError
	if !errors.As(err, &setup) || !strings.Contains(err.Error(), "busy") {
		t.Errorf("got %v", err)
	}
}

func TestAskingEndsInTime(t *testing.T) {
	s := &stub{watched: func(stream pb.Watch_WatchServer) error { <-stream.Context().Done(); return nil }}
	endpoint, _ := startStub(t, s)
	_, err := etcd.Open(t.Context(), etcd.Config{Endpoints: []string{endpoint}, DialTimeout: 300 * time.Millisecond})
	var setup *targets.SetupError
	if !errors.As(err, &setup) || !strings.Contains(err.Error(), "no answer within 300ms") {
		t.Errorf("got %v", err)
	}
}
