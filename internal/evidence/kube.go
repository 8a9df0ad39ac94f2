package evidence

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// kubeOp adds to a call of the Kubernetes layer what only its plans have.
func kubeOp(h *histories.History, r *histories.Request, p *plans.Op) {
	o := r.Options()
	if p.ResourceVersion = resourceVersion(o.ResourceVersion); p.ResourceVersion.Kind == plans.Unset {
		p.RawResourceVersion = o.ResourceVersion
	}
	p.Match, p.LabelSelector, p.FieldSelector = o.ResourceVersionMatch, o.LabelSelector, o.FieldSelector
	p.AllowWatchBookmarks, p.SendInitialEvents, p.TimeoutSeconds = o.AllowWatchBookmarks, o.SendInitialEvents, o.TimeoutSeconds
	p.DryRun, p.Patch, p.Force, p.NoOp, p.Status = o.DryRun, o.Patch, o.Force, o.NoOp, o.Status
	p.Finalizers, p.ClearFinalizers = strings.Join(o.Finalizers, ","), o.ClearFinalizers
	p.GenerateName, p.Encoding, p.Slow = o.GenerateName, o.Encoding, o.Slow
	if p.Patch == histories.MergePatch {
		p.Patch = "" // as plans write it
	}
	p.UID = uid(h, r.ExpectUID)
	if r.Kind == histories.Next {
		p.LabelSelector, p.FieldSelector = "", "" // those of the page before
		p.Damaged = damaged(h, r)
	}
}

// derived is a call of a client's library, which no plan has.
func derived(r *histories.Request) string {
	switch {
	case r.Kind == histories.Stored:
		return fmt.Sprintf("store of #%d, at resource version %d or later", r.Of, r.Revision)
	case r.Kind == histories.ListPages:
		what := "everything"
		if r.Scope.Shape == histories.Namespace {
			what = "namespace " + r.Scope.Key.Namespace
		}
		return fmt.Sprintf("pager of %s, %d at a time", what, r.Limit)
	case r.Options().SendInitialEvents != nil && *r.Options().SendInitialEvents:
		return "informer, from a watch with initial events"
	default:
		return "informer, from a list"
	}
}

// resourceVersion is a resource version as a reference, unset if it is no number that
// a plan would write so.
func resourceVersion(text string) plans.Ref {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != text {
		return plans.Ref{}
	}
	return plans.Ref{Kind: plans.Number, Offset: n}
}

// uid names a uid by the first operation that showed it, else as it is.
func uid(h *histories.History, text string) plans.Ref {
	if text == "" {
		return plans.Ref{}
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Label != "" && len(op.Answer.Objects) == 1 && op.Answer.Objects[0].UID == text {
			return plans.Ref{Kind: plans.UIDOf, Label: op.Label}
		}
	}
	return plans.Ref{Kind: plans.UIDOf, Label: text}
}

// damaged reports whether a page was asked for with another token than the page
// before had given.
func damaged(h *histories.History, r *histories.Request) bool {
	before := h.Operation(r.Of)
	return before != nil && before.Answer.Continue != r.Options().Continue
}

// kubeDetails are what only the answers of the Kubernetes layers tell.
func kubeDetails(op *histories.Operation) []string {
	a, d := &op.Answer, op.Answer.Details()
	var parts []string
	if a.Continue != "" {
		parts = append(parts, "continues")
	}
	if d.Remaining != nil {
		parts = append(parts, fmt.Sprintf("%d remaining", *d.Remaining))
	}
	if d.UID != "" {
		parts = append(parts, "uid "+d.UID)
	}
	if d.RawRV != "" {
		parts = append(parts, fmt.Sprintf("resourceVersion %q", d.RawRV))
	}
	if d.Outside > 0 {
		parts = append(parts, fmt.Sprintf("%d of others", d.Outside))
	}
	return append(parts, d.Form...)
}

// handled is what an informer's handler is told beside the object.
func handled(e *histories.Event) string {
	var text string
	if e.Prev != nil {
		text += " from " + object(e.Prev)
	}
	if e.Details().Initial {
		text += ", of the first list"
	}
	if e.Details().FinalStateUnknown {
		text += ", as last known"
	}
	return text
}

// metadata is what an object of the Kubernetes layers has beside its key and its
// write: empty for one of the etcd layer, which has no uid.
func metadata(o *histories.Object) string {
	if o.UID == "" {
		return ""
	}
	var text strings.Builder
	if len(o.Labels) > 0 {
		var labels []string
		for _, name := range slices.Sorted(maps.Keys(o.Labels)) {
			labels = append(labels, name+"="+o.Labels[name])
		}
		text.WriteString("{" + strings.Join(labels, ",") + "}")
	}
	meta := o.Meta()
	if meta.Status != "" {
		text.WriteString("/status=" + string(meta.Status))
	}
	if len(meta.Finalizers) > 0 {
		text.WriteString("/finalizers=" + strings.Join(meta.Finalizers, "+"))
	}
	if o.Deleting {
		text.WriteString("/deleting")
	}
	return text.String()
}

// kubeEvent renders an event of the Kubernetes layers, empty for one of the etcd layer.
func kubeEvent(e *histories.Event) string {
	d := e.Details()
	var text string
	switch {
	case e.Type == histories.ErrorEvent && d.Error != nil:
		text = strings.TrimSpace(fmt.Sprintf("error %s %s %s", d.Error.Class, d.Error.Code, d.Error.Reason))
	case e.Type == histories.ProgressEvent && d.InitialEventsEnd:
		text = "progress " + e.Header.String() + ", the end of the initial events"
	case e.Type == histories.ProgressEvent && len(d.Form) > 0:
		text = "progress " + e.Header.String()
	case e.Type == histories.SyncedEvent:
		text = "synced"
	case e.Type == histories.AddedEvent, e.Type == histories.ModifiedEvent, e.Type == histories.ErrorEvent, e.Object.UID != "":
		text = string(e.Type) + " " + object(&e.Object) + handled(e)
	default:
		return ""
	}
	if len(d.Form) > 0 {
		text += " (" + strings.Join(d.Form, "; ") + ")"
	}
	return text
}
