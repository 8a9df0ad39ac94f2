package linear

import (
	"fmt"
	"slices"
	"time"

	"github.com/rvcheck/rvcheck/histories"
)

func aboutLease(kind histories.Kind) bool {
	switch kind {
	case histories.LeaseGrant, histories.LeaseKeepAlive, histories.LeaseTimeToLive, histories.LeaseRevoke:
		return true
	default:
		return false
	}
}

// nameless says which grant of unknown outcome may have made a lease under an id
// that nobody was told, where an operation names one that nobody else granted.
func nameless(h *histories.History) string {
	unknown, granted := 0, map[int64]bool{0: true}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Kind != histories.LeaseGrant {
			continue
		}
		granted[op.Request.Lease], granted[op.Answer.Lease] = true, true
		if op.Answer.Outcome == histories.Unknown && op.Request.Lease == 0 {
			unknown = op.ID
		}
	}
	if unknown == 0 || !slices.ContainsFunc(h.Operations, func(op histories.Operation) bool { return names(&op.Request, granted) }) {
		return ""
	}
	return fmt.Sprintf("a lease that operation %d may have been granted is named, but its id was not told", unknown)
}

// names reports whether a request names a lease that is none of those.
func names(r *histories.Request, granted map[int64]bool) bool {
	return !granted[r.Lease] || slices.ContainsFunc(operations(r.Txn), func(nested *histories.Request) bool {
		return names(nested, granted)
	})
}

// expiries are the ends that leases may have come to by themselves while the
// history lasted, each as a revocation of unknown outcome that began when the
// lease's time was over at the earliest, under the id of the grant. Renewals
// only make it later.
func expiries(h *histories.History) []histories.Operation {
	last := int64(0)
	for i := range h.Operations {
		op := &h.Operations[i]
		last = max(last, op.Call)
		if op.Return != histories.Never {
			last = max(last, op.Return)
		}
	}
	var all []histories.Operation
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Kind != histories.LeaseGrant || op.Answer.Outcome == histories.Fail {
			continue
		}
		id, seconds := op.Answer.Lease, op.Answer.TTL
		if op.Answer.Outcome == histories.Unknown {
			id, seconds = op.Request.Lease, op.Request.TTL
		}
		lasts := last + h.Header.ClockUncertainty - op.Call
		if seconds = max(seconds, 0); id == 0 || seconds > lasts/int64(time.Second) {
			continue
		}
		all = append(all, histories.Operation{
			ID: op.ID, Client: fmt.Sprintf("the end of lease %d, granted by %d", id, op.ID),
			Call:    max(op.Call, op.Call+seconds*int64(time.Second)-h.Header.ClockUncertainty),
			Return:  histories.Never,
			Request: histories.Request{Kind: histories.LeaseRevoke, Lease: id},
			Answer:  histories.Answer{Outcome: histories.Unknown},
		})
	}
	return all
}
