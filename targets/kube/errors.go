package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// failureStatus is the API's Status, which says why a call failed.
type failureStatus struct {
	Kind     string
	Message  string
	Reason   string
	Code     int
	Metadata struct{ Continue string }
	Details  struct {
		Name, Kind, UID string
		Causes          []struct{ Reason, Message string }
	}
}

// statusOfReply reads the Status of an answer; what is none gives an empty one with
// the text as message.
func statusOfReply(got reply) failureStatus {
	var s failureStatus
	body := legible(got.body)
	if err := json.Unmarshal(body, &s); err != nil || s.Kind != "Status" {
		s = failureStatus{Message: string(body)}
	}
	s.Code = got.status
	return s
}

// classify says what a refusal means, and what token to go on with a 410 offers (PAGE-10).
func classify(got reply) (failure *histories.Error, token string) {
	s := statusOfReply(got)
	return s.failure(), s.Metadata.Continue
}

func (s *failureStatus) failure() *histories.Error {
	return &histories.Error{
		Class: s.class(), Code: strconv.Itoa(s.Code), Message: shorten(s.Message), Reason: s.Reason, Causes: s.causes(),
	}
}

func (s *failureStatus) causes() []string {
	var reasons []string
	for _, cause := range s.Details.Causes {
		if cause.Reason != "" {
			reasons = append(reasons, cause.Reason)
		}
	}
	return reasons
}

// class is what an error means. The message counts only where older servers have
// nothing else (ERR-07).
func (s *failureStatus) class() histories.ErrorClass {
	switch s.Code {
	case http.StatusNotFound:
		// Without a name it is the type of objects, or its namespace, that is missing.
		if s.Details.Name != "" && s.Details.Kind != "namespaces" {
			return histories.NotFound
		}
		return histories.Other
	case http.StatusConflict:
		if s.Reason == "AlreadyExists" {
			return histories.Exists
		}
		return histories.Conflict
	case http.StatusGone:
		return histories.Compacted
	case http.StatusRequestEntityTooLarge:
		return histories.TooLarge
	case http.StatusTooManyRequests:
		return histories.Busy
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusMethodNotAllowed,
		http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return histories.Invalid
	case http.StatusServiceUnavailable, http.StatusBadGateway:
		return histories.Unavailable
	case http.StatusGatewayTimeout, http.StatusInternalServerError:
		return s.serverClass()
	default:
		return histories.Other
	}
}

// serverSentences are what servers say, as an error of their own, of a request that
// they refuse for its form or its revision before they do anything (ERR-07, ERR-10 to ERR-13).
var serverSentences = []struct {
	text  string
	class histories.ErrorClass
}{
	{"required revision is a future revision", histories.Future},
	{"resourceVersion should not be set on objects to be created", histories.Invalid},
	{"resourceVersion: Invalid value", histories.Invalid},
	{"strconv.ParseUint", histories.Invalid},
}

func (s *failureStatus) serverClass() histories.ErrorClass {
	for _, cause := range s.causes() {
		if cause == "ResourceVersionTooLarge" {
			return histories.Future
		}
	}
	for _, known := range serverSentences {
		if strings.Contains(s.Message, known.text) {
			return known.class
		}
	}
	if s.Code == http.StatusGatewayTimeout {
		return histories.Timeout
	}
	return histories.Other
}

// classifyLost says what a call that was not answered means, and whether the server may
// have got it.
func classifyLost(err error) (failure *histories.Error, sent bool) {
	failure = &histories.Error{Class: histories.Unavailable, Message: shorten(err.Error())}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		failure.Class = histories.Timeout
	}
	var unanswered *lost
	return failure, !errors.As(err, &unanswered) || unanswered.sent
}

// refusal is an answer of the server as an error of setting up.
func refusal(got reply) error {
	s := statusOfReply(got)
	return &refusedError{code: got.status, message: shorten(orElse(s.Message, http.StatusText(got.status)))}
}

// refusedError is what a server answered while the run was being set up.
type refusedError struct {
	code    int
	message string
}

func (r *refusedError) Error() string { return fmt.Sprintf("it refused: %s (%d)", r.message, r.code) }

// isCode reports whether the server answered with an HTTP status.
func isCode(err error, code int) bool {
	var refused *refusedError
	return errors.As(err, &refused) && refused.code == code
}

// isPassing reports whether a call that failed may well succeed if it is made again: it was
// not answered, or the server had no time, no etcd or no leader for it.
func isPassing(err error) bool {
	var unanswered *lost
	if errors.As(err, &unanswered) {
		return !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	var refused *refusedError
	return errors.As(err, &refused) && (refused.code == http.StatusTooManyRequests || refused.code >= http.StatusInternalServerError)
}

// maxMessage is how much of a server's message is kept.
const maxMessage = 200

// shorten keeps the first line of a message.
func shorten(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	line = strings.ToValidUTF8(line, "?")
	if len(line) > maxMessage {
		line = strings.ToValidUTF8(line[:maxMessage], "") + "…"
	}
	return line
}
