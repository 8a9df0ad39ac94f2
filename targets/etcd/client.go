package etcd

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rvcheck/rvcheck/histories"
)

// client is one client of a plan. A connection that was lost is replaced before the
// next call, never during one.
type client struct {
	space    *space
	endpoint string
	// life ends when the client is closed, and ends its streams.
	life    context.Context
	end     context.CancelFunc
	streams sync.WaitGroup

	// opening keeps two watches from opening the same transport stream.
	opening    sync.Mutex
	transports map[string]*transport // those with a name, the broken ones included

	mu sync.Mutex
	// present is the connection for the next call, nil when there is none yet or
	// the last one is not to be used again.
	present *connection
	// retired are the connections of before. Streams may still run on them while
	// the server drains them, so they are closed with the client.
	retired []*connection
}

func newClient(s *space, endpoint string) *client {
	c := &client{space: s, endpoint: endpoint}
	// The streams outlive the call that opens the client.
	c.life, c.end = context.WithCancel(context.Background())
	return c
}

// Close cancels the open streams and waits until their sinks were told.
func (c *client) Close() error {
	c.end()
	c.streams.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retire()
	var failures []error
	for _, old := range c.retired {
		failures = append(failures, old.close())
	}
	c.retired = nil
	return errors.Join(failures...)
}

// retire makes the next call dial. The caller holds the lock.
func (c *client) retire() {
	if c.present != nil {
		c.retired = append(c.retired, c.present)
	}
	c.present = nil
}

var errClosed = errors.New("the client is closed")

// current is a connection that was not known to be lost a moment ago.
func (c *client) current(ctx context.Context) (*connection, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.Err() != nil {
		return nil, errClosed
	}
	if c.present != nil && !c.present.lost() {
		return c.present, nil
	}
	c.retire()
	var err error
	c.present, err = connect(ctx, c.space.target.config, c.endpoint)
	return c.present, err
}

const (
	// again is the pause between two attempts to connect.
	again = 100 * time.Millisecond
	// attempts is how many may end by the dial timeout.
	attempts = 3
)

// arrive connects a client before its first call. The server has answered the run
// before, so one that restarts or is held up, or a connection that is cut while it is
// made, is tried again, for as long as a few attempts without an answer take.
func (c *client) arrive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, attempts*c.space.target.config.dialTimeout())
	defer cancel()
	for {
		_, err := c.current(ctx)
		if s, answered := status.FromError(err); answered && s.Code() != codes.Unavailable {
			return err // nil, or that of a login which was refused
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(again):
		}
	}
}

// Do sends the request once. See targets.Client.
func (c *client) Do(ctx context.Context, request histories.Request) (histories.Answer, error) {
	send, err := c.sender(request)
	if err != nil {
		return histories.Answer{}, err
	}
	connection, err := c.current(ctx)
	if err != nil {
		return notSent(err), nil
	}
	answer, err := send(connection.outgoing(ctx), connection.rpc)
	if err != nil {
		c.renewLogin(connection, err)
		return failedAnswer(err), nil
	}
	c.space.target.dropVersions(answer.Objects)
	return answer, nil
}

// renewLogin makes the next call dial and log in again when the token has expired.
func (c *client) renewLogin(used *connection, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if status.Code(err) == codes.Unauthenticated && c.present == used {
		c.retire()
	}
}
