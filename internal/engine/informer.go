package engine

import (
	"context"
	"sync"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/recording"
	"github.com/rvcheck/rvcheck/targets"
)

// informer is an informer beside the plan. It is the sink of its target: it records what
// the handler is told, and knows what that makes the handler believe.
type informer struct {
	id     int
	handle targets.Informer
	record *recording.Stream
	cancel context.CancelFunc

	mu sync.Mutex
	// told is what the handler knows of each object.
	told    map[histories.Key]histories.Revision
	synced  bool
	end     bool
	changed chan struct{} // closed and replaced whenever any of these changes
}

// Batch records what the handler is told.
func (i *informer) Batch(events []histories.Event) {
	i.record.Batch(events)
	i.update(func() {
		for k := range events {
			switch o := &events[k].Object; events[k].Type {
			case histories.AddedEvent, histories.ModifiedEvent:
				i.told[o.Key] = o.RV
			case histories.DeleteEvent:
				delete(i.told, o.Key)
			case histories.SyncedEvent:
				i.synced = true
			default:
			}
		}
	})
}

// End records that the informer has stopped.
func (i *informer) End(end histories.End) {
	i.record.End(end)
	i.update(func() { i.end = true })
}

func (i *informer) update(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
	close(i.changed)
	i.changed = make(chan struct{})
}

// agrees reports whether the handler is synced and believes what the store holds, with a channel that
// is closed when what it believes changes.
func (i *informer) agrees(stored []histories.Object) (bool, <-chan struct{}) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.synced || len(stored) != len(i.told) {
		return false, i.changed
	}
	for k := range stored {
		if rv, knows := i.told[stored[k].Key]; !knows || rv != stored[k].RV {
			return false, i.changed
		}
	}
	return true, i.changed
}

