// Package reducer makes what shows a violation small.
//
// Plan reduces a plan: it runs candidates, each smaller than the best plan so far,
// and keeps those that still break the same property. Stores are not deterministic,
// so a candidate is run more than once where it has to be; see rate.go.
//
// Soundness: the plan that comes out has broken the property, as often as the result
// says of so many runs. It may be larger than the smallest that would, and where the
// violation is rare a part of it may be left that does not matter.
//
// History reduces a recorded history: it leaves out what the judges do not need to find
// the same violation. No store is asked; the result explains, and nobody ran it.
package reducer
