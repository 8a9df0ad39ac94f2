package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory/internal/pace"
)

// watch is one watch on a transport stream. As in etcd it is either live, and
// hears of each effect as it happens, or it reads the history until it has caught
// up; only then can a compaction overtake it.
type watch struct {
	store *store
	// number counts the watches of the store, in the order of their opening.
	number    int
	id        int64
	request   histories.Request
	sink      targets.Sink
	pace      *pace.Pace
	transport *transport

	// What follows is guarded by the store's lock.

	// ctx ends when the client cancels the watch; release undoes what waits for that.
	ctx     context.Context
	release func()
	// gone: the watch has ended.
	gone bool

	// next is the first revision that the watch has not heard of. Of a live watch
	// it stays where it is: all that comes is new.
	next histories.Revision
	live bool
	// queue holds the events that are not delivered yet.
	queue []histories.Event
	// asked: the watch is due a progress notification of its own.
	asked bool
	// progress goes out before anything else.
	progress []histories.Event
	// refused ends the watch at once.
	refused *histories.End
	// delivered counts the events that went out.
	delivered int
	// muted: a fault made the watch silent.
	muted bool
}

const (
	// chunk is the number of revisions that a watch reads from the history at once.
	chunk = 8
	// notifyInterval is how often a quiet watch with ProgressNotify tells its progress.
	notifyInterval = 20 * time.Millisecond
)

// open registers a watch on its transport stream, which delivers once it runs.
func (s *store) open(c *client, r histories.Request, sink targets.Sink) (*watch, histories.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.now(c.pace.Chance(s.options.Probability))
	answer := histories.Answer{Outcome: histories.OK, Revision: s.state.Newest()}
	if s.fault.request != nil && m.acts {
		s.fault.request(m, &r)
	}
	s.opened++
	w := &watch{
		store: s, number: s.opened, request: r, sink: sink, pace: s.paceOf(fmt.Sprintf("m%d", s.opened)),
		ctx: context.Background(), next: r.StartRevision,
	}
	if r.StartRevision == 0 {
		w.next = s.state.Newest() + 1
	}
	w.live = w.next > s.state.Newest()
	c.transport(r.Transport, w).add(w)
	answer.WatchID = w.id
	s.show(m, r, &answer)
	s.watches[w] = struct{}{}
	return w, answer
}

// take returns what the watch delivers next: a batch, its end, or nothing for now.
func (s *store) take(w *watch) ([]histories.Event, *histories.End) {
	acts := w.pace.Chance(s.options.Probability)
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.now(acts)
	switch {
	case w.ctx.Err() != nil:
		s.forget(w)
		if s.fault.stopped != nil && m.acts {
			s.fault.stopped(m, w)
		}
		return nil, &histories.End{Reason: histories.EndCancelled}
	case w.refused != nil:
		s.forget(w)
		return nil, w.refused
	case w.muted:
		return nil, nil
	case w.progress != nil:
		return w.released(), nil
	case w.due() && s.fault.overtakes != nil && m.acts && s.fault.overtakes(m, w):
		w.transport.tell(m, w)
		return w.released(), nil
	}
	if end := s.catchUp(m, w); end != nil {
		return nil, end
	}
	if len(w.queue) > 0 {
		return w.cut(m), nil
	}
	if w.due() && !w.muted && w.transport.synced(s.state) {
		w.transport.tell(m, w)
		return w.released(), nil
	}
	return nil, nil
}

// forget takes the watch out of everything that knows of it.
func (s *store) forget(w *watch) {
	delete(s.watches, w)
	w.transport.remove(w)
	if w.gone = true; w.release != nil {
		w.release()
	}
}

// follow makes the watch end when one of the contexts does.
func (w *watch) follow(ctx, client context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(client, cancel)
	context.AfterFunc(ctx, w.transport.wake)
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	w.ctx, w.release = ctx, func() {
		stop()
		cancel()
	}
	if w.gone {
		w.release()
	}
}

// due reports whether somebody waits for a progress notification of the watch.
func (w *watch) due() bool { return w.asked || w.transport.asked }

// released takes what goes out before anything else.
func (w *watch) released() []histories.Event {
	event := w.progress
	w.progress = nil
	return event
}

// synced reports whether the watch has delivered everything up to now. One that
// waits for a future revision has not, as in etcd since 3.6.2.
func (w *watch) synced(state *models.State) bool {
	return w.muted || w.live && len(w.queue) == 0 && w.next <= state.Newest()+1
}

// now is the moment for whatever no call does.
func (s *store) now(acts bool) moment {
	return moment{acts: acts, state: s.state, began: s.state, stale: s.stale, rivals: s.rivals()}
}

// rivals counts the clients that have a call in flight, but for one.
func (s *store) rivals() int {
	clients := map[*client]struct{}{}
	for in := range s.calls {
		clients[in.client] = struct{}{}
	}
	return max(0, len(clients)-1)
}