// ended waits until the informer has stopped, or ctx has.
func (i *informer) ended(ctx context.Context) {
	for {
		i.mu.Lock()
		end, changed := i.end, i.changed
		i.mu.Unlock()
		if end {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// informs reports whether the run has informers.
func (e *execution) informs() bool { return !e.opts.NoInformers && e.supports(targets.Informers) }

// connectInformers opens the client of the informers, where the target has the power.
func (e *execution) connectInformers(ctx context.Context) error {
	if !e.informs() {
		return nil
	}
	c, err := e.connect(ctx, histories.InformerClient, 1)
	if err != nil {
		return err
	}
	if _, able := c.conn.(targets.Informing); able {
		e.informing = c
	}
	return nil
}

// inform starts an informer, nil where there is none.
func (e *execution) inform(ctx context.Context, initialEvents bool) *informer {
	c := e.informing
	if c == nil || c.lost {
		return nil
	}
	request := histories.Request{Kind: histories.Inform, Kube: &histories.KubeOptions{SendInitialEvents: &initialEvents}}
	id := e.recorder.Invoke(histories.Operation{Client: c.name, Endpoint: c.endpoint, Request: request})
	lifetime, cancel := context.WithCancel(e.streaming)
	i := &informer{
		id: id, record: e.recorder.Stream(id), cancel: cancel, told: map[histories.Key]histories.Revision{}, changed: make(chan struct{}),
	}
	ctx, done := context.WithTimeout(ctx, e.opts.CallTimeout)
	defer done()
	type started struct {
		answer histories.Answer
		handle targets.Informer
	}
	s, err := guard(ctx, "Inform", func() (started, error) {
		answer, handle, err := c.conn.(targets.Informing).Inform(lifetime, request, i)
		return started{answer, handle}, err
	})
	answer := e.judgeable(ctx, s.answer, err)
	c.learn(answer, err)
	e.recorder.Return(id, answer)
	if answer.Outcome != histories.OK {
		cancel()
		return nil
	}
	i.handle = s.handle
	e.informers = append(e.informers, i)
	return i
}

// startsWithEvents decides how the plan's first informer begins; its second one begins
// in the other way.
func (e *execution) startsWithEvents() bool { return e.opts.Number%2 == 1 }

// pagesMeanwhile bounds the lists by a pager that go on beside the plan: more would
// only load the server.
const pagesMeanwhile = 2

// pageSize is small, so that few objects are several pages.
const pageSize = 3

// page lists one namespace by a pager, or everything where there is none, so many times if it is not over before.
func (e *execution) page(ctx context.Context, times int, over <-chan struct{}) {
	if e.informing == nil {
		return
	}
	request := histories.Request{Kind: histories.ListPages, Limit: pageSize}
	if e.supports(targets.Namespaces) {
		request.Scope = histories.Scope{Shape: histories.Namespace, Key: histories.Key{Namespace: home}}
	}
	for range times {
		select {
		case <-over:
			return
		default:
		}
		if ctx.Err() != nil || e.informing.spent() {
			return
		}
		e.perform(ctx, e.informing, histories.Operation{Request: request})
	}
}

// consult lets the informer come to the last write and asks what its store holds. A second
// informer has to come there as well, from a list that is not empty.
func (e *execution) consult(ctx context.Context, revision histories.Revision) {
	if e.informing == nil {
		return
	}
	e.page(ctx, 1, nil)
	for _, i := range e.informers {
		if !e.settle(ctx, i, revision) {
			return
		}
	}
	if len(e.informers) == 0 {
		return
	}
	if late := e.inform(ctx, !e.startsWithEvents()); late != nil {
		e.settle(ctx, late, revision)
	}
}

// settle asks an informer what its store holds, once that has come to the revision of
// the last write and the handler was told of everything in it.
//
// The answer is OK when that was so, Fail with class Timeout when it was not by the
// deadline, with what the store held then. It is Unknown when the wait was cut short, when
// there was no last write to wait for, or when the store did not answer meanwhile.
func (e *execution) settle(ctx context.Context, i *informer, revision histories.Revision) bool {
	deadline := e.opts.StopTimeout
	wrote := e.known.any(func(_ histories.Key, newest histories.Revision) bool { return newest >= revision })
	if !wrote {
		deadline = min(deadline, progressInterval*3)
	}
	timed, wait := e.whileServed(ctx, 1, deadline, wrote, func() histories.Revision {
		_, reached := i.handle.Stored()
		return reached
	})
	request := histories.Request{Kind: histories.Stored, Of: i.id, Revision: revision}
	id := e.recorder.Invoke(histories.Operation{Client: histories.InformerClient, Endpoint: 1, Request: request})
	objects, reached, settled := e.settled(timed, i, revision)
	served := wait.end()
	answer := histories.Answer{Outcome: histories.OK, Objects: objects, Revision: reached}
	switch {
	case settled:
	case ctx.Err() != nil:
		answer = failed(histories.Unknown, histories.Timeout, "the wait was interrupted")
	case !wrote:
		answer = failed(histories.Unknown, histories.Timeout, "there was no last write to wait for")
	case !served:
		answer = failed(histories.Unknown, histories.Timeout, heldUp)
	default:
		answer.Outcome = histories.Fail
		answer.Error = &histories.Error{Class: histories.Timeout, Message: "the informer did not come to the revision within " + deadline.String()}
	}
	e.recorder.Return(id, answer)
	return settled
}

// storeInterval is how often an informer's store is looked at while its handler is told
// nothing.
const storeInterval = 10 * time.Millisecond

// settled waits, and returns what the store held in the end.
func (e *execution) settled(ctx context.Context, i *informer, revision histories.Revision) ([]histories.Object, histories.Revision, bool) {
	for {
		objects, reached := i.handle.Stored()
		agrees, changed := i.agrees(objects)
		if agrees && holds(objects, revision) {
			return objects, reached, true
		}
		select {
		case <-changed:
		case <-time.After(storeInterval):
		case <-ctx.Done():
			return objects, reached, false
		}
	}
}

// holds reports whether one of the objects is of the revision or a later one.
func holds(objects []histories.Object, revision histories.Revision) bool {
	for k := range objects {
		if objects[k].RV >= revision {
			return true
		}
	}
	return false
}

// stopInformers cancels every informer and gives it a moment to end.
func (e *execution) stopInformers(ctx context.Context) {
	for _, i := range e.informers {
		i.cancel()
	}
	for _, i := range e.informers {
		i.ended(ctx)
	}
}
