package kube

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// stream is a watch with what it delivered.
type stream struct {
	op      *histories.Operation
	events  []histories.Event
	takes   func(*histories.Object) bool
	options histories.KubeOptions
	// from is the revision after which it tells of changes, where the request says so.
	from histories.Revision
	// state: it begins with initial events. mark is the index of the bookmark that ends
	// them, -1 for none.
	state bool
	mark  int
}

// watches lists the streams that count.
func (s *search) watches() []*stream {
	var all []*stream
	for i := range s.history.Streams {
		of := &s.history.Streams[i]
		op := s.history.Operation(of.Op)
		w := &stream{op: op, events: of.Events, takes: filter(&op.Request), options: op.Request.Options(), mark: -1}
		n := number(w.options.ResourceVersion)
		send := w.options.SendInitialEvents
		if w.state = send != nil && *send || send == nil && n == 0; !w.state {
			w.from = n
		}
		w.mark = slices.IndexFunc(w.events, func(e histories.Event) bool { return e.Details().InitialEventsEnd })
		all = append(all, w)
	}
	return all
}

// shape returns the rule that a stream breaks by itself.
func (w *stream) shape() string {
	send := w.options.SendInitialEvents
	for i := range w.events {
		e := &w.events[i]
		switch {
		case e.Type == histories.ErrorEvent && i+1 < len(w.events):
			return "something comes after an error (WATCH-16)"
		case e.Type == histories.ErrorEvent:
		case e.Type == histories.ProgressEvent && !w.options.AllowWatchBookmarks:
			return "a bookmark that nobody asked for (BM-01)"
		case e.Type == histories.ProgressEvent && len(e.Details().Form) > 0:
			return "a bookmark that is not bare (BM-02)"
		case e.Details().InitialEventsEnd && (i != w.mark || !w.state):
			return "a mark too many (WL-03)"
		case e.Type != histories.AddedEvent && i < w.mark,
			e.Type != histories.AddedEvent && w.mark < 0 && send != nil && *send && w.options.AllowWatchBookmarks:
			return "no mark ends the initial events (WL-03)"
		}
	}
	return ""
}

// start is the revision after which a stream certainly tells of changes, and the index of
// its first event about one.
func (w *stream) start() (after histories.Revision, first int, known bool) {
	switch {
	case w.mark >= 0:
		return w.events[w.mark].Header, w.mark + 1, true
	case w.from > 0:
		return w.from, 0, true
	default:
		return 0, 0, false
	}
}

// told reports whether every stream that passed a change tells of it as it has to, and
// none tells of it where it must not. What is not known yet is left to the end.
func (s *search) told(c *change) bool {
	for _, w := range s.streams {
		after, first, known := w.start()
		if !known || c.revision <= after {
			continue
		}
		expected := event(c, w.takes)
		at := slices.IndexFunc(w.events[first:], func(e histories.Event) bool {
			return max(e.Header, e.Object.RV) >= c.revision && e.Type != histories.ErrorEvent
		})
		switch {
		case at < 0: // the stream did not come so far
		case w.events[first+at].Type == histories.ProgressEvent, w.events[first+at].Object.RV > c.revision:
			if expected != nil {
				return false
			}
		case expected == nil || !fits(expected, &w.events[first+at], w):
			return false
		}
	}
	return true
}

// event is what a stream tells of a change, nil for nothing (WATCH-06 to WATCH-08).
func event(c *change, takes func(*histories.Object) bool) *histories.Event {
	was, is := c.before != nil && takes(c.before), c.after != nil && takes(c.after)
	switch {
	case was && is:
		return &histories.Event{Type: histories.ModifiedEvent, Object: *c.after}
	case is:
		return &histories.Event{Type: histories.AddedEvent, Object: *c.after}
	case was:
		last := *c.before
		last.RV = c.revision
		return &histories.Event{Type: histories.DeleteEvent, Object: last}
	default:
		return nil
	}
}

