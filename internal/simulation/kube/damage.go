package kube

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/kube"
)

// Damage alters a history as one kind of broken server would have made it.
type Damage struct {
	ID string
	// Property is the property that the damage is aimed at.
	Property string
	// Calls: what is altered is an answer that the porcupine judge looks at as well.
	Calls bool
	// Apply alters the history in place and reports whether it found something to alter.
	// An altered history is not always invalid: calls of unknown outcome and overlapping
	// calls can explain much.
	Apply func(*rand.Rand, *histories.History) bool
}

// Damages returns all kinds of damage, family by family.
func Damages() []Damage {
	return slices.Concat(readDamages, listDamages, pageDamages, writeDamages, objectDamages, expiryDamages, eventDamages, stateDamages, bookmarkDamages)
}

// one draws an element, the zero value if there is none.
func one[T any](rng *rand.Rand, all []T) (T, bool) {
	if len(all) == 0 {
		var none T
		return none, false
	}
	return all[rng.IntN(len(all))], true
}

// calls makes a damage's Apply of a choice of operation and a change to it.
func calls(
	want func(*histories.Operation) bool, change func(*rand.Rand, *histories.History, *histories.Operation) bool,
) func(*rand.Rand, *histories.History) bool {
	return func(rng *rand.Rand, h *histories.History) bool {
		var found []*histories.Operation
		for i := range h.Operations {
			if want(&h.Operations[i]) {
				found = append(found, &h.Operations[i])
			}
		}
		op, ok := one(rng, found)
		return ok && change(rng, h, op)
	}
}

// streams makes a damage's Apply of a change to one of the streams that suit.
func streams(
	want func(*histories.Request, *histories.Stream) bool, change func(*rand.Rand, *histories.History, *histories.Stream) bool,
) func(*rand.Rand, *histories.History) bool {
	return func(rng *rand.Rand, h *histories.History) bool {
		var found []*histories.Stream
		for i := range h.Streams {
			if s := &h.Streams[i]; want(&h.Operation(s.Op).Request, s) {
				found = append(found, s)
			}
		}
		s, ok := one(rng, found)
		return ok && change(rng, h, s)
	}
}

func succeeded(kinds ...histories.Kind) func(*histories.Operation) bool {
	return func(op *histories.Operation) bool {
		return op.Answer.Outcome == histories.OK && slices.Contains(kinds, op.Request.Kind)
	}
}

func refusedAs(class histories.ErrorClass, kinds ...histories.Kind) func(*histories.Operation) bool {
	return func(op *histories.Operation) bool {
		return op.Answer.Outcome == histories.Fail && op.Answer.Error.Class == class && slices.Contains(kinds, op.Request.Kind)
	}
}

func shows(op *histories.Operation) bool     { return len(op.Answer.Objects) > 0 }
func lasting(op *histories.Operation) bool   { return !op.Request.Options().DryRun }
func hasMore(op *histories.Operation) bool   { return op.Answer.Continue != "" }
func selective(op *histories.Operation) bool { return hasSelector(&op.Request) }
func plain(op *histories.Operation) bool     { return !hasSelector(&op.Request) }

func hasSelector(r *histories.Request) bool {
	return r.Options().LabelSelector != "" || r.Options().FieldSelector != ""
}

// inMode holds for reads in one of the modes.
func inMode(modes ...kube.Mode) func(*histories.Operation) bool {
	return func(op *histories.Operation) bool {
		mode, _ := kube.ReadMode(&op.Request)
		return slices.Contains(modes, mode)
	}
}

// otherOptions changes the options of a request, in a copy.
func otherOptions(r *histories.Request, change func(*histories.KubeOptions)) {
	options := r.Options()
	change(&options)
	r.Kube = &options
}
