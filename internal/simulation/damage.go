package simulation

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// Damage alters a history as one kind of broken store would have made it.
type Damage struct {
	ID string
	// Property is the property that the damage is aimed at.
	Property string
	// Streams: what is altered is a stream or what it owes, which the porcupine
	// judge does not look at.
	Streams bool
	// Watches: what is altered is the answer to the creation of a watch.
	Watches bool
	// Apply alters the history in place and reports whether it found something
	// to alter. An altered history is not always invalid: calls of unknown
	// outcome and overlapping calls can explain much.
	Apply func(*rand.Rand, *histories.History) bool
}

// Damages returns all kinds of damage, family by family.
func Damages() []Damage {
	return slices.Concat(readDamages, listDamages, pageDamages, writeDamages, txnDamages, objectDamages, expiryDamages, eventDamages, headerDamages, progressDamages, silenceDamages)
}

// Clone copies a history so far that a damage to the copy leaves the original whole.
func Clone(h *histories.History) *histories.History {
	c := *h
	c.Operations = slices.Clone(h.Operations)
	for i := range c.Operations {
		a := &c.Operations[i].Answer
		a.Objects, a.Results = slices.Clone(a.Objects), slices.Clone(a.Results)
		for k := range a.Results {
			a.Results[k].Objects = slices.Clone(a.Results[k].Objects)
		}
	}
	c.Streams = slices.Clone(h.Streams)
	for i := range c.Streams {
		c.Streams[i].Events = slices.Clone(h.Streams[i].Events)
		if end := h.Streams[i].End; end != nil {
			copied := *end
			c.Streams[i].End = &copied
		}
	}
	return &c
}

// pick draws one of the operations for which want holds, nil if there is none.
func pick(rng *rand.Rand, h *histories.History, want func(*histories.Operation) bool) *histories.Operation {
	var found []*histories.Operation
	for i := range h.Operations {
		if want(&h.Operations[i]) {
			found = append(found, &h.Operations[i])
		}
	}
	return one(rng, found)
}

// one draws an element, the zero value if there is none.
func one[T any](rng *rand.Rand, all []T) T {
	if len(all) == 0 {
		var none T
		return none
	}
	return all[rng.IntN(len(all))]
}

// alter makes a damage's Apply of a choice of operation and a change to it.
func alter(
	want func(*histories.Operation) bool, change func(*rand.Rand, *histories.History, *histories.Operation) bool,
) func(*rand.Rand, *histories.History) bool {
	return func(rng *rand.Rand, h *histories.History) bool {
		op := pick(rng, h, want)
		return op != nil && change(rng, h, op)
	}
}

func succeeded(kinds ...histories.Kind) func(*histories.Operation) bool {
	return func(op *histories.Operation) bool {
		return op.Answer.Outcome == histories.OK && slices.Contains(kinds, op.Request.Kind)
	}
}

func refusedAs(class histories.ErrorClass, kinds ...histories.Kind) func(*histories.Operation) bool {
	return func(op *histories.Operation) bool {
		return op.Answer.Outcome == histories.Fail && op.Answer.Error != nil && op.Answer.Error.Class == class &&
			slices.Contains(kinds, op.Request.Kind)
	}
}

// Both holds where all the conditions hold.
func Both(conditions ...func(*histories.Operation) bool) func(*histories.Operation) bool {
	return func(op *histories.Operation) bool {
		for _, holds := range conditions {
			if !holds(op) {
				return false
			}
		}
		return true
	}
}

func newestRead(op *histories.Operation) bool {
	return op.Request.Revision <= 0 && !op.Request.Serializable
}

func exactRead(op *histories.Operation) bool {
	return op.Request.Revision > 0 && !op.Request.Serializable
}
func mayBeOld(op *histories.Operation) bool  { return op.Request.Serializable }
func shows(op *histories.Operation) bool     { return len(op.Answer.Objects) > 0 }
func limited(op *histories.Operation) bool   { return op.Answer.More }
func unlimited(op *histories.Operation) bool { return op.Request.Limit <= 0 }
