package evidence

import (
	"fmt"
	"slices"
	"strconv"

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
	return fmt.Sprintf("%-5s %s", lane, call(h, op))
}

// call is the line without the client.
func call(h *histories.History, op *histories.Operation) string {
	if op.Request.Kind.IsDerived() {
		return derived(&op.Request)
	}
	p := planOp(h, &op.Request)
	p.Label = op.Label
	if p.On == op.Label {
		p.On = ""
	}
	return plans.FormatOp(p, h.Header.Layer) + page(h, &op.Request)
}

// page says where a following page begins, which its line in the plan leaves to
// the page before.
func page(h *histories.History, r *histories.Request) string {
	if r.Kind != histories.Next || h.Header.Layer == histories.KubeLayer {
		return ""
	}
	return fmt.Sprintf("  # at revision %s from %+q", r.Revision, r.Start)
}

// planOp is a call, or one inside a transaction, in the terms of a plan.
func planOp(h *histories.History, r *histories.Request) plans.Op {
	p := plans.Op{
		Kind: r.Kind, Key: r.Key, Scope: r.Scope, Labels: r.Labels, Size: r.Size,
		Revision: number(r.Revision), StartRevision: number(r.StartRevision),
		Limit: r.Limit, Start: r.Start, HasStart: r.HasStart,
		CountOnly: r.CountOnly, KeysOnly: r.KeysOnly, Serializable: r.Serializable,
		Sort: r.SortTarget, Order: r.SortOrder,
		MinMod: number(r.MinModRevision), MaxMod: number(r.MaxModRevision),
		MinCreate: number(r.MinCreateRevision), MaxCreate: number(r.MaxCreateRevision),
		PrevKV: r.PrevKV, ProgressNotify: r.ProgressNotify, Fragment: r.Fragment, Physical: r.Physical, TTL: r.TTL,
		On: r.Transport, ID: r.WatchID,
		NoPut: slices.Contains(r.Filters, histories.NoPut), NoDelete: slices.Contains(r.Filters, histories.NoDelete),
		Txn: planTxn(h, r.Txn),
	}
	switch {
	case r.Kind == histories.LeaseGrant:
		p.ID = r.Lease
	case r.Lease != 0:
		p.Lease = lease(h, r.Lease)
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
	if h.Header.Layer == histories.KubeLayer {
		kubeOp(h, r, &p)
	}
	if r.Kind == histories.Next {
		p.Scope, p.Start, p.HasStart, p.Revision = histories.Scope{}, "", false, plans.Ref{}
	}
	return p
}

func planTxn(h *histories.History, txn *histories.Txn) *plans.Txn {
	if txn == nil {
		return nil
	}
	planned := &plans.Txn{Then: planOps(h, txn.Then), Else: planOps(h, txn.Else)}
	for _, c := range txn.Compares {
		planned.Compares = append(planned.Compares, plans.Compare{Key: c.Key, Target: c.Target, Op: c.Op, Value: operand(h, c)})
	}
	return planned
}

func planOps(h *histories.History, requests []histories.Request) []plans.Op {
	var ops []plans.Op
	for i := range requests {
		ops = append(ops, planOp(h, &requests[i]))
	}
	return ops
}

// operand is what a compare is with: a number, or the write or lease that it names.
func operand(h *histories.History, c histories.Compare) plans.Ref {
	n, err := strconv.ParseInt(c.Value, 10, 64)
	if granted := lease(h, n); c.Target == "lease" && err == nil && granted != c.Value {
		return plans.Ref{Kind: plans.Granted, Label: granted}
	}
	if err == nil {
		return plans.Ref{Kind: plans.Number, Offset: n}
	}
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Label != "" && op.Request.Write == histories.WriteID(c.Value) {
			return plans.Ref{Kind: plans.Written, Label: op.Label}
		}
	}
	return plans.Ref{Kind: plans.Written, Label: c.Value}
}

// lease is how lines refer to a lease: by the label of its grant, else by its id.
func lease(h *histories.History, id int64) string {
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Kind == histories.LeaseGrant && op.Answer.Lease == id && op.Label != "" {
			return op.Label
		}
	}
	return strconv.FormatInt(id, 10)
}

// number is a resolved revision as a reference; zero stands for unset.
func number(r histories.Revision) plans.Ref {
	if r == 0 {
		return plans.Ref{}
	}
	return plans.Ref{Kind: plans.Number, Offset: int64(r)}
}

// name is how lines refer to an operation: by its label, else by its line, else by
// its id.
func name(h *histories.History, id int) string {
	op := h.Operation(id)
	switch {
	case op != nil && op.Label != "":
		return op.Label
	case op != nil && op.Line > 0:
		return "line-" + strconv.Itoa(op.Line)
	default:
		return "op" + strconv.Itoa(id)
	}
}
