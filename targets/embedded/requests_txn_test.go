package embedded_test

import (
	"fmt"
	"math"
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
)

// txn draws a transaction, nested as often as depth says. Its writes are named after
// a prefix.
func (r *requests) txn(prefix string, depth int) *histories.Txn {
	txn := &histories.Txn{}
	for range r.rng.IntN(3) {
		txn.Compares = append(txn.Compares, r.compare())
	}
	txn.Then = r.branch(prefix+"t", depth)
	if r.one(2) {
		txn.Else = r.branch(prefix+"e", depth)
	}
	return txn
}

func (r *requests) branch(prefix string, depth int) (ops []histories.Request) {
	keys := r.rng.Perm(len(names))
	for i := range r.rng.IntN(5) {
		// Mostly keys that differ: etcd refuses to put one twice.
		key := histories.Key{Name: names[keys[i]]}
		if r.one(20) {
			key = r.key()
		}
		ops = append(ops, r.operation(key, fmt.Sprintf("%s%d", prefix, i), depth))
	}
	return ops
}

func (r *requests) operation(key histories.Key, write string, depth int) histories.Request {
	switch n := r.rng.IntN(20); {
	case n < 7:
		return r.sized(histories.Request{Kind: histories.Put, Key: key, Write: histories.WriteID(write)})
	case n < 10:
		return histories.Request{Kind: histories.Delete, Key: key, PrevKV: r.one(2)}
	case n < 11:
		return histories.Request{Kind: histories.DeleteRange, Scope: r.scope(), PrevKV: r.one(2)}
	case n < 14 || depth == 0:
		request := r.get()
		request.Revision = r.readable()
		return request
	case n < 17:
		request := r.list()
		request.Revision = r.readable()
		return request
	default:
		return histories.Request{Kind: histories.Transact, Txn: r.txn(write, depth-1)}
	}
}

// readable draws where a transaction reads: a single bad revision spoils all of it.
func (r *requests) readable() histories.Revision {
	newest, compacted := r.state.Newest(), r.state.Compacted()
	switch r.rng.IntN(8) {
	case 0:
		return newest
	case 1:
		return compacted
	case 2:
		return compacted + histories.Revision(r.rng.Int64N(int64(newest-compacted)+1))
	case 3:
		if !r.one(3) {
			return r.revision()
		}
		return newest
	default:
		return 0
	}
}

// compare draws a condition about what a key holds: mostly near the truth.
func (r *requests) compare() histories.Compare {
	key := r.key()
	object, _ := r.state.Now().Get(key)
	c := histories.Compare{
		Key:    key,
		Target: histories.CompareTargets[r.rng.IntN(len(histories.CompareTargets))],
		Op:     histories.CompareOps[r.rng.IntN(len(histories.CompareOps))],
	}
	truth := map[string]int64{
		"version": object.Version, "create": int64(object.CreateRevision), "mod": int64(object.RV), "lease": object.Lease,
	}[c.Target]
	switch {
	case c.Target == "value":
		c.Value, c.Labels, c.Size = string(object.Write), object.Labels, object.Size
		if r.one(3) {
			c.Value, c.Size = "w1", r.rng.IntN(100)
		}
		return c
	case r.one(10):
		truth = []int64{math.MinInt64, math.MaxInt64, -1, 0}[r.rng.IntN(4)]
	case r.one(3):
		truth += r.rng.Int64N(5) - 2
	}
	c.Value = strconv.FormatInt(truth, 10)
	return c
}
