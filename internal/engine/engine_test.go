package engine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

const header = "# rvcheck plan v1 · layer etcd · seed 1\n"

// execute runs the steps against the target and checks
// what holds of every execution.
func execute(t *testing.T, f *fake, steps string, opts engine.Options) *histories.History {
	t.Helper()
	h, err := engine.Execute(t.Context(), f, parse(t, steps), opts)
	if err != nil {
		t.Fatalf("Execute: %v", err)
	}
	wellFormed(t, h)
	if f.closed != len(f.opened) || f.removed != 1 {
		t.Errorf("%d of %d clients closed, space removed %d times", f.closed, len(f.opened), f.removed)
	}
	return h
}

func parse(t *testing.T, steps string) plans.Plan {
	t.Helper()
	if !strings.HasPrefix(steps, "# rvcheck plan") {
		steps = header + steps
	}
	plan, err := plans.Parse(steps, "test.plan")
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestProtocol shows everything that a run adds to a plan of one operation.
func TestProtocol(t *testing.T) {
	f := newFake()
	h := execute(t, f, "c1 a1: create a\n", engine.Options{Run: "r", Number: 7, Expanded: map[string]string{"clients": "1"}})
	want(t, withoutProgress(text(h)), `
closing list -> ok @1
witness watch startRevision=2 -> ok @1
2 c1 a1: create a write=7-1 -> ok @2
closing get ~last -> ok @2
closing create ~last write=7-2 -> ok @3
closing await revision=3 of=2 -> ok
closing list -> ok @3 a@2 ~last@3
`)
	if got, want := h.Header, (histories.Header{
		Format: histories.FormatVersion, Run: "r", Plan: 7, Layer: histories.EtcdLayer, Target: "fake://", Server: "0",
		Profile: "fake", World: histories.Closed, Exclusive: true, Seed: 1, Options: map[string]string{"clients": "1"},
	}); !cmp.Equal(got, want, cmp.Comparer(histories.Extra.Equal)) {
		t.Errorf("header %+v, want %+v", got, want)
	}
	if s := h.Streams[0]; len(s.Events) < 2 || s.End.Reason != histories.EndCancelled {
		t.Errorf("witness stream: %+v", s)
	}
}

func TestReferences(t *testing.T) {
	h := execute(t, newFake(), `c1 a1: create a
c1 u1: update a rv=rv(a1)
c1 update a rv=last
c1 update a rv=last-1
c1 d1: delete a rv=last
c1 d0: delete a
c1 get a revision=tombstone(d1)
c1 get a revision=rv(d1)-1
c1 get a revision=now+100
c1 get a revision=-5
c1 get a revision=compacted
c1 get a revision=tombstone(d0)
c1 update b rv=last
c1 k1: compact rv(u1)
c1 get a revision=compacted+1
c1 x1: create a
c1 x2: create a
c1 get a revision=rv(x2)
c1 get a revision=rv(k1)
`, engine.Options{})
	want(t, text(h, "closing", "witness"), `
2 c1 a1: create a write=1-1 -> ok @2
3 c1 u1: update a expect=2 write=1-2 -> ok @3
4 c1 update a expect=3 write=1-3 -> ok @4
5 c1 update a expect=3 write=1-4 -> fail conflict @4
6 c1 d1: delete a expect=4 -> ok @5
7 c1 d0: delete a -> ok @5
8 c1 get a revision=5 -> ok @5
9 c1 get a revision=4 -> ok @5
10 c1 get a revision=105 -> ok @5
11 c1 get a revision=-5 -> ok @5
15 c1 k1: compact revision=3 -> ok @5
16 c1 get a revision=4 -> ok @5
17 c1 x1: create a write=1-5 -> ok @6
18 c1 x2: create a write=1-6 -> fail conflict @6
20 c1 get a revision=5 -> ok @6 a@6
skipped 12 : no compaction was acknowledged
skipped 13 : d0 removed nothing
skipped 14 : no RV of the key is known
skipped 19 : x2 produced no revision
`)
}

func TestPages(t *testing.T) {
	h := execute(t, newFake(), `c1 create a
c1 create b
c1 create c
c1 create d
c1 l1: list all limit=1
c1 create e
c1 l2: next l1
c1 l3: next l2 limit=2
c1 l4: next l3
c1 next l4
c1 p1: list all revision=4 limit=2
c1 next p1
`, engine.Options{NoWitness: true})
	want(t, text(h, "closing"), `
2 c1 create a write=1-1 -> ok @2
3 c1 create b write=1-2 -> ok @3
4 c1 create c write=1-3 -> ok @4
5 c1 create d write=1-4 -> ok @5
6 c1 l1: list limit=1 -> ok @5 a@2
7 c1 create e write=1-5 -> ok @6
8 c1 l2: next revision=5 limit=1 start="a\x00" of=6 -> ok @6 b@3
9 c1 l3: next revision=5 limit=2 start="b\x00" of=8 -> ok @6 c@4 d@5
10 c1 l4: next revision=5 limit=2 start="d\x00" of=9 -> ok @6 e@6
12 c1 p1: list revision=4 limit=2 -> ok @6 a@2 b@3
13 c1 next revision=4 limit=2 start="b\x00" of=11 -> ok @6 c@4 d@5
skipped 11 : l4 was the last page
`)
}

// TestLanesWait shows that a lane waits for what it refers to in a lane above,
// and never for one below.
func TestLanesWait(t *testing.T) {
	f := newFake()
	released := make(chan struct{})
	f.do = func(_ context.Context, _ *fakeClient, request histories.Request) (histories.Answer, error, bool) {
		if request.Key.Name == "slow" {
			<-released
		}
		return histories.Answer{}, nil, false
	}
	time.AfterFunc(30*time.Millisecond, func() { close(released) })
	h := execute(t, f, `c1 get x revision=rv(b1)
c1 a1: create slow
c2 b1: update slow rv=rv(a1)
--
c1 get x revision=rv(b1)
`, engine.Options{NoWitness: true})
	want(t, text(h, "closing"), `
3 c1 a1: create slow write=1-1 -> ok @2
4 c2 b1: update slow expect=2 write=1-2 -> ok @3
6 c1 get x revision=3 -> ok @3
skipped 2 : b1 has not happened yet
`)
}

// TestBarrier shows that lanes of a phase overlap and that a barrier separates.
func TestBarrier(t *testing.T) {
	f := newFake()
	var met sync.WaitGroup
	met.Add(2)
	f.do = func(_ context.Context, _ *fakeClient, request histories.Request) (histories.Answer, error, bool) {
		if request.Key.Name == "both" {
			met.Done()
			met.Wait()
		}
		return histories.Answer{}, nil, false
	}
	h := execute(t, f, "c1 get both\nc2 get both\n--\nc2 get a\n--\nc1 get b\n", engine.Options{NoWitness: true, CallTimeout: 2 * time.Second})
	ops := h.Operations[1:5]
	if ops[2].Call < max(ops[0].Return, ops[1].Return) || ops[3].Call < ops[2].Return {
		t.Errorf("a barrier was passed: %+v", ops)
	}
	if ops[0].Call > ops[1].Return || ops[1].Call > ops[0].Return {
		t.Errorf("the lanes did not overlap: %+v", ops[:2])
	}
}

func TestWatches(t *testing.T) {
	h := execute(t, newFake(), `c1 w1: watch all startRevision=1
c1 w2: watch a
c1 a1: create a
c2 await w1 rv(a1)
--
c1 b1: create b
c1 await w2 rv(b1)
c1 stop w1
c1 await w1 rv(b1)+5
c1 w3: watch all startRevision=now+50
c1 await w3 now
c1 progress w2
`, engine.Options{NoWitness: true})
	want(t, text(h, "closing", "c2"), `
2 c1 w1: watch startRevision=1 -> ok @1
3 c1 w2: watch a -> ok @1
4 c1 a1: create a write=1-1 -> ok @2
7 c1 b1: create b write=1-2 -> ok @3
8 c1 await revision=3 of=3 -> ok
c1 progress of=3 -> ok
9 c1 stop of=2 -> ok
10 c1 await revision=8 of=2 -> fail unavailable
11 c1 w3: watch startRevision=53 -> ok @3
13 c1 progress of=3 -> ok
skipped 12 : w3 starts above revision 3
`)
	// The stopped stream and the one from the future are not awaited at the end.
	awaited := 0
	for _, op := range h.Operations {
		if op.Client == histories.ClosingClient && op.Request.Kind == histories.Await {
			awaited = op.Request.Of
		}
	}
	if awaited != 3 {
		t.Errorf("the closing client awaited stream %d last, want only 3", awaited)
	}
}

func TestUnsupported(t *testing.T) {
	f := newFake()
	f.description.Unsupported[targets.Puts] = "no puts here"
	f.description.Unsupported[targets.Deletes] = "no deletes here"
	f.description.Unsupported[targets.Watches] = "no watches here"
	f.description.Unsupported[targets.Leases] = "no leases here"
	f.description.Unsupported[targets.RevisionBounds] = "no bounds here"
	f.description.Unsupported[targets.SortedReads] = "no sorting here"
	h := execute(t, f, `c1 put a
c1 delete a
c1 w1: watch all
c1 await w1 5
! kill member=1
c1 L: grant ttl=5
c1 create a lease=L
c1 fill 3
c1 deleterange all
c1 get a minMod=1
c1 txn then txn (else put b lease=L)
c1 txn then txn (else list all sort=mod)
c1 expire L
--
c2@2 create a
`, engine.Options{})
	want(t, text(h, "closing"), `
9 c1 create ~fill-c1 write=1-1 -> ok @2
9 c1 update ~fill-c1 expect=2 write=1-2 -> ok @3
9 c1 update ~fill-c1 expect=3 write=1-3 -> ok @4
16 c2 create a write=1-4 -> ok @5
info 0 : lane c2 asks for endpoint 2 of 1 and talks to the first
skipped 6 : unsupported: faults are not carried out yet: kill
skipped 2 : unsupported: puts: no puts here
skipped 3 : unsupported: deletes: no deletes here
skipped 4 w1: unsupported: watches: no watches here
skipped 5 : unsupported: watches: no watches here
skipped 7 L: unsupported: leases: no leases here
skipped 8 : unsupported: leases: no leases here
skipped 10 : unsupported: deletes: no deletes here
skipped 11 : unsupported: bounds: no bounds here
skipped 12 : unsupported: leases: no leases here
skipped 13 : unsupported: sort: no sorting here
skipped 14 : unsupported: leases: no leases here
`)
}

// TestUnsupportedOnCall shows that a target may say only at the call that it does
// not offer it: the call failed without an effect, and did not happen for others.
func TestUnsupportedOnCall(t *testing.T) {
	f := newFake()
	f.do = func(_ context.Context, _ *fakeClient, request histories.Request) (histories.Answer, error, bool) {
		if request.Kind == histories.Put {
			return histories.Answer{}, &targets.Unsupported{Feature: targets.Puts, Reason: "today"}, true
		}
		return histories.Answer{}, nil, false
	}
	h := execute(t, f, "c1 p: put a\nc1 get a revision=rv(p)\n", engine.Options{NoWitness: true})
	want(t, text(h, "closing"), `
2 c1 p: put a write=1-1 -> fail other
skipped 2 p: puts unsupported: today
skipped 3 : p did not happen
`)
}

func TestFill(t *testing.T) {
	h := execute(t, newFake(), "c1 f1: fill 3\nc1 get x revision=rv(f1)\n", engine.Options{NoWitness: true})
	want(t, text(h, "closing"), `
2 c1 put ~fill-c1 write=1-1 -> ok @2
2 c1 put ~fill-c1 write=1-2 -> ok @3
2 c1 f1: put ~fill-c1 write=1-3 -> ok @4
3 c1 get x revision=4 -> ok @4
`)
}

// TestSilentStream shows that a stream that delivers nothing makes a failed await
// at the end, not a hang.
func TestSilentStream(t *testing.T) {
	f := newFake()
	f.muteWatches = true
	h := execute(t, f, "c1 a1: create a\n", engine.Options{StopTimeout: 250 * time.Millisecond})
	want(t, withoutProgress(text(h, "c1")), `
closing list -> ok @1
witness watch startRevision=2 -> ok @1
closing get ~last -> ok @2
closing create ~last write=1-2 -> ok @3
closing await revision=3 of=2 -> fail timeout
closing list -> ok @3 a@2 ~last@3
`)
}

// TestStoreThatWasHeldUp shows that a stream owes nothing while the store does not answer.
func TestStoreThatWasHeldUp(t *testing.T) {
	f := newFake()
	f.muteWatches = true
	f.do = func(ctx context.Context, _ *fakeClient, request histories.Request) (histories.Answer, error, bool) {
		if request.Kind != histories.Get || request.Key.Name == "~last" {
			return histories.Answer{}, nil, false
		}
		return histories.Answer{}, errors.New("no answer"), true
	}
	h := execute(t, f, "c1 a1: create a\n", engine.Options{StopTimeout: 100 * time.Millisecond})
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Kind == histories.Await && op.Answer.Outcome != histories.Unknown {
			t.Errorf("the await of operation %d is %s, expected unknown", op.Request.Of, op.Answer.Outcome)
		}
	}
	if f.closed != len(f.opened) {
		t.Errorf("%d clients were opened, %d closed", len(f.opened), f.closed)
	}
}

