package memory

import (
	"context"
	"sync"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory/internal/pace"
)

// client is one client's connection.
type client struct {
	store *store
	pace  *pace.Pace
	// ctx ends when the client is closed, and with it the client's watches.
	ctx    context.Context
	cancel context.CancelFunc
	// streams are the transport streams that have not ended.
	streams sync.WaitGroup
	// transports are those that several watches may share, by name. They are
	// guarded by the store's lock.
	transports map[string]*transport
}

func newClient(s *store, name string) *client {
	ctx, cancel := context.WithCancel(context.Background())
	return &client{
		store: s, pace: s.paceOf(name), ctx: ctx, cancel: cancel,
		transports: make(map[string]*transport),
	}
}

// Do waits a little, takes the atomic step, waits a little and answers. A call
// whose context has ended before it began is not sent.
func (c *client) Do(ctx context.Context, r histories.Request) (histories.Answer, error) {
	if reason := models.Unspecified(&r); reason != "" {
		return histories.Answer{}, &targets.Unsupported{Feature: feature(r), Reason: reason}
	}
	if ctx.Err() != nil || c.ctx.Err() != nil {
		return ended(), nil
	}
	in := c.store.begin(c, r)
	c.pace.Dwell()
	answer := c.store.step(in)
	for range c.store.patience() {
		c.pace.Dwell()
	}
	c.store.finish(in, &answer)
	return answer, nil
}

// Watch opens a stream.
func (c *client) Watch(ctx context.Context, r histories.Request, sink targets.Sink) (histories.Answer, targets.Stream, error) {
	if ctx.Err() != nil || c.ctx.Err() != nil {
		return ended(), nil, nil
	}
	c.pace.Dwell()
	w, answer := c.store.open(c, r, sink)
	w.follow(ctx, c.ctx)
	w.transport.start()
	return answer, stream{w}, nil
}

// Close ends the client's watches and returns when they have ended.
func (c *client) Close() error {
	c.cancel()
	c.streams.Wait()
	return nil
}

// ended is the answer to a call whose context or client has ended.
func ended() histories.Answer {
	return histories.Answer{
		Outcome: histories.Unknown,
		Error:   &histories.Error{Class: histories.Timeout, Message: "the call ended before it was answered"},
	}
}

// feature is what a call that the specification does not cover would need.
func feature(r histories.Request) targets.Feature {
	if r.Kind == histories.Transact {
		return targets.Transactions
	}
	return targets.KubeOptions
}

// stream is the client's end of a watch.
type stream struct{ watch *watch }

// RequestProgress asks for a progress notification, which comes to all watches of
// the transport stream once everything up to then was delivered on it. A watch that
// waits for a future revision keeps them all waiting, as in etcd since 3.6.2.
func (s stream) RequestProgress(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.watch.transport.ask()
	return nil
}
