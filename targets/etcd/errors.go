package etcd

import (
	"context"
	"errors"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rvcheck/rvcheck/histories"
)

// failedAnswer is the answer of a call that ended with an error. The outcome is
// Fail only where the error proves that the call had no effect and will have none.
func failedAnswer(err error) histories.Answer {
	failure := classify(err)
	outcome := histories.Unknown
	if harmless(failure, err) {
		outcome = histories.Fail
	}
	return histories.Answer{Outcome: outcome, Error: failure}
}

// notSent is the answer of a call for which there was no connection.
func notSent(err error) histories.Answer {
	failure := classify(err)
	if _, isStatus := status.FromError(err); !isStatus {
		failure.Class = histories.Unavailable
	}
	return histories.Answer{Outcome: histories.Fail, Error: failure}
}

// classify says what an error means. Servers that stand in for etcd do not always
// use etcd's codes, so the known sentences count before the code.
func classify(err error) *histories.Error {
	code, message := codeOf(err), messageOf(err)
	failure := &histories.Error{Class: classOfMessage(message), Code: code.String(), Message: shorten(message)}
	if failure.Class == "" {
		failure.Class = classOfCode(code)
	}
	return failure
}

func codeOf(err error) codes.Code {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return codes.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		return codes.Canceled
	}
	return status.Code(err)
}

func messageOf(err error) string {
	if s, ok := status.FromError(err); ok {
		return s.Message()
	}
	return err.Error()
}

// sentences are those that decide the class whatever the code is.
var sentences = []struct {
	text  string
	class histories.ErrorClass
}{
	{"required revision has been compacted", histories.Compacted},
	{"required revision is a future revision", histories.Future},
	{"lease not found", histories.NoLease},
	{"lease already exists", histories.Exists},
	{rpctypes.ErrorDesc(rpctypes.ErrGRPCRequestTooLarge), histories.TooLarge},
	{"received message larger than max", histories.TooLarge},
	{rpctypes.ErrorDesc(rpctypes.ErrGRPCRequestTooManyRequests), histories.Busy},
	{"watcher range is empty", histories.Invalid},
}

func classOfMessage(message string) histories.ErrorClass {
	for _, s := range sentences {
		if strings.Contains(message, s.text) {
			return s.class
		}
	}
	return ""
}

func classOfCode(code codes.Code) histories.ErrorClass {
	switch code {
	case codes.InvalidArgument, codes.OutOfRange:
		return histories.Invalid
	case codes.DeadlineExceeded, codes.Canceled:
		return histories.Timeout
	case codes.Unavailable:
		return histories.Unavailable
	default:
		return histories.Other
	}
}

// harmless reports whether the error proves that nothing happened. The server
// refused, before or instead of doing it. What is not listed may have happened:
// above all "database space exceeded", which etcd also answers after it applied a
// write that used up the space, and everything that Unavailable stands for, since
// a request that timed out in the server may be applied later.
func harmless(failure *histories.Error, err error) bool {
	switch failure.Class {
	case histories.Compacted, histories.Future, histories.NoLease, histories.TooLarge, histories.Busy:
		return true
	default:
	}
	switch codeOf(err) {
	case codes.InvalidArgument, codes.OutOfRange, codes.NotFound, codes.FailedPrecondition,
		codes.PermissionDenied, codes.Unauthenticated, codes.Unimplemented:
		return true
	default:
		return false
	}
}

// maxMessage is how much of a server's message is kept.
const maxMessage = 200

// shorten keeps the first line of a message, so that whatever a server appends,
// such as a dump of the request, stays out of the history.
func shorten(message string) string {
	line, _, _ := strings.Cut(message, "\n")
	line = strings.ToValidUTF8(line, "?")
	if len(line) > maxMessage {
		line = strings.ToValidUTF8(line[:maxMessage], "") + "…"
	}
	return line
}
