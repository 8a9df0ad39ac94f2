package waivers

import (
	"slices"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
)

// Mode is what a waiver claims.
type Mode string

// The claims.
const (
	Fails Mode = "fails" // the store fails; a run in which it does not is wrong about it
	Flaky Mode = "flaky" // the store fails now and then
)

// File is a known-failing file.
type File struct {
	// Name is the path that it was read from.
	Name    string
	Waivers []Waiver
}

// Waiver is one line.
type Waiver struct {
	Line int
	// Pattern names properties: an id, a group, or a pattern such as "watch/*". It
	// may name none; whoever knows the catalogue says so.
	Pattern string
	// Kinds and Options narrow the waiver; both may be empty.
	Kinds   []histories.Kind
	Options []string
	Mode    Mode
	Reason  string
	Link    string
	// Until is the last day on which the waiver holds, zero: for ever.
	Until time.Time
	// PlanFile is a plan that shows the failure, relative to the file; empty: none.
	// Read fills in Plan.
	PlanFile string
	Plan     *plans.Plan
}

// Expired reports whether the last day is over, in UTC.
func (w *Waiver) Expired(now time.Time) bool {
	return !w.Until.IsZero() && !now.Before(w.Until.AddDate(0, 0, 1))
}

// Covers reports whether a finding of a property that the pattern names is one that
// the line speaks of: an operation involved is of one of its kinds and has all of
// its options. What is inside a transaction is the transaction's matter.
func (w *Waiver) Covers(h *histories.History, f *models.Finding) bool {
	if len(w.Kinds) == 0 && len(w.Options) == 0 {
		return true
	}
	return slices.ContainsFunc(f.Operations, func(id int) bool {
		op := h.Operation(id)
		return op != nil && w.narrows(&op.Request)
	})
}

func (w *Waiver) narrows(r *histories.Request) bool {
	if len(w.Kinds) > 0 && !slices.Contains(w.Kinds, r.Kind) {
		return false
	}
	return !slices.ContainsFunc(w.Options, func(name string) bool { return !options[name](r) })
}
