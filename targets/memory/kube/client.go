package kube

import (
	"context"
	"sync"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/kube"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory/internal/pace"
)

// client is one client's connection.
type client struct {
	store *Store
	pace  *pace.Pace
	// ctx ends when the client is closed, and with it the client's watches.
	ctx    context.Context
	cancel context.CancelFunc
	// streams are the watches that have not ended.
	streams sync.WaitGroup
}

func newClient(s *Store, name string) *client {
	ctx, cancel := context.WithCancel(context.Background())
	return &client{store: s, pace: s.paceOf(name), ctx: ctx, cancel: cancel}
}

// Do waits a little, takes the atomic step, waits a little and answers. A call whose
// context has ended before it began is not sent.
func (c *client) Do(ctx context.Context, r histories.Request) (histories.Answer, error) {
	if r.Kind == histories.ListPages {
		return c.page(ctx, &r), nil
	}
	if !kube.Takes(r.Kind) {
		return histories.Answer{}, &targets.Unsupported{
			Feature: targets.KubeOptions, Reason: "the Kubernetes layer has no " + string(r.Kind),
		}
	}
	if ctx.Err() != nil || c.ctx.Err() != nil {
		return ended(), nil
	}
	in := c.store.begin(c, r)
	c.pace.Dwell()
	answer := c.perform(in)
	for range c.store.patience() {
		c.pace.Dwell()
	}
	c.store.finish(in, &answer)
	return answer, nil
}

// perform takes the steps of a call: one, but for a deletecollection, which lists first
// and then deletes object by object (WR-26).
func (c *client) perform(in *call) histories.Answer {
	r := in.request
	if r.Kind != histories.DeleteCollection {
		return c.store.step(in, r)
	}
	options := r.Options()
	list := histories.Request{Kind: histories.List, Scope: r.Scope, Kube: &histories.KubeOptions{
		LabelSelector: options.LabelSelector, FieldSelector: options.FieldSelector,
	}}
	answer := c.store.step(in, list)
	if answer.Revision = 0; answer.Outcome != histories.OK {
		return answer
	}
	for i := range answer.Objects {
		c.pace.Dwell()
		c.store.step(in, *kube.DeleteOf(&r, answer.Objects[i].Key))
	}
	return answer
}

// Watch opens a stream.
func (c *client) Watch(ctx context.Context, r histories.Request, sink targets.Sink) (histories.Answer, targets.Stream, error) {
	if ctx.Err() != nil || c.ctx.Err() != nil {
		return ended(), nil, nil
	}
	c.pace.Dwell()
	w, answer := c.store.open(c, r, sink)
	if answer.Outcome != histories.OK {
		return answer, nil, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.ctx, cancel)
	c.streams.Go(func() {
		w.run(ctx)
		stop()
		cancel()
	})
	return answer, stream{}, nil
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

// stream is the client's end of a watch.
type stream struct{}

// RequestProgress says that this layer has no such request: bookmarks come by themselves.
func (stream) RequestProgress(context.Context) error {
	return &targets.Unsupported{Feature: targets.ProgressOnCall, Reason: "bookmarks come by themselves"}
}