// TestBrisk shows that a stream which only progress could bring to the last write owes
// nothing on a store that is known to tell none; one that has to show the write does.
func TestBrisk(t *testing.T) {
	f := newFake()
	f.muteWatches = true
	h := execute(t, f, "c1 w1: watch b\n", engine.Options{StopTimeout: 500 * time.Millisecond, Brisk: true})
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Kind != histories.Await {
			continue
		}
		expected := histories.Unknown
		if h.Operation(op.Request.Of).Client == histories.WitnessClient {
			expected = histories.Fail
		}
		if op.Answer.Outcome != expected {
			t.Errorf("the await of operation %d is %s, expected %s", op.Request.Of, op.Answer.Outcome, expected)
		}
	}
}

// TestSlowStream shows that a stream which goes on delivering is given the time to arrive.
func TestSlowStream(t *testing.T) {
	f := newFake()
	f.pace = 100 * time.Millisecond
	h := execute(t, f, "c1 fill 6\n", engine.Options{StopTimeout: 300 * time.Millisecond})
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Request.Kind == histories.Await && op.Answer.Outcome != histories.OK {
			t.Errorf("the await ended with %s (%+v) after %s", op.Answer.Outcome, op.Answer.Error, time.Duration(op.Return-op.Call))
		}
	}
}

