package memory

import (
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// fault is how a store goes wrong. Each field takes the place of one honest step
// of the store; nil fields are honest. A fault that does not act at a moment
// leaves its arguments as they are.
//
// The store calls a fault under its lock, and only at moments that act; live is
// the exception, see there.
type fault struct {
	// races: the fault acts only while calls overlap. Calls then take long enough for
	// others to overlap them, as in a store on a disk.
	races bool

	// request changes what was asked, when the store takes it up: calls and
	// watches.
	request func(m moment, r *histories.Request)
	// step does the call instead of the specification. A nil state leaves the
	// call to the specification.
	step func(m moment, r histories.Request) (*models.State, histories.Answer)
	// answer changes what is answered: calls, and the creation of watches.
	answer func(m moment, r histories.Request, a *histories.Answer)
	// late changes what is answered when the answer leaves, some time after the
	// step; m.state may have moved on.
	late func(m moment, r histories.Request, a *histories.Answer)
	// shown changes every object that anybody gets to see.
	shown func(o *histories.Object)

	// live chooses what the watches hear of now, after each call that may write,
	// with or without effects. It is called at every moment, since it may have
	// held back something before; it must look at m.acts itself.
	live func(m moment, effects []models.Effect) []models.Effect
	// past chooses what a watch reads of the history while it catches up.
	past func(m moment, effects []models.Effect) []models.Effect
	// event changes the event that is made of an effect.
	event func(m moment, effect models.Effect, e *histories.Event)
	// overtakes says that a requested progress notification goes out although
	// the watch has not delivered everything up to it.
	overtakes func(m moment, w *watch) bool
	// progress changes a progress notification; false keeps it from being sent.
	progress func(m moment, w *watch, e *histories.Event) bool
	// expired changes how the store ends a watch that needs what is compacted;
	// false leaves the watch open and silent.
	expired func(m moment, s *store, end *histories.End) bool
	// cut changes a response that is about to leave: what goes out now, and what
	// stays for later.
	cut func(m moment, w *watch, batch []histories.Event) (now, later []histories.Event)
	// overrun says that a watch that a compaction has overtaken goes on behind it.
	overrun func(m moment, w *watch) bool
	// stopped is called when a client has cancelled a watch, which is gone already.
	stopped func(m moment, w *watch)
	// receiver chooses the watch on the same transport stream that gets a batch.
	receiver func(m moment, w *watch) *watch

	// lives changes how long a lease lives from now on, when it is granted or kept
	// alive.
	lives func(m moment, lease int64, ttl time.Duration) time.Duration
	// ends chooses the state after the end of a lease whose time is over; the same
	// state leaves it alone for good, nil leaves it to the specification.
	ends func(m moment, lease int64) *models.State
}

// moment is what a fault may know of the time at which it is called.
type moment struct {
	// acts: the fault acts now; without a probability, always.
	acts bool
	// state is the store now.
	state *models.State
	// began is the store when the call came in.
	began *models.State
	// stale is the store just before the newest write that had been acknowledged
	// when the call came in: who reads there overlooks a write that its client
	// may know of.
	stale *models.State
	// rivals are the calls of other clients that are in flight. For a watch they
	// are those of all clients but one.
	rivals int
	// coming are the rivals that may write and have not taken effect yet.
	coming int
}

// races reports whether calls of different clients overlap.
func (m moment) races() bool { return m.rivals > 0 }

// raise returns the state with another newest revision, as if a write without
// any effect had taken it.
func raise(s *models.State) (*models.State, histories.Revision) {
	revision := s.Newest() + 1
	return s.WithNewest(revision), revision
}
