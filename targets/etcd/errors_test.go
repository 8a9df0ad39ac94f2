package etcd

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/rvcheck/rvcheck/histories"
)

func TestFailedAnswer(t *testing.T) {
	for _, test := range []struct {
		err     error
		class   histories.ErrorClass
		outcome histories.Outcome
	}{
		{rpctypes.ErrGRPCCompacted, histories.Compacted, histories.Fail},
		{rpctypes.ErrGRPCFutureRev, histories.Future, histories.Fail},
		{rpctypes.ErrGRPCRequestTooLarge, histories.TooLarge, histories.Fail},
		{rpctypes.ErrGRPCRequestTooManyRequests, histories.Busy, histories.Fail},
		{rpctypes.ErrGRPCLeaseNotFound, histories.NoLease, histories.Fail},
		{rpctypes.ErrGRPCEmptyKey, histories.Invalid, histories.Fail},
		{rpctypes.ErrGRPCPermissionDenied, histories.Other, histories.Fail},
		{rpctypes.ErrGRPCInvalidAuthToken, histories.Other, histories.Fail},
		{rpctypes.ErrGRPCNotSupportedForLearner, histories.Other, histories.Fail},
		{status.Error(codes.Unimplemented, "no such method"), histories.Other, histories.Fail},
		{status.Error(codes.ResourceExhausted, "grpc: received message larger than max (3 vs. 2)"), histories.TooLarge, histories.Fail},
		{status.Error(codes.Unknown, "mvcc: required revision has been compacted"), histories.Compacted, histories.Fail},

		// etcd also answers this after it applied the write.
		{rpctypes.ErrGRPCNoSpace, histories.Other, histories.Unknown},
		{rpctypes.ErrGRPCTimeout, histories.Unavailable, histories.Unknown},
		{rpctypes.ErrGRPCLeaderChanged, histories.Unavailable, histories.Unknown},
		{rpctypes.ErrGRPCNoLeader, histories.Unavailable, histories.Unknown},
		{rpctypes.ErrGRPCStopped, histories.Unavailable, histories.Unknown},
		{rpctypes.ErrGRPCCorrupt, histories.Other, histories.Unknown},
		{status.Error(codes.Internal, "oops"), histories.Other, histories.Unknown},
		{status.Error(codes.Unknown, "oops"), histories.Other, histories.Unknown},
		{status.Error(codes.Canceled, "context canceled"), histories.Timeout, histories.Unknown},
		{context.DeadlineExceeded, histories.Timeout, histories.Unknown},
		{fmt.Errorf("wrapped: %w", context.Canceled), histories.Timeout, histories.Unknown},
	} {
		got := failedAnswer(test.err)
		if got.Outcome != test.outcome || got.Error.Class != test.class {
			t.Errorf("%v: outcome %s class %s, want %s %s", test.err, got.Outcome, got.Error.Class, test.outcome, test.class)
		}
	}
}

func TestNotSentIsAFailure(t *testing.T) {
	got := notSent(errLost)
	if got.Outcome != histories.Fail || got.Error.Class != histories.Unavailable {
		t.Errorf("got %+v", got)
	}
}

func TestShorten(t *testing.T) {
	if got := shorten("first\nsecond"); got != "first" {
		t.Errorf("got %q", got)
	}
	if got := shorten(strings.Repeat("é", 500)); len(got) > maxMessage+len("…") || !strings.HasSuffix(got, "é…") {
		t.Errorf("got %d bytes: %q", len(got), got)
	}
}
