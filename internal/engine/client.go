package engine

import (
	"context"
	"errors"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// client is one connection: a lane's, the witness's or the closing client's. Its
// fields but name and endpoint belong to the goroutine that makes its calls.
type client struct {
	name     string
	endpoint int
	conn     targets.Client
	// timeouts counts the calls in a row that were not answered in time.
	timeouts int
	// lost is set when the connection cannot be used again: a call panicked or
	// never came back.
	lost bool
}

// spent reports whether nothing more can be expected from the client.
func (c *client) spent() bool { return c.lost || c.timeouts >= patience }

// connect opens a connection. Its error is one of setting up.
func (e *execution) connect(ctx context.Context, name string, endpoint int) (*client, error) {
	ctx, done := context.WithTimeout(ctx, e.opts.StopTimeout)
	defer done()
	conn, err := guard(ctx, "Open", func() (targets.Client, error) { return e.space.Open(ctx, endpoint) })
	if err != nil {
		return nil, setupError("a connection for client "+name, err)
	}
	c := &client{name: name, endpoint: endpoint, conn: conn}
	e.clients = append(e.clients, c)
	return c, nil
}

// perform makes one call and records it.
func (e *execution) perform(ctx context.Context, c *client, op histories.Operation) (int, histories.Answer) {
	op.Client, op.Endpoint = c.name, c.endpoint
	ctx, done := context.WithTimeout(ctx, e.opts.CallTimeout)
	defer done()
	id := e.recorder.Invoke(op)
	answer, err := guard(ctx, "Do", func() (histories.Answer, error) { return c.conn.Do(ctx, op.Request) })
	answer = e.judgeable(ctx, answer, err)
	c.learn(answer, err)
	e.recorder.Return(id, answer)
	if !op.Request.Kind.IsDerived() {
		e.known.answer(&op.Request, &answer)
	}
	return id, answer
}

// NotSent is the code of the answer to a request that the target's client did not send,
// since the store does not offer it.
const NotSent = "Unsupported"

// judgeable makes an answer out of whatever a target's client came back with: an
// error of its own means that nothing is known of the call's effect, except that
// nothing was sent where it says Unsupported.
func (e *execution) judgeable(ctx context.Context, answer histories.Answer, err error) histories.Answer {
	var unsupported *targets.Unsupported
	var panicked *PanicError
	switch {
	case errors.As(err, &unsupported):
		answer = failed(histories.Fail, histories.Other, unsupported.Error())
		answer.Error.Code = NotSent
	case errors.As(err, &panicked):
		e.trouble(panicked)
		answer = failed(histories.Unknown, histories.Other, "the target's client panicked")
	case err != nil && ctx.Err() != nil:
		answer = failed(histories.Unknown, histories.Timeout, err.Error())
	case err != nil:
		answer = failed(histories.Unknown, histories.Unavailable, err.Error())
	case answer.Outcome == "":
		answer.Outcome = histories.Unknown
	}
	return answer
}

// learn takes note of what the outcome of a call says about the connection.
func (c *client) learn(answer histories.Answer, err error) {
	c.lost = c.lost || broken(err)
	if answer.Outcome == histories.Unknown && answer.Error != nil && answer.Error.Class == histories.Timeout {
		c.timeouts++
		return
	}
	c.timeouts = 0
}

// broken reports whether the target's code cannot be trusted with another call:
// it panicked, or never came back.
func broken(err error) bool {
	var panicked *PanicError
	return errors.As(err, &panicked) || errors.Is(err, errAbandoned)
}

// failed is an answer that holds nothing but an error.
func failed(outcome histories.Outcome, class histories.ErrorClass, message string) histories.Answer {
	return histories.Answer{Outcome: outcome, Error: &histories.Error{Class: class, Message: message}}
}

// setupError says what could not be set up, unless the target has said so itself.
func setupError(what string, err error) error {
	var setup *targets.SetupError
	var usage *targets.UsageError
	if errors.As(err, &setup) || errors.As(err, &usage) {
		return err
	}
	return &targets.SetupError{Where: "engine", Expected: "expected " + what, Err: err}
}
