package kube

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
)

// Opened is a watch that a server has accepted.
type Opened struct {
	selector Selector
	request  *histories.Request
	// Initial are the events that say what was there, nil where the watch has none; the
	// bookmark that ends them is the last where it was asked for (WL-01, WL-03).
	Initial []histories.Event
	// After is the revision after which the watch tells of changes.
	After histories.Revision
	// Refused is the error that the watch begins with, and ends.
	Refused *histories.Error
}

// Watch opens a watch, or returns the answer that refuses it, which otherwise is OK.
// cache is as in Apply.
func (s *State) Watch(r *histories.Request, cache histories.Revision) (Opened, histories.Answer) {
	options := r.Options()
	sel, err := ParseSelector(options.LabelSelector, options.FieldSelector)
	if err != nil {
		return Opened{}, badRequest(err.Error())
	}
	rv, ok := ParseRV(options.ResourceVersion)
	switch {
	case !s.allowedWatch(options):
		return Opened{}, status(histories.Invalid, "resourceVersionMatch and sendInitialEvents are forbidden here")
	case !ok:
		return Opened{}, s.badRV(r)
	}
	w := Opened{selector: sel, request: r}
	s.start(&w, rv, cache)
	return w, histories.Answer{Outcome: histories.OK}
}

// allowedWatch reports whether a watch may have these options (WATCH-23).
func (s *State) allowedWatch(options histories.KubeOptions) bool {
	if options.SendInitialEvents == nil {
		return options.ResourceVersionMatch == ""
	}
	return s.profile.WatchList() && options.ResourceVersionMatch == matchNotOlderThan
}

// start says where the watch begins (CONTRACT, the table of section 6).
func (s *State) start(w *Opened, rv RV, cache histories.Revision) {
	initial := rv.Unset || rv.Zero
	if send := w.request.Options().SendInitialEvents; send != nil {
		initial = *send
	}
	// A cached server without WatchList tells of any state, whatever was asked for.
	anything := rv.Zero || rv.Unset && !s.profile.FreshWatch()
	switch {
	case initial && rv.Revision > s.newest:
		w.Refused = tooLarge(rv.Revision, s.newest).Error
	case initial && anything:
		s.initial(w, cache)
	case initial && rv.Unset:
		s.initial(w, s.newest)
	case initial:
		s.initial(w, max(cache, rv.Revision))
	case anything:
		w.After = cache
	case rv.Unset:
		w.After = s.newest
	case rv.Revision < s.compacted-1: // one more might be too large a number
		w.Refused = s.Expired(rv.Revision)
	default:
		w.After = rv.Revision
	}
}

// Expired is the error of a watch whose history is gone (WATCH-15).
func (s *State) Expired(after histories.Revision) *histories.Error {
	return failure(histories.Compacted, fmt.Sprintf("too old resource version: %d (%d)", after, s.compacted))
}

// initial makes the events that say what was there at a revision.
func (s *State) initial(w *Opened, revision histories.Revision) {
	w.After = revision
	w.Initial = []histories.Event{}
	for o := range s.At(revision).All() {
		if w.Takes(&o) {
			w.Initial = append(w.Initial, histories.Event{Type: histories.AddedEvent, Object: Shown(w.request, o), Last: true})
		}
	}
	if options := w.request.Options(); options.AllowWatchBookmarks && s.marksInitial(options) {
		end := Bookmark(revision)
		end.Kube = &histories.KubeEvent{InitialEventsEnd: true}
		w.Initial = append(w.Initial, end)
	}
}

// marksInitial reports whether the end of the initial events is marked. Where there is
// WatchList, a watch without a resourceVersion counts as one that asked for them.
func (s *State) marksInitial(options histories.KubeOptions) bool {
	return options.SendInitialEvents != nil || s.profile.WatchList()
}

// Request is what the watch asks for.
func (w *Opened) Request() *histories.Request { return w.request }

// Selector is that of the watch.
func (w *Opened) Selector() Selector { return w.selector }

// Takes reports whether an object lies in the watch's scope and is selected.
func (w *Opened) Takes(o *histories.Object) bool {
	return w.request.Scope.Contains(o.Key) && w.selector.Matches(o)
}

// Event is what the watch tells of an effect, false for nothing.
func (w *Opened) Event(e Effect) (histories.Event, bool) {
	kind, object, tells := Event(e.Before, e.After, w.Takes, e.Revision)
	return histories.Event{Type: kind, Object: Shown(w.request, object), Last: true}, tells
}

// Bookmark is the event that says that everything up to a revision was delivered.
func Bookmark(revision histories.Revision) histories.Event {
	return histories.Event{Type: histories.ProgressEvent, Header: revision, Last: true}
}

// ErrorEvent is the event that ends a stream with an error.
func ErrorEvent(e *histories.Error) histories.Event {
	return histories.Event{Type: histories.ErrorEvent, Kube: &histories.KubeEvent{Error: e}, Last: true}
}
