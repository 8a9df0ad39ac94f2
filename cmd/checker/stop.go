package main

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/rvcheck/rvcheck/targets"
)

// lastMoments is how long an ending that cannot wait may take to remove what the run
// left: the data of a server in this process, keys in a store of others.
const lastMoments = 3 * time.Second

// holding is the target that the command has open. It is known to who ends the
// process, who has to close it too.
type holding struct {
	mu     sync.Mutex // held while a target is being opened
	target targets.Target
}

// held is that of this process.
var held holding

// open opens a target and keeps it until close.
func (h *holding) open(ctx context.Context, open func(context.Context) (targets.Target, error)) (targets.Target, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	target, err := open(ctx)
	if err == nil {
		h.target = target
	}
	return target, err
}

// close closes the target even if the run was interrupted.
func (h *holding) close(ctx context.Context, target targets.Target) error {
	err := closeTarget(ctx, target)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.target = nil
	return err
}

// abandon closes the target that is open or about to be, if that is done within the
// limit.
func (h *holding) abandon(limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.mu.Lock()
		target := h.target
		h.mu.Unlock()
		if target != nil {
			_ = target.Close(ctx) // nobody is left to be told
		}
	}()
	select {
	case <-done:
	case <-ctx.Done():
		// A target that minds the deadline is as good as done.
		select {
		case <-done:
		case <-time.After(limit / 3):
		}
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
