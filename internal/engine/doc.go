// Package engine carries out a plan against a target and returns the history of
// what happened.
//
// Each lane of the plan is one client with a connection of its own; lanes run
// concurrently and meet at barriers. References to revisions are resolved at the
// moment of the call. Where one refers to an operation of another lane, the lane
// waits for it if it stands earlier in the plan's text, which can never go round
// in a circle. What refers to something that did not happen is skipped, and
// noted so; so is what the target does not offer.
//
// A watch that others name with on= gets a transport stream with a name, the label of
// the first watch on it; the others ask for the same name. A lane that waits until
// a lease has expired looks at it again and again, each look being a call in the
// history. What names a lease by number is carried out only on a store that is
// exclusive to the run, since the lease may be somebody else's.
//
// The engine adds operations of its own. A closing client lists the empty space
// first, which tells the revision that the plan starts from; a witness watches
// the whole space from there to the end; and the stop protocol ends every run:
//
//  1. The lanes have ended, each call by its deadline.
//  2. The store answers a read of the closing client.
//  3. The closing client makes one last write, and before it one for each stream that
//     shows another namespace or has a selector, where there is a write that it shows.
//  4. Every stream that is still open is awaited until it has provably reached
//     its write: by an event, or by a progress notification at or past it. Each
//     such expectation is an await operation of the closing client: ok if it was
//     met, failed with a timeout if it was not. A stream that does not show puts is
//     awaited by progress, unless a watch on its transport stream holds that back.
//  5. The informer has to come to the last write, and a second one that begins then; what
//     their stores hold is asked, and a pager lists a namespace, or everything where there are none.
//  6. The closing client lists the whole space, once.
//  7. All streams and informers are stopped, all clients closed, and the space is removed.
//
// Where the target offers it, an informer goes on beside the plan, and a pager lists now
// and then: what controllers see of the store through their library.
//
// What is said differently at the Kubernetes layers is a dialect of its own: the witness
// asks for bookmarks and lists anew when its history is gone; a tombstone's revision is
// what a watch shows of the uid; and as no bookmark is ever owed, an await whose
// stream need not show anything at the revision waits only a moment, and is unknown.
//
// A store that tells no progress, as the run has seen in its first plans, costs the whole
// deadline each time. A brisk execution waits a moment only for a stream that nothing but
// progress could bring forward, and calls the outcome unknown.
//
// The deadlines of what a store owes count only while it serves. So a wait that goes on
// for long asks it again and again, by reads that the history does not have; where they are
// not answered the wait is longer, and its outcome unknown.
//
// Every wait has a deadline, so what does not arrive becomes part of the history,
// not a hang. The engine judges nothing.
package engine
