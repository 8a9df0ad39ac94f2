package embedded_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// requests draws requests that matter to a state: keys that collide, revisions
// around those that mean something, limits around the number of keys.
type requests struct {
	rng   *rand.Rand
	state *models.State
	// page is the last list that was cut, at its revision.
	page *histories.Request
	// past are the ids of leases that were granted, those that have gone included.
	past []int64
}

var names = []string{
	"a", "a/b", "a/b/c", "ab", "a_b", "a%", "A", "a/", "a\x00", "b", "b\xff", "\xff", "\xff\xff", "é", "z",
}

// one reports whether something that happens once in n times does.
func (r *requests) one(n int) bool { return r.rng.IntN(n) == 0 }

func (r *requests) name() string { return names[r.rng.IntN(len(names))] }

func (r *requests) key() histories.Key { return histories.Key{Name: r.name()} }

// request draws the i-th request. A value knows its write by i.
func (r *requests) request(i int) histories.Request {
	write := histories.WriteID(fmt.Sprintf("w%d", i))
	switch n := r.rng.IntN(100); {
	case n < 42:
		return r.write(n, write)
	case n < 52:
		return r.get()
	case n < 68:
		return r.list()
	case n < 74:
		return r.next()
	case n < 77:
		return histories.Request{Kind: histories.Compact, Revision: r.compaction()}
	case n < 92:
		return histories.Request{Kind: histories.Transact, Txn: r.txn(string(write), 2)}
	case n < 99:
		return r.lease()
	default:
		return histories.Request{Kind: histories.Status}
	}
}

func (r *requests) write(n int, write histories.WriteID) histories.Request {
	key := r.key()
	switch {
	case n < 8:
		return r.sized(histories.Request{Kind: histories.Create, Key: key, Write: write})
	case n < 20:
		return r.sized(histories.Request{Kind: histories.Update, Key: key, Write: write, Expect: r.expect(key), Conditional: true})
	case n < 28:
		return r.sized(histories.Request{Kind: histories.Put, Key: key, Write: write})
	case n < 31:
		return histories.Request{Kind: histories.LeaseAttach, Key: key, Write: write, Lease: r.leaseID()}
	case n < 38:
		return histories.Request{Kind: histories.Delete, Key: key, Expect: r.expect(key), Conditional: true}
	case n < 40:
		return histories.Request{Kind: histories.Delete, Key: key}
	default:
		return histories.Request{Kind: histories.DeleteRange, Scope: r.scope(), PrevKV: r.one(2)}
	}
}

func (r *requests) sized(request histories.Request) histories.Request {
	switch r.rng.IntN(8) {
	case 0:
		request.Size = r.rng.IntN(3000)
	case 1:
		request.Labels = map[string]string{"x": "1", "y z": "ü"}
	}
	if r.one(5) {
		request.Lease = r.leaseID()
	}
	return request
}

// expect draws what a write is conditional on: mostly the truth.
func (r *requests) expect(key histories.Key) histories.Revision {
	object, _ := r.state.Now().Get(key)
	switch r.rng.IntN(12) {
	case 0:
		return 0
	case 1:
		return object.RV - 1
	case 2:
		return object.RV + 1
	case 3:
		return r.state.Newest()
	case 4:
		return r.revision()
	default:
		return object.RV
	}
}

// revision draws where to read.
func (r *requests) revision() histories.Revision {
	newest, compacted := r.state.Newest(), r.state.Compacted()
	switch r.rng.IntN(16) {
	case 0:
		return newest
	case 1:
		return newest + 1
	case 2:
		return compacted
	case 3:
		return compacted - 1
	case 4:
		return compacted + 1
	case 5:
		return histories.Revision(-r.rng.Int64N(3))
	case 6:
		return []histories.Revision{1, math.MaxInt64, math.MinInt64, newest + 1000}[r.rng.IntN(4)]
	case 7, 8, 9:
		return compacted + histories.Revision(r.rng.Int64N(int64(newest-compacted)+1))
	default:
		return 0
	}
}

func (r *requests) compaction() histories.Revision {
	if r.one(3) {
		return r.revision()
	}
	newest, compacted := r.state.Newest(), r.state.Compacted()
	return compacted + 1 + histories.Revision(r.rng.Int64N(max(1, int64(newest-compacted)/4)))
}

func (r *requests) get() histories.Request {
	return r.options(histories.Request{Kind: histories.Get, Key: r.key(), Revision: r.revision()})
}

