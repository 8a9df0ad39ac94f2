package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/kube"
)

// fault is how a store goes wrong. Each field takes the place of one honest step of the
// store; nil fields are honest. A fault that does not act at a moment leaves its
// arguments as they are. The store calls a fault under its lock, and only at moments
// that act.
type fault struct {
	// request changes what was asked, when the store takes it up: calls and watches.
	request func(m moment, r *histories.Request)
	// step does the call instead of the specification. A nil state leaves the call to
	// the specification.
	step func(m moment, r histories.Request) (*kube.State, histories.Answer)
	// answer changes what is answered: calls, and watches that are refused.
	answer func(m moment, r histories.Request, a *histories.Answer)
	// late changes what is answered when the answer leaves, some time after the step;
	// m.state may have moved on.
	late func(m moment, r histories.Request, a *histories.Answer)
	// shown changes every object that anybody gets to see. What it points to is shared.
	shown func(o *histories.Object)

	// opened changes where a watch begins, and its initial events.
	opened func(m moment, w *kube.Opened)
	// effects chooses what a watch reads of the history.
	effects func(m moment, w *watch, effects []kube.Effect) []kube.Effect
	// event changes an event that the watch is to deliver, false drops it.
	event func(m moment, w *watch, e kube.Effect, event *histories.Event) bool
	// early says that a bookmark at the newest revision goes out before anything else.
	early func(m moment, w *watch) bool
	// unasked: bookmarks go out on every watch.
	unasked bool
	// bookmark changes a bookmark; false keeps it from being sent.
	bookmark func(m moment, w *watch, event *histories.Event) bool

	// keeps is false for a change that an informer's store does not take.
	keeps func(m moment, e kube.Effect) bool
	// calls changes what an informer tells its handler of its first list or of a change.
	calls func(m moment, calls []histories.Event) []histories.Event
	// paged changes what a pager puts together.
	paged func(m moment, size int64, objects []histories.Object) []histories.Object
}

// moment is what a fault may know of the time at which it is called.
type moment struct {
	// acts: the fault acts now; without a probability, always.
	acts bool
	// call is the call that is performed; what is taken up may be one of its steps.
	call histories.Request
	// state is the store now.
	state *kube.State
	// began is the store when the call came in.
	began *kube.State
	// stale is the store just before the newest write that had been acknowledged when
	// the call came in: who reads there overlooks a write that its client may know of.
	stale *kube.State
	// cache is the revision at which the watch cache stands.
	cache histories.Revision
	// rivals are the calls of other clients that are in flight. For a watch they are
	// those of all clients but one.
	rivals int
	// coming are the rivals that may write and have not taken effect yet.
	coming int
}

// races reports whether calls of different clients overlap.
func (m moment) races() bool { return m.rivals > 0 }
