package engine

import (
	"context"
	"errors"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// lookBelow watches the store below the API servers, where the run is told of it. What it
// shows teaches the run nothing: clients know what the API servers answer.
func (e *execution) lookBelow(ctx context.Context) error {
	layered, able := e.space.(targets.Layered)
	if !able {
		return nil
	}
	conn, err := func() (targets.Client, error) {
		ctx, done := context.WithTimeout(ctx, e.opts.StopTimeout)
		defer done()
		return guard(ctx, "Below", func() (targets.Client, error) { return layered.Below(ctx) })
	}()
	switch {
	case err != nil:
		return setupError("the store below", err)
	case conn == nil:
		return nil
	}
	c := &client{name: histories.BelowClient, endpoint: 1, conn: conn}
	e.clients = append(e.clients, c)
	below, _, answer := e.open(ctx, c, histories.Operation{Request: histories.Request{Kind: histories.Beneath}})
	if below == nil {
		return setupError("the store below", errors.New(answer.Error.Message))
	}
	e.below = below
	return nil
}

// belowWait is how long the store below may take to show its last change.
const belowWait = 2 * time.Second

// awaitBelow lets the record of the store below come to the last write. It owes nothing:
// a record that ends early says less.
func (e *execution) awaitBelow(ctx context.Context, revision histories.Revision) {
	if e.below == nil {
		return
	}
	ctx, done := context.WithTimeout(ctx, belowWait)
	defer done()
	e.wait(ctx, e.closing, e.below, revision)
}