// TestDeadStore shows that a store that never answers is given up, whether its
// client keeps to the context or not.
func TestDeadStore(t *testing.T) {
	for _, obedient := range []bool{true, false} {
		t.Run(fmt.Sprintf("obedient=%t", obedient), func(t *testing.T) {
			f := newFake()
			release := make(chan struct{})
			defer close(release)
			f.do = func(ctx context.Context, _ *fakeClient, _ histories.Request) (histories.Answer, error, bool) {
				if obedient {
					<-ctx.Done()
				} else {
					<-release
				}
				return histories.Answer{}, ctx.Err(), true
			}
			h := execute(t, f, strings.Repeat("c1 create a\n", 50), engine.Options{CallTimeout: 20 * time.Millisecond, StopTimeout: 60 * time.Millisecond})
			op := h.Operations[len(h.Operations)-1]
			if op.Client != histories.ClosingClient || op.Answer.Outcome != histories.Unknown || op.Answer.Error.Class != histories.Timeout {
				t.Errorf("last operation %s", line(op))
			}
			if !strings.Contains(text(h), "deadline 0 : the store does not answer") {
				t.Errorf("no note:\n%s", text(h))
			}
		})
	}
}

func TestInterrupt(t *testing.T) {
	f := newFake()
	ctx, cancel := context.WithCancel(t.Context())
	f.do = func(ctx context.Context, _ *fakeClient, request histories.Request) (histories.Answer, error, bool) {
		if request.Key.Name == "hang" {
			cancel()
			<-ctx.Done()
			return histories.Answer{}, ctx.Err(), true
		}
		return histories.Answer{}, nil, false
	}
	began := time.Now()
	h, err := engine.Execute(ctx, f, parse(t, "c1 create a\nc1 create hang\nc1 create b\nc2 w1: watch all\nc2 await w1 now+50\n"),
		engine.Options{CallTimeout: time.Minute, StopTimeout: time.Minute})
	if err != nil || time.Since(began) > 5*time.Second {
		t.Fatalf("error %v after %v", err, time.Since(began))
	}
	wellFormed(t, h)
	got := text(h, "c2", "witness")
	for _, line := range []string{
		"c1 create hang write=1-2 -> unknown timeout\n",
		"closing create ~last write=1-3 -> ok @3\n",
		"closing await revision=3 of=2 -> ok\n",
		"skipped 4 : the run was interrupted\n",
		"info 0 : interrupted\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("history lacks %q:\n%s", line, got)
		}
	}
}

