package report

import (
	"slices"

	"github.com/rvcheck/rvcheck/models"
)

// The exit codes of the command.
const (
	ExitConformant   = 0
	ExitViolated     = 1
	ExitUsage        = 2
	ExitInconclusive = 3
	ExitError        = 4
)

// Decide computes the verdict from the records. A violation that was proven
// stands, whatever else went wrong, and so does a waiver that does not hold; trouble
// of the run comes before a verdict that it cannot give.
func (r *Report) Decide() Verdict {
	switch {
	case r.any(func(p Property) bool { return p.Status == Broken }), r.misled():
		return Violated
	case len(r.Errors) > 0:
		return Error
	case r.undecided():
		return Inconclusive
	default:
		return Conformant
	}
}

// misled reports whether a waiver does not hold.
func (r *Report) misled() bool {
	return slices.ContainsFunc(r.Waivers, func(w Waiver) bool { return w.Advice != "" })
}

// undecided reports whether the run was interrupted, a judge ran out of budget,
// nothing was exercised, a plan did not show what it is meant to show, or a strict
// run left a MUST out.
func (r *Report) undecided() bool {
	return r.Interrupted || len(r.Inconclusive) > 0 || len(r.Unmet) > 0 ||
		!r.any(func(p Property) bool { return p.Exercised > 0 }) ||
		r.Strict && r.any(missed)
}

// missed reports whether a MUST that the target supports was not exercised.
func missed(p Property) bool { return p.Strength == models.Must && p.Status == NotExercised }

func (r *Report) any(claim func(Property) bool) bool {
	for _, p := range r.Properties {
		if claim(p) {
			return true
		}
	}
	return false
}

// ExitCode is the exit code that belongs to the verdict.
func (r *Report) ExitCode() int {
	switch r.Verdict {
	case Violated:
		return ExitViolated
	case Error:
		return ExitError
	case Inconclusive:
		return ExitInconclusive
	default:
		return ExitConformant
	}
}
