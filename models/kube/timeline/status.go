package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// judgeStatus reports requests that have to be refused whatever the store holds, and
// were not.
func (j *judge) judgeStatus() {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		why := impossible(&op.Request)
		if why == "" || op.Answer.Outcome == histories.Unknown {
			continue
		}
		j.Exercise(models.ErrorStatus)
		if op.Answer.Outcome != histories.OK || op.Request.Kind == histories.Watch && j.endedByError(op) {
			continue
		}
		j.Report(models.Finding{
			Property: models.ErrorStatus, Operations: []int{op.ID}, Allowed: "a refusal", Observed: "success",
			Explanation: fmt.Sprintf("%s succeeded, though it had to be refused: %s.", j.name(op.ID), why),
		})
	}
}

// endedByError reports whether a watch was refused by its first event, as some are.
func (j *judge) endedByError(op *histories.Operation) bool {
	s := j.history.Stream(op.ID)
	return s != nil && len(s.Events) > 0 && s.Events[0].Type == histories.ErrorEvent
}

// impossible says why a request has to be refused, empty if it need not be.
func impossible(r *histories.Request) string {
	o := r.Options()
	rv, ok := parseRV(o.ResourceVersion)
	if !r.Kind.IsRead() && r.Kind != histories.Watch {
		return ""
	}
	if !ok && !isHuge(o.ResourceVersion) {
		return fmt.Sprintf("%q is no resource version", o.ResourceVersion)
	}
	switch r.Kind {
	case histories.List:
		switch {
		case o.ResourceVersionMatch == "":
		case o.ResourceVersion == "":
			return "resourceVersionMatch stands without a resourceVersion"
		case o.ResourceVersionMatch == "Exact" && ok && rv == 0:
			return "resourceVersion 0 cannot be exact"
		case o.ResourceVersionMatch != "Exact" && o.ResourceVersionMatch != "NotOlderThan":
			return fmt.Sprintf("%q is no resourceVersionMatch", o.ResourceVersionMatch)
		}
	case histories.Next:
		switch {
		case o.Continue == "":
		case o.ResourceVersionMatch != "":
			return "resourceVersionMatch stands beside a continue token"
		case rv > 0 || !ok:
			return "a resourceVersion stands beside a continue token"
		}
	case histories.Watch:
		switch {
		case o.ResourceVersionMatch != "" && o.SendInitialEvents == nil:
			return "resourceVersionMatch stands without sendInitialEvents"
		case o.SendInitialEvents != nil && o.ResourceVersionMatch != "NotOlderThan":
			return "sendInitialEvents stands without resourceVersionMatch NotOlderThan"
		}
	default: // no other call has such options
	}
	return ""
}

// isHuge reports whether a text is a decimal number that is too large for a revision:
// servers differ in what they make of it.
func isHuge(text string) bool {
	if len(text) < 19 {
		return false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
