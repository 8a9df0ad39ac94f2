package memory

import (
	"context"
	"sync"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// client is one client's connection.
type client struct {
	store *store
	pace  *pace
	// ctx ends when the client is closed, and with it the client's watches.
	ctx    context.Context
	cancel context.CancelFunc
	// streams are the watches that have not ended.
	streams sync.WaitGroup
}

func newClient(s *store, name string) *client {
	ctx, cancel := context.WithCancel(context.Background())
	return &client{store: s, pace: newPace(s.options.Seed, s.name, name), ctx: ctx, cancel: cancel}
}

// Do waits a little, takes the atomic step, waits a little and answers. A call
// whose context has ended before it began is not sent.
func (c *client) Do(ctx context.Context, r histories.Request) (histories.Answer, error) {
	if feature, ok := offered(r); !ok {
		return histories.Answer{}, &targets.Unsupported{Feature: feature, Reason: notYet}
	}
	if ctx.Err() != nil || c.ctx.Err() != nil {
		return ended(), nil
	}
	in := c.store.begin(c, r)
	c.pace.dwell()
	answer := c.store.step(in)
	for range c.store.patience() {
		c.pace.dwell()
	}
	c.store.finish(in, &answer)
	return answer, nil
}

// Watch opens a stream.
func (c *client) Watch(ctx context.Context, r histories.Request, sink targets.Sink) (histories.Answer, targets.Stream, error) {
	if ctx.Err() != nil || c.ctx.Err() != nil {
		return ended(), nil, nil
	}
	c.pace.dwell()
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.ctx, cancel)
	w, answer := c.store.open(c, r, sink)
	c.streams.Go(func() {
		w.run(ctx)
		stop()
		cancel()
	})
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

// offered reports whether the store offers a call, and if not, the missing feature.
func offered(r histories.Request) (targets.Feature, bool) {
	switch r.Kind {
	case histories.Create, histories.Update, histories.Delete, histories.Put,
		histories.Get, histories.List, histories.Next, histories.Compact:
	case histories.Transact:
		return targets.Transactions, false
	case histories.LeaseGrant, histories.LeaseAttach, histories.LeaseKeepAlive, histories.LeaseTimeToLive, histories.LeaseRevoke:
		return targets.Leases, false
	case histories.Status:
		return targets.StatusCalls, false
	default:
		panic("memory: internal fault: Do was called with " + string(r.Kind))
	}
	switch {
	case r.Kube != nil:
		return targets.KubeOptions, false
	case r.Lease != 0:
		return targets.Leases, false
	case r.CountOnly || r.KeysOnly || r.Serializable:
		return targets.RangeOptions, false
	}
	return "", true
}

// stream is the client's end of a watch.
type stream struct{ watch *watch }

// RequestProgress asks for a progress notification, which comes once the watch
// has delivered everything up to then. A watch that waits for a future revision
// tells none before that revision, as etcd since 3.6.2.
func (s stream) RequestProgress(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.watch.ask()
	return nil
}