func fits(expected, e *histories.Event, w *stream) bool {
	return expected.Type == e.Type && same(&expected.Object, &e.Object, isPartial(&w.op.Request))
}

// explain returns the rule that a stream breaks on a store.
func (s *search) explain(at *store, w *stream) string {
	events := w.events
	if n := len(events); n > 0 && events[n-1].Type == histories.ErrorEvent {
		events = events[:n-1]
	}
	after, first, known := w.start()
	floor := s.lowest(at, w)
	switch {
	case w.mark >= 0 && after < floor:
		return "its state is too old (WL-02)"
	case w.mark >= 0 && !w.shows(at, events[:w.mark], after, true):
		return "its initial events are no state (WL-01)"
	case known:
		return follows(at, w, events[first:], after)
	case len(events) == 0:
		return ""
	}
	candidates := []histories.Revision{floor, at.newest}
	for _, c := range at.changes {
		candidates = append(candidates, c.revision-1, c.revision)
	}
	for _, start := range candidates {
		for n := 0; n <= len(events) && start >= floor; n++ {
			if n > 0 && !w.state {
				break
			}
			if w.shows(at, events[:n], start, n < len(events)) && follows(at, w, events[n:], start) == "" {
				return ""
			}
		}
	}
	return "no state and the changes behind it explain it (WATCH-11)"
}

// lowest is the least revision of the state with which a watch may begin, or after which
// it tells.
func (s *search) lowest(at *store, w *stream) histories.Revision {
	send := w.options.SendInitialEvents
	n := number(w.options.ResourceVersion)
	fresh := send != nil || !s.cached || s.history.Header.Profile == "kube-1.37"
	switch {
	case n > 0:
		return n
	case w.options.ResourceVersion != "" || !fresh:
		return 0
	}
	low := s.floor(w.op.Call)
	for i := range s.history.Operations {
		if op := &s.history.Operations[i]; op.Return < w.op.Call && op.Answer.Outcome == histories.OK {
			low = max(low, op.Answer.Revision)
			for k := range op.Answer.Objects {
				low = max(low, op.Answer.Objects[k].RV)
			}
			for _, c := range at.changes {
				if c.by == op.ID {
					low = max(low, c.revision)
				}
			}
		}
	}
	return low
}

// shows reports whether events are the state at a revision, or the part of it that had
// come where the stream ends with it.
func (w *stream) shows(at *store, block []histories.Event, revision histories.Revision, whole bool) bool {
	if !w.state {
		return len(block) == 0
	}
	state := at.snapshot(revision, w.takes)
	if whole && len(state) != len(block) {
		return false
	}
	seen := map[histories.Key]bool{}
	for i := range block {
		o := &block[i].Object
		stored := slices.IndexFunc(state, func(s *histories.Object) bool { return s.Key == o.Key })
		if block[i].Type != histories.AddedEvent || seen[o.Key] || stored < 0 || !same(state[stored], o, isPartial(&w.op.Request)) {
			return false
		}
		seen[o.Key] = true
	}
	return true
}

// follows returns the rule that events break which should be the changes after a revision
// (WATCH-01 to WATCH-05, BM-03, BM-05, BM-08).
func follows(at *store, w *stream, events []histories.Event, after histories.Revision) string {
	var owed []*histories.Event
	for i := range at.changes {
		if e := event(&at.changes[i], w.takes); e != nil && at.changes[i].revision > after {
			owed = append(owed, e)
		}
	}
	last := after
	for i := range events {
		e := &events[i]
		if e.Type == histories.ProgressEvent {
			if e.Header < last || len(owed) > 0 && owed[0].Object.RV <= e.Header || e.Header > at.newest {
				return "a bookmark at the wrong place (BM-03)"
			}
			last = e.Header
			continue
		}
		if len(owed) == 0 || !fits(owed[0], e, w) || e.Object.RV <= last {
			return "it does not deliver the changes (WATCH-01 to WATCH-08)"
		}
		last = e.Object.RV
		owed = owed[1:]
	}
	return ""
}
