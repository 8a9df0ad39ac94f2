package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/targets"
)

// lastMoments is how long an ending that cannot wait may take to remove what the run
// left: the data of a server in this process, keys in a store of others.
const lastMoments = 3 * time.Second

// holding are the targets that the command has open. They are known to who ends the
// process, who has to close them too.
type holding struct {
	mu      sync.Mutex // held while a target is being opened
	targets []targets.Target
}

// held is that of this process.
var held holding

// open opens a target and keeps it until close.
func (h *holding) open(ctx context.Context, open func(context.Context) (targets.Target, error)) (targets.Target, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	target, err := open(ctx)
	if err == nil {
		h.targets = append(h.targets, target)
		return target, nil
	}
	return nil, interrupted(ctx, err)
}

// interruptedError is a target that was not opened because the user stopped the command: no
// fault of anybody.
type interruptedError struct{ err error }

func (i *interruptedError) Error() string {
	return "interrupted while the target was set up: " + i.err.Error()
}
func (i *interruptedError) Unwrap() error { return i.err }

// interrupted tells an opening that failed because ctx ended from one that failed by itself:
// a target that makes no sense stays one.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) || classify(err) == report.ExitUsage {
		return err
	}
	return &interruptedError{err}
}

// opener opens a target as often as it is called, and keeps each until it is closed.
func (h *holding) opener(open func(context.Context) (targets.Target, error)) session.Reopen {
	return func(ctx context.Context) (targets.Target, error) {
		target, err := h.open(ctx, open)
		if err != nil {
			return nil, err
		}
		return &heldTarget{Target: target, by: h}, nil
	}
}

// heldTarget is a target that is kept until it is closed.
type heldTarget struct {
	targets.Target
	by *holding
}

// Close closes the target, which is not kept any more.
func (t *heldTarget) Close(ctx context.Context) error { return t.by.close(ctx, t.Target) }

// close closes the target even if the run was interrupted.
func (h *holding) close(ctx context.Context, target targets.Target) error {
	err := closeTarget(ctx, target)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.targets = slices.DeleteFunc(h.targets, func(open targets.Target) bool { return open == target })
	return err
}

// abandon closes the targets that are open or about to be, if that is done within the
// limit. Its error says that something of the run may be left.
func (h *holding) abandon(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		h.mu.Lock()
		open := slices.Clone(h.targets)
		h.mu.Unlock()
		var group errgroup.Group
		for _, target := range open {
			group.Go(func() error { return target.Close(ctx) })
		}
		err := group.Wait()
		if err != nil {
			err = fmt.Errorf("something of the run may be left: %w", err)
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	// A target that minds the deadline is as good as done.
	select {
	case err := <-done:
		return err
	case <-time.After(limit / 3):
		return errors.New("something of the run may be left: the target was not closed in time")
	}
}

// obey ends the run at the first signal, so that it gives the verdict of what was
// recorded, and the process at the second: then it closes ending and calls exit.
func obey(signals <-chan os.Signal, stop func(), ending chan<- struct{}, exit func()) {
	<-signals
	stop()
	<-signals
	close(ending)
	exit()
}
