package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// reasons are the status and the reason that go together, for what clients tell
// apart (API conventions, status codes). Expiry has a property of its own.
var reasons = map[histories.ErrorClass]map[string]string{
	histories.NotFound: {"404": "NotFound"},
	histories.Exists:   {"409": "AlreadyExists"},
	histories.Conflict: {"409": "Conflict"},
	histories.Invalid: {
		"400": "BadRequest", "405": "MethodNotAllowed", "406": "NotAcceptable", "415": "UnsupportedMediaType", "422": "Invalid",
	},
	histories.TooLarge: {"413": "RequestEntityTooLarge"},
	histories.Busy:     {"429": "TooManyRequests"},
	histories.Future:   {"504": "Timeout"},
}

// judgeReasons holds the status and the reason of each refusal that clients look at.
func (j *judge) judgeReasons() {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op.Answer.Outcome == histories.Fail && op.Answer.Error != nil && !j.unworded(&op.Request, op.Answer.Error) {
			j.judgeReason(op, op.Answer.Error)
		}
	}
	for _, s := range j.streams {
		for i := range s.Events {
			// An older server refuses a watch in the same words as a list (WL-05).
			if e := s.Events[i].Details().Error; s.Events[i].Type == histories.ErrorEvent && e != nil && !j.unworded(&s.op.Request, e) {
				j.judgeReason(s.op, e)
			}
		}
	}
}

func (j *judge) judgeReason(op *histories.Operation, e *histories.Error) {
	expected := reasons[e.Class]
	if expected == nil || e.Code == "" {
		return
	}
	j.Exercise(models.ErrorReason)
	reason, known := expected[e.Code]
	if known && (reason == e.Reason || e.Class == histories.Invalid && e.Reason == "") {
		return
	}
	j.ReportStream(models.Finding{
		Property: models.ErrorReason, Operations: []int{op.ID}, Allowed: worded(expected, e), Observed: e.Code + " " + orNone(e.Reason),
		Explanation: fmt.Sprintf("%s was refused as %s, but by %s with the reason %s.", j.name(op.ID), e.Class, e.Code, orNone(e.Reason)),
	})
}

// unworded reports whether a server may refuse a request by an error of its own, in no
// fixed words.
func (j *judge) unworded(r *histories.Request, e *histories.Error) bool {
	switch e.Class {
	case histories.Future:
		// ERR-07: before 1.34 only what must not be older is refused in the words of ERR-06.
		m, _ := kube.ReadMode(r)
		return !j.strict || !j.profile.FutureExact() && m != kube.NotOlderThan
	case histories.Invalid:
		_, isNumber := parseRV(r.Options().ResourceVersion)
		switch {
		case r.Kind.IsWrite():
			return true // ERR-12, ERR-13
		case isNumber:
			return false
		default: // ERR-09 to ERR-11: of a text that is no resource version only lists promise it
			return r.Kind != histories.List || !j.strict || !j.profile.ChecksRV()
		}
	default:
		return false
	}
}

// worded says what was expected of a refusal.
func worded(expected map[string]string, e *histories.Error) string {
	if reason, known := expected[e.Code]; known {
		return e.Code + " " + reason
	}
	return fmt.Sprintf("a status that means %s", e.Class)
}

func orNone(reason string) string {
	if reason == "" {
		return "(none)"
	}
	return reason
}
