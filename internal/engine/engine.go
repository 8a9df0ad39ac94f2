package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/recording"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// Execute carries out the plan in a space of its own and returns what happened.
//
// When ctx is cancelled the lanes stop at once, a short form of the stop protocol
// follows, and the history is still valid; it carries a note "interrupted" and
// the error is nil.
//
// An error without a history means that the space or its clients could not be set
// up. An error beside a history means that something went wrong which is no
// matter of the store's contract: a target's client panicked (a [PanicError]), or
// a record could not be written. The history is valid then as well.
//
// All goroutines of the engine have ended when Execute returns. A call that
// ignores its context is abandoned after its deadline, and its goroutine stays
// until the target lets it go.
func Execute(ctx context.Context, target targets.Target, plan plans.Plan, opts Options) (*histories.History, error) {
	e := &execution{
		opts:   opts.withDefaults(),
		target: target.Describe(),
		known:  newKnowledge(),
		lanes:  map[string]*client{},
	}
	e.layer = dialectOf(e.target)
	e.script = prepare(plan, e.target)
	streaming, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	e.streaming = streaming
	var err error
	if e.recorder, err = e.record(plan); err != nil {
		return nil, err
	}
	if err := e.setUp(ctx, target); err != nil {
		e.abandon(ctx)
		return nil, err
	}
	e.begin(ctx)
	e.run(ctx)
	e.finish(ctx)
	return e.recorder.History(), e.close()
}

// execution is one plan being carried out.
type execution struct {
	// beating keeps two waits from opening connections at the same time.
	beating  sync.Mutex
	opts     Options
	target   targets.Description
	layer    dialect
	script   *script
	recorder *recording.Recorder
	known    *knowledge

	space   targets.Space
	clients []*client // all that were opened
	lanes   map[string]*client
	witness *witness
	closing *client
	// informing is the client of the informers, nil where the run has none.
	informing *client
	// below shows what becomes of the objects in the store below, nil where the run is not
	// told of one.
	below     *stream
	informers []*informer

	// streaming is the context in which streams live: an interrupt of the run does
	// not end them, the stop protocol does.
	streaming context.Context
	writes    atomic.Int64

	mu       sync.Mutex
	streams  []*stream // that were opened, the witness's included
	troubles []error
}

func (e *execution) record(plan plans.Plan) (*recording.Recorder, error) {
	header := e.header(plan)
	text := plans.Format(plan)
	if e.opts.Path == "" {
		return recording.New(header, text), nil
	}
	return recording.Create(e.opts.Path, header, text)
}

func (e *execution) header(plan plans.Plan) histories.Header {
	header := histories.Header{
		Format: histories.FormatVersion, Run: e.opts.Run, Plan: e.opts.Number, Layer: e.target.Layer,
		Target: e.target.URL, Command: e.target.Command, Server: e.target.Server, Profile: e.target.Profile, World: e.target.World,
		Exclusive: e.target.Exclusive, Seed: plan.Seed, Options: maps.Clone(e.opts.Expanded),
	}
	if e.opts.Profile != "" {
		header.Profile = e.opts.Profile
	}
	for feature, reason := range e.target.Unsupported {
		if header.Unsupported == nil {
			header.Unsupported = map[string]string{}
		}
		header.Unsupported[string(feature)] = reason
	}
	return header
}

// setUp makes the space and opens a client for each lane and two for the run.
func (e *execution) setUp(ctx context.Context, target targets.Target) error {
	if err := e.newSpace(ctx, target); err != nil {
		return err
	}
	var err error
	if e.closing, err = e.connect(ctx, histories.ClosingClient, 1); err != nil {
		return err
	}
	if e.watches() {
		c, err := e.connect(ctx, histories.WitnessClient, 1)
		if err != nil {
			return err
		}
		e.witness = &witness{client: c}
	}
	if err := e.connectInformers(ctx); err != nil {
		return err
	}
	if err := e.lookBelow(ctx); err != nil {
		return err
	}
	for _, l := range e.script.lanes {
		c, err := e.connect(ctx, l.Name, e.endpoint(l))
		if err != nil {
			return err
		}
		e.lanes[l.Name] = c
	}
	return nil
}

func (e *execution) newSpace(ctx context.Context, target targets.Target) error {
	ctx, done := context.WithTimeout(ctx, e.opts.StopTimeout)
	defer done()
	name := fmt.Sprintf("%04d", e.opts.Number)
	space, err := guard(ctx, "NewSpace", func() (targets.Space, error) { return target.NewSpace(ctx, name) })
	if err != nil {
		return setupError("an empty space for plan "+name, err)
	}
	e.space = space
	return nil
}

// endpoint is the lane's endpoint, or the first where the target has not as many.
func (e *execution) endpoint(l plans.Lane) int {
	switch n := max(l.Endpoint, 1); {
	case n <= max(e.target.Endpoints, 1):
		return n
	default:
		e.recorder.Note(histories.Note{Kind: "info", Text: fmt.Sprintf(
			"lane %s asks for endpoint %d of %d and talks to the first", l.Name, n, max(e.target.Endpoints, 1))})
		return 1
	}
}

// watches reports whether the run has a witness.
func (e *execution) watches() bool { return !e.opts.NoWitness && e.supports(targets.Watches) }

func (e *execution) supports(feature targets.Feature) bool {
	_, missing := e.target.Unsupported[feature]
	return !missing
}

func (e *execution) writeID() histories.WriteID { return e.opts.writeID(e.writes.Add(1)) }

// opened registers a stream for the stop protocol.
func (e *execution) opened(s *stream) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.streams = append(e.streams, s)
}

// trouble keeps an error that is no matter of the contract.
func (e *execution) trouble(err error) {
	e.recorder.Note(histories.Note{Kind: "info", Text: err.Error()})
	e.mu.Lock()
	defer e.mu.Unlock()
	e.troubles = append(e.troubles, err)
}

// close ends the recording. Its error is all the trouble of the execution.
func (e *execution) close() error {
	err := e.recorder.Close()
	if err == nil && e.opts.Path != "" && e.opts.Compress {
		_, err = recording.Compress(e.opts.Path)
	}
	return errors.Join(append(e.troubles, err)...)
}