// TestPanic shows that a panic in a target's client costs the client, not the history.
func TestPanic(t *testing.T) {
	f := newFake()
	f.do = func(_ context.Context, _ *fakeClient, request histories.Request) (histories.Answer, error, bool) {
		if request.Key.Name == "bad" {
			panic("no such key")
		}
		return histories.Answer{}, nil, false
	}
	h, err := engine.Execute(t.Context(), f, parse(t, "c1 x: create bad\nc1 create a\nc2 create b\nc2 get b revision=rv(x)\n"), engine.Options{})
	var panicked *engine.PanicError
	if !errors.As(err, &panicked) || panicked.Value != "no such key" {
		t.Fatalf("error %v, want the panic", err)
	}
	wellFormed(t, h)
	got := text(h)
	for _, part := range []string{"x: create bad write=", "skipped 3 : the client was lost", "c2 create b", "closing await", "x produced no revision"} {
		if !strings.Contains(got, part) {
			t.Errorf("history lacks %q:\n%s", part, got)
		}
	}
}

func TestSetupErrors(t *testing.T) {
	refuse := errors.New("connection refused")
	for name, f := range map[string]*fake{
		"space":   {newSpace: func(context.Context) error { return refuse }},
		"client":  {open: func(context.Context, int) error { return refuse }},
		"hanging": {open: func(context.Context, int) error { select {} }},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := engine.Execute(t.Context(), f, parse(t, "c1 create a\n"), engine.Options{StopTimeout: 20 * time.Millisecond})
			var setup *targets.SetupError
			if h != nil || !errors.As(err, &setup) || name != "hanging" && !errors.Is(err, refuse) {
				t.Errorf("history %v, error %v", h, err)
			}
		})
	}
}

