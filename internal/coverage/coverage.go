// Package coverage says which shapes of operations a run has tried: a kind of
// call together with the options and the answer that make a difference to the
// contract, such as "list past prefix cut" for a list of a prefix at an earlier
// revision that its limit cut.
//
// Shapes are coarse on purpose. A run that covers all of them has not tested
// everything; one that does not has certainly left something out.
package coverage

import (
	"maps"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// Set is a set of shapes.
type Set map[string]bool

// Add adds the shapes of a history's operations.
func (s Set) Add(h *histories.History) {
	for i := range h.Operations {
		op := &h.Operations[i]
		if shape := shapeAt(h, op); shape != "" {
			s[shape] = true
		}
	}
}

// Of counts the shapes of the universe that are in the set, and lists the others
// in the universe's order.
func (s Set) Of(universe []string) (covered int, missing []string) {
	for _, shape := range universe {
		if s[shape] {
			covered++
		} else {
			missing = append(missing, shape)
		}
	}
	return covered, missing
}

// Sorted lists the shapes of the set.
func (s Set) Sorted() []string { return slices.Sorted(maps.Keys(s)) }

// shapeAt is the shape of a call in the terms of its layer.
func shapeAt(h *histories.History, op *histories.Operation) string {
	switch {
	case h.Header.Layer != histories.KubeLayer:
		return shapeOf(op, h.Stream)
	case op.Answer.Outcome == histories.Unknown:
		return ""
	default:
		return kubeShape(op, h.Stream(op.ID))
	}
}
