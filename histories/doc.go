// Package histories is the vocabulary of rvcheck: keys, objects, operations,
// answers, events and faults, and the file format that keeps them.
//
// A history is what a run observed and nothing else: who asked what and when,
// what came back, which events a watch delivered. Judges read histories, they
// never talk to a store; whatever is not in a history cannot be judged.
//
// The package is pure: no clock, no randomness, no network, no goroutines.
package histories
