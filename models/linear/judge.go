package linear

import (
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/internal/search"
)

// Verdict is what the judge says of a history.
type Verdict string

// The verdicts.
const (
	// OK: some order of the calls explains every answer.
	OK Verdict = "ok"
	// Violated: no order does.
	Violated Verdict = "violated"
	// Inconclusive: the budget was spent, or the history holds what the
	// specification does not cover.
	Inconclusive Verdict = "inconclusive"
)

// The budgets where none are given.
const (
	DefaultTimeout = 10 * time.Second
	DefaultMemory  = 512 << 20
)

// Options are the judge's budgets and what is known beforehand.
type Options struct {
	// Timeout bounds each of the two searches that may be needed, without and with
	// the unknown writes that nobody saw. Zero: DefaultTimeout.
	Timeout time.Duration
	// Memory bounds, roughly and in bytes, what the search remembers, zero:
	// DefaultMemory. The search never forgets, so this is what it grows to.
	Memory int64
	// Initial is the store when the history began, nil where it was empty and
	// nothing else is known of it.
	Initial *models.State
}

// Result is a verdict and what led to it.
type Result struct {
	Verdict Verdict
	// Reason says why the verdict is inconclusive.
	Reason string
	// Finding is the violation: the first operation that cannot follow the longest
	// order that was found.
	Finding *models.Finding
	// Order is that order, as the ids of its operations.
	Order []int
	// Steps counts the steps of the specification that the search took.
	Steps int64
}

// Judge searches for an order of the history's calls that explains their answers.
func Judge(h *histories.History, opts Options) Result {
	if reason := uncovered(h); reason != "" {
		return Result{Verdict: Inconclusive, Reason: reason}
	}
	evidence := gather(h)
	initial := opts.Initial
	if initial == nil {
		initial = beginning(h)
	}
	result := order(arrange(h, evidence, nothing), initial, opts)
	if result.Verdict != Violated || !evidence.open {
		return named(h, result)
	}
	// Without the writes that nobody saw there is no order. Perhaps they happened.
	again := order(arrange(h, evidence, evidence.matters), initial, opts)
	again.Steps += result.Steps
	return named(h, again)
}

// named words a finding by the names of the operations: a search knows only numbers.
func named(h *histories.History, r Result) Result {
	if r.Finding != nil {
		names := models.NamesOf(h)
		r.Finding.Observed, r.Finding.Explanation = names.In(r.Finding.Observed), names.In(r.Finding.Explanation)
	}
	return r
}

// beginning is what is known of the store when the history began: it was empty,
// and somebody may have compacted it before.
func beginning(h *histories.History) *models.State {
	s := models.Empty().WithPriorCompaction(highest(h))
	if !h.Header.Exclusive {
		s = s.WithForeignCompactions()
	}
	if several(h) {
		s = s.WithLaggingMembers()
	}
	return s
}

// several reports whether calls went to more than one endpoint.
func several(h *histories.History) bool {
	return slices.ContainsFunc(h.Operations, func(op histories.Operation) bool { return op.Endpoint != h.Operations[0].Endpoint })
}

// highest returns the highest revision at which the store can have been when the
// history began: no answer names a lower one.
func highest(h *histories.History) histories.Revision {
	low := histories.Revision(math.MaxInt64)
	for i := range h.Operations {
		if at, ok := atMost(&h.Operations[i]); ok {
			low = min(low, at)
		}
	}
	return low
}

// atMost returns a revision that the store had not passed when a call began to
// take effect.
func atMost(op *histories.Operation) (histories.Revision, bool) {
	r, a := &op.Request, &op.Answer
	switch {
	case !r.Kind.IsRead() && !r.Kind.IsWrite() && r.Kind != histories.Compact, models.Serializable(r):
		return 0, false
	case a.Outcome == histories.Fail && a.Error != nil && a.Error.Class == histories.Future:
		return r.Revision - 1, r.Revision > 1
	case a.Revision <= 0:
		return 0, false
	case a.Outcome == histories.OK && a.Revision > 1 && tookRevision(r, a):
		return a.Revision - 1, true
	default:
		return a.Revision, true
	}
}

// tookRevision reports whether a write certainly changed something at the revision
// in its header.
func tookRevision(r *histories.Request, a *histories.Answer) bool {
	switch r.Kind {
	case histories.Create, histories.Update, histories.Put, histories.LeaseAttach:
		return true
	case histories.Delete, histories.DeleteRange:
		return a.Deleted > 0
	default:
		return false
	}
}

// order searches once.
func order(moves []porcupine.Operation, initial *models.State, opts Options) Result {
	return Conclude(newSearch(initial, len(moves), opts.Budget()).Run(moves), orderOf, func(best *node) *models.Finding { return explain(best, moves) })
}

func newSearch(initial *models.State, moves int, budget search.Budget) *search.Search[*place, *move] {
	step := func(p *place, m *move) (*place, bool) { return m.from(p) }
	return search.New(newPlace([]*models.State{initial}), step, moves, budget)
}

// Conclude is what a search says of a history: of the longest order, where there is no
// whole one, the operations, and what cannot follow it.
func Conclude[P, M any](found search.Result[P, M], order func(*search.Node[P, M]) []int, explain func(*search.Node[P, M]) *models.Finding) Result {
	result := Result{Steps: found.Steps}
	switch {
	case found.Spent != "":
		result.Verdict, result.Reason = Inconclusive, found.Spent
	case found.Found:
		result.Verdict = OK
	default:
		result.Verdict = Violated
		result.Order, result.Finding = order(found.Best), explain(found.Best)
	}
	return result
}

// Budget is what the options allow a search.
func (o Options) Budget() search.Budget {
	b := search.Budget{Time: o.Timeout, Memory: o.Memory}
	if b.Time <= 0 {
		b.Time = DefaultTimeout
	}
	if b.Memory <= 0 {
		b.Memory = DefaultMemory
	}
	return b
}
