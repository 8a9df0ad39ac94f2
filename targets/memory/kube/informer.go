package kube

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/kube"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory/internal/pace"
)

// informer is the reference informer: a copy of the objects that follows the history at
// its own speed, and a handler that is told, one call at a time, of what the copy has taken.
// Now and then it lists again and goes past what happened meanwhile. It reads the store as
// it is, whatever fault that has for others: an informer's faults are its own.
type informer struct {
	store   *Store
	request histories.Request
	sink    targets.Sink
	pace    *pace.Pace
	// alarm says that there may be something new.
	alarm chan struct{}

	// What follows is guarded by the store's lock.

	objects map[histories.Key]histories.Object
	// after is the revision up to which the copy follows, zero before the first list.
	after histories.Revision
	// calls wait for the handler.
	calls []histories.Event
}

// relists is how often an informer lists again instead of following the next change.
const relists = 0.05

// Inform starts an informer.
func (c *client) Inform(ctx context.Context, r histories.Request, sink targets.Sink) (histories.Answer, targets.Informer, error) {
	if ctx.Err() != nil || c.ctx.Err() != nil {
		return ended(), nil, nil
	}
	i := c.store.inform(r, sink)
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.ctx, cancel)
	c.streams.Go(func() {
		i.run(ctx)
		stop()
		cancel()
	})
	return histories.Answer{Outcome: histories.OK}, i, nil
}

func (s *Store) inform(r histories.Request, sink targets.Sink) *informer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	i := &informer{
		store: s, request: r, sink: sink, alarm: make(chan struct{}, 1), objects: map[histories.Key]histories.Object{},
		pace: pace.New(s.options.Seed, s.name, fmt.Sprintf("i%d", s.opened)),
	}
	s.informers[i] = struct{}{}
	return i
}

// Stored is what the copy holds.
func (i *informer) Stored() ([]histories.Object, histories.Revision) {
	i.store.mu.Lock()
	defer i.store.mu.Unlock()
	objects := slices.Collect(maps.Values(i.objects))
	slices.SortFunc(objects, func(a, b histories.Object) int { return a.Key.Compare(b.Key) })
	return objects, i.after
}

// run tells the handler until ctx ends.
func (i *informer) run(ctx context.Context) {
	defer i.forget()
	for {
		i.pace.Dwell()
		call, waiting := i.next()
		switch {
		case ctx.Err() != nil:
			i.sink.End(histories.End{Reason: histories.EndCancelled})
			return
		case waiting:
			i.sink.Batch([]histories.Event{call})
			continue
		}
		select {
		case <-i.alarm:
		case <-ctx.Done():
		}
	}
}

func (i *informer) forget() {
	i.store.mu.Lock()
	defer i.store.mu.Unlock()
	delete(i.store.informers, i)
}

// next is the next call of the handler, false if there is none for now.
func (i *informer) next() (histories.Event, bool) {
	s := i.store
	acts := i.pace.Chance(s.options.Probability)
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.now(acts)
	switch {
	case len(i.calls) > 0:
	case i.after == 0:
		i.list(m)
	case i.after < s.state.Newest() && i.pace.Chance(relists):
		i.calls = i.relist()
	case i.after < s.state.Newest():
		i.follow(m)
	}
	if len(i.calls) == 0 {
		return histories.Event{}, false
	}
	call := i.calls[0]
	i.calls = i.calls[1:]
	return call, true
}

// list takes the state with which the informer begins: where the cache stands, or, with a
// watch that sends the state, the newest.
func (i *informer) list(m moment) {
	revision := m.cache
	if initial := i.request.Options().SendInitialEvents; initial != nil && *initial {
		revision = m.state.Newest()
	}
	i.after = revision
	var calls []histories.Event
	for o := range m.state.At(revision).All() {
		i.objects[o.Key] = o
		calls = append(calls, histories.Event{
			Type: histories.AddedEvent, Last: true, Object: o, Kube: &histories.KubeEvent{Initial: true},
		})
	}
	i.tell(m, append(calls, histories.Event{Type: histories.SyncedEvent, Last: true}))
}

// tell leaves calls to the handler.
func (i *informer) tell(m moment, calls []histories.Event) {
	if f := i.store.fault.calls; f != nil && m.acts {
		calls = f(m, calls)
	}
	i.calls = append(i.calls, calls...)
}

// follow takes the next change, if the revisions that are new have any.
func (i *informer) follow(m moment) {
	effects := m.state.Effects(i.after)
	if len(effects) == 0 {
		i.after = m.state.Newest()
		return
	}
	e := effects[0]
	i.after = e.Revision
	call := i.changed(e.Key(), e.After)
	if e.After == nil {
		_, call.Object, _ = kube.Event(e.Before, nil, func(*histories.Object) bool { return true }, e.Revision)
	}
	if f := i.store.fault.keeps; f == nil || !m.acts || f(m, e) {
		i.take(e.Key(), e.After)
	}
	i.tell(m, []histories.Event{call})
}

// take stores an object, or takes one away.
func (i *informer) take(key histories.Key, o *histories.Object) {
	if o == nil {
		delete(i.objects, key)
		return
	}
	i.objects[key] = *o
}

// changed is what the handler is told of an object that becomes what it is now, nil for
// nothing.
func (i *informer) changed(key histories.Key, now *histories.Object) histories.Event {
	before, known := i.objects[key]
	switch {
	case now == nil:
		return histories.Event{Type: histories.DeleteEvent, Last: true, Object: before}
	case known:
		return histories.Event{Type: histories.ModifiedEvent, Last: true, Object: *now, Prev: &before}
	default:
		return histories.Event{Type: histories.AddedEvent, Last: true, Object: *now}
	}
}

// relist takes the newest state as a whole: what is gone is told with its last known
// state, and what happened in between not at all.
func (i *informer) relist() []histories.Event {
	now := i.store.state.Now()
	i.after = i.store.state.Newest()
	var calls []histories.Event
	for _, key := range slices.SortedFunc(maps.Keys(i.objects), histories.Key.Compare) {
		if _, there := now.Get(key); !there {
			call := i.changed(key, nil)
			call.Kube = &histories.KubeEvent{FinalStateUnknown: true}
			calls = append(calls, call)
			i.take(key, nil)
		}
	}
	for o := range now.All() {
		if i.objects[o.Key].RV != o.RV {
			calls = append(calls, i.changed(o.Key, &o))
			i.take(o.Key, &o)
		}
	}
	return calls
}