// catchUp fills the queue from the history, until it holds something or the
// watch is live. It returns the end of a watch whose history is gone.
func (s *store) catchUp(m moment, w *watch) *histories.End {
	for !w.live && !w.muted && len(w.queue) == 0 {
		if w.next < max(s.state.Compacted(), 1) {
			if s.fault.overrun == nil || !m.acts || !s.fault.overrun(m, w) {
				return s.expire(m, w)
			}
			w.next = s.state.Compacted() + 1
		}
		effects := s.state.Effects(w.next)
		some := firstRevisions(effects, chunk, func(e models.Effect) histories.Revision { return e.Revision })
		if len(some) == len(effects) {
			w.live, w.next = true, s.state.Newest()+1
		} else {
			w.next = effects[len(some)].Revision
		}
		if s.fault.past != nil && m.acts {
			some = s.fault.past(m, some)
		}
		w.append(m, some)
	}
	return nil
}

// expire ends a watch that needs compacted history. A negative start is refused
// in the same way, without a compaction that could be named.
func (s *store) expire(m moment, w *watch) *histories.End {
	end := &histories.End{
		Reason:          histories.EndCompacted,
		CompactRevision: s.state.Compacted(),
		Header:          s.state.Newest(),
		Error:           &histories.Error{Class: histories.Compacted, Message: "the history that the watch needs is compacted"},
	}
	if w.next < 0 {
		end.CompactRevision = 0
	}
	delete(s.watches, w)
	if s.fault.expired != nil && m.acts && !s.fault.expired(m, s, end) {
		w.muted = true
		return nil
	}
	s.forget(w)
	return end
}

// enqueue tells a live watch of new effects.
func (w *watch) enqueue(m moment, effects []models.Effect) {
	for _, e := range effects {
		if e.Revision >= w.next {
			w.append(m, []models.Effect{e})
		}
	}
}

// append makes events of the effects in the watch's scope that it does not filter
// out.
func (w *watch) append(m moment, effects []models.Effect) {
	for _, e := range effects {
		if models.Contains(w.request.Scope, e.Key) && !w.filters(e) {
			w.queue = append(w.queue, w.event(m, e))
		}
	}
}

func (w *watch) filters(e models.Effect) bool {
	held := histories.NoPut
	if e.Deleted {
		held = histories.NoDelete
	}
	return slices.Contains(w.request.Filters, held)
}

// event makes an event of an effect. A previous object that was compacted away
// is not told, as in etcd.
func (w *watch) event(m moment, effect models.Effect) histories.Event {
	event := histories.Event{Type: histories.PutEvent, Transport: w.transport.name, Object: effect.Object}
	if effect.Deleted {
		event.Type = histories.DeleteEvent
		event.Object = histories.Object{Key: effect.Key, RV: effect.Revision}
	}
	if w.request.PrevKV && effect.Prev != nil && effect.Revision > m.state.Compacted() {
		previous := *effect.Prev
		event.Prev = &previous
	}
	f := w.store.fault
	if f.event != nil && m.acts {
		f.event(m, effect, &event)
	}
	if f.shown != nil && m.acts && !effect.Deleted {
		f.shown(&event.Object)
	}
	if f.shown != nil && m.acts && event.Prev != nil {
		f.shown(event.Prev)
	}
	return event
}

// cut takes a batch from the queue: one revision or several, each whole.
func (w *watch) cut(m moment) []histories.Event {
	batch := firstRevisions(w.queue, w.pace.UpTo(3), func(e histories.Event) histories.Revision { return e.Object.RV })
	w.queue = w.queue[len(batch):]
	for i := range batch {
		batch[i].Header = m.state.Newest()
	}
	if f := w.store.fault.cut; f != nil && m.acts {
		now, later := f(m, w, batch)
		batch, w.queue = now, slices.Concat(later, w.queue)
	}
	for i := range batch {
		batch[i].Last = i == len(batch)-1
	}
	w.delivered += len(batch)
	return batch
}

// tell makes a progress notification of the watch, unless the fault suppresses it.
func (w *watch) tell(m moment) {
	event := histories.Event{Type: histories.ProgressEvent, Header: m.state.Newest(), Transport: w.transport.name, Last: true}
	if f := w.store.fault.progress; f != nil && m.acts && !f(m, w, &event) {
		return
	}
	w.progress = []histories.Event{event}
}

// firstRevisions returns the head of a slice that covers n revisions, all of
// each, or the whole slice.
func firstRevisions[T any](all []T, n int, revision func(T) histories.Revision) []T {
	for i := 1; i < len(all); i++ {
		if revision(all[i]) == revision(all[i-1]) {
			continue
		}
		if n--; n == 0 {
			return all[:i:i]
		}
	}
	return all
}
