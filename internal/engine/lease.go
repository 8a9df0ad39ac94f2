package engine

import (
	"context"
	"strconv"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

const (
	// leaseInterval is how often a lane that waits for a lease looks at it.
	leaseInterval = 200 * time.Millisecond
	// leaseGrace is how long a lane waits beyond what the lease was granted, and
	// longestLease is the longest lease, in seconds, that it waits for.
	leaseGrace   = 10 * time.Second
	longestLease = 30
)

// bind resolves the lease that an operation is about.
func (r *resolver) bind(ctx context.Context, op *plans.Op, request *histories.Request) (err error) {
	switch id, notNumber := strconv.ParseInt(op.Lease, 10, 64); {
	case op.Kind == histories.LeaseGrant:
		request.Lease = op.ID
	case op.Lease == "":
	case notNumber == nil:
		request.Lease = id
	default:
		request.Lease, err = r.granted(ctx, op.Lease)
	}
	return err
}

// granted is the id of the lease that the labelled operation granted.
func (r *resolver) granted(ctx context.Context, label string) (int64, error) {
	o, err := r.happened(ctx, label)
	if err != nil {
		return 0, err
	}
	if o.answer.Outcome != histories.OK || o.answer.Lease == 0 {
		return 0, unresolvedf("%s granted no lease", label)
	}
	return o.answer.Lease, nil
}

// expire looks at a lease until it is gone, and notes it when the lease outlives
// its deadline. Each look is a call of its own; the first one has the label.
func (e *execution) expire(ctx context.Context, c *client, op histories.Operation) (outcome, error) {
	label := op.Label
	op.Request.Kind = histories.LeaseTimeToLive
	o, err := e.call(ctx, c, op)
	if err != nil || gone(&o.answer) {
		return o, err
	}
	if o.answer.GrantedTTL > longestLease {
		return o, unresolvedf("nobody waits for a lease of %d seconds", o.answer.GrantedTTL)
	}
	timed, done := context.WithTimeout(ctx, time.Duration(o.answer.GrantedTTL)*time.Second+leaseGrace)
	defer done()
	for op.Label = ""; !gone(&o.answer); {
		select {
		case <-time.After(leaseInterval):
		case <-timed.Done():
			if ctx.Err() != nil {
				return o, nil // the run was interrupted: nobody waited long enough
			}
			e.recorder.Note(histories.Note{Kind: "deadline", Label: label, Line: op.Line, Text: "the lease is still there"})
			return o, nil
		}
		if o, err = e.call(ctx, c, op); err != nil || c.spent() {
			return o, err
		}
	}
	return o, nil
}

// gone reports whether a timetolive says that there is no such lease. A lease that
// has expired and is not revoked yet may have less than nothing left, but it was
// granted something.
func gone(answer *histories.Answer) bool {
	if answer.Error != nil && answer.Error.Class == histories.NoLease {
		return true
	}
	return answer.Outcome == histories.OK && answer.TTL < 0 && answer.GrantedTTL == 0
}
