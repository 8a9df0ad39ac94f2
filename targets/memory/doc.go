// Package memory is the reference store: the sequential specification of package
// models behind real goroutines, so that calls of different clients overlap and
// watches run beside them. Whoever writes a judge runs it against this store,
// which keeps every promise; whoever doubts a judge runs it against a [Mutant],
// the same store with one named fault, taken from a public bug report.
//
// A space is a store of its own, empty at revision 1. Each call waits a little
// before and after its one atomic step, watches wait a little before each
// delivery: this is what makes races happen on a machine without a network. The
// waits, and the share of occasions at which a fault acts, are drawn from the
// seed, from one source a client and a watch. So a plan with one lane runs the
// same way every time; what several lanes do depends on the scheduler too.
//
// A fault is a few functions in the places where the store can go wrong, see
// fault.go; the files mutant_*.go hold the faults by family and read as a
// catalogue of the bugs.
package memory
