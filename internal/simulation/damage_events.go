package simulation

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// eventDamages are what a watch delivers that loses, repeats, mixes or invents changes.
var eventDamages = []Damage{
	{ID: "event-dropped", Property: "watch/no-gap", Streams: true, Apply: alterStream(hasEvents, dropEvent)},
	{ID: "event-duplicated", Property: "watch/unique", Streams: true, Apply: alterStream(hasEvents, duplicateEvent)},
	{ID: "event-repeated-later", Property: "watch/unique", Streams: true, Apply: alterStream(hasEvents, repeatEvent)},
	{ID: "events-swapped", Property: "watch/ordered", Streams: true, Apply: alterStream(hasEvents, swapEvents)},
	{ID: "event-value", Property: "watch/content", Streams: true, Apply: alterEvent(histories.PutEvent, eventValue)},
	{ID: "event-version", Property: "watch/content", Streams: true, Apply: alterEvent(histories.PutEvent, eventVersion)},
	{ID: "event-put-as-delete", Property: "watch/content", Streams: true, Apply: alterEvent(histories.PutEvent, putAsDelete)},
	{ID: "event-delete-as-put", Property: "watch/content", Streams: true, Apply: alterEvent(histories.DeleteEvent, deleteAsPut)},
	{ID: "event-delete-rv", Property: "watch/content", Streams: true, Apply: alterEvent(histories.DeleteEvent, deleteRV)},
	{ID: "event-delete-value", Property: "watch/delete-bare", Streams: true, Apply: alterEvent(histories.DeleteEvent, deleteValue)},
	{ID: "event-phantom", Property: "watch/authentic", Streams: true, Apply: alterStream(anyStream, phantom)},
	{ID: "event-below-start", Property: "watch/start", Streams: true, Apply: alterStream(anyStream, belowStart)},
	{ID: "event-out-of-scope", Property: "watch/scope", Streams: true, Apply: alterStream(anyStream, strayEvent)},
	{ID: "event-not-wanted", Property: "watch/filters", Streams: true, Apply: alterStream(anyStream, unwantedEvent)},
	{ID: "revision-split", Property: "watch/atomic", Streams: true, Apply: alterStream(hasSiblings, splitRevision)},
	{ID: "sibling-dropped", Property: "watch/no-gap", Streams: true, Apply: alterStream(hasSiblings, dropSibling)},
	{ID: "prev-missing", Property: "watch/prev", Streams: true, Apply: alterPrevious(func(_ *ledger, e *histories.Event) bool { e.Prev = nil; return true })},
	{ID: "prev-older", Property: "watch/prev", Streams: true, Apply: alterPrevious(prevOlder)},
	{ID: "prev-new", Property: "watch/prev", Streams: true, Apply: alterPrevious(prevNew)},
	{ID: "prev-version", Property: "watch/prev", Streams: true, Apply: alterPrevious(prevVersion)},
	{ID: "prev-invented", Property: "watch/prev", Streams: true, Apply: alterStream(asksPrevious, inventPrevious)},
}

func anyStream(*histories.Stream) bool { return true }

func isChange(e *histories.Event) bool { return e.Type != histories.ProgressEvent }

func hasEvents(s *histories.Stream) bool {
	for i := range s.Events {
		if isChange(&s.Events[i]) {
			return true
		}
	}
	return false
}

// changes returns the indexes of the events that are no progress.
func changes(s *histories.Stream) []int {
	var found []int
	for i := range s.Events {
		if isChange(&s.Events[i]) {
			found = append(found, i)
		}
	}
	return found
}

// remark numbers the batches anew and marks their last events.
func remark(s *histories.Stream) {
	number, old := 0, 0
	for i := range s.Events {
		if s.Events[i].Batch != old {
			old = s.Events[i].Batch
			number++
		}
		s.Events[i].Batch = number
		s.Events[i].Last = i+1 == len(s.Events) || s.Events[i+1].Batch != old
	}
}

func eventOf(e entry) histories.Event {
	if e.deleted {
		return histories.Event{Type: histories.DeleteEvent, Object: histories.Object{Key: e.object.Key, RV: e.revision}}
	}
	return histories.Event{Type: histories.PutEvent, Object: e.object}
}

func sortEvents(events []histories.Event) {
	slices.SortFunc(events, func(a, b histories.Event) int {
		return cmp.Or(cmp.Compare(a.Object.RV, b.Object.RV), a.Object.Key.Compare(b.Object.Key))
	})
}

