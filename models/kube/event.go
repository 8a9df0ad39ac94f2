package kube

import "github.com/rvcheck/rvcheck/histories"

// Event says what a watch tells of a change of one object at a revision: its type and
// the object that it carries. It is false where the watch tells nothing. The states
// before and after are nil where there is no object.
//
// A watch tells of what it takes, so an object that comes to match is added and one
// that ceases to match is deleted. A delete carries the last state that matched, with
// the revision of the change (WATCH-06, WATCH-07, WATCH-08).
func Event(before, after *histories.Object, takes func(o *histories.Object) bool, revision histories.Revision) (histories.EventType, histories.Object, bool) {
	was := before != nil && takes(before)
	is := after != nil && takes(after)
	switch {
	case is && was:
		return histories.ModifiedEvent, *after, true
	case is:
		return histories.AddedEvent, *after, true
	case was:
		last := *before
		last.RV = revision
		return histories.DeleteEvent, last, true
	default:
		return "", histories.Object{}, false
	}
}
