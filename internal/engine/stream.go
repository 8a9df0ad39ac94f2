package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/recording"
	"github.com/rvcheck/rvcheck/targets"
)

// stream is an open watch. It is the sink of its target: it records what arrives
// and knows how far the stream has provably come.
type stream struct {
	id      int
	request histories.Request
	first   histories.Revision // that it shows, zero where only the server knows
	opener  *client
	record  *recording.Stream
	known   *knowledge
	cancel  context.CancelFunc
	handle  targets.Stream // nil until the watch was answered

	// asking keeps requests for progress apart and guards mute.
	asking sync.Mutex
	mute   bool

	mu      sync.Mutex
	reached histories.Revision
	end     *histories.End
	changed chan struct{} // closed and replaced whenever reached or end change
}

// Batch records the events of one response and takes note of how far they go.
func (s *stream) Batch(events []histories.Event) {
	if len(events) == 0 {
		return
	}
	s.record.Batch(events)
	if !s.request.Kind.IsDerived() {
		s.known.events(events, unselected(&s.request))
	}
	reached := reach(events)
	s.update(func() { s.reached = max(s.reached, reached) })
}

// unselected reports whether a watch sees deletions as they are: one with a selector is
// told of a deletion when an object no longer matches (WATCH-08).
func unselected(watch *histories.Request) bool {
	options := watch.Options()
	return options.LabelSelector == "" && options.FieldSelector == ""
}

// reach is the revision that a response covers. A batch that is whole covers the
// revisions of its events (ETCD-12), a fragment only those before its last event.
func reach(events []histories.Event) histories.Revision {
	var reached histories.Revision
	for i := range events {
		if events[i].Type == histories.ProgressEvent {
			reached = max(reached, events[i].Header)
		} else {
			reached = max(reached, events[i].Object.RV)
		}
	}
	if last := &events[len(events)-1]; !last.Last && last.Object.RV > 0 {
		reached = min(reached, last.Object.RV-1)
	}
	return reached
}

// End records the end of the stream.
func (s *stream) End(end histories.End) {
	s.record.End(end)
	s.update(func() { s.end = &end })
}

func (s *stream) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	close(s.changed)
	s.changed = make(chan struct{})
}

// state is how far the stream has come, how it ended if it has, and a channel
// that is closed when either changes.
func (s *stream) state() (histories.Revision, *histories.End, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reached, s.end, s.changed
}

// came is how far the stream has come.
func (s *stream) came() histories.Revision {
	at, _, _ := s.state()
	return at
}

