package models

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// Strength says how binding a rule is.
type Strength string

// The strengths of rules.
const (
	Must   Strength = "MUST"   // a documented promise
	Should Strength = "SHOULD" // clients rely on it, no document promises it
	Impl   Strength = "IMPL"   // a detail of one implementation
)

// Property is one entry of the catalogue.
type Property struct {
	// ID is a stable path such as "list/snapshot".
	ID       string
	Strength Strength
	// Statement says in one sentence what holds.
	Statement string
	// Rules are the rules of the contract that the property decides, such as "LIST-01".
	Rules []string
	// Source is the public document that promises it.
	Source string
	// Versions is the range for which the promise holds, empty: all.
	Versions string
	Layers   []histories.Layer
	// Needs are the features without which the property cannot be exercised.
	Needs []string
}

// HoldsOn reports whether the property is one of a layer.
func (p Property) HoldsOn(layer histories.Layer) bool { return slices.Contains(p.Layers, layer) }

// Group returns the part of the id before the slash.
func (p Property) Group() string {
	for i := range p.ID {
		if p.ID[i] == '/' {
			return p.ID[:i]
		}
	}
	return p.ID
}
