package etcd_test

import (
	"context"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

func single(name string) histories.Scope {
	return histories.Scope{Shape: histories.Single, Key: key(name)}
}

// share is a watch of one key on the transport stream "x".
func share(name string, id int64) histories.Request {
	return histories.Request{Scope: single(name), Transport: "x", WatchID: id}
}

func TestWatchesShareATransport(t *testing.T) {
	client := newClient(t)
	a, first, stream := watch(t, t.Context(), client, share("a", 0))
	b, second, _ := watch(t, t.Context(), client, share("b", 7))
	own, _, _ := watch(t, t.Context(), client, histories.Request{})
	if first.WatchID == 7 || second.WatchID != 7 {
		t.Errorf("the ids are %d and %d, want that of the server's choice and 7", first.WatchID, second.WatchID)
	}
	do(t, client, create("a", "w1"))
	r := do(t, client, create("b", "w2")).Revision
	for _, s := range []*sink{a, b} {
		s.await(t, "its event", func() bool { return len(s.events()) == 1 })
		if got := s.events()[0].Transport; got != "t1" {
			t.Errorf("the event came on %q", got)
		}
	}
	own.await(t, "both events", func() bool { return len(own.events()) == 2 })
	if got := own.events()[0].Transport; got != "t2" {
		t.Errorf("the stream of its own is %q", got)
	}
	if err := stream.RequestProgress(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*sink{a, b} {
		s.await(t, "progress", func() bool { return len(s.progress()) == 1 })
		if got := s.progress()[0]; got != r {
			t.Errorf("progress at %v, want %v", got, r)
		}
	}
	if len(own.progress()) != 0 {
		t.Error("progress went to a watch on another stream")
	}
}

func TestATakenWatchID(t *testing.T) {
	client := newClient(t)
	watch(t, t.Context(), client, share("a", 7))
	s, _, _ := watch(t, t.Context(), client, share("b", 7))
	if end := s.awaitEnd(t); end.Reason != histories.EndError || !strings.Contains(end.Error.Message, "duplicate") {
		t.Errorf("got %+v", end)
	}
	again, answer, _ := watch(t, t.Context(), client, share("b", 8))
	do(t, client, create("b", "w1"))
	again.await(t, "its event", func() bool { return len(again.events()) == 1 })
	if answer.WatchID != 8 {
		t.Errorf("got id %d", answer.WatchID)
	}
}

func TestACancelledWatchLeavesTheOthers(t *testing.T) {
	client := newClient(t)
	ctx, cancel := context.WithCancel(t.Context())
	gone, _, _ := watch(t, ctx, client, share("a", 7))
	stays, _, stream := watch(t, t.Context(), client, share("a", 8))
	cancel()
	if end := gone.awaitEnd(t); end != (histories.End{Reason: histories.EndCancelled}) {
		t.Errorf("got %+v", end)
	}
	do(t, client, create("a", "w1"))
	stays.await(t, "its event", func() bool { return len(stays.events()) == 1 })
	if err := stream.RequestProgress(t.Context()); err != nil {
		t.Fatal(err)
	}
	stays.await(t, "progress", func() bool { return len(stays.progress()) == 1 })
	// The id is free again, on the same stream.
	third, answer, _ := watch(t, t.Context(), client, share("b", 7))
	do(t, client, create("b", "w2"))
	third.await(t, "its event", func() bool { return len(third.events()) == 1 })
	if got := third.events()[0]; answer.WatchID != 7 || got.Transport != "t1" || got.Object.Key != key("b") {
		t.Errorf("id %d, event %+v", answer.WatchID, got)
	}
	if len(gone.events()) != 0 || len(gone.progress()) != 0 || len(gone.ended()) != 1 {
		t.Errorf("the cancelled watch was told %v, %v", gone.batches, gone.ends)
	}
}

func TestACompactedWatchLeavesTheOthers(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w1")).Revision
	do(t, client, put("a", "w2"))
	do(t, client, histories.Request{Kind: histories.Compact, Revision: r + 1})
	stays, _, stream := watch(t, t.Context(), client, share("a", 8))
	behind := share("a", 7)
	behind.StartRevision = r
	gone, _, _ := watch(t, t.Context(), client, behind)
	if end := gone.awaitEnd(t); end.Reason != histories.EndCompacted || end.CompactRevision != r+1 {
		t.Errorf("got %+v", end)
	}
	// Else etcd would hold back the progress of the stream for ever.
	if err := stream.RequestProgress(t.Context()); err != nil {
		t.Fatal(err)
	}
	stays.await(t, "progress", func() bool { return len(stays.progress()) == 1 })
	behind.StartRevision = r + 1
	again, _, _ := watch(t, t.Context(), client, behind)
	again.await(t, "its event", func() bool { return len(again.events()) == 1 })
}

func TestASharedTransportSurvivesItsWatches(t *testing.T) {
	client := newClient(t)
	ctx, cancel := context.WithCancel(t.Context())
	only, _, _ := watch(t, ctx, client, share("a", 0))
	cancel()
	only.awaitEnd(t)
	next, _, _ := watch(t, t.Context(), client, share("a", 0))
	do(t, client, create("a", "w1"))
	next.await(t, "its event", func() bool { return len(next.events()) == 1 })
	if got := next.events()[0].Transport; got != "t1" {
		t.Errorf("the event came on %q", got)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if got := next.ended(); len(got) != 1 || got[0].Reason != histories.EndCancelled {
		t.Errorf("got %+v, want it ended before Close returns", got)
	}
}

func TestWatchFilters(t *testing.T) {
	client := newClient(t)
	puts, _, _ := watch(t, t.Context(), client, histories.Request{Filters: []string{histories.NoDelete}})
	deletes, _, stream := watch(t, t.Context(), client, histories.Request{Filters: []string{histories.NoPut}})
	nothing, _, still := watch(t, t.Context(), client, histories.Request{Filters: []string{histories.NoPut, histories.NoDelete}})
	do(t, client, create("a", "w1"))
	do(t, client, histories.Request{Kind: histories.Delete, Key: key("a")})
	do(t, client, create("a", "w2"))
	puts.await(t, "two puts", func() bool { return len(puts.events()) == 2 })
	deletes.await(t, "a delete", func() bool { return len(deletes.events()) == 1 })
	if got := deletes.events()[0].Type; got != histories.DeleteEvent {
		t.Errorf("got %s", got)
	}
	for _, asking := range []targets.Stream{stream, still} {
		if err := asking.RequestProgress(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	deletes.await(t, "progress", func() bool { return len(deletes.progress()) == 1 })
	nothing.await(t, "progress", func() bool { return len(nothing.progress()) == 1 })
	if len(nothing.events()) != 0 || len(puts.events()) != 2 || len(deletes.events()) != 1 {
		t.Errorf("got %v, %v, %v", nothing.batches, puts.batches, deletes.batches)
	}
}

func TestFragments(t *testing.T) {
	client := newClient(t)
	const size = 700_000
	r := do(t, client, histories.Request{Kind: histories.Put, Key: key("a"), Write: "w1", Size: size}).Revision
	for _, write := range []histories.WriteID{"w2", "w3", "w4"} {
		do(t, client, histories.Request{Kind: histories.Put, Key: key("a"), Write: write, Size: size})
	}
	for fragment, want := range map[bool]int{false: 1, true: 2} {
		s, _, _ := watch(t, t.Context(), client, histories.Request{StartRevision: r, Fragment: fragment})
		s.await(t, "four events", func() bool { return len(s.events()) == 4 })
		if len(s.batches) != want {
			t.Errorf("fragment %v: %d responses, want %d", fragment, len(s.batches), want)
		}
		for i, batch := range s.batches {
			if last := batch[len(batch)-1].Last; last != (i == want-1) {
				t.Errorf("fragment %v: response %d ends with last=%v", fragment, i, last)
			}
		}
	}
}

// scriptedTransport is a client of a stub that answers the n-th request of a
// transport stream with the n-th responses.
func scriptedTransport(t *testing.T, script ...[]*pb.WatchResponse) targets.Client {
	t.Helper()
	s := &stub{watched: func(stream pb.Watch_WatchServer) error {
		for _, responses := range script {
			if _, err := stream.Recv(); err != nil {
				return err
			}
			for _, r := range responses {
				if err := stream.Send(r); err != nil {
					return err
				}
			}
		}
		<-stream.Context().Done()
		return nil
	}}
	client, _ := stubClient(t, s)
	return client
}

func eventFor(id, revision int64) *pb.WatchResponse {
	return &pb.WatchResponse{
		Header: header(revision), WatchId: id,
		Events: []*mvccpb.Event{{Kv: &mvccpb.KeyValue{ModRevision: revision}}},
	}
}

func TestResponsesFindTheirWatch(t *testing.T) {
	createdAs := func(id int64) *pb.WatchResponse {
		return &pb.WatchResponse{Header: header(7), Created: true, WatchId: id}
	}
	client := scriptedTransport(
		t,
		[]*pb.WatchResponse{createdAs(1), eventFor(1, 8)},
		[]*pb.WatchResponse{
			// Before the second is created: for the first, and for all that there are.
			eventFor(1, 9),
			{Header: header(9), WatchId: -1},
			createdAs(2), eventFor(2, 10),
			{Header: header(10), WatchId: 2},
			{Header: header(10), WatchId: -1},
			eventFor(1, 11),
		},
		[]*pb.WatchResponse{{Header: header(11), WatchId: 1, Canceled: true}, eventFor(1, 12), eventFor(3, 13)},
	)
	one, _, _ := watch(t, t.Context(), client, share("a", 0))
	two, _, stream := watch(t, t.Context(), client, share("a", 0))
	one.await(t, "the event at 11", func() bool { return len(one.events()) == 3 })
	if err := stream.RequestProgress(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end := one.awaitEnd(t); end.Reason != histories.EndClosed {
		t.Errorf("the first ended: %+v", end)
	}
	end := two.awaitEnd(t)
	if end.Reason != histories.EndError || !strings.Contains(end.Error.Message, "the watch 3") {
		t.Errorf("the second ended: %+v, want that a response was for a watch that is not there", end)
	}
	for s, want := range map[*sink]string{one: "put 8 put 9 progress 9 progress 10 put 11", two: "put 10 progress 10 progress 10"} {
		var got []string
		for _, batch := range s.batches {
			got = append(got, string(batch[0].Type)+" "+batch[0].Header.String())
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("got %s, want %s", text, want)
		}
	}
}

func TestAWatchThatIsCreatedTooLate(t *testing.T) {
	late := make(chan struct{})
	requests := make(chan *pb.WatchRequest, 3)
	s := &stub{watched: func(stream pb.Watch_WatchServer) error {
		for i := range int64(3) {
			request, err := stream.Recv()
			if err != nil {
				return err
			}
			requests <- request
			if i == 0 {
				<-late
			}
			if request.GetCreateRequest() != nil {
				if err := stream.Send(&pb.WatchResponse{Created: true, WatchId: i + 5}); err != nil {
					return err
				}
			}
		}
		<-stream.Context().Done()
		return nil
	}}
	client, _ := stubClient(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	request := share("a", 0)
	request.Kind = histories.Watch
	unheard := newSink()
	answer, stream, err := client.Watch(ctx, request, unheard)
	if err != nil || stream != nil || answer.Outcome != histories.Unknown {
		t.Errorf("got %+v, %v, %v", answer, stream, err)
	}
	close(late)
	_, second, _ := watch(t, t.Context(), client, share("a", 0))
	if first, cancelled := <-requests, <-requests; first.GetCreateRequest() == nil || cancelled.GetCancelRequest().GetWatchId() != 5 {
		t.Errorf("sent %v and %v, want that the watch 5 is cancelled", first, cancelled)
	}
	if second.WatchID != 7 {
		t.Errorf("the second watch got the id %d", second.WatchID)
	}
	if len(unheard.batches) != 0 || len(unheard.ends) != 0 {
		t.Errorf("there is no stream, but its sink was told %v, %v", unheard.batches, unheard.ends)
	}
}

func TestABrokenTransportIsReplaced(t *testing.T) {
	broken := make(chan struct{})
	s := &stub{watched: func(stream pb.Watch_WatchServer) error {
		if _, err := stream.Recv(); err != nil {
			return err
		}
		if err := stream.Send(created()); err != nil {
			return err
		}
		<-broken
		return nil
	}}
	client, _ := stubClient(t, s)
	first, _, _ := watch(t, t.Context(), client, share("a", 0))
	close(broken)
	if end := first.awaitEnd(t); end.Reason != histories.EndClosed {
		t.Errorf("got %+v", end)
	}
	second, _, _ := watch(t, t.Context(), client, share("a", 0))
	second.awaitEnd(t)
}
