package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets"
)

// watch is one stream. As in etcd it is either live, and hears of each effect as
// it happens, or it reads the history until it has caught up; only then can a
// compaction overtake it.
type watch struct {
	store *store
	// number counts the watches of the store, in the order of their opening.
	number    int
	request   histories.Request
	sink      targets.Sink
	pace      *pace
	transport string
	alarm     chan struct{}

	// What follows is guarded by the store's lock.

	// next is the first revision that the watch has not heard of. Of a live watch
	// it stays where it is: all that comes is new.
	next histories.Revision
	live bool
	// queue holds the events that are not delivered yet.
	queue []histories.Event
	// asked: somebody waits for a progress notification.
	asked bool
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

// open registers a watch; run delivers.
func (s *store) open(c *client, r histories.Request, sink targets.Sink) (*watch, histories.Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := moment{acts: c.pace.chance(s.options.Probability), state: s.state, began: s.state, stale: s.stale, rivals: s.rivals()}
	answer := histories.Answer{Outcome: histories.OK, Revision: s.state.Newest()}
	if s.fault.request != nil && m.acts {
		s.fault.request(m, &r)
	}
	s.show(m, r, &answer)
	s.opened++
	name := fmt.Sprintf("m%d", s.opened)
	w := &watch{
		store: s, number: s.opened, request: r, sink: sink, transport: name, pace: newPace(s.options.Seed, s.name, name),
		alarm: make(chan struct{}, 1), next: r.StartRevision,
	}
	if r.StartRevision == 0 {
		w.next = s.state.Newest() + 1
	}
	w.live = w.next > s.state.Newest()
	s.watches[w] = struct{}{}
	return w, answer
}

// run delivers until the watch ends.
func (w *watch) run(ctx context.Context) {
	notify := w.notify()
	for {
		w.pace.dwell()
		batch, end := w.store.take(ctx, w)
		if end != nil {
			w.sink.End(*end)
			return
		}
		if len(batch) > 0 {
			w.sink.Batch(batch)
			continue
		}
		select {
		case <-ctx.Done():
		case <-w.alarm:
		case <-notify():
			w.ask()
		}
	}
}

// notify returns what to wait for between two periodic notifications: nothing
// that ever comes, for a watch that wants none.
func (w *watch) notify() func() <-chan time.Time {
	if !w.request.ProgressNotify {
		return func() <-chan time.Time { return nil }
	}
	return func() <-chan time.Time { return time.After(notifyInterval) }
}

// wake makes the watch look whether there is something to deliver.
func (w *watch) wake() {
	select {
	case w.alarm <- struct{}{}:
	default:
	}
}

// ask asks for a progress notification.
func (w *watch) ask() {
	w.store.mu.Lock()
	w.asked = true
	w.store.mu.Unlock()
	w.wake()
}

// take returns what the watch delivers next: a batch, its end, or nothing for now.
func (s *store) take(ctx context.Context, w *watch) ([]histories.Event, *histories.End) {
	acts := w.pace.chance(s.options.Probability)
	s.mu.Lock()
	defer s.mu.Unlock()
	m := moment{acts: acts, state: s.state, began: s.state, stale: s.stale, rivals: s.rivals()}
	if ctx.Err() != nil {
		delete(s.watches, w)
		return nil, &histories.End{Reason: histories.EndCancelled}
	}
	if w.muted {
		return nil, nil
	}
	if w.asked && s.fault.overtakes != nil && m.acts && s.fault.overtakes(m, w) {
		return w.tell(m), nil
	}
	if end := s.catchUp(m, w); end != nil {
		return nil, end
	}
	if len(w.queue) > 0 {
		return w.cut(s.state.Newest()), nil
	}
	if w.asked && !w.muted && w.next <= s.state.Newest()+1 {
		return w.tell(m), nil
	}
	return nil, nil
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
			return s.expire(m, w)
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

// append makes events of the effects in the watch's scope.
func (w *watch) append(m moment, effects []models.Effect) {
	for _, e := range effects {
		if models.Contains(w.request.Scope, e.Key) {
			w.queue = append(w.queue, w.event(m, e))
		}
	}
}

// event makes an event of an effect. A previous object that was compacted away
// is not told, as in etcd.
func (w *watch) event(m moment, effect models.Effect) histories.Event {
	event := histories.Event{Type: histories.PutEvent, Transport: w.transport, Object: effect.Object}
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
func (w *watch) cut(newest histories.Revision) []histories.Event {
	batch := firstRevisions(w.queue, w.pace.upTo(3), func(e histories.Event) histories.Revision { return e.Object.RV })
	w.queue = w.queue[len(batch):]
	w.delivered += len(batch)
	for i := range batch {
		batch[i].Header = newest
		batch[i].Last = i == len(batch)-1
	}
	return batch
}

// tell makes a progress notification, or nothing if the fault suppresses it.
func (w *watch) tell(m moment) []histories.Event {
	w.asked = false
	event := histories.Event{Type: histories.ProgressEvent, Header: m.state.Newest(), Transport: w.transport, Last: true}
	if f := w.store.fault.progress; f != nil && m.acts && !f(m, w, &event) {
		return nil
	}
	return []histories.Event{event}
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
