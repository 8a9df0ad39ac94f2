package memory

import (
	"fmt"
	"math/rand/v2"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// drawRequest draws a call around what the state holds.
func drawRequest(random *rand.Rand, state *models.State, n int) histories.Request {
	if random.IntN(3) == 0 {
		return drawOther(random, n)
	}
	near := histories.Revision(random.IntN(int(state.Newest()+3))) - 1
	r := histories.Request{Key: key(random.IntN(4)), Write: histories.WriteID(fmt.Sprintf("w%d", n))}
	if o, there := state.Now().Get(r.Key); there && random.IntN(3) > 0 {
		near = o.RV
	}
	switch r.Kind = []histories.Kind{histories.Create, histories.Update, histories.Delete, histories.Get, histories.List, histories.Put, histories.Compact}[random.IntN(7)]; r.Kind {
	case histories.Create, histories.Put:
	case histories.Compact:
		if random.IntN(20) == 0 {
			r.Revision = near
		}
		r.Write = ""
	case histories.Update:
		r.Conditional, r.Expect = true, near
	case histories.Delete:
		r.Write, r.Conditional = "", random.IntN(3) > 0
		if r.Conditional {
			r.Expect = near
		}
	default:
		r.Write, r.Revision, r.Limit = "", near*histories.Revision(random.IntN(2)), int64(random.IntN(4))
	}
	return r
}

// drawOther draws one of etcd's own calls.
func drawOther(random *rand.Rand, n int) histories.Request {
	put := func() histories.Request {
		return histories.Request{
			Kind: histories.Put, Key: key(random.IntN(4)), Write: histories.WriteID(fmt.Sprintf("w%d-%d", n, random.IntN(1<<30))),
			Lease: int64(random.IntN(3)),
		}
	}
	lease := histories.Request{Lease: int64(1 + random.IntN(3)), TTL: 1000}
	switch random.IntN(8) {
	case 0:
		return histories.Request{Kind: histories.DeleteRange, Scope: histories.Scope{Shape: histories.Prefix, Key: key(random.IntN(4))}, PrevKV: true}
	case 1:
		return histories.Request{Kind: histories.List, SortTarget: histories.SortByMod, SortOrder: histories.Descend, Limit: int64(random.IntN(3))}
	case 2, 3:
		read := histories.Request{Kind: histories.List, KeysOnly: true}
		return histories.Request{Kind: histories.Transact, Txn: &histories.Txn{
			Compares: []histories.Compare{{Key: key(random.IntN(4)), Target: "version", Op: "<", Value: "2"}},
			Then:     []histories.Request{put(), read}, Else: []histories.Request{read, put(), put()},
		}}
	case 4:
		lease.Kind = histories.LeaseGrant
	case 5:
		lease.Kind = histories.LeaseRevoke
	case 6:
		lease.Kind = histories.LeaseTimeToLive
	default:
		return put()
	}
	return lease
}
