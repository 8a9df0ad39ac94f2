// Package linear is the porcupine judge: it searches for an order of the calls
// that explains every answer.
//
// It runs the sequential specification (models.State) over a history's writes,
// reads, lists, pages and compactions; streams are not its matter. It needs no
// witness and knows nothing of how revisions order effects beyond what the
// specification says, which makes it slow and general: it is exponential in
// concurrency and in unknown outcomes. It therefore has a budget of time and of
// memory, and is inconclusive when that is spent.
//
// Soundness: a history is called violated only if no order exists in which every
// answer is allowed, each call taking effect between its start and its return,
// each call of unknown outcome at any time after its start or never. What the
// header of a history grants is taken into account: where others may compact, a
// "compacted" answer is only learned from; where the history began on a store
// that was used before, so is one that names a revision before its beginning.
//
// A lease whose time was over may have ended at any time since, or not yet; its
// keys then go at one revision, as etcd lets them.
//
// What it may miss: it takes the word of any read or event for the revision of a
// write whose answer was lost, it looks at renewals of leases as if they had not
// been, and it does not judge what the specification does not cover
// (models.Unspecified); such histories are inconclusive. What keepalives and
// questions for the keys of a lease say binds nobody, since members answer them
// from what they know.
package linear
