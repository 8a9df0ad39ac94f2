package kube

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// Mutant is the store with one fault: a named deviation from the contract, as some
// server in the field once had it. Package memory says what the fields are.
type Mutant struct {
	ID              string
	Family          int
	Sentence        string
	Source          string
	Primary         string
	ConcurrencyOnly bool

	// make returns the fault for one new store: a fault may keep a state.
	make func() fault
}

// Mutants returns every mutant, by family.
func Mutants() []Mutant {
	all := slices.Concat(
		writeMutants, objectMutants, readMutants, listMutants, pageMutants,
		watchMutants, initialMutants, bookmarkMutants, expiryMutants, formMutants, informerMutants,
	)
	slices.SortStableFunc(all, func(a, b Mutant) int { return a.Family - b.Family })
	return all
}

// always is the fault that keeps no state.
func always(f fault) func() fault { return func() fault { return f } }

// conditional reports whether a request is conditional on a version of the object.
func conditional(r histories.Request) bool { return r.Conditional && r.Expect > 0 }

// refused is a refusal, as a server words it.
func refused(class histories.ErrorClass, code, reason string) histories.Answer {
	return histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: class, Code: code, Reason: reason}}
}

// stored is an object of a state, nil for none.
func stored(s *models.Snapshot, key histories.Key) *histories.Object {
	o, there := s.Get(key)
	if !there {
		return nil
	}
	return &o
}

// storing stores an object, whatever was there, and answers with it.
func storing(s *kube.State, o histories.Object) (*kube.State, histories.Answer) {
	next := s.Put(o)
	now := *stored(next.Now(), o.Key)
	answer := histories.Answer{Outcome: histories.OK, Objects: []histories.Object{now}}
	if stored(s.Now(), o.Key) == nil {
		answer.Revision = now.RV
	}
	return next, answer
}

// misstored is the fault of updates and patches that store an object otherwise than they
// should: those that wrong takes, as change makes it of what was there and what ought to be.
func misstored(wrong func(now *histories.Object, r histories.Request) bool, change func(now, o *histories.Object)) func() fault {
	return always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
		now := stored(m.state.Now(), r.Key)
		changes := r.Kind == histories.Update || r.Kind == histories.Patch
		if !changes || now == nil || r.Options().DryRun || !wrong(now, r) {
			return nil, histories.Answer{}
		}
		out := kube.Write(now, &r)
		if out.Change != kube.Stored {
			return nil, histories.Answer{}
		}
		o := *out.Object
		change(now, &o)
		return storing(m.state, o)
	}})
}

// misworded is the fault of answers that refuse otherwise than they should.
func misworded(class histories.ErrorClass, change func(e *histories.Error)) func() fault {
	return always(fault{answer: func(_ moment, _ histories.Request, a *histories.Answer) {
		if a.Outcome == histories.Fail && a.Error.Class == class {
			e := *a.Error
			change(&e)
			a.Error = &e
		}
	}})
}
