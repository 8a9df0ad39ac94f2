package etcd_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

// stub is a server that answers as a test says. It remembers the requests.
type stub struct {
	pb.UnimplementedKVServer
	pb.UnimplementedWatchServer
	pb.UnimplementedMaintenanceServer

	mu       sync.Mutex
	requests []proto.Message
	answer   func(proto.Message) (proto.Message, error)
	watched  func(pb.Watch_WatchServer) error
}

func startStub(t *testing.T, s *stub) (endpoint string, server *grpc.Server) {
	t.Helper()
	server = grpc.NewServer()
	pb.RegisterKVServer(server, s)
	pb.RegisterWatchServer(server, s)
	pb.RegisterMaintenanceServer(server, s)
	listener := listen(t)
	serve(t, server, listener)
	return listener.Addr().String(), server
}

func serve(t *testing.T, server *grpc.Server, listener net.Listener) {
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
}

// stubClient is a client of a stub. The requests of the setup are forgotten.
func stubClient(t *testing.T, s *stub) (targets.Client, *grpc.Server) {
	t.Helper()
	endpoint, server := startStub(t, s)
	client := openClient(t, openSpace(t, openLeaving(t, endpoint), "0001"))
	s.sent()
	return client, server
}

// answerWith sets what later calls are answered.
func (s *stub) answerWith(answer func(proto.Message) (proto.Message, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// sent returns the requests since the last time.
func (s *stub) sent() []proto.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests := s.requests
	s.requests = nil
	return requests
}

func reply[T proto.Message](s *stub, request proto.Message, empty T) (T, error) {
	s.mu.Lock()
	s.requests = append(s.requests, request)
	give := s.answer
	s.mu.Unlock()
	if give == nil {
		return empty, nil
	}
	answer, err := give(request)
	if answer == nil || err != nil {
		return empty, err
	}
	return answer.(T), nil
}

func (s *stub) Status(context.Context, *pb.StatusRequest) (*pb.StatusResponse, error) {
	return &pb.StatusResponse{Version: "3.5.13"}, nil
}

func (s *stub) Range(_ context.Context, r *pb.RangeRequest) (*pb.RangeResponse, error) {
	return reply(s, r, &pb.RangeResponse{})
}

func (s *stub) Txn(_ context.Context, r *pb.TxnRequest) (*pb.TxnResponse, error) {
	return reply(s, r, &pb.TxnResponse{})
}

func (s *stub) Put(_ context.Context, r *pb.PutRequest) (*pb.PutResponse, error) {
	return reply(s, r, &pb.PutResponse{})
}

func (s *stub) DeleteRange(_ context.Context, r *pb.DeleteRangeRequest) (*pb.DeleteRangeResponse, error) {
	return reply(s, r, &pb.DeleteRangeResponse{})
}

func (s *stub) Watch(stream pb.Watch_WatchServer) error {
	if s.watched == nil {
		return s.UnimplementedWatchServer.Watch(stream)
	}
	return s.watched(stream)
}

func TestAFakedVersionIsNoProfile(t *testing.T) {
	endpoint, _ := startStub(t, &stub{})
	got := open(t, etcd.Config{Endpoints: []string{endpoint}}).Describe()
	if got.Server != "3.5.13" || got.Profile != "etcd" {
		t.Errorf("server %q profile %q", got.Server, got.Profile)
	}
}

func TestShapes(t *testing.T) {
	s := &stub{}
	client, _ := stubClient(t, s)
	shape := func(request histories.Request) proto.Message {
		do(t, client, request)
		sent := s.sent()
		if len(sent) != 1 {
			t.Fatalf("%s sent %d requests", request.Kind, len(sent))
		}
		return sent[0]
	}
	full := shape(histories.Request{Kind: histories.Get, Key: key("a")}).(*pb.RangeRequest).GetKey()
	value := histories.EncodeValue("w1", nil, 0)
	compare := func(revision int64) []*pb.Compare {
		return []*pb.Compare{{
			Key: full, Target: pb.Compare_MOD, Result: pb.Compare_EQUAL,
			TargetUnion: &pb.Compare_ModRevision{ModRevision: revision},
		}}
	}
	read := []*pb.RequestOp{{Request: &pb.RequestOp_RequestRange{RequestRange: &pb.RangeRequest{Key: full}}}}
	write := []*pb.RequestOp{{Request: &pb.RequestOp_RequestPut{RequestPut: &pb.PutRequest{Key: full, Value: value}}}}
	remove := []*pb.RequestOp{{Request: &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: &pb.DeleteRangeRequest{Key: full}}}}
	for _, test := range []struct {
		request histories.Request
		want    proto.Message
	}{
		{create("a", "w1"), &pb.TxnRequest{Compare: compare(0), Success: write}},
		{histories.Request{Kind: histories.Update, Key: key("a"), Write: "w1", Expect: 7, Conditional: true}, &pb.TxnRequest{Compare: compare(7), Success: write, Failure: read}},
		{histories.Request{Kind: histories.Delete, Key: key("a"), Expect: 7, Conditional: true}, &pb.TxnRequest{Compare: compare(7), Success: remove, Failure: read}},
		{histories.Request{Kind: histories.Delete, Key: key("a")}, &pb.DeleteRangeRequest{Key: full}},
		{histories.Request{Kind: histories.Put, Key: key("a"), Write: "w1"}, &pb.PutRequest{Key: full, Value: value}},
		{histories.Request{Kind: histories.Get, Key: key("a"), Revision: 5}, &pb.RangeRequest{Key: full, Limit: 1, Revision: 5}},
		{histories.Request{Kind: histories.List, Scope: histories.Scope{Shape: histories.Single, Key: key("a")}}, &pb.RangeRequest{Key: full}},
		{
			histories.Request{
				Kind: histories.Get, Key: key("a"), CountOnly: true, KeysOnly: true, Serializable: true,
				SortTarget: histories.SortByMod, SortOrder: histories.Descend,
				MinModRevision: 1, MaxModRevision: 2, MinCreateRevision: 3, MaxCreateRevision: 4,
			},
			&pb.RangeRequest{
				Key: full, Limit: 1, CountOnly: true, KeysOnly: true, Serializable: true,
				SortTarget: pb.RangeRequest_MOD, SortOrder: pb.RangeRequest_DESCEND,
				MinModRevision: 1, MaxModRevision: 2, MinCreateRevision: 3, MaxCreateRevision: 4,
			},
		},
		{histories.Request{Kind: histories.LeaseAttach, Key: key("a"), Write: "w1", Lease: 5}, &pb.PutRequest{Key: full, Value: value, Lease: 5}},
		{
			histories.Request{Kind: histories.DeleteRange, Scope: histories.Scope{Shape: histories.Single, Key: key("a")}, PrevKV: true},
			&pb.DeleteRangeRequest{Key: full, PrevKv: true},
		},
	} {
		if got := shape(test.request); !proto.Equal(got, test.want) {
			t.Errorf("%s sent %v, want %v", test.request.Kind, got, test.want)
		}
	}
}

