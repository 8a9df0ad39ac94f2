package kube

import (
	"context"
	"fmt"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/kube"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory/internal/pace"
)

// watch is one open watch. It reads the history at its own speed.
type watch struct {
	store   *Store
	request histories.Request
	sink    targets.Sink
	pace    *pace.Pace
	// alarm says that there may be something to deliver.
	alarm chan struct{}
	// closing ends the stream from the server's side, nil where it has no timeout.
	closing <-chan time.Time

	// What follows is guarded by the store's lock.

	opened kube.Opened
	// queue holds the events that go out next, one at a time.
	queue []histories.Event
	// after is the revision up to which the watch has looked at the history.
	after histories.Revision
	// told is what the last bookmark said.
	told histories.Revision
	// delivered counts the events that went out.
	delivered int
	// muted: a fault made the watch silent.
	muted bool
}

// bookmarkInterval is how often a quiet watch with bookmarks gets one.
const bookmarkInterval = 50 * time.Millisecond

// open registers a watch, which delivers once it runs. Where the answer is not OK there
// is none.
func (s *Store) open(c *client, r histories.Request, sink targets.Sink) (*watch, histories.Answer) {
	acts := c.pace.Chance(s.options.Probability)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
	m := s.now(acts)
	s.opened++
	w := &watch{
		store: s, request: r, sink: sink, alarm: make(chan struct{}, 1),
		pace: s.paceOf(fmt.Sprintf("m%d", s.opened)),
	}
	asked := r
	if s.fault.request != nil && m.acts {
		s.fault.request(m, &asked)
	}
	opened, answer := s.state.Watch(&asked, m.cache)
	if answer.Outcome != histories.OK {
		if s.fault.answer != nil && m.acts {
			s.fault.answer(m, r, &answer)
		}
		return nil, answer
	}
	if s.fault.opened != nil && m.acts {
		s.fault.opened(m, &opened)
	}
	w.opened, w.queue, w.after = opened, opened.Initial, opened.After
	if seconds := r.Options().TimeoutSeconds; seconds > 0 {
		w.closing = time.After(time.Duration(seconds) * time.Second)
	}
	s.watches[w] = struct{}{}
	return w, answer
}

// run delivers until the watch ends.
func (w *watch) run(ctx context.Context) {
	defer w.forget()
	for {
		w.pace.Dwell()
		if w.request.Options().Slow {
			time.Sleep(time.Duration(w.pace.UpTo(2000)) * time.Microsecond)
		}
		event, end := w.store.take(w, false)
		if event == nil && end == nil {
			event, end = w.wait(ctx)
		}
		if ctx.Err() != nil {
			end = &histories.End{Reason: histories.EndCancelled}
			event = nil
		}
		if event != nil {
			w.sink.Batch([]histories.Event{*event})
		}
		if end != nil {
			w.sink.End(*end)
			return
		}
	}
}

// wait waits for something to deliver. A bookmark that is due then is returned, and
// the end of a watch whose time is over.
func (w *watch) wait(ctx context.Context) (*histories.Event, *histories.End) {
	var due <-chan time.Time
	if w.allowsBookmarks() {
		due = time.After(bookmarkInterval)
	}
	select {
	case <-ctx.Done():
		return nil, nil
	case <-w.closing:
		return nil, &histories.End{Reason: histories.EndClosed}
	case <-due:
		return w.store.take(w, true)
	case <-w.alarm:
		return nil, nil
	}
}

func (w *watch) forget() {
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	delete(w.store.watches, w)
}

// take returns what the watch delivers next: an event, with the end of the stream if
// it is the last one, or nothing for now. Where a bookmark is due it may be one.
func (s *Store) take(w *watch, due bool) (*histories.Event, *histories.End) {
	acts := w.pace.Chance(s.options.Probability)
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.now(acts)
	if refused := w.opened.Refused; refused != nil {
		event := kube.ErrorEvent(refused)
		return &event, endOf(refused)
	}
	if s.fault.early != nil && m.acts && w.allowsBookmarks() && s.fault.early(m, w) {
		return s.bookmark(m, w, s.state.Newest()), nil
	}
	if end := s.fill(m, w); end != nil {
		event := kube.ErrorEvent(end)
		return &event, endOf(end)
	}
	switch {
	case w.muted:
		return nil, nil
	case len(w.queue) > 0:
		return w.deliver(m), nil
	case w.wantsBookmark(due):
		return s.bookmark(m, w, w.after), nil
	default:
		return nil, nil
	}
}

// endOf is how a stream ends behind an error event.
func endOf(e *histories.Error) *histories.End {
	if e.Class == histories.Compacted {
		return &histories.End{Reason: histories.EndCompacted, Error: e}
	}
	return &histories.End{Reason: histories.EndError, Error: e}
}

// fill reads the history until there is an event to deliver. It returns the error of a
// watch whose history is gone: a server without a cache reads what a compaction removes.
func (s *Store) fill(m moment, w *watch) *histories.Error {
	if len(w.queue) > 0 || w.muted {
		return nil
	}
	effects := s.state.Effects(w.after)
	if s.fault.effects != nil && m.acts {
		effects = s.fault.effects(m, w, effects)
	}
	if len(w.queue) > 0 {
		return nil // the fault has told of some
	}
	if len(effects) == 0 {
		w.after = max(w.after, s.state.Newest())
		return nil
	}
	if !s.options.Profile.Cached && w.after < s.state.Compacted()-1 && s.pace.Chance(0.5) {
		return s.state.Expired(w.after)
	}
	for _, e := range effects {
		w.after = max(w.after, e.Revision)
		if event, tells := w.opened.Event(e); tells {
			w.append(m, e, event)
			return nil
		}
	}
	w.after = max(w.after, s.state.Newest())
	return nil
}

// append takes an event into the queue.
func (w *watch) append(m moment, e kube.Effect, event histories.Event) {
	if f := w.store.fault.event; f != nil && m.acts && !f(m, w, e, &event) {
		return
	}
	w.queue = append(w.queue, event)
}

func (w *watch) deliver(m moment) *histories.Event {
	event := w.queue[0]
	w.queue = w.queue[1:]
	w.delivered++
	objects := []histories.Object{event.Object}
	w.store.show(m, objects)
	event.Object = objects[0]
	return &event
}

// wantsBookmark reports whether a watch that has nothing else to deliver gets a bookmark:
// when it is due, and often after an event. One that waits for a revision that does not
// exist yet gets none.
func (w *watch) wantsBookmark(due bool) bool {
	if !w.allowsBookmarks() || w.after > w.store.state.Newest() {
		return false
	}
	return due || w.after > w.told && w.pace.Chance(0.3)
}

// allowsBookmarks reports whether the watch may get bookmarks.
func (w *watch) allowsBookmarks() bool {
	return w.request.Options().AllowWatchBookmarks || w.store.fault.unasked
}

// bookmark makes a bookmark, unless the fault keeps it back.
func (s *Store) bookmark(m moment, w *watch, revision histories.Revision) *histories.Event {
	w.told = max(w.told, revision)
	event := kube.Bookmark(revision)
	if s.fault.bookmark != nil && m.acts && !s.fault.bookmark(m, w, &event) {
		return nil
	}
	return &event
}
