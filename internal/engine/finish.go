package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// finish is the stop protocol: steps 2 to 7 of the package comment.
func (e *execution) finish(ctx context.Context) {
	stopping, done := outliving(ctx)
	defer done()
	if read, ok := e.answersAgain(stopping); ok {
		e.conclude(stopping, read)
	} else {
		e.recorder.Note(histories.Note{Kind: "deadline", Text: "the store does not answer"})
	}
	e.stopStreams(stopping)
	e.recorder.Seal()
	if ctx.Err() != nil {
		e.recorder.Note(histories.Note{Kind: "info", Text: "interrupted"})
	}
	e.release(ctx)
}

// outliving is a context for the stop protocol: once ctx is cancelled, be it
// before or meanwhile, little time is left.
func outliving(ctx context.Context) (context.Context, context.CancelFunc) {
	stopping, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() { time.AfterFunc(interruptedStop, cancel) })
	return stopping, func() {
		unhook()
		cancel()
	}
}

// conclude makes the last writes and awaits what is owed, given the revision of a read.
func (e *execution) conclude(ctx context.Context, read histories.Revision) {
	marks := e.marks(ctx)
	revision := e.lastRevision(ctx, read)
	if revision == 0 {
		return
	}
	e.awaitAll(ctx, marks, revision)
	e.consult(ctx, revision)
	e.awaitBelow(ctx, revision)
	e.finalList(ctx)
}

// lastRevision makes the last write and returns its revision. Where none succeeds it is the
// revision of the read, which streams that tell progress must reach as well; zero is none.
func (e *execution) lastRevision(ctx context.Context, read histories.Revision) histories.Revision {
	if !e.supports(targets.Writes) {
		return read
	}
	revision := read
	for n := 1; n <= lastWrites; n++ {
		request := histories.Request{Kind: histories.Create, Key: e.layer.last(n), Write: e.writeID()}
		_, answer := e.perform(ctx, e.closing, histories.Operation{Request: request})
		if answer.Outcome == histories.OK && answer.Revision > 0 {
			return answer.Revision
		}
		revision = max(revision, answer.Revision)
	}
	return revision
}

// marks makes a write for each open stream that does not show the last one, so that all of
// them have to tell of something at the end: one for those that can share it. A stream that
// shows none is left out.
func (e *execution) marks(ctx context.Context) map[*stream]histories.Revision {
	marks := map[*stream]histories.Revision{}
	if !e.supports(targets.Writes) {
		return marks
	}
	var made []histories.Operation
	for _, s := range e.streams {
		if _, end, _ := s.state(); end != nil || s.request.Kind.IsDerived() || e.layer.shows(&s.request, e.layer.last(1), s.first) {
			continue
		}
		if revision := e.mark(ctx, s, &made); revision > 0 && revision >= s.first {
			marks[s] = revision
		}
	}
	return marks
}

// mark returns the revision of a write that the stream has to show: of one of those made for
// others, or of one that it makes, again where a busy store refuses it; zero if there is none.
func (e *execution) mark(ctx context.Context, s *stream, made *[]histories.Operation) histories.Revision {
	shown := func() histories.Revision { // a server may have its own mind about labels
		for i := range *made {
			answer := &(*made)[i].Answer
			if answer.Outcome == histories.OK && len(answer.Objects) == 1 && e.layer.takes(&s.request, &answer.Objects[0]) {
				return answer.Revision
			}
		}
		return 0
	}
	for range lastWrites {
		if revision := shown(); revision > 0 {
			return revision
		}
		request, ok := e.layer.mark(&s.request, len(*made)+1)
		if !ok {
			return 0
		}
		request.Write = e.writeID()
		op := histories.Operation{Request: request}
		_, op.Answer = e.perform(ctx, e.closing, op)
		if *made = append(*made, op); op.Answer.Outcome != histories.Fail {
			break // another write would leave the same there, or be as long in vain
		}
	}
	return shown()
}

// lastWrites bounds the attempts to make the last write.
const lastWrites = 3

// answersAgain reads until a read succeeds, and returns its revision.
func (e *execution) answersAgain(ctx context.Context) (histories.Revision, bool) {
	if !e.supports(targets.Reads) {
		return 0, true
	}
	ctx, done := context.WithTimeout(ctx, e.opts.StopTimeout)
	defer done()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second/2) {
		_, answer := e.perform(ctx, e.closing, histories.Operation{Request: e.layer.probe()})
		if answer.Outcome == histories.OK {
			return answer.Revision, true
		}
		if e.closing.lost {
			return 0, false
		}
		select {
		case <-ctx.Done():
			return 0, false
		case <-time.After(pause):
		}
	}
}

// awaitAll awaits every open stream that owes something at the revision, or at its mark, all
// at the same time.
func (e *execution) awaitAll(ctx context.Context, marks map[*stream]histories.Revision, last histories.Revision) {
	e.witness.stand()
	var waits sync.WaitGroup
	for _, s := range e.streams {
		revision, marked := marks[s]
		if !marked {
			revision = last
		}
		if !marked && !e.owes(s, revision) {
			continue
		}
		waits.Go(func() {
			c := &client{name: histories.ClosingClient, endpoint: s.opener.endpoint}
			op := histories.Operation{Request: histories.Request{Kind: histories.Await, Revision: revision}}
			e.await(ctx, c, op, s, e.opts.StopTimeout, marked || e.tells(s, revision))
		})
	}
	waits.Wait()
}

// owes reports whether an open stream can be expected to show that it has reached
// the revision: by the last write itself, or by progress. A stream that starts
// above it owes nothing.
func (e *execution) owes(s *stream, revision histories.Revision) bool {
	if _, end, _ := s.state(); end != nil || s.first > revision || s.request.Kind.IsDerived() {
		return false
	}
	return e.layer.progresses(e.target) && !e.held(s, revision) || e.layer.shows(&s.request, e.layer.last(1), revision)
}

func (e *execution) finalList(ctx context.Context) {
	if e.supports(targets.Reads) {
		e.perform(ctx, e.closing, histories.Operation{Request: histories.Request{Kind: histories.List}})
	}
}

// stopStreams cancels every stream and gives them a moment to end by themselves.
func (e *execution) stopStreams(ctx context.Context) {
	e.witness.stand()
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), interruptedStop)
	defer done()
	for _, s := range e.streams {
		s.cancel()
	}
	for _, s := range e.streams {
		s.ended(ctx)
	}
	e.stopInformers(ctx)
}

// release closes all clients and removes the space. What the target leaves behind
// is no matter of the contract, so it is noted and no more.
func (e *execution) release(ctx context.Context) {
	deadline := e.opts.StopTimeout
	if ctx.Err() != nil {
		deadline = min(deadline, interruptedStop)
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), deadline)
	defer done()
	var err error
	for _, c := range e.clients {
		_, closing := guard(ctx, "Close", func() (struct{}, error) { return struct{}{}, c.conn.Close() })
		err = errors.Join(err, closing)
	}
	if e.space != nil {
		_, removing := guard(ctx, "Remove", func() (struct{}, error) { return struct{}{}, e.space.Remove(ctx) })
		err = errors.Join(err, removing)
	}
	if err != nil {
		e.recorder.Note(histories.Note{Kind: "info", Text: "the space was not cleaned up: " + err.Error()})
	}
}

// abandon undoes a setup that failed halfway.
func (e *execution) abandon(ctx context.Context) {
	e.release(ctx)
	e.recorder.Discard()
}