// insertEvent puts an event in a response of its own before the event with this
// index. The events that follow get responses of their own as well, which is legal.
func insertEvent(h *histories.History, s *histories.Stream, i int, e histories.Event) {
	e.Time, e.Header = h.Operation(s.Op).Return, h.Operation(s.Op).Answer.Revision
	e.Batch = -1 // remark numbers it
	if i > 0 {
		before := s.Events[i-1]
		e.Time, e.Header, e.Transport = before.Time, before.Header, before.Transport
	} else if len(s.Events) > 0 {
		e.Transport = s.Events[0].Transport
	}
	e.Header = max(e.Header, e.Object.RV)
	s.Events = slices.Insert(s.Events, i, e)
	for j := i + 1; j < len(s.Events); j++ {
		s.Events[j].Batch += len(s.Events) + j // a response that was split becomes two
	}
	remark(s)
}

// appendEvent puts an event at the end of a stream, before its end.
func appendEvent(h *histories.History, s *histories.Stream, e histories.Event) {
	insertEvent(h, s, len(s.Events), e)
	last := &s.Events[len(s.Events)-1]
	last.Time = max(last.Time, lastTime(h))
	if s.End != nil {
		s.End.Time = max(s.End.Time, last.Time)
	}
}

func dropEvent(rng *rand.Rand, _ *histories.History, s *histories.Stream) bool {
	i := one(rng, changes(s))
	s.Events = slices.Delete(s.Events, i, i+1)
	remark(s)
	return true
}

func duplicateEvent(rng *rand.Rand, _ *histories.History, s *histories.Stream) bool {
	i := one(rng, changes(s))
	s.Events = slices.Insert(s.Events, i, s.Events[i])
	remark(s)
	return true
}

func repeatEvent(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	i := one(rng, changes(s))
	at := i + 1 + rng.IntN(len(s.Events)-i)
	insertEvent(h, s, at, histories.Event{Type: s.Events[i].Type, Object: s.Events[i].Object, Prev: s.Events[i].Prev})
	return true
}

func swapEvents(rng *rand.Rand, _ *histories.History, s *histories.Stream) bool {
	all := changes(s)
	if len(all) < 2 {
		return false
	}
	i := rng.IntN(len(all) - 1)
	a, b := &s.Events[all[i]], &s.Events[all[i+1]]
	a.Type, b.Type = b.Type, a.Type
	a.Object, b.Object = b.Object, a.Object
	a.Prev, b.Prev = b.Prev, a.Prev
	a.Header = max(a.Header, a.Object.RV)
	return true
}

// alterEvent changes one event of a type.
func alterEvent(kind histories.EventType, change func(*ledger, *histories.Event) bool) func(*rand.Rand, *histories.History) bool {
	return alterSome(func(e *histories.Event) bool { return e.Type == kind }, change)
}

// alterPrevious changes one event that tells the previous value.
func alterPrevious(change func(*ledger, *histories.Event) bool) func(*rand.Rand, *histories.History) bool {
	return alterSome(func(e *histories.Event) bool { return e.Prev != nil }, change)
}

func alterSome(want func(*histories.Event) bool, change func(*ledger, *histories.Event) bool) func(*rand.Rand, *histories.History) bool {
	return func(rng *rand.Rand, h *histories.History) bool {
		var found []*histories.Event
		for i := range h.Streams {
			for j := range h.Streams[i].Events {
				if e := &h.Streams[i].Events[j]; want(e) {
					found = append(found, e)
				}
			}
		}
		e := one(rng, found)
		return e != nil && change(readLedger(h), e)
	}
}

func eventValue(l *ledger, e *histories.Event) bool { return otherValue(l, &e.Object) }

func eventVersion(_ *ledger, e *histories.Event) bool {
	e.Object.Version++
	return true
}

func putAsDelete(_ *ledger, e *histories.Event) bool {
	e.Type, e.Object = histories.DeleteEvent, histories.Object{Key: e.Object.Key, RV: e.Object.RV}
	return true
}

func deleteAsPut(l *ledger, e *histories.Event) bool {
	older := l.before(e.Object.Key.Name, e.Object.RV)
	if older == nil {
		return false
	}
	rv := e.Object.RV
	e.Type, e.Object = histories.PutEvent, *older
	e.Object.RV, e.Object.Version = rv, older.Version+1
	return true
}

