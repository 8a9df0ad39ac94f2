package main

import (
	"context"
	"os"
	"testing"
	"time"

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
	h.abandon(30 * time.Millisecond)
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
	h.abandon(30 * time.Millisecond)
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
