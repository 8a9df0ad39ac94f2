// Package linear is the porcupine judge of the Kubernetes layers: it searches for an
// order of the calls that explains every answer.
//
// It holds writes, gets, lists and pages against what kube.Write, kube.ReadMode and
// kube.Selector say of them. Streams are not its matter. It needs no watch that covers
// the history, which is what the timeline judge needs, and is exponential in
// concurrency and in unknown outcomes; so it has budgets of time and of memory, and is
// inconclusive when one is spent.
//
// Soundness: a history is called violated only if there is no order in which every
// answer is allowed, each call taking effect between its start and its return, each
// call of unknown outcome at any time after its start or never. A revision that no
// answer tells, as that of a delete, may be any behind the one before.
//
// What it leaves out: what takes effect in several steps. The objects that have, or may
// get, finalizers and those that a deletion of a collection met are outside; of a
// history with such objects it can say that it is violated, not that it is not. The
// same holds for an apply whose answer does not show the object. It never holds it
// against a server that it says "compacted", refuses the form of a request, or is busy,
// and it looks at no compaction: a cache may answer for longer than the store
// (EXP-09). What a list says of how much is left is the timeline judge's matter.
package linear
