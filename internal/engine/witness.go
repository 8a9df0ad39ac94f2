package engine

import (
	"context"
	"sync"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// witness watches the whole space from its first revision to its last, with
// previous values, so that the history shows every change. Where its stream ends
// early it opens another one that goes on where the evidence stopped.
type witness struct {
	client  *client
	halt    context.CancelFunc
	running sync.WaitGroup
}

// resumptions bounds how often a witness goes on: a store that ends every watch
// is not worth more.
const resumptions = 20

// begin lists the space, which ought to be empty, and starts the witness there, and an
// informer.
func (e *execution) begin(ctx context.Context) {
	start := histories.Revision(0)
	if e.supports(targets.Reads) {
		_, answer := e.perform(ctx, e.closing, histories.Operation{Request: histories.Request{Kind: histories.List}})
		if answer.Outcome == histories.OK && answer.Revision > 0 {
			start = answer.Revision + 1
		}
	}
	e.inform(ctx, e.startsWithEvents())
	if e.witness == nil {
		return
	}
	ctx, e.witness.halt = context.WithCancel(ctx)
	s := e.testify(ctx, start)
	if s != nil {
		e.witness.running.Go(func() { e.resume(ctx, s) })
	}
}

// testify opens one stream of the witness.
func (e *execution) testify(ctx context.Context, start histories.Revision) *stream {
	s, _, _ := e.open(ctx, e.witness.client, histories.Operation{Request: e.layer.witness(start)})
	return s
}

// resume replaces the witness's stream each time that it ends, until ctx does.
func (e *execution) resume(ctx context.Context, s *stream) {
	pause := time.Millisecond
	for range resumptions {
		if s != nil && !s.ended(ctx) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause *= 2
		start := s.following()
		if _, end, _ := s.state(); e.layer.forgets(end) {
			start = e.relist(ctx, start)
		}
		if next := e.testify(ctx, start); next != nil {
			s = next
		}
		if e.witness.client.spent() {
			return
		}
	}
}

// relist lists the space, as a client does whose watch cannot go on, and returns where
// the next watch begins: at start where the list does not tell.
func (e *execution) relist(ctx context.Context, start histories.Revision) histories.Revision {
	_, answer := e.perform(ctx, e.witness.client, histories.Operation{Request: histories.Request{Kind: histories.List}})
	if answer.Outcome != histories.OK || answer.Revision == 0 {
		return start
	}
	return answer.Revision + 1
}

// following is where a stream goes on that takes over from s: after what s has
// reached, or, where that history is gone, at the compaction point.
func (s *stream) following() histories.Revision {
	reached, end, _ := s.state()
	start := s.first
	if reached > 0 {
		start = max(start, reached+1)
	}
	if end != nil && end.Reason == histories.EndCompacted {
		start = max(start, end.CompactRevision)
	}
	return start
}

// stand ends the witness's going on; its stream stays open. No goroutine of it is
// left.
func (w *witness) stand() {
	if w == nil || w.halt == nil {
		return
	}
	w.halt()
	w.running.Wait()
}
