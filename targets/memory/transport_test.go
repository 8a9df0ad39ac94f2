package memory

import (
	"context"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// watchOn opens a watch of a key on the transport stream "x".
func watchOn(t *testing.T, ctx context.Context, c targets.Client, r histories.Request) (*sink, histories.Answer) {
	t.Helper()
	s := newSink()
	r.Kind, r.Transport = histories.Watch, "x"
	answer, stream, err := c.Watch(ctx, r, s)
	if err != nil || answer.Outcome != histories.OK {
		t.Fatal(answer, err)
	}
	s.stream = stream
	return s, answer
}

func only(name string) histories.Scope {
	return histories.Scope{Shape: histories.Single, Key: named(name)}
}

func TestWatchesShareATransport(t *testing.T) {
	clients := openClients(t, "", 2)
	c := clients[0]
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a, first := watchOn(t, ctx, c, histories.Request{Scope: only("a")})
	b, second := watchOn(t, t.Context(), c, histories.Request{Scope: only("b"), WatchID: 7})
	_, third := watchOn(t, t.Context(), c, histories.Request{})
	other, _ := watchOn(t, t.Context(), clients[1], histories.Request{})
	if first.WatchID != 0 || second.WatchID != 7 || third.WatchID != 1 {
		t.Errorf("the ids are %d, %d and %d, expected 0, 7 and 1", first.WatchID, second.WatchID, third.WatchID)
	}
	refused, answer := watchOn(t, t.Context(), c, histories.Request{WatchID: 7})
	if end := refused.wait(t); end.Reason != histories.EndError || answer.WatchID != -1 {
		t.Errorf("expected an id that is taken to be refused: %+v, %+v", answer, end)
	}
	do(t, c, histories.Request{Kind: histories.Put, Key: named("a"), Write: "w1"})
	do(t, c, histories.Request{Kind: histories.Put, Key: named("b"), Write: "w2"})
	if err := a.stream.RequestProgress(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*sink{a, b} {
		s.until(t, func(e histories.Event) bool { return e.Type == histories.ProgressEvent && e.Header == 3 })
		if e := s.all()[0]; e.Type != histories.PutEvent || e.Transport != "m1" {
			t.Errorf("expected its event on the stream m1: %+v", e)
		}
	}
	cancel()
	if end := a.wait(t); end.Reason != histories.EndCancelled {
		t.Errorf("expected the end by cancellation, not %+v", end)
	}
	do(t, c, histories.Request{Kind: histories.Delete, Key: named("b")})
	b.until(t, func(e histories.Event) bool { return e.Type == histories.DeleteEvent })
	again, _ := watchOn(t, t.Context(), c, histories.Request{Scope: only("a"), StartRevision: 2})
	again.until(t, func(e histories.Event) bool { return e.Object.RV == 2 && e.Transport == "m1" })
	other.until(t, func(e histories.Event) bool { return e.Type == histories.DeleteEvent && e.Transport == "m4" })
	for _, e := range other.all() {
		if e.Type == histories.ProgressEvent {
			t.Errorf("the progress of another stream: %+v", e)
		}
	}
}

// A watch that waits for the future keeps the others on its stream waiting for
// progress.
func TestProgressOfATransportWaitsForAll(t *testing.T) {
	c := openClients(t, "", 1)[0]
	s, _ := watchOn(t, t.Context(), c, histories.Request{})
	watchOn(t, t.Context(), c, histories.Request{StartRevision: 4})
	if err := s.stream.RequestProgress(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		do(t, c, histories.Request{Kind: histories.Put, Key: named("a"), Write: histories.WriteID(rune('a' + i))})
	}
	s.until(t, func(e histories.Event) bool { return e.Type == histories.ProgressEvent })
	for _, e := range s.all() {
		if e.Type == histories.ProgressEvent && e.Header != 3 {
			t.Errorf("progress at %d while a watch waited for 4", e.Header)
		}
	}
}

func TestFilters(t *testing.T) {
	c := openClients(t, "", 1)[0]
	puts, _ := watchOn(t, t.Context(), c, histories.Request{Filters: []string{histories.NoDelete}})
	deletes, _ := watchOn(t, t.Context(), c, histories.Request{Filters: []string{histories.NoPut}})
	do(t, c, histories.Request{Kind: histories.Put, Key: named("a"), Write: "w"})
	do(t, c, histories.Request{Kind: histories.Delete, Key: named("a")})
	if err := puts.stream.RequestProgress(t.Context()); err != nil {
		t.Fatal(err)
	}
	for s, want := range map[*sink]histories.EventType{puts: histories.PutEvent, deletes: histories.DeleteEvent} {
		s.until(t, func(e histories.Event) bool { return e.Type == histories.ProgressEvent && e.Header == 3 })
		if events := s.all(); len(events) != 2 || events[0].Type != want {
			t.Errorf("expected one %s and progress: %+v", want, events)
		}
	}
}
