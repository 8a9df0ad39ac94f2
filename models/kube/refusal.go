package kube

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
)

// status is the answer to a call that fails, as a server words it: its class, HTTP code
// and reason.
func status(class histories.ErrorClass, message string) histories.Answer {
	return histories.Answer{Outcome: histories.Fail, Error: failure(class, message)}
}

// failure is what a Status of the class says.
func failure(class histories.ErrorClass, message string) *histories.Error {
	e := &histories.Error{Class: class, Message: message}
	switch class {
	case histories.NotFound:
		e.Code, e.Reason = "404", "NotFound"
	case histories.Exists:
		e.Code, e.Reason = "409", "AlreadyExists"
	case histories.Conflict:
		e.Code, e.Reason = "409", "Conflict"
	case histories.Compacted:
		e.Code, e.Reason = "410", "Expired"
	case histories.Invalid:
		e.Code, e.Reason = "422", "Invalid"
	case histories.Future:
		e.Code, e.Reason = "504", "Timeout"
		e.Causes = []string{"ResourceVersionTooLarge"}
	case histories.Other:
		e.Code = "500"
	default:
		panic("models/kube: fault of this program: no refusal of class " + string(class))
	}
	return e
}

// badRequest is a refusal before any option was looked at together with others.
func badRequest(message string) histories.Answer {
	a := status(histories.Invalid, message)
	a.Error.Code, a.Error.Reason = "400", "BadRequest"
	return a
}

// tooLarge refuses a revision that does not exist yet (ERR-06).
func tooLarge(asked, newest histories.Revision) histories.Answer {
	return status(histories.Future, fmt.Sprintf("Timeout: Too large resource version: %d, current: %d", asked, newest))
}

// badRV refuses a resourceVersion that is no number.
func (s *State) badRV(r *histories.Request) histories.Answer {
	const message = "invalid resource version: resourceVersion: Invalid value"
	asClient := s.profile.ChecksRV()
	switch r.Kind {
	case histories.Get:
		asClient = !s.profile.Cached
	case histories.Watch:
		asClient = false
	default:
	}
	if asClient {
		return badRequest(message)
	}
	return status(histories.Other, message)
}
