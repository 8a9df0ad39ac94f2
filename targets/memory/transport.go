package memory

import (
	"context"
	"slices"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets/memory/internal/pace"
)

// transport is a transport stream: it carries one watch of its own, or all watches
// of a client that name it. One goroutine delivers for all of them, so that
// what goes out has one order.
type transport struct {
	// name is what events call the stream, shared what requests call it, empty for
	// one that a single watch has for its own.
	name, shared string
	client       *client
	store        *store
	pace         *pace.Pace
	alarm        chan struct{}

	// What follows is guarded by the store's lock.

	watches []*watch
	// asked: somebody waits for a progress notification of all watches.
	asked bool
	// nextID is the next id that the stream picks for a watch.
	nextID int64
	// running: a goroutine delivers. over: it has ended, and nothing is delivered
	// any more.
	running, over bool
}

// transport returns the stream that a request names, or a new one, which is called
// after its first watch.
func (c *client) transport(shared string, first *watch) *transport {
	if t := c.transports[shared]; t != nil && !t.over {
		return t
	}
	t := &transport{
		name: first.pace.Actor, shared: shared, client: c, store: c.store, pace: first.pace, alarm: make(chan struct{}, 1),
	}
	if shared != "" {
		c.transports[shared] = t
	}
	return t
}

// add opens a watch on the stream, under the id that it asks for or the next that
// is free. One that asks for an id that another has is refused.
func (t *transport) add(w *watch) {
	w.transport, w.id = t, w.request.WatchID
	for w.id == 0 {
		if t.has(t.nextID) {
			t.nextID++
			continue
		}
		w.id = t.nextID
		t.nextID++
		break
	}
	if w.request.WatchID != 0 && t.has(w.id) {
		w.id, w.refused = noWatch, duplicate(w.store.state.Newest())
	}
	t.watches = append(t.watches, w)
}

// noWatch is the id of a watch that was refused.
const noWatch = -1

func duplicate(header histories.Revision) *histories.End {
	return &histories.End{
		Reason: histories.EndError, Header: header,
		Error: &histories.Error{Class: histories.Other, Message: "a watch with this id is on the stream already"},
	}
}

// has reports whether the id belongs to a watch that is not cancelled.
func (t *transport) has(id int64) bool {
	return slices.ContainsFunc(t.watches, func(w *watch) bool { return w.id == id && w.ctx.Err() == nil })
}

func (t *transport) remove(w *watch) {
	t.watches = slices.DeleteFunc(slices.Clone(t.watches), func(other *watch) bool { return other == w })
}

// start makes the stream deliver, if it does not yet.
func (t *transport) start() {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if !t.running {
		t.running = true
		t.client.streams.Go(t.run)
	}
	t.wake()
}

// run delivers until the stream is over.
func (t *transport) run() {
	defer context.AfterFunc(t.client.ctx, t.wake)()
	for {
		open, over := t.open()
		if over {
			return
		}
		if t.deliver(open) {
			continue
		}
		select {
		case <-t.alarm:
		case <-notify(open):
			t.askEach(open)
		}
	}
}

// open returns the watches on the stream, and whether nothing is delivered on it
// any more.
func (t *transport) open() (open []*watch, over bool) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	t.over = len(t.watches) == 0 && (t.shared == "" || t.client.ctx.Err() != nil)
	return t.watches, t.over
}

// deliver gives each watch what comes next, and reports whether there was anything.
func (t *transport) deliver(open []*watch) (some bool) {
	for _, w := range open {
		t.pace.Dwell()
		batch, end := t.store.take(w)
		if end != nil {
			w.sink.End(*end)
			some = true
		}
		if len(batch) > 0 {
			t.store.receiver(w).sink.Batch(batch)
			some = true
		}
	}
	return some
}

// receiver is who gets what a watch delivers.
func (s *store) receiver(w *watch) *watch {
	if s.fault.receiver == nil {
		return w
	}
	acts := w.pace.Chance(s.options.Probability)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !acts {
		return w
	}
	return s.fault.receiver(s.now(acts), w)
}

// notify returns what to wait for between two periodic notifications: nothing
// that ever comes, where no watch wants any.
func notify(open []*watch) <-chan time.Time {
	if !slices.ContainsFunc(open, func(w *watch) bool { return w.request.ProgressNotify }) {
		return nil
	}
	return time.After(notifyInterval)
}

// askEach asks for the notifications of the watches that want them periodically.
func (t *transport) askEach(open []*watch) {
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	for _, w := range open {
		w.asked = w.asked || w.request.ProgressNotify
	}
}

// ask asks for a progress notification of all watches.
func (t *transport) ask() {
	t.store.mu.Lock()
	t.asked = true
	t.store.mu.Unlock()
	t.wake()
}

// wake makes the stream look whether there is something to deliver.
func (t *transport) wake() {
	select {
	case t.alarm <- struct{}{}:
	default:
	}
}

// synced reports whether everything up to now has gone out on the stream.
func (t *transport) synced(state *models.State) bool {
	return !slices.ContainsFunc(t.watches, func(w *watch) bool { return !w.synced(state) })
}

// tell makes the notification that a watch waits for: its own, or that of all
// watches on the stream.
func (t *transport) tell(m moment, w *watch) {
	if !t.asked {
		w.asked = false
		w.tell(m)
		return
	}
	t.asked = false
	for _, each := range t.watches {
		if each.asked = false; !each.muted {
			each.tell(m)
		}
	}
}