// TestWitnessGoesOn shows that the witness takes over from itself when its stream ends.
func TestWitnessGoesOn(t *testing.T) {
	f := newFake()
	first := true
	f.watch = func(_ context.Context, _ *fakeClient, request histories.Request, sink targets.Sink) (histories.Answer, targets.Stream, error, bool) {
		if !first {
			return histories.Answer{}, nil, nil, false
		}
		first = false
		go func() {
			sink.Batch([]histories.Event{{Type: histories.ProgressEvent, Header: 5, Last: true}})
			sink.End(histories.End{Reason: histories.EndClosed})
		}()
		return histories.Answer{Outcome: histories.OK}, &fakeStream{fake: f}, nil, true
	}
	f.do = func(ctx context.Context, _ *fakeClient, request histories.Request) (histories.Answer, error, bool) {
		for request.Key.Name == "x" && ctx.Err() == nil {
			f.mu.Lock()
			n := len(f.streams)
			f.mu.Unlock()
			if n > 0 {
				break
			}
			runtime.Gosched()
		}
		return histories.Answer{}, nil, false
	}
	h := execute(t, f, "c1 get x\n", engine.Options{CallTimeout: 5 * time.Second})
	want(t, text(h, "closing", "c1"), `
witness watch startRevision=2 -> ok
witness watch startRevision=6 -> ok @1
`)
}

// TestNoGoroutineLeft runs a busy plan and counts.
func TestNoGoroutineLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	execute(t, newFake(), `c1 w1: watch all
c2 w2: watch all startRevision=1
c1 fill 50
c2 fill 50
c3 await w1 now
--
c3 stop w2
`, engine.Options{})
	settled(t, before)
}

// settled waits until no more goroutines run than before.
func settled(t *testing.T, before int) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		buffer := make([]byte, 1<<16)
		t.Errorf("%d goroutines before, %d after:\n%s", before, after, buffer[:runtime.Stack(buffer, true)])
	}
}
