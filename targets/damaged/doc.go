// Package damaged wraps a target and damages what passes between the store and its
// clients: requests on their way in, answers and events on their way out. A real
// server, with its real concurrency, becomes one with a known fault, so that the
// judges are tried on what no reference store would do.
//
// Each damage is a violation whatever the timing: where it would make no difference,
// or where the store might have done the same honestly, it does not act. It acts at
// the edge only; what the store holds stays what the requests that reach it have made
// of it.
//
// A damaged target says that it is one, in its URL and in its server's version. It is
// made by the parameter damage=ID of a target's URL, and in no other way.
package damaged