// deleteRV gives the event of a deletion the revision of what was deleted.
func deleteRV(l *ledger, e *histories.Event) bool {
	older := l.before(e.Object.Key.Name, e.Object.RV)
	if older == nil {
		return false
	}
	e.Object.RV = older.RV
	return true
}

func deleteValue(l *ledger, e *histories.Event) bool {
	older := l.before(e.Object.Key.Name, e.Object.RV)
	if older == nil {
		return false
	}
	rv := e.Object.RV
	e.Object = *older
	e.Object.RV = rv
	return true
}

// phantom tells of a change that nobody made.
func phantom(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	i := rng.IntN(len(s.Events) + 1)
	l := readLedger(h)
	from, end := h.Operation(s.Op).Answer.Revision, l.newest+2
	if i > 0 {
		from = max(s.Events[i-1].Object.RV, s.Events[i-1].Header)
	}
	if i < len(s.Events) && isChange(&s.Events[i]) {
		end = s.Events[i].Object.RV
	}
	at := l.unused(from+1, end)
	scope := h.Operation(s.Op).Request.Scope
	if at == 0 || !contains(scope, first(scope)) {
		return false
	}
	insertEvent(h, s, i, histories.Event{Type: histories.PutEvent, Object: histories.Object{
		Key: histories.Key{Name: first(scope)}, Write: "nobody", RV: at, CreateRevision: at, Version: 1, Size: 20,
	}})
	return true
}

// belowStart begins with a change from before the start.
func belowStart(_ *rand.Rand, h *histories.History, s *histories.Stream) bool {
	op := h.Operation(s.Op)
	start := op.Request.StartRevision
	if start == 0 {
		start = known(h, op.Call)
	}
	var events []histories.Event
	for name, entries := range readLedger(h).entries {
		for _, e := range entries {
			if e.revision < start && contains(op.Request.Scope, name) {
				events = append(events, eventOf(e))
			}
		}
	}
	if len(events) == 0 {
		return false
	}
	sortEvents(events)
	insertEvent(h, s, 0, events[len(events)-1])
	return true
}

// strayEvent delivers a change of a key outside the scope, at its place.
func strayEvent(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	scope := h.Operation(s.Op).Request.Scope
	return misplace(rng, h, s, func(name string, _ entry) bool { return !contains(scope, name) })
}

// misplace delivers a change that the watch must not deliver, where it would be if
// it had to.
func misplace(rng *rand.Rand, h *histories.History, s *histories.Stream, want func(name string, e entry) bool) bool {
	low, high := h.Operation(s.Op).Request.StartRevision, readLedger(h).newest+1
	i := rng.IntN(len(s.Events) + 1)
	if i > 0 {
		low = max(low, s.Events[i-1].Header+1, s.Events[i-1].Object.RV+1)
	}
	if i < len(s.Events) {
		high = max(s.Events[i].Object.RV, low)
	}
	var events []histories.Event
	for name, entries := range readLedger(h).entries {
		for _, e := range entries {
			if e.revision >= low && e.revision < high && want(name, e) {
				events = append(events, eventOf(e))
			}
		}
	}
	if len(events) == 0 {
		return false
	}
	sortEvents(events)
	insertEvent(h, s, i, events[0])
	return true
}

func prevOlder(l *ledger, e *histories.Event) bool {
	older := l.before(e.Prev.Key.Name, e.Prev.RV)
	if older == nil {
		return false
	}
	e.Prev = older
	return true
}

// prevNew tells the new value as the previous one.
func prevNew(_ *ledger, e *histories.Event) bool {
	if e.Type != histories.PutEvent {
		return false
	}
	o := e.Object
	e.Prev = &o
	return true
}

func prevVersion(_ *ledger, e *histories.Event) bool {
	o := *e.Prev
	o.Version++
	e.Prev = &o
	return true
}

// asksPrevious: somewhere in the stream previous values are told, so they were asked for.
func asksPrevious(s *histories.Stream) bool {
	return slices.ContainsFunc(s.Events, func(e histories.Event) bool { return e.Prev != nil })
}

// inventPrevious tells a previous value of a key that did not exist.
func inventPrevious(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	i := one(rng, changes(s))
	e := &s.Events[i]
	if e.Type != histories.PutEvent || e.Object.Version != 1 {
		return false
	}
	o := e.Object
	if older := readLedger(h).before(o.Key.Name, o.RV); older != nil {
		o = *older
	}
	e.Prev = &o
	return true
}
