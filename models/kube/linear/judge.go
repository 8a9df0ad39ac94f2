package linear

import (
	"github.com/anishathalye/porcupine"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/internal/search"
	"github.com/rvcheck/rvcheck/models/linear"
)

// Judge searches for an order of the history's calls that explains their answers. Of
// the options the budgets count: the store is empty at the beginning.
func Judge(h *histories.History, opts linear.Options) linear.Result {
	if opts.Initial != nil {
		panic("models/kube/linear: fault of this program: a state of the etcd layer at the beginning")
	}
	if reason := uncovered(h); reason != "" {
		return linear.Result{Verdict: linear.Inconclusive, Reason: reason}
	}
	e := gather(h)
	if e.uncovered != "" {
		return linear.Result{Verdict: linear.Inconclusive, Reason: e.uncovered}
	}
	moves, open := arrange(h, e, false)
	result := order(moves, opts)
	if result.Verdict == linear.Violated && open {
		// Without the writes that nobody saw there is no order. Perhaps they happened.
		steps := result.Steps
		moves, _ = arrange(h, e, true)
		result = order(moves, opts)
		result.Steps += steps
	}
	if result.Verdict == linear.OK && e.outside != "" {
		return linear.Result{Verdict: linear.Inconclusive, Reason: e.outside, Steps: result.Steps}
	}
	if f := result.Finding; f != nil {
		names := models.NamesOf(h)
		f.Observed, f.Explanation = names.In(f.Observed), names.In(f.Explanation)
	}
	return result
}

// uncovered says what keeps the judge from looking at the history.
func uncovered(h *histories.History) string {
	switch {
	case h.Header.Layer != histories.KubeLayer:
		return "the specification covers the Kubernetes layers, not layer " + string(h.Header.Layer)
	case h.Header.World == histories.Open:
		return "in an open world others write, and only streams show what"
	default:
		return ""
	}
}

// order searches once.
func order(moves []porcupine.Operation, opts linear.Options) linear.Result {
	step := func(p *place, m *move) (*place, bool) { return m.from(p) }
	found := search.New(&place{state: beginning()}, step, len(moves), opts.Budget()).Run(moves)
	return linear.Conclude(found, orderOf, func(best *node) *models.Finding { return explain(best, moves) })
}