// ended waits until the stream has ended, or ctx has.
func (s *stream) ended(ctx context.Context) bool {
	for {
		_, end, changed := s.state()
		if end != nil {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// open performs a watch. The stream lives until it is stopped or the run ends,
// whatever becomes of ctx once the watch was answered. It is nil where there is
// none.
func (e *execution) open(ctx context.Context, c *client, op histories.Operation) (*stream, int, histories.Answer) {
	op.Client, op.Endpoint = c.name, c.endpoint
	id := e.recorder.Invoke(op)
	lifetime, cancel := context.WithCancel(e.streaming)
	s := &stream{
		id: id, request: op.Request, first: e.layer.first(&op.Request), opener: c, record: e.recorder.Stream(id), known: e.known,
		cancel: cancel, changed: make(chan struct{}),
	}
	ctx, done := context.WithTimeout(ctx, e.opts.CallTimeout)
	defer done()
	stop := context.AfterFunc(ctx, cancel)
	defer stop()
	answer, err := guard(ctx, "Watch", func() (histories.Answer, error) {
		answer, handle, err := c.conn.Watch(lifetime, op.Request, s)
		s.handle = handle
		return answer, err
	})
	answer = e.judgeable(ctx, answer, err)
	c.learn(answer, err)
	e.recorder.Return(id, answer)
	if !op.Request.Kind.IsDerived() {
		e.known.answer(&op.Request, &answer)
	}
	if answer.Outcome != histories.OK {
		cancel()
		return nil, id, answer
	}
	e.opened(s)
	return s, id, answer
}

// stop cancels a stream and waits until it has ended.
func (e *execution) stop(ctx context.Context, c *client, op histories.Operation, s *stream) (int, histories.Answer) {
	op.Client, op.Endpoint, op.Request.Of = c.name, c.endpoint, s.id
	ctx, done := context.WithTimeout(ctx, e.opts.CallTimeout)
	defer done()
	id := e.recorder.Invoke(op)
	s.cancel()
	answer := histories.Answer{Outcome: histories.OK}
	if !s.ended(ctx) {
		answer = failed(histories.Unknown, histories.Timeout, "the stream did not end")
	}
	e.recorder.Return(id, answer)
	return id, answer
}

// await waits until the stream has provably reached op.Request.Revision, and asks
// for progress meanwhile, as kube-apiserver does while a reader waits.
//
// The answer is OK when the stream has reached it, Fail with class Timeout when it
// had not by the deadline, Fail with class Unavailable when it ended before. It is
// Unknown when the wait was cut short: the run was interrupted, the revision was
// not known to exist when the wait began, or progress is held on a transport
// stream that others share, or the store need not show that it got there (certain is
// false), for which nobody need wait long, or the store did not answer meanwhile.
func (e *execution) await(
	ctx context.Context, c *client, op histories.Operation, s *stream, deadline time.Duration, certain bool,
) (int, histories.Answer) {
	op.Client, op.Endpoint, op.Request.Of = c.name, c.endpoint, s.id
	revision := op.Request.Revision
	exists, held := revision <= e.known.now(), e.held(s, revision)
	if !exists || held || !certain {
		deadline = min(deadline, progressInterval*3)
	}
	timed, wait := e.whileServed(ctx, c.endpoint, deadline, exists && !held && certain, s.came)
	id := e.recorder.Invoke(op)
	reached, ended := e.wait(timed, c, s, revision)
	served := wait.end()
	answer := histories.Answer{Outcome: histories.OK}
	switch {
	case reached:
	case ended:
		answer = failed(histories.Fail, histories.Unavailable, "the stream ended before")
	case ctx.Err() != nil:
		answer = failed(histories.Unknown, histories.Timeout, "the wait was interrupted")
	case !exists:
		answer = failed(histories.Unknown, histories.Timeout, "the revision was not known to exist")
	case !certain:
		answer = failed(histories.Unknown, histories.Timeout, "the stream need not show that it is there")
	case held || e.held(s, revision):
		answer = failed(histories.Unknown, histories.Timeout, "a watch that shares the transport stream holds back progress")
	case !served:
		answer = failed(histories.Unknown, histories.Timeout, heldUp)
	default:
		answer = failed(histories.Fail, histories.Timeout, "the stream did not reach the revision within "+deadline.String())
	}
	e.recorder.Return(id, answer)
	return id, answer
}

// certain reports whether a stream has to show a lane that it has reached the revision.
func (e *execution) certain(s *stream, revision histories.Revision) bool {
	return e.layer.certain(&s.request) && e.tells(s, revision)
}

// tells reports whether anything is owed that tells of the revision: progress, where the
// store is known for it, or the event of a write.
func (e *execution) tells(s *stream, revision histories.Revision) bool {
	return e.layer.progresses(e.target) && !e.opts.Brisk || shown(e.layer, e.known, &s.request, revision)
}

// wait asks at once and then at growing intervals, up to that of kube-apiserver.
func (e *execution) wait(ctx context.Context, c *client, s *stream, revision histories.Revision) (reached, ended bool) {
	asking := e.layer.progresses(e.target)
	ask := time.NewTimer(0)
	defer ask.Stop()
	for pause := firstProgress; ; {
		at, end, changed := s.state()
		if at >= revision || end != nil || ctx.Err() != nil {
			return at >= revision, end != nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
		case <-ask.C:
			if asking {
				e.askProgress(ctx, c, s, histories.Operation{})
			}
			ask.Reset(pause)
			pause = min(2*pause, progressInterval)
		}
	}
}

// askProgress requests progress on a stream, unless it showed before that asking
// makes no sense.
func (e *execution) askProgress(ctx context.Context, c *client, s *stream, op histories.Operation) {
	op.Client, op.Endpoint = c.name, s.opener.endpoint
	op.Request = histories.Request{Kind: histories.Progress, Of: s.id}
	s.asking.Lock()
	defer s.asking.Unlock()
	if s.mute {
		return
	}
	ctx, done := context.WithTimeout(ctx, e.opts.CallTimeout)
	defer done()
	id := e.recorder.Invoke(op)
	_, err := guard(ctx, "RequestProgress", func() (struct{}, error) { return struct{}{}, s.handle.RequestProgress(ctx) })
	answer := histories.Answer{Outcome: histories.OK}
	if err != nil {
		answer = e.judgeable(ctx, histories.Answer{}, err)
	}
	e.recorder.Return(id, answer)
	var unsupported *targets.Unsupported
	s.mute = errors.As(err, &unsupported) || broken(err)
}
