package evidence

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// operation renders the call as a line of a plan. The references of the plan are
// shown as the revisions that they stood for.
func operation(h *histories.History, op *histories.Operation) string {
	lane := op.Client
	if op.Endpoint > 1 {
		lane = fmt.Sprintf("%s@%d", lane, op.Endpoint)
	}
	return fmt.Sprintf("%-5s %s%s", lane, plans.FormatOp(planOp(h, op), h.Header.Layer), page(&op.Request))
}

// page says where a following page begins, which its line in the plan leaves to
// the page before.
func page(r *histories.Request) string {
	if r.Kind != histories.Next {
		return ""
	}
	return fmt.Sprintf("  # at revision %s from %+q", r.Revision, r.Start)
}

func planOp(h *histories.History, op *histories.Operation) plans.Op {
	r := &op.Request
	p := plans.Op{
		Label: op.Label, Kind: r.Kind,
		Key: r.Key, Scope: r.Scope, Labels: r.Labels, Size: r.Size,
		Revision: number(r.Revision), StartRevision: number(r.StartRevision),
		Limit: r.Limit, Start: r.Start, HasStart: r.HasStart,
		CountOnly: r.CountOnly, KeysOnly: r.KeysOnly, Serializable: r.Serializable,
		PrevKV: r.PrevKV, ProgressNotify: r.ProgressNotify, Physical: r.Physical, TTL: r.TTL,
	}
	if r.Conditional {
		p.Expect = plans.Ref{Kind: plans.Number, Offset: int64(r.Expect)}
	}
	if r.Kind == histories.Compact || r.Kind == histories.Await {
		p.Revision = plans.Ref{Kind: plans.Number, Offset: int64(r.Revision)}
	}
	if r.Of != 0 {
		p.Of = name(h, r.Of)
	}
	if r.Kind == histories.Next {
		p.Scope, p.Start, p.HasStart, p.Revision = histories.Scope{}, "", false, plans.Ref{}
	}
	return p
}

// number is a resolved revision as a reference; zero stands for unset.
func number(r histories.Revision) plans.Ref {
	if r == 0 {
		return plans.Ref{}
	}
	return plans.Ref{Kind: plans.Number, Offset: int64(r)}
}

// name is how lines refer to an operation: by its label, else by its id.
func name(h *histories.History, id int) string {
	if op := h.Operation(id); op != nil && op.Label != "" {
		return op.Label
	}
	return "op" + histories.Revision(id).String()
}
