package kube

import (
	"context"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// client is one client of a plan.
type client struct {
	space      *space
	connection *connection
	rest       *rest.Config
	// life ends when the client is closed, and ends its watches.
	life    context.Context
	end     context.CancelFunc
	watches sync.WaitGroup
}

func (s *space) newClient(e endpoint) (*client, error) {
	connection, err := connect(e)
	if err != nil {
		return nil, &targets.SetupError{Where: e.String(), Expected: "expected usable credentials", Err: err}
	}
	c := &client{space: s, connection: connection, rest: e.rest}
	// The watches outlive the call that opens the client.
	c.life, c.end = context.WithCancel(context.Background())
	return c, nil
}

// Close cancels the open watches and waits until their sinks were told.
func (c *client) Close() error {
	c.end()
	c.watches.Wait()
	c.connection.close()
	return nil
}

// Do sends the request once. See targets.Client.
func (c *client) Do(ctx context.Context, r histories.Request) (histories.Answer, error) {
	switch r.Kind {
	case histories.Compact:
		return c.space.target.compact(ctx, &r)
	case histories.ListPages:
		return c.page(ctx, &r)
	default:
	}
	what, err := c.space.dialect.call(&r)
	if err != nil {
		return histories.Answer{}, err
	}
	var answer histories.Answer
	if got, err := c.connection.do(ctx, what); err != nil {
		answer = lostAnswer(&r, err)
	} else {
		answer = c.space.dialect.answer(&r, got)
	}
	if answer.Outcome == histories.Unknown {
		c.space.uncertain.Store(true)
	}
	return answer, nil
}