func (r *requests) list() histories.Request {
	request := histories.Request{Kind: histories.List, Scope: r.scope(), Revision: r.revision(), Limit: r.limit()}
	if r.one(4) {
		request.Start, request.HasStart = r.name(), true
	}
	return r.options(request)
}

// options draws the options of a range, mostly none.
func (r *requests) options(request histories.Request) histories.Request {
	request.Serializable, request.KeysOnly, request.CountOnly = r.one(8), r.one(8), r.one(16)
	if r.one(4) {
		request.SortTarget = []histories.SortTarget{
			"", histories.SortByKey, histories.SortByVersion, histories.SortByCreate, histories.SortByMod, histories.SortByValue,
		}[r.rng.IntN(6)]
		request.SortOrder = []histories.SortOrder{"", histories.Ascend, histories.Descend}[r.rng.IntN(3)]
	}
	for _, bound := range []*histories.Revision{
		&request.MinModRevision, &request.MaxModRevision, &request.MinCreateRevision, &request.MaxCreateRevision,
	} {
		if r.one(16) {
			object, _ := r.state.Now().Get(r.key())
			*bound = []histories.Revision{object.RV, object.CreateRevision, r.revision()}[r.rng.IntN(3)]
		}
	}
	return request
}

func (r *requests) scope() histories.Scope {
	key := r.key()
	switch r.rng.IntN(5) {
	case 0:
		return histories.Scope{Shape: histories.Single, Key: key}
	case 1:
		return histories.Scope{Shape: histories.Prefix, Key: key}
	case 2:
		return histories.Scope{Shape: histories.Range, Key: key, End: r.name()}
	default:
		return histories.Scope{}
	}
}

func (r *requests) limit() int64 {
	present := int64(r.state.Now().Len())
	switch r.rng.IntN(8) {
	case 0:
		return 1
	case 1:
		return 2
	case 2:
		return present - 1
	case 3:
		return present
	case 4:
		return present + 1
	case 5:
		return []int64{-1, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64}[r.rng.IntN(4)]
	default:
		return 0
	}
}

// next follows the last list that was cut.
func (r *requests) next() histories.Request {
	if r.page == nil {
		return r.list()
	}
	request := *r.page
	request.Kind = histories.Next
	return request
}

// follow remembers where the next page begins, and which leases there were.
func (r *requests) follow(state *models.State, request histories.Request, answer histories.Answer) {
	r.state = state
	if request.Kind == histories.LeaseGrant && answer.Outcome == histories.OK {
		r.past = append(r.past, answer.Lease)
	}
	if !answer.More || len(answer.Objects) == 0 || request.SortTarget != "" || request.SortOrder != "" {
		if request.Kind == histories.Next {
			r.page = nil
		}
		return
	}
	if request.Revision <= 0 {
		request.Revision = answer.Revision
	}
	request.Start, request.HasStart = answer.Objects[len(answer.Objects)-1].Key.Name+"\x00", true
	r.page = &request
}

func (r *requests) lease() histories.Request {
	switch r.rng.IntN(8) {
	case 0, 1:
		return r.grant()
	case 2, 3:
		return histories.Request{Kind: histories.LeaseKeepAlive, Lease: r.leaseID()}
	case 4:
		return histories.Request{Kind: histories.LeaseRevoke, Lease: r.leaseID()}
	default:
		return histories.Request{Kind: histories.LeaseTimeToLive, Lease: r.leaseID()}
	}
}

// grant draws a lease that lives as long as the test, or is refused.
func (r *requests) grant() histories.Request {
	request := histories.Request{Kind: histories.LeaseGrant, TTL: []int64{600, 3600, 9_000_000_000, 9_000_000_001, math.MaxInt64}[r.rng.IntN(5)]}
	switch r.rng.IntN(4) {
	case 0:
		request.Lease = r.leaseID()
	case 1:
		request.Lease = r.rng.Int64() - math.MaxInt64/2
	}
	return request
}

// leaseID draws a lease, most of which live.
func (r *requests) leaseID() int64 {
	living := r.state.Leases()
	switch {
	case len(living) > 0 && !r.one(8):
		return living[r.rng.IntN(len(living))].ID
	case len(r.past) > 0 && !r.one(8):
		return r.past[r.rng.IntN(len(r.past))]
	default:
		return []int64{1, -1, 4711, math.MaxInt64, math.MinInt64}[r.rng.IntN(5)]
	}
}
