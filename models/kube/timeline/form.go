package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// judgeForm holds the forms of resource versions (RV-01, RV-02) and of lists, and what a
// list says of what is left (PAGE-12).
func (j *judge) judgeForm() {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op.Answer.Outcome != histories.OK || op.Request.Kind.IsDerived() {
			continue
		}
		d := op.Answer.Details()
		isList := op.Request.Kind == histories.List || op.Request.Kind == histories.Next
		if isList {
			j.Exercise(models.ListForm)
			j.judgeVersion(op, 0, d.RawRV, op.Answer.Revision, "the list")
			j.judgeRemaining(op)
			if len(d.Form) > 0 {
				j.Report(models.Finding{
					Property: models.ListForm, Operations: []int{op.ID}, Allowed: "a list with a kind, a version and items", Observed: d.Form[0],
					Explanation: fmt.Sprintf("%s returned a list in which %s.", j.name(op.ID), d.Form[0]),
				})
			}
		}
		for k := range op.Answer.Objects {
			if o := &op.Answer.Objects[k]; !op.Request.Options().DryRun {
				j.judgeVersion(op, 0, o.Meta().RawRV, o.RV, quote(o.Key))
			}
		}
	}
	for _, s := range j.streams {
		for i := range s.Events {
			if e := &s.Events[i]; e.Type != histories.ErrorEvent {
				j.judgeVersion(s.op, i+1, e.Object.Meta().RawRV, max(e.Object.RV, e.Header), j.event(e))
			}
		}
	}
}

func (j *judge) judgeVersion(op *histories.Operation, event int, raw string, rv histories.Revision, what string) {
	j.Exercise(models.VersionForm)
	if raw == "" && rv > 0 || isLong(raw) {
		return
	}
	observed := fmt.Sprintf("%q", raw)
	f := models.Finding{
		Property: models.VersionForm, Operations: []int{op.ID}, Allowed: "a decimal number above zero without leading zeros", Observed: observed,
		Explanation: fmt.Sprintf("%s got %s with the resource version %s.", j.name(op.ID), what, observed),
	}
	if event > 0 {
		j.ReportStream(f)
		return
	}
	j.Report(f)
}

// isLong reports whether a resource version is well formed and larger than this program
// counts; the contract allows 128 bits.
func isLong(raw string) bool { return isHuge(raw) && raw[0] != '0' && len(raw) <= 39 }

func (j *judge) judgeRemaining(op *histories.Operation) {
	remaining := op.Answer.Details().Remaining
	if remaining == nil {
		return
	}
	j.Exercise(models.PageRemaining)
	if op.Answer.Continue != "" && plainList(op) && *remaining >= 0 {
		return
	}
	why := "is the last page"
	switch {
	case !plainList(op):
		why = "has a selector"
	case *remaining < 0:
		why = "cannot be followed by less than nothing"
	}
	j.Report(models.Finding{
		Property: models.PageRemaining, Operations: []int{op.ID}, Allowed: "no number of remaining items", Observed: fmt.Sprintf("%d remaining items", *remaining),
		Explanation: fmt.Sprintf("%s %s, but says that %d items remain.", j.name(op.ID), why, *remaining),
	})
}
