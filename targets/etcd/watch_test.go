package etcd_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// watch opens a watch that must be answered OK.
func watch(t *testing.T, ctx context.Context, client targets.Client, request histories.Request) (*sink, histories.Answer, targets.Stream) {
	t.Helper()
	request.Kind = histories.Watch
	s := newSink()
	answer, stream, err := client.Watch(ctx, request, s)
	if err != nil || answer.Outcome != histories.OK || stream == nil {
		t.Fatalf("watch: %+v, %v, %v", answer, stream, err)
	}
	return s, answer, stream
}

// brief is an event in the form in which the tests compare it.
type brief struct {
	Type   histories.EventType
	Name   string
	Write  histories.WriteID
	RV     histories.Revision
	Header histories.Revision
}

func briefs(events []histories.Event) (all []brief) {
	for _, e := range events {
		all = append(all, brief{e.Type, e.Object.Key.Name, e.Object.Write, e.Object.RV, e.Header})
	}
	return all
}

func TestWatchFromThePast(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w1")).Revision
	do(t, client, histories.Request{Kind: histories.Put, Key: key("a"), Write: "w2"})
	do(t, client, histories.Request{Kind: histories.Delete, Key: key("a")})
	s, answer, _ := watch(t, t.Context(), client, histories.Request{StartRevision: r, PrevKV: true})
	if answer.Revision != r+2 {
		t.Errorf("the created header is %v, want %v", answer.Revision, r+2)
	}
	s.await(t, "three events", func() bool { return len(s.events()) == 3 })
	do(t, client, create("b", "w3"))
	s.await(t, "the fourth event", func() bool { return len(s.events()) == 4 })
	events := s.events()
	want := []brief{
		{histories.PutEvent, "a", "w1", r, r + 2},
		{histories.PutEvent, "a", "w2", r + 1, r + 2},
		{histories.DeleteEvent, "a", "", r + 2, r + 2},
		{histories.PutEvent, "b", "w3", r + 3, r + 3},
	}
	if diff := cmp.Diff(want, briefs(events)); diff != "" {
		t.Errorf("events: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(histories.Object{Key: key("a"), RV: r + 2}, events[2].Object); diff != "" {
		t.Errorf("the delete event is not bare: -want +got\n%s", diff)
	}
	first, second := object("a", "w1", r, r, 1), object("a", "w2", r, r+1, 2)
	for i, previous := range []*histories.Object{nil, &first, &second, nil} {
		if diff := cmp.Diff(previous, events[i].Prev); diff != "" {
			t.Errorf("previous object of event %d: -want +got\n%s", i, diff)
		}
	}
	for i, last := range []bool{false, false, true, true} {
		if events[i].Last != last || events[i].Transport != "t1" {
			t.Errorf("event %d: last %v transport %q, want %v t1", i, events[i].Last, events[i].Transport, last)
		}
	}
}

func TestWatchScope(t *testing.T) {
	client := newClient(t)
	one, _, _ := watch(t, t.Context(), client, histories.Request{Scope: histories.Scope{Shape: histories.Single, Key: key("a")}})
	below, _, stream := watch(t, t.Context(), client, histories.Request{Scope: histories.Scope{Shape: histories.Prefix, Key: key("a")}})
	for _, name := range []string{"b", "ab", "a/b", "a", "A"} {
		do(t, client, create(name, histories.WriteID("w-"+name)))
	}
	one.await(t, "the event of a", func() bool { return len(one.events()) == 1 })
	below.await(t, "three events", func() bool { return len(below.events()) == 3 })
	if err := stream.RequestProgress(t.Context()); err != nil {
		t.Error(err)
	}
	below.await(t, "progress", func() bool { return len(below.progress()) == 1 })
	if got := one.events()[0]; got.Object.Key.Name != "a" || got.Transport != "t1" {
		t.Errorf("got %+v", got)
	}
	if got := below.events(); len(got) != 3 || got[2].Transport != "t2" {
		t.Errorf("got %+v", got)
	}
}

func TestWatchCancelled(t *testing.T) {
	client := newClient(t)
	ctx, cancel := context.WithCancel(t.Context())
	s, _, stream := watch(t, ctx, client, histories.Request{})
	cancel()
	if got := s.awaitEnd(t); got != (histories.End{Reason: histories.EndCancelled}) {
		t.Errorf("got %+v", got)
	}
	if err := stream.RequestProgress(t.Context()); err == nil {
		t.Error("a request for progress on an ended stream was taken")
	}
	if got := do(t, client, create("a", "w1")); got.Outcome != histories.OK {
		t.Errorf("the client does not survive its watch: %+v", got)
	}
}

func TestWatchEndsWithItsClient(t *testing.T) {
	client := newClient(t)
	s, _, _ := watch(t, t.Context(), client, histories.Request{})
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if got := s.ended(); len(got) != 1 || got[0].Reason != histories.EndCancelled {
		t.Errorf("got %+v, want it ended before Close returns", got)
	}
}

func TestWatchBelowTheCompaction(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w1")).Revision
	do(t, client, create("b", "w2"))
	do(t, client, histories.Request{Kind: histories.Compact, Revision: r + 1})
	s, answer, _ := watch(t, t.Context(), client, histories.Request{StartRevision: r})
	end := s.awaitEnd(t)
	if answer.Revision != r+1 || end.Reason != histories.EndCompacted || end.CompactRevision != r+1 {
		t.Errorf("answer %+v, end %+v, want compacted at %v", answer, end, r+1)
	}
	at, _, _ := watch(t, t.Context(), client, histories.Request{StartRevision: r + 1})
	at.await(t, "the event at the compaction", func() bool { return len(at.events()) == 1 })
}

func TestWatchFromNegative(t *testing.T) {
	s, _, _ := watch(t, t.Context(), newClient(t), histories.Request{StartRevision: -1})
	if end := s.awaitEnd(t); end.Reason != histories.EndCompacted || end.CompactRevision != 0 {
		t.Errorf("got %+v", end)
	}
}

func TestWatchOfNothing(t *testing.T) {
	empty := histories.Scope{Shape: histories.Range, Key: key("b"), End: "a"}
	s, _, _ := watch(t, t.Context(), newClient(t), histories.Request{Scope: empty})
	if end := s.awaitEnd(t); end.Reason != histories.EndError || end.Error.Class != histories.Invalid {
		t.Errorf("got %+v", end)
	}
}

func TestPeriodicProgress(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w1")).Revision
	s, _, _ := watch(t, t.Context(), client, histories.Request{ProgressNotify: true})
	s.await(t, "progress", func() bool { return len(s.progress()) > 0 })
	if got := s.progress()[0]; got != r {
		t.Errorf("progress at %v, want %v", got, r)
	}
}

func TestWatchWithoutTimeIsUnknown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newSink()
	answer, stream, err := newClient(t).Watch(ctx, histories.Request{Kind: histories.Watch}, s)
	if err != nil || stream != nil || answer.Outcome != histories.Unknown || answer.Error.Class != histories.Timeout {
		t.Errorf("got %+v, %v, %v", answer, stream, err)
	}
	if got := s.ended(); len(got) != 0 {
		t.Errorf("there is no stream, but its sink was told %+v", got)
	}
}
