package main

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory"
)

// slowTarget is a target that takes as long to close as it is given.
type slowTarget struct {
	targets.Target
	closed chan struct{}
}

func (s *slowTarget) Close(ctx context.Context) error {
	<-ctx.Done()
	close(s.closed)
	return ctx.Err()
}

func TestAbandonClosesTheTargetsWithinTheLimit(t *testing.T) {
	first, second := &slowTarget{closed: make(chan struct{})}, &slowTarget{closed: make(chan struct{})}
	h := &holding{targets: []targets.Target{first, second}}
	if err := h.abandon(30 * time.Millisecond); err == nil {
		t.Error("expected an error: the targets were not closed whole")
	}
	for _, target := range []*slowTarget{first, second} {
		select {
		case <-target.closed:
		default:
			t.Error("a target was not closed")
		}
	}
}

// A target that was closed by who opened it is nobody's to close.
func TestOpenerKeepsUntilClose(t *testing.T) {
	h := &holding{}
	open := h.opener(func(context.Context) (targets.Target, error) { return memory.Open(memory.Options{}) })
	target, err := open(t.Context())
	if err != nil || len(h.targets) != 1 {
		t.Fatalf("%d targets are kept (%v), expected one", len(h.targets), err)
	}
	if err := target.Close(t.Context()); err != nil || len(h.targets) != 0 {
		t.Errorf("%d targets are kept (%v), expected none", len(h.targets), err)
	}
}

// TestAbandonDoesNotWaitForever has a target that is never opened whole.
func TestAbandonDoesNotWaitForever(t *testing.T) {
	h := &holding{}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.abandon(30 * time.Millisecond); err == nil {
		t.Error("expected an error: nothing was closed")
	}
}

func TestSecondSignalEndsTheProcess(t *testing.T) {
	signals, ending := make(chan os.Signal), make(chan struct{})
	stopped, exited := make(chan struct{}), make(chan struct{})
	go obey(signals, func() { close(stopped) }, ending, func() { close(exited) })
	signals <- os.Interrupt
	<-stopped
	select {
	case <-ending:
		t.Error("the first signal ends the process")
	default:
	}
	signals <- os.Interrupt
	<-ending
	<-exited
}

// An interruption while the target is set up is no verdict and no fault; a target that makes no
// sense or is not there stays what it is.
func TestInterruptedSetup(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	cut := &targets.SetupError{Where: "there", Expected: "expected to make a type", Err: context.Canceled}
	for _, test := range []struct {
		name string
		ctx  context.Context
		err  error
		code int
	}{
		{"interrupted", stopped, cut, report.ExitInconclusive},
		{"cut off by another", t.Context(), cut, report.ExitError},
		{"refused meanwhile", stopped, &targets.SetupError{Where: "there", Expected: "expected a server", Err: os.ErrPermission}, report.ExitError},
		{"nonsense", stopped, usage("--target: expected a URL"), report.ExitUsage},
	} {
		h := &holding{}
		_, err := h.open(test.ctx, func(context.Context) (targets.Target, error) { return nil, test.err })
		if code := classify(err); code != test.code || !errors.Is(err, test.err) {
			t.Errorf("%s: exit code %d (%v), expected %d", test.name, code, err, test.code)
		}
	}
}
