package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// run carries out the phases one after the other, and lists by a pager meanwhile.
func (e *execution) run(ctx context.Context) {
	over := make(chan struct{})
	var pager sync.WaitGroup
	pager.Go(func() { e.page(ctx, pagesMeanwhile, over) })
	defer func() {
		close(over)
		pager.Wait()
	}()
	for _, p := range e.script.phases {
		for _, fault := range p.faults {
			e.skipped("", fault.Line, "unsupported: faults are not carried out yet: "+fault.Fault.Action)
		}
		e.phase(ctx, p)
	}
}

// phase runs the lanes of a phase concurrently and waits for all of them.
func (e *execution) phase(ctx context.Context, p phase) {
	var lanes sync.WaitGroup
	start := make(chan struct{})
	for _, l := range p.lanes {
		lanes.Go(func() {
			<-start
			e.lane(ctx, e.lanes[l.name], l)
		})
	}
	close(start)
	lanes.Wait()
}

// lane carries out a lane's part of a phase. Every step is settled, whatever
// happens, since others may wait for it.
func (e *execution) lane(ctx context.Context, c *client, l lane) {
	for _, s := range l.steps {
		o, err := e.step(ctx, c, s)
		if err != nil {
			e.skipped(s.op.Label, s.line, err.Error())
		}
		s.settle(o)
	}
}

// step carries out one operation. An error says why it was skipped.
func (e *execution) step(ctx context.Context, c *client, s *step) (outcome, error) {
	switch {
	case ctx.Err() != nil:
		return outcome{}, errors.New("the run was interrupted")
	case s.skip != "":
		return outcome{}, errors.New(s.skip)
	case c.lost:
		return outcome{}, errors.New("the client was lost by an earlier call")
	case c.spent():
		return outcome{}, fmt.Errorf("the client gave up after %d calls without an answer", patience)
	}
	r := &resolver{layer: e.layer, script: e.script, known: e.known, step: s}
	request, err := r.request(ctx, s.op)
	if err != nil {
		return outcome{}, err
	}
	op := histories.Operation{Label: s.op.Label, Line: s.line, Request: request}
	switch s.op.Kind {
	case plans.FillKind:
		return e.fill(ctx, c, op, s.op.Fill)
	case histories.Next:
		if err := r.next(ctx, &op.Request); err != nil {
			return outcome{}, err
		}
	case histories.Watch:
		if op.Request.Transport, err = r.transport(ctx); err != nil {
			return outcome{}, err
		}
		return e.watch(ctx, c, op), nil
	case plans.ExpireKind:
		return e.expire(ctx, c, op)
	case histories.Stop, histories.Await, histories.Progress:
		return e.about(ctx, c, r, op)
	default:
	}
	return e.call(ctx, c, op)
}

// call makes a plain call.
func (e *execution) call(ctx context.Context, c *client, op histories.Operation) (outcome, error) {
	e.sign(&op.Request)
	id, answer := e.perform(ctx, c, op)
	if answer.Error != nil && answer.Error.Code == NotSent {
		return outcome{}, errors.New(answer.Error.Message)
	}
	return outcome{happened: true, id: id, request: op.Request, answer: answer}, nil
}

func (e *execution) watch(ctx context.Context, c *client, op histories.Operation) outcome {
	s, id, answer := e.open(ctx, c, op)
	return outcome{happened: true, id: id, request: op.Request, answer: answer, stream: s}
}

// about carries out what is about a watch: stop, await, progress.
func (e *execution) about(ctx context.Context, c *client, r *resolver, op histories.Operation) (outcome, error) {
	s, err := r.stream(ctx, r.step.op.Of)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{happened: true, request: op.Request}
	switch op.Request.Kind {
	case histories.Stop:
		o.id, o.answer = e.stop(ctx, c, op, s)
	case histories.Progress:
		e.askProgress(ctx, c, s, op)
	default:
		if s.first > op.Request.Revision {
			return outcome{}, unresolvedf("%s starts above revision %d", r.step.op.Of, op.Request.Revision)
		}
		o.id, o.answer = e.await(ctx, c, op, s, e.opts.CallTimeout, e.certain(s, op.Request.Revision))
	}
	return o, nil
}

// fill makes n revisions quickly, on a key of the lane's own.
func (e *execution) fill(ctx context.Context, c *client, op histories.Operation, n int) (outcome, error) {
	label := op.Label
	op.Label, op.Request = "", histories.Request{Size: op.Request.Size}
	number := slices.IndexFunc(e.script.lanes, func(l plans.Lane) bool { return l.Name == c.name })
	var before *histories.Answer
	var o outcome
	for i := 0; i < n && ctx.Err() == nil && !c.spent(); i++ {
		e.layer.fill(e, number, before, &op.Request)
		if i == n-1 {
			op.Label = label
		}
		done, err := e.call(ctx, c, op)
		if err != nil {
			return o, err
		}
		before = &done.answer
		if done.answer.Outcome == histories.OK {
			o = done
		}
	}
	if !o.happened {
		return o, errors.New("no write of the fill succeeded")
	}
	return o, nil
}

// skipped notes that a step of the plan was not carried out.
func (e *execution) skipped(label string, line int, why string) {
	e.recorder.Note(histories.Note{Kind: "skipped", Label: label, Line: line, Text: why})
}
