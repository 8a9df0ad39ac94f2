package damaged

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// first holds back the first response of a watch until the second has come, and does
// something with the two. What comes after passes. Where a progress notification or
// the end comes before the second one, the first passes too, and the next is the first.
type first struct {
	then func(one, two []histories.Event) [][]histories.Event
	held []histories.Event
	done bool
}

func (f *first) response(events []histories.Event) [][]histories.Event {
	one := f.held
	switch {
	case f.done:
		return [][]histories.Event{events}
	case progress(events):
		f.held = nil
		return [][]histories.Event{one, events}
	case one == nil:
		f.held = events
		return nil
	default:
		f.held, f.done = nil, true
		return f.then(one, events)
	}
}

func (f *first) end(*histories.End) ([][]histories.Event, bool) {
	return [][]histories.Event{f.held}, true
}

// dropped leaves out the first revision of the first response.
func dropped(one, two []histories.Event) [][]histories.Event {
	revision := one[0].Object.RV
	rest := slices.DeleteFunc(one, func(e histories.Event) bool { return e.Object.RV == revision })
	return [][]histories.Event{rest, two}
}

func swapped(one, two []histories.Event) [][]histories.Event {
	return [][]histories.Event{two, under(two, one)}
}

func doubled(one, two []histories.Event) [][]histories.Event {
	return [][]histories.Event{one, two, under(two, one)}
}

// under is a copy of a response that goes out after another one: its header is not
// older.
func under(before, response []histories.Event) []histories.Event {
	after := slices.Clone(response)
	for i := range after {
		after[i].Header = max(after[i].Header, before[0].Header)
	}
	return after
}

// late holds back events until a progress notification has gone out.
type late struct {
	held [][]histories.Event
}

func (l *late) response(events []histories.Event) [][]histories.Event {
	if !progress(events) {
		l.held = append(l.held, events)
		return nil
	}
	out := [][]histories.Event{events}
	for _, response := range l.held {
		out = append(out, under(events, response))
	}
	l.held = nil
	return out
}

func (l *late) end(*histories.End) ([][]histories.Event, bool) { return l.held, true }

// each changes every response that carries events.
type each func(events []histories.Event) []histories.Event

func (change each) response(events []histories.Event) [][]histories.Event {
	if progress(events) {
		return [][]histories.Event{events}
	}
	return [][]histories.Event{change(events)}
}

func (each) end(*histories.End) ([][]histories.Event, bool) { return nil, true }

// invented adds the put of a key that nobody writes.
func invented(events []histories.Event) []histories.Event {
	last := events[len(events)-1]
	last.Type, last.Prev = histories.PutEvent, nil
	last.Object = histories.Object{
		Key: histories.Key{Name: "~invented"}, Write: "invented",
		RV: last.Object.RV, CreateRevision: last.Object.RV, Version: 1,
	}
	return append(events, last)
}

// valuesOfBefore shows, in the event of a put, the write of the put of that key that
// the watch delivered before.
func valuesOfBefore() each {
	writes := map[histories.Key]histories.WriteID{}
	return func(events []histories.Event) []histories.Event {
		for i := range events {
			o := &events[i].Object
			if events[i].Type != histories.PutEvent || o.Write == "" {
				continue
			}
			before, seen := writes[o.Key]
			if writes[o.Key] = o.Write; seen {
				o.Write = before
			}
		}
		return events
	}
}

func withValue(events []histories.Event) []histories.Event {
	for i, e := range events {
		if e.Type == histories.DeleteEvent && e.Prev != nil {
			events[i].Object = *e.Prev
			events[i].Object.RV = e.Object.RV
		}
	}
	return events
}

func prevIsNew(events []histories.Event) []histories.Event {
	for i, e := range events {
		if e.Type == histories.PutEvent && e.Prev != nil {
			events[i].Prev = &e.Object
		}
	}
	return events
}

func headerBehind(events []histories.Event) []histories.Event {
	header := events[0].Object.RV - 1
	for i := range events {
		events[i].Header = header
	}
	return events
}

// split divides a response within the first revision that has several events.
type split struct{ honest }

func (split) response(events []histories.Event) [][]histories.Event {
	for i := 1; i < len(events); i++ {
		if events[i].Object.RV == events[i-1].Object.RV {
			return [][]histories.Event{events[:i:i], events[i:]}
		}
	}
	return [][]histories.Event{events}
}

// silent lets nothing pass after the first response with events.
type silent struct {
	honest
	done bool
}

func (s *silent) response(events []histories.Event) [][]histories.Event {
	if s.done {
		return nil
	}
	s.done = !progress(events)
	return [][]histories.Event{events}
}

// notified changes progress notifications; false keeps one back.
type notified func(e *histories.Event) bool

func (change notified) response(events []histories.Event) [][]histories.Event {
	if progress(events) && !change(&events[0]) {
		return nil
	}
	return [][]histories.Event{events}
}

func (notified) end(*histories.End) ([][]histories.Event, bool) { return nil, true }

// untold keeps it a secret that a watch was cancelled as compacted.
type untold struct{ honest }

func (untold) end(end *histories.End) ([][]histories.Event, bool) {
	return nil, end.Reason != histories.EndCompacted
}

// unnamed hides which compaction a watch met.
type unnamed struct{ honest }

func (unnamed) end(end *histories.End) ([][]histories.Event, bool) {
	end.CompactRevision = 0
	return nil, true
}