func TestAKeyOutsideTheSpaceIsShown(t *testing.T) {
	s := &stub{}
	client, _ := stubClient(t, s)
	s.answerWith(func(proto.Message) (proto.Message, error) {
		return &pb.RangeResponse{Kvs: []*mvccpb.KeyValue{{Key: []byte("/registry/x"), ModRevision: 3}}, Count: 1}, nil
	})
	got := do(t, client, list(histories.Scope{}))
	if diff := cmp.Diff([]string{histories.OutsideMark + "/registry/x"}, names(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestRemoveWithoutDeleteRange(t *testing.T) {
	s := &stub{}
	endpoint, _ := startStub(t, s)
	space := openSpace(t, openLeaving(t, endpoint), "0001")
	left := []*mvccpb.KeyValue{{Key: []byte("k1"), ModRevision: 5}, {Key: []byte("k2"), ModRevision: 6}}
	var removed []int64
	s.answerWith(func(request proto.Message) (proto.Message, error) {
		switch r := request.(type) {
		case *pb.DeleteRangeRequest:
			return nil, status.Error(codes.Unimplemented, "delete is not supported")
		case *pb.TxnRequest:
			removed = append(removed, r.GetCompare()[0].GetModRevision())
			left = left[1:]
			return &pb.TxnResponse{Succeeded: true}, nil
		default:
			return &pb.RangeResponse{Kvs: left}, nil
		}
	})
	if err := space.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{5, 6}, removed); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// stubWatch opens a watch on a stub that sends the responses, and then ends the
// stream with the error.
func stubWatch(t *testing.T, end error, responses ...*pb.WatchResponse) (histories.Answer, *sink) {
	t.Helper()
	s := &stub{watched: func(stream pb.Watch_WatchServer) error {
		if _, err := stream.Recv(); err != nil {
			return err
		}
		for _, r := range responses {
			if err := stream.Send(r); err != nil {
				return err
			}
		}
		return end
	}}
	client, _ := stubClient(t, s)
	got := newSink()
	answer, _, err := client.Watch(t.Context(), histories.Request{Kind: histories.Watch}, got)
	if err != nil {
		t.Fatal(err)
	}
	return answer, got
}

func header(revision int64) *pb.ResponseHeader { return &pb.ResponseHeader{Revision: revision} }

func created() *pb.WatchResponse { return &pb.WatchResponse{Header: header(7), Created: true} }

func TestWaysAWatchEnds(t *testing.T) {
	for name, test := range map[string]struct {
		end       error
		responses []*pb.WatchResponse
		want      histories.End
	}{
		"compacted after created": {
			responses: []*pb.WatchResponse{created(), {Header: header(9), Canceled: true, CompactRevision: 4}},
			want:      histories.End{Reason: histories.EndCompacted, CompactRevision: 4, Header: 9},
		},
		"compacted inside created": {
			responses: []*pb.WatchResponse{{Header: header(7), Created: true, Canceled: true, CompactRevision: 4, CancelReason: "mvcc: required revision has been compacted"}},
			want: histories.End{
				Reason: histories.EndCompacted, CompactRevision: 4, Header: 7,
				Error: &histories.Error{Class: histories.Compacted},
			},
		},
		"refused": {
			responses: []*pb.WatchResponse{{Header: header(7), Created: true, Canceled: true, CancelReason: "etcdserver: permission denied"}},
			want:      histories.End{Reason: histories.EndError, Header: 7, Error: &histories.Error{Class: histories.Other}},
		},
		"cancelled for no reason": {
			responses: []*pb.WatchResponse{created(), {Header: header(8), Canceled: true}},
			want:      histories.End{Reason: histories.EndClosed, Header: 8},
		},
		"closed": {responses: []*pb.WatchResponse{created()}, want: histories.End{Reason: histories.EndClosed}},
		"no leader": {
			responses: []*pb.WatchResponse{created()}, end: status.Error(codes.Unavailable, "etcdserver: no leader"),
			want: histories.End{Reason: histories.EndError, Error: &histories.Error{Class: histories.Unavailable}},
		},
		"compacted as a status": {
			responses: []*pb.WatchResponse{created()}, end: status.Error(codes.OutOfRange, "etcdserver: mvcc: required revision has been compacted"),
			want: histories.End{Reason: histories.EndCompacted, Error: &histories.Error{Class: histories.Compacted}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer, s := stubWatch(t, test.end, test.responses...)
			if answer.Outcome != histories.OK || answer.Revision != 7 {
				t.Errorf("answer %+v", answer)
			}
			if diff := cmp.Diff(test.want, s.awaitEnd(t), asTold); diff != "" {
				t.Errorf("end: -want +got\n%s", diff)
			}
		})
	}
}

func TestAWatchThatIsNotCreated(t *testing.T) {
	answer, s := stubWatch(t, status.Error(codes.PermissionDenied, "no"))
	if answer.Outcome != histories.Fail || len(s.ended()) != 0 {
		t.Errorf("answer %+v, ends %+v", answer, s.ended())
	}
	answer, _ = stubWatch(t, nil)
	if answer.Outcome != histories.Unknown {
		t.Errorf("answer %+v", answer)
	}
}

func TestOddResponsesAreRecordedAsTheyAre(t *testing.T) {
	deletion := &mvccpb.Event{Type: mvccpb.Event_DELETE, Kv: &mvccpb.KeyValue{Key: []byte("/x"), ModRevision: 9, Version: 3, Value: []byte("old")}}
	answer, s := stubWatch(t, nil,
		&pb.WatchResponse{Header: header(9), Events: []*mvccpb.Event{deletion}}, // instead of created
		&pb.WatchResponse{}, // progress with no revision
		&pb.WatchResponse{Header: header(10), Fragment: true, Events: []*mvccpb.Event{{Kv: &mvccpb.KeyValue{}}}},
		&pb.WatchResponse{Header: header(11), Canceled: true, Events: []*mvccpb.Event{{Kv: &mvccpb.KeyValue{}}}},
	)
	if answer.Outcome != histories.OK || answer.Revision != 0 {
		t.Errorf("answer %+v", answer)
	}
	if end := s.awaitEnd(t); end.Reason != histories.EndClosed || end.Header != 11 {
		t.Errorf("end %+v", end)
	}
	outside := func(name string) histories.Key { return key(histories.OutsideMark + name) }
	want := [][]histories.Event{
		{{Type: histories.DeleteEvent, Header: 9, Transport: "t1", Last: true, Object: histories.Object{Key: outside("/x"), RV: 9, Version: 3, Size: 3}}},
		{{Type: histories.ProgressEvent, Header: 0, Transport: "t1", Last: true}},
		{{Type: histories.PutEvent, Header: 10, Transport: "t1", Last: false, Object: histories.Object{Key: outside("")}}},
		{{Type: histories.PutEvent, Header: 11, Transport: "t1", Last: true, Object: histories.Object{Key: outside("")}}},
	}
	if diff := cmp.Diff(want, s.batches, cmpopts.IgnoreFields(histories.Object{}, "Foreign")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for i, batch := range s.batches {
		if foreign := batch[0].Object.Foreign; (foreign == "") != (batch[0].Type == histories.ProgressEvent) {
			t.Errorf("batch %d: foreign %q", i, foreign)
		}
	}
}

func TestAWatchWantsALeader(t *testing.T) {
	seen := make(chan metadata.MD, 1)
	s := &stub{watched: func(stream pb.Watch_WatchServer) error {
		got, _ := metadata.FromIncomingContext(stream.Context())
		seen <- got
		return stream.Send(created())
	}}
	client, _ := stubClient(t, s)
	watch(t, t.Context(), client, histories.Request{})
	if got := (<-seen).Get("hasleader"); len(got) != 1 || got[0] != "true" {
		t.Errorf("hasleader is %q", got)
	}
}

func TestALostConnection(t *testing.T) {
	inside := make(chan struct{})
	s := &stub{watched: func(stream pb.Watch_WatchServer) error {
		if err := stream.Send(created()); err != nil {
			return err
		}
		<-stream.Context().Done()
		return nil
	}}
	client, server := stubClient(t, s)
	got, _, _ := watch(t, t.Context(), client, histories.Request{})
	s.answerWith(func(proto.Message) (proto.Message, error) {
		close(inside)
		<-t.Context().Done() // the server dies in the middle of the call
		return nil, nil
	})
	go func() {
		<-inside
		server.Stop()
	}()
	answer := do(t, client, create("a", "w1"))
	if sent := s.sent(); answer.Outcome != histories.Unknown || answer.Error.Class != histories.Unavailable || len(sent) != 1 {
		t.Errorf("the call: %+v, sent %d times", answer, len(sent))
	}
	if end := got.awaitEnd(t); end.Reason != histories.EndError {
		t.Errorf("the stream: %+v", end)
	}
	answer = do(t, client, create("a", "w2"))
	if answer.Outcome != histories.Fail || answer.Error.Class != histories.Unavailable {
		t.Errorf("the next call, for which there is no connection: %+v", answer)
	}
}

// stubThatMayStop is a stub with its server and where that listens.
func stubThatMayStop(t *testing.T) (*stub, *grpc.Server, string) {
	t.Helper()
	s, server, listener := &stub{}, grpc.NewServer(), listen(t)
	pb.RegisterKVServer(server, s)
	pb.RegisterMaintenanceServer(server, s)
	serve(t, server, listener)
	return s, server, listener.Addr().String()
}

func TestAConnectionIsReplacedBeforeACall(t *testing.T) {
	s, first, endpoint := stubThatMayStop(t)
	client := openClient(t, openSpace(t, openLeaving(t, endpoint), "0001"))
	first.Stop()
	second := grpc.NewServer()
	pb.RegisterKVServer(second, s)
	again, err := net.Listen("tcp", endpoint)
	if err != nil {
		t.Fatal(err)
	}
	serve(t, second, again)
	s.sent()
	// The client may take a moment to notice the loss; a call on the lost
	// connection is of unknown outcome and not repeated.
	calls := 1
	for do(t, client, histories.Request{Kind: histories.Get, Key: key("a")}).Outcome != histories.OK {
		if calls++; calls > 3 {
			t.Fatal("the client does not dial again")
		}
	}
	if sent := len(s.sent()); sent > calls {
		t.Errorf("%d calls sent %d requests", calls, sent)
	}
}

// A server that restarts between two plans is no end of the run.
func TestAClientWaitsForAServerThatRestarts(t *testing.T) {
	s, first, endpoint := stubThatMayStop(t)
	target, err := etcd.Open(t.Context(), etcd.Config{Endpoints: []string{endpoint}, Exclusive: true, Profile: "etcd", DialTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	first.Stop()
	opened := make(chan error, 1)
	space := openSpace(t, target, "0001")
	go func() {
		client, err := space.Open(t.Context(), 1)
		if err == nil {
			err = client.Close()
		}
		opened <- err
	}()
	socket, err := net.Listen("tcp", endpoint)
	if err != nil {
		t.Fatal(err)
	}
	if cut, err := socket.Accept(); err != nil || cut.Close() != nil { // the first attempt that arrives is cut
		t.Fatal(err)
	}
	second := grpc.NewServer()
	pb.RegisterKVServer(second, s)
	serve(t, second, socket)
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

// openLeaving opens a target that is not closed, since its server goes away.
func openLeaving(t *testing.T, endpoint string) targets.Target {
	t.Helper()
	target, err := etcd.Open(t.Context(), etcd.Config{
		Endpoints: []string{endpoint}, Exclusive: true, Profile: "etcd", DialTimeout: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return target
}
