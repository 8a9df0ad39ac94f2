package main

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/targets"
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

func TestAbandonClosesTheTargetWithinTheLimit(t *testing.T) {
	target := &slowTarget{closed: make(chan struct{})}
	h := &holding{target: target}
	h.abandon(30 * time.Millisecond)
	select {
	case <-target.closed:
	default:
		t.Error("the target was not closed")
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
