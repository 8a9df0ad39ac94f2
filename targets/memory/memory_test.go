package memory

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets"
)

func TestCallsFollowTheSpecification(t *testing.T) {
	c := openClients(t, "", 1)[0]
	random := rand.New(rand.NewPCG(1, 1))
	state := models.Empty()
	for i := range 3000 {
		r := drawRequest(random, state, i)
		got, err := c.Do(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		next, want := state.Apply(r, state.Newest()+1)
		want.TTL = min(want.TTL, got.TTL) // time passes
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%+v\n(-specification +store)\n%s", r, diff)
		}
		state = next
	}
}

func TestWatchesDeliverTheEffects(t *testing.T) {
	clients := openClients(t, "", 5)
	single := histories.Scope{Shape: histories.Single, Key: histories.Key{Name: "b"}}
	prefix := histories.Scope{Shape: histories.Prefix, Key: histories.Key{Name: "a"}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var sinks []*sink
	open := func(scope histories.Scope, from histories.Revision) {
		s := newSink()
		r := histories.Request{Kind: histories.Watch, Scope: scope, StartRevision: from, PrevKV: true}
		answer, stream, err := clients[4].Watch(ctx, r, s)
		if err != nil || answer.Outcome != histories.OK {
			t.Fatal(answer, err)
		}
		s.stream, s.scope, s.from = stream, scope, max(from, 2)
		sinks = append(sinks, s)
	}
	open(histories.Scope{}, 0)
	open(single, 30)
	race(t, clients[:4], 100)
	open(histories.Scope{}, 2)
	open(prefix, 20)
	race(t, clients[:4], 100)
	state := clients[0].(*client).store.state
	for _, s := range sinks {
		checkDelivery(t, s, state)
	}
	cancel()
	for _, s := range sinks {
		if end := s.wait(t); end.Reason != histories.EndCancelled {
			t.Errorf("expected the end by cancellation, not %+v", end)
		}
	}
}

// checkDelivery waits for progress past the end, and compares all events with the
// effects of the final state.
func checkDelivery(t *testing.T, s *sink, state *models.State) {
	t.Helper()
	if err := s.stream.RequestProgress(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.until(t, func(e histories.Event) bool { return e.Type == histories.ProgressEvent && e.Header == state.Newest() })
	var want, got []histories.Event
	for _, e := range state.Effects(s.from) {
		if models.Contains(s.scope, e.Key) {
			want = append(want, eventOf(e))
		}
	}
	for _, e := range s.all() {
		if e.Type == histories.ProgressEvent {
			continue
		}
		if e.Header < e.Object.RV || e.Transport == "" {
			t.Errorf("expected a header not below the event and a transport: %+v", e)
		}
		e.Header, e.Last, e.Transport = 0, false, ""
		got = append(got, e)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("watch of %v from %d (-effects +events)\n%s", s.scope, s.from, diff)
	}
}

func eventOf(e models.Effect) histories.Event {
	event := histories.Event{Type: histories.PutEvent, Object: e.Object, Prev: e.Prev}
	if e.Deleted {
		event.Type = histories.DeleteEvent
	}
	return event
}

func TestProgressComesAfterTheEvents(t *testing.T) {
	clients := openClients(t, "", 3)
	s := newSink()
	_, stream, err := clients[2].Watch(t.Context(), histories.Request{Kind: histories.Watch, ProgressNotify: true}, s)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		race(t, clients[:2], 5)
		if err := stream.RequestProgress(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	newest := clients[0].(*client).store.state.Newest()
	s.until(t, func(e histories.Event) bool { return e.Type == histories.ProgressEvent && e.Header >= newest })
	reached := histories.Revision(0)
	for _, e := range s.all() {
		at := e.Object.RV
		if e.Type == histories.ProgressEvent {
			at = e.Header
		}
		if at < reached || at == reached && e.Type != histories.ProgressEvent {
			t.Fatalf("expected nothing at or below %d after it was reached: %+v", reached, e)
		}
		reached = at
	}
}

func TestPeriodicProgress(t *testing.T) {
	clients := openClients(t, "", 1)
	s := newSink()
	if _, _, err := clients[0].Watch(t.Context(), histories.Request{Kind: histories.Watch, ProgressNotify: true}, s); err != nil {
		t.Fatal(err)
	}
	s.until(t, func(e histories.Event) bool { return e.Type == histories.ProgressEvent && e.Header == 1 })
}

func TestCompactionEndsWatches(t *testing.T) {
	c := openClients(t, "", 1)[0]
	race(t, []targets.Client{c}, 20)
	newest := c.(*client).store.state.Newest()
	if a, _ := c.Do(t.Context(), histories.Request{Kind: histories.Compact, Revision: newest - 1}); a.Outcome != histories.OK {
		t.Fatal(a)
	}
	for start, compacted := range map[histories.Revision]histories.Revision{2: newest - 1, newest - 2: newest - 1, -1: 0} {
		s := newSink()
		answer, _, _ := c.Watch(t.Context(), histories.Request{Kind: histories.Watch, StartRevision: start}, s)
		end := s.wait(t)
		if answer.Outcome != histories.OK || end.Reason != histories.EndCompacted || end.CompactRevision != compacted || len(s.all()) > 0 {
			t.Errorf("from %d: expected no event and the end by compaction at %d: %+v", start, compacted, end)
		}
	}
	s := newSink()
	if _, _, err := c.Watch(t.Context(), histories.Request{Kind: histories.Watch, StartRevision: newest - 1, PrevKV: true}, s); err != nil {
		t.Fatal(err)
	}
	s.until(t, func(e histories.Event) bool { return e.Object.RV == newest })
	if first := s.all()[0]; first.Object.RV != newest-1 || first.Prev != nil {
		t.Errorf("expected the event at the compaction revision, without what was compacted before it: %+v", first)
	}
}

func TestNothingIsLeftAfterClose(t *testing.T) {
	before := runtime.NumGoroutine()
	target, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	space, err := target.NewSpace(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := target.NewSpace(t.Context(), "one"); err == nil {
		t.Error("expected an error for a name in use")
	}
	s := newSink()
	for range 3 {
		c, err := space.Open(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Watch(t.Context(), histories.Request{Kind: histories.Watch, ProgressNotify: true}, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := target.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.ends != 3 {
		t.Errorf("expected 3 watches to end, not %d", s.ends)
	}
	eventually(t, "the goroutines end", func() bool { return runtime.NumGoroutine() <= before })
}

func TestCallsAfterTheEnd(t *testing.T) {
	c := openClients(t, "", 1)[0]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a, err := c.Do(ctx, histories.Request{Kind: histories.Get}); err != nil || a.Outcome != histories.Unknown {
		t.Error(a, err)
	}
	if a, s, err := c.Watch(ctx, histories.Request{Kind: histories.Watch}, nil); err != nil || s != nil || a.Outcome != histories.Unknown {
		t.Error(a, s, err)
	}
	var unsupported *targets.Unsupported
	for _, r := range []histories.Request{
		{Kind: histories.Transact},
		{Kind: histories.Get, Kube: &histories.KubeOptions{}},
		{Kind: histories.List, Scope: histories.Scope{Shape: histories.Namespace}},
	} {
		if _, err := c.Do(t.Context(), r); !errors.As(err, &unsupported) {
			t.Errorf("%s: expected it to be unsupported: %v", r.Kind, err)
		}
	}
}

func TestURLs(t *testing.T) {
	for text, want := range map[string]string{
		"memory://":                                       "memory://",
		"memory://?layer=etcd":                            "memory://",
		"memory://?mutant=create-race":                    "memory://?mutant=create-race",
		"memory://?probability=0.2&seed=7":                "memory://?probability=0.2&seed=7",
		"memory://?mutant=":                               "mutant: expected the id of a mutant, and without the parameter a store that has no fault",
		"memory://?layer=":                                "layer: expected etcd or kube",
		"memory://?mutant=creat-race":                     "mutant: expected the id of a mutant, not \"creat-race\"; near it: create-race, update-race, delete-race",
		"memory://?layer=kube":                            "memory://?layer=kube",
		"memory://?layer=storage":                         "layer: expected etcd or kube, the layers that this target offers, not \"storage\"",
		"memory://?profile=kube-1.30":                     "profile: expected layer=kube with it",
		"memory://?profile=kube-1.30-uncached&layer=kube": "memory://?layer=kube&profile=kube-1.30-uncached",
		"memory://?scope=cluster&layer=kube":              "memory://?layer=kube&scope=cluster",
		"memory://?scope=cluster":                         "scope: expected layer=kube with it",
		"memory://?scope=all&layer=kube":                  "scope: expected namespaced or cluster, not \"all\"",
		"memory://?probability=2":                         "probability: expected a number above 0 and at most 1, not 2",
		"memory://?probability=0":                         "probability: expected a number above 0 and at most 1, not \"0\"",
		"memory://?probability=NaN":                       "probability: expected a number above 0 and at most 1, not NaN",
		"memory://?seed=-1":                               "seed: expected a decimal number of 64 bits, not \"-1\"",
		"memory://?colour=red":                            "colour: expected one of the parameters layer, mutant, probability, profile, scope, seed",
		"memory://?seed=1&seed=2":                         "seed: expected one value, not 2",
		"memory://localhost?mutant=more":                  "target: expected memory:// with nothing but parameters, such as memory://?mutant=create-race",
		"memory://user:secret@/?layer=etcd":               "target: expected memory:// with nothing but parameters, such as memory://?mutant=create-race",
	} {
		if got := describeURL(t, text); got != want {
			t.Errorf("%s\nexpected %s\ngot      %s", text, want, got)
		}
	}
}

func describeURL(t *testing.T, text string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	target, err := OpenURL(u)
	if err == nil {
		return target.Describe().URL
	}
	var usage *targets.UsageError
	if !errors.As(err, &usage) {
		t.Errorf("%s: expected a usage error, not %T", text, err)
	}
	return err.Error()
}

// openClients opens a store and clients on it.
func openClients(t *testing.T, mutant string, n int) []targets.Client {
	t.Helper()
	target, err := Open(Options{Mutant: mutant, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close(context.Background()) })
	space, err := target.NewSpace(t.Context(), t.Name())
	if err != nil {
		t.Fatal(err)
	}
	clients := make([]targets.Client, n)
	for i := range clients {
		if clients[i], err = space.Open(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	return clients
}

// race lets all clients put and delete a few keys at the same time.
func race(t *testing.T, clients []targets.Client, n int) {
	t.Helper()
	var all sync.WaitGroup
	for i, c := range clients {
		all.Go(func() {
			for j := range n {
				r := histories.Request{Kind: histories.Put, Key: key(j), Write: histories.WriteID(fmt.Sprint(i, "-", j))}
				if j%5 == 4 {
					r = histories.Request{Kind: histories.Delete, Key: key(j - 2)}
				}
				if a, err := c.Do(t.Context(), r); err != nil || a.Outcome != histories.OK {
					t.Error(a, err)
				}
			}
		})
	}
	all.Wait()
}

func key(n int) histories.Key { return histories.Key{Name: []string{"a", "a/b", "b", "ab"}[n%4]} }

// sink collects what a watch delivers.
type sink struct {
	stream targets.Stream
	scope  histories.Scope
	from   histories.Revision

	mu     sync.Mutex
	events []histories.Event
	end    histories.End
	ends   int
}

func newSink() *sink { return &sink{} }

func (s *sink) Batch(events []histories.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, events...)
}

func (s *sink) End(end histories.End) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end = end
	s.ends++
}

func (s *sink) all() []histories.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

// wait returns the end, which must come once.
func (s *sink) wait(t *testing.T) histories.End {
	t.Helper()
	eventually(t, "the watch ends", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.ends == 1
	})
	return s.end
}

// until waits for an event.
func (s *sink) until(t *testing.T, match func(histories.Event) bool) {
	t.Helper()
	eventually(t, "the event arrives", func() bool { return slices.ContainsFunc(s.all(), match) })
}

// eventually waits for a condition, at most ten seconds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("expected that " + strings.TrimSpace(what) + " within ten seconds")
		}
	}
}
