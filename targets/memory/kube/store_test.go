package kube

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/kube"
	"github.com/rvcheck/rvcheck/targets"
)

// sink keeps what a stream delivers.
type sink struct {
	mu     sync.Mutex
	events []histories.Event
	end    *histories.End
}

func (s *sink) Batch(events []histories.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, events...)
}

func (s *sink) End(end histories.End) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end = &end
}

// until waits until what was delivered satisfies a condition, and returns it.
func (s *sink) until(t *testing.T, what string, holds func(events []histories.Event, end *histories.End) bool) []histories.Event {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		s.mu.Lock()
		events, end := append([]histories.Event(nil), s.events...), s.end
		s.mu.Unlock()
		if holds(events, end) {
			return events
		}
	}
	t.Fatalf("expected within twenty seconds that %s", what)
	return nil
}

func reached(revision histories.Revision) func([]histories.Event, *histories.End) bool {
	return func(events []histories.Event, _ *histories.End) bool {
		return len(events) > 0 && events[len(events)-1].Header >= revision
	}
}

func open(t *testing.T, profile string) *Store {
	t.Helper()
	p, err := kube.ParseProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	return New(t.Name(), Options{Seed: 1, Probability: 1, Profile: p}, nil)
}

func connect(t *testing.T, s *Store, name string) targets.Client {
	t.Helper()
	c := s.Connect(name)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func do(t *testing.T, c targets.Client, r histories.Request) histories.Answer {
	t.Helper()
	answer, err := c.Do(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func watching(t *testing.T, ctx context.Context, c targets.Client, o histories.KubeOptions) *sink {
	t.Helper()
	s := &sink{}
	answer, _, err := c.Watch(ctx, histories.Request{Kind: histories.Watch, Kube: &o}, s)
	if err != nil || answer.Outcome != histories.OK {
		t.Fatal(answer, err)
	}
	return s
}

func key(name string) histories.Key { return histories.Key{Namespace: "a", Name: name} }

// Clients write at the same time, and a watch beside them tells of every change, in
// order, as the state keeps it.
func TestWatchBesideWriters(t *testing.T) {
	s := open(t, "kube")
	c := connect(t, s, "watcher")
	all := watching(t, t.Context(), c, histories.KubeOptions{ResourceVersion: "1", AllowWatchBookmarks: true})
	var lanes sync.WaitGroup
	for n := range 4 {
		lanes.Go(func() {
			c := s.Connect(fmt.Sprint("writer ", n))
			for i := range 20 {
				r := histories.Request{Kind: histories.Create, Key: key("x"), Write: histories.WriteID(fmt.Sprint(n, "-", i))}
				if i%2 == 1 {
					r = histories.Request{Kind: histories.Delete, Key: key("x")}
				}
				if _, err := c.Do(context.Background(), r); err != nil {
					t.Error(err)
				}
			}
			_ = c.Close()
		})
	}
	lanes.Wait()
	events := all.until(t, "a bookmark covers all writes", reached(s.state.Newest()))
	effects := s.state.Effects(1)
	for _, e := range events {
		if e.Type == histories.ProgressEvent {
			continue
		}
		if len(effects) == 0 {
			t.Fatalf("an event too many: %+v", e)
		}
		kind, object, _ := kube.Event(effects[0].Before, effects[0].After, func(*histories.Object) bool { return true }, effects[0].Revision)
		if diff := cmp.Diff(object, e.Object); diff != "" || kind != e.Type {
			t.Errorf("expected %s (- expected, + got)\n%s", kind, diff)
		}
		effects = effects[1:]
	}
	if len(effects) > 0 {
		t.Errorf("%d events are missing", len(effects))
	}
}

func TestEndsOfWatches(t *testing.T) {
	s := open(t, "kube-1.37-uncached")
	c := connect(t, s, "c")
	for i := range 5 {
		do(t, c, histories.Request{Kind: histories.Create, Key: key(fmt.Sprint("x", i)), Write: "w"})
	}
	do(t, c, histories.Request{Kind: histories.Compact, Revision: 4})
	expired := watching(t, t.Context(), c, histories.KubeOptions{ResourceVersion: "1"})
	events := expired.until(t, "the watch ends", func(_ []histories.Event, end *histories.End) bool {
		return end != nil && end.Reason == histories.EndCompacted
	})
	if len(events) != 1 || events[0].Type != histories.ErrorEvent || events[0].Details().Error.Code != "410" {
		t.Errorf("expected one error event, not %+v", events)
	}
	closed := watching(t, t.Context(), c, histories.KubeOptions{ResourceVersion: "4", TimeoutSeconds: 1})
	closed.until(t, "the watch is closed", func(_ []histories.Event, end *histories.End) bool {
		return end != nil && end.Reason == histories.EndClosed
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := watching(t, ctx, c, histories.KubeOptions{})
	cancel()
	cancelled.until(t, "the watch is cancelled", func(_ []histories.Event, end *histories.End) bool {
		return end != nil && end.Reason == histories.EndCancelled
	})
	silent := watching(t, t.Context(), c, histories.KubeOptions{ResourceVersion: "100", AllowWatchBookmarks: true})
	time.Sleep(2 * bookmarkInterval)
	silent.mu.Lock()
	defer silent.mu.Unlock()
	if len(silent.events) != 0 {
		t.Errorf("a watch from the future says %+v", silent.events)
	}
}

func TestCallsThatAreNone(t *testing.T) {
	c := connect(t, open(t, "kube"), "c")
	if _, err := c.Do(t.Context(), histories.Request{Kind: histories.Put}); err == nil {
		t.Error("expected a put to be unsupported")
	}
	invalid := histories.Request{Kind: histories.Watch, Kube: &histories.KubeOptions{ResourceVersion: "x"}}
	answer, stream, err := c.Watch(t.Context(), invalid, &sink{})
	if err != nil || stream != nil || answer.Outcome != histories.Fail {
		t.Errorf("expected a refusal and no stream, not %+v, %v, %v", answer, stream, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if answer, err := c.Do(ctx, histories.Request{Kind: histories.Get, Key: key("x")}); err != nil || answer.Outcome != histories.Unknown {
		t.Errorf("expected no answer, not %+v, %v", answer, err)
	}
}

func TestDeleteCollection(t *testing.T) {
	s := open(t, "kube")
	c := connect(t, s, "c")
	do(t, c, histories.Request{Kind: histories.Create, Key: key("x"), Write: "w1", Labels: map[string]string{"l": "1"}})
	do(t, c, histories.Request{Kind: histories.Create, Key: key("y"), Write: "w2"})
	answer := do(t, c, histories.Request{Kind: histories.DeleteCollection, Kube: &histories.KubeOptions{LabelSelector: "l"}})
	if len(answer.Objects) != 1 || answer.Objects[0].RV != 2 || answer.Revision != 0 || s.state.Newest() != 4 {
		t.Errorf("expected x to be deleted, not %+v", answer)
	}
}

// A delete that saw no finalizer, and an update that takes the last one away, take effect
// in two steps, between which another client may write.
func TestWritesInSteps(t *testing.T) {
	s := open(t, "kube")
	c, other := connect(t, s, "c"), connect(t, s, "other")
	finalizers := &histories.KubeOptions{Finalizers: []string{"f"}}
	clear := histories.Request{Kind: histories.Patch, Key: key("x"), Write: "w3", Kube: &histories.KubeOptions{ClearFinalizers: true}}
	interrupted := func(r, between histories.Request) histories.Answer {
		in := s.begin(c.(*client), r)
		do(t, other, between)
		answer := s.step(in, r)
		s.finish(in, &answer)
		return answer
	}
	removed, succeeded := 0, 0
	for range 40 {
		do(t, c, histories.Request{Kind: histories.Create, Key: key("x"), Write: "w1"})
		answer := interrupted(histories.Request{Kind: histories.Delete, Key: key("x")},
			histories.Request{Kind: histories.Update, Key: key("x"), Write: "w2", Kube: finalizers})
		if answer.Details().UID != "" {
			removed++
			do(t, c, histories.Request{Kind: histories.Create, Key: key("x"), Write: "w1", Kube: finalizers})
			do(t, c, histories.Request{Kind: histories.Delete, Key: key("x")})
		}
		if answer := interrupted(clear, clear); answer.Outcome == histories.OK {
			succeeded++
		}
	}
	if removed == 0 || removed == 40 || succeeded == 0 || succeeded == 40 {
		t.Errorf("expected both outcomes: %d of 40 objects were removed with finalizers, %d of 40 updates of what was gone succeeded", removed, succeeded)
	}
	if s.state.Now().Len() != 0 {
		t.Error("expected nothing to be left")
	}
}
