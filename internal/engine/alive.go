package engine

import (
	"context"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

const (
	// beats is how often the store is asked within the deadline of a liveness property.
	beats = 10
	// silence is how long an answer may take before the store counts as held up.
	silence = time.Second
	// longest is how many deadlines a wait may take where the store is held up again and
	// again.
	longest = 3
)

// heldUp is why nothing follows from a wait.
const heldUp = "the store did not answer all the while, or was still delivering"

// alive is a wait for what the store owes within a deadline, which counts only while the
// store serves: a process that was stopped, a machine that was asleep or a network that was
// away breaks no promise. Nor does one that delivers a long past: the deadline begins anew
// with all that arrives. The store is asked by reads of a key that no history has, as they
// teach nothing that matters, over a connection of their own. The first one comes when a tenth
// of the deadline has passed, so that hardly any wait has one.
type alive struct {
	cancel context.CancelFunc
	served chan bool
}

// whileServed returns a context that ends when the store has served for the deadline without
// a break and without coming any further, or, where it does not, after a multiple of the
// deadline. Where nothing is owed the deadline is a plain one.
func (e *execution) whileServed(
	ctx context.Context, endpoint int, deadline time.Duration, owed bool, reached func() histories.Revision,
) (context.Context, *alive) {
	if !owed || !e.supports(targets.Reads) {
		timed, cancel := context.WithTimeout(ctx, deadline)
		a := &alive{cancel: cancel, served: make(chan bool, 1)}
		a.served <- true
		return timed, a
	}
	timed, cancel := context.WithTimeout(ctx, longest*deadline)
	a := &alive{cancel: cancel, served: make(chan bool, 1)}
	go func() {
		defer cancel()
		a.served <- e.feel(timed, endpoint, deadline, reached)
	}()
	return timed, a
}

// end ends the wait, and reports whether the store served for the whole deadline.
func (a *alive) end() bool {
	a.cancel()
	return <-a.served
}

// feel asks until the store has served for the deadline without a break and came no further
// in it, or ctx ends.
func (e *execution) feel(ctx context.Context, endpoint int, deadline time.Duration, reached func() histories.Revision) bool {
	var c targets.Client
	defer func() {
		if c != nil {
			_, _ = guard(ctx, "Close", func() (struct{}, error) { return struct{}{}, c.Close() })
		}
	}()
	pause, at := deadline/beats, reached()
	for since, last := time.Now(), time.Now(); time.Since(since) < deadline; {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
		served := false
		c, served = e.beat(ctx, c, endpoint)
		now, further := time.Now(), reached()
		if !served || now.Sub(last) > pause+silence || further > at {
			since = now
		}
		last, at = now, further
	}
	return true
}

// beat reads once, on a connection that is made where there is none.
func (e *execution) beat(ctx context.Context, c targets.Client, endpoint int) (targets.Client, bool) {
	ctx, done := context.WithTimeout(ctx, silence)
	defer done()
	if c == nil {
		e.beating.Lock()
		opened, err := guard(ctx, "Open", func() (targets.Client, error) { return e.space.Open(ctx, endpoint) })
		e.beating.Unlock()
		if err != nil {
			return nil, false
		}
		c = opened
	}
	request := histories.Request{Kind: histories.Get, Key: e.layer.last(lastWrites + 1)}
	answer, err := guard(ctx, "Do", func() (histories.Answer, error) { return c.Do(ctx, request) })
	return c, err == nil && (answer.Outcome == histories.OK || answer.Error != nil && answer.Error.Class == histories.NotFound)
}
