package models

import (
	"math"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// transaction takes an acknowledged transaction.
func (s *State) transaction(c *Call) ([]*State, Refusal) {
	if c.lost {
		return s.settled(func(g *glance) ([]*State, Refusal) { return g.transactionSeen(c) })
	}
	if writesTwice(c.Request.Txn) {
		return no(Refusal{Property: TxnResult, form: "a transaction that writes a key twice was carried out"})
	}
	if c.Answer.Revision < s.newest && Serializable(c.Request) {
		return s.settled(func(g *glance) ([]*State, Refusal) { return g.transactionOld(c) })
	}
	return s.settled(func(g *glance) ([]*State, Refusal) { return g.transactionNow(c) })
}

// transactionNow takes a transaction that took effect here.
func (g *glance) transactionNow(c *Call) ([]*State, Refusal) {
	header := c.Answer.Revision
	if header < g.state.newest {
		return no(g.state.older(HeaderMonotone, header))
	}
	t := g.begin(g.state.tip.root(), header)
	refusal := t.follow(c.Request.Txn, c.Answer)
	g.doubt = t.doubt
	if refusal.Refused() {
		return no(refusal)
	}
	next, refusal := t.readable(c.Request.Txn)
	if refusal.Refused() {
		return no(refusal)
	}
	next, ok := next.binding(sighting{same: true, bound: t.bound})
	switch {
	case !ok:
		return no(Refusal{Property: TxnResult, form: "the results of the transaction show a write at two revisions"})
	case len(t.effects) == 0:
		return next.position(HeaderMonotone, header)
	default:
		return next.effect(t.effects...)
	}
}

// transactionOld takes a transaction that only reads what its member holds, as a
// serializable read does. Any state that was is right.
func (g *glance) transactionOld(c *Call) ([]*State, Refusal) {
	header := c.Answer.Revision
	if header <= 0 {
		return no(g.state.older(HeaderMonotone, header))
	}
	t := g.begin(g.content(header), header)
	t.lowest = 0
	refusal := t.follow(c.Request.Txn, c.Answer)
	g.doubt = t.doubt
	if refusal.Refused() {
		return no(refusal)
	}
	next, ok := g.state.binding(sighting{same: true, bound: t.bound})
	if !ok {
		return no(Refusal{Property: TxnResult, form: "the results of the transaction show a write at two revisions"})
	}
	return one(next)
}

// Serializable reports whether a member may answer a request from what it holds,
// which may be old: a read that says so, and a transaction that has no other
// operations in either branch.
func Serializable(r *histories.Request) bool {
	if r.Kind != histories.Transact {
		return r.Kind.IsRead() && r.Serializable
	}
	return r.Txn != nil && !slices.ContainsFunc(slices.Concat(r.Txn.Then, r.Txn.Else), func(op histories.Request) bool {
		return !op.Kind.IsRead() || !op.Serializable
	})
}

// follow carries out a transaction along its answer.
func (t *transaction) follow(txn *histories.Txn, a *histories.Answer) Refusal {
	ops, succeeded := t.branch(txn)
	if a.Succeeded != succeeded {
		return Refusal{Property: TxnCompare, form: wrongBranch[succeeded]}
	}
	if len(a.Results) != len(ops) {
		return Refusal{
			Property: TxnResult, a: histories.Revision(len(a.Results)), b: histories.Revision(len(ops)),
			form: "{a} results were told of a branch with {b} operations",
		}
	}
	for i := range ops {
		if refusal := t.result(&ops[i], &a.Results[i]); refusal.Refused() {
			return refusal
		}
	}
	return allowed
}

var wrongBranch = map[bool]string{
	true:  "the transaction took its else branch, but its conditions held",
	false: "the transaction took its then branch, but its conditions did not hold",
}

// result carries out one operation of a transaction and compares what it is told
// to have done.
func (t *transaction) result(r *histories.Request, a *histories.Answer) Refusal {
	if a.Outcome != histories.OK {
		return Refusal{Property: TxnResult, key: r.Key, form: "an operation of the transaction has no result"}
	}
	seen, refusal := sighting{same: true}, allowed
	switch r.Kind {
	case histories.Transact:
		return t.follow(r.Txn, a)
	case histories.Put:
		if missing := t.state.holder(r); missing.Refused() {
			return missing
		}
		t.put(r)
	case histories.Delete, histories.DeleteRange:
		if seen, refusal = removed(r, a, t.remove(r)); !refusal.Refused() && !seen.same {
			refusal = notRemoved(r)
		}
	default:
		content := t.reads(r)
		if seen = t.shows(r, a, content); !seen.same {
			refusal = t.differs(r, a, content)
		}
	}
	if refusal.Refused() {
		refusal.Property = TxnResult
		return refusal
	}
	t.bound = append(t.bound, seen.bound...)
	return t.headed(a.Revision)
}

// headed checks the header of a result, which need not be told.
func (t *transaction) headed(header histories.Revision) Refusal {
	switch {
	case header == 0:
		return allowed
	case header > t.revision:
		return Refusal{
			Property: HeaderNotAhead, a: header, b: t.revision,
			form: "a result of the transaction is at {a}, but the transaction is at {b}",
		}
	case header < t.lowest:
		return t.state.older(HeaderMonotone, header)
	default:
		return allowed
	}
}

// readable checks the revisions that the taken branch read at: the store had
// reached them before the transaction, and they were not compacted.
func (t *transaction) readable(txn *histories.Txn) (*State, Refusal) {
	reached := t.revision
	if len(t.effects) > 0 {
		reached--
	}
	next := t.state
	for _, r := range t.path(txn) {
		switch at := r.Revision; {
		case !r.Kind.IsRead() || at <= 0:
		case at > reached:
			return nil, Refusal{
				Property: ReadFuture, a: at, b: reached,
				form: "a transaction read at revision {a} when the store was at {b}",
			}
		case at < next.compacted:
			return nil, Refusal{
				Property: ExpiryOwed, a: at, b: next.compacted,
				form: "a transaction read at revision {a}, but the store was compacted at {b}",
			}
		default:
			next = next.readable(at)
		}
	}
	return next, allowed
}

// transactionRefused takes a transaction that failed as a whole.
func (s *State) transactionRefused(c *Call) ([]*State, Refusal) {
	if Serializable(c.Request) {
		return one(s)
	}
	return s.settled(func(g *glance) ([]*State, Refusal) {
		t := g.begin(g.state.tip.root(), 0)
		path := t.path(c.Request.Txn)
		g.doubt = t.doubt
		switch c.Answer.Error.Class {
		case histories.NoLease:
			return g.state.lacksLease(path)
		case histories.Compacted:
			return g.state.lacksHistory(path)
		case histories.Future:
			return g.state.lacksFuture(path)
		default:
			return one(g.state)
		}
	})
}

func (s *State) lacksLease(path []*histories.Request) ([]*State, Refusal) {
	for _, r := range path {
		if s.missing(r.Lease) {
			return one(s)
		}
	}
	return no(Refusal{Property: LeaseKnown, form: "the transaction was refused for a lease, but those that it names live"})
}

// lacksHistory takes a transaction that was refused for a compacted revision. Of
// a negative one etcd says so.
func (s *State) lacksHistory(path []*histories.Request) ([]*State, Refusal) {
	lowest := histories.Revision(math.MaxInt64)
	for _, r := range path {
		if r.Kind.IsRead() && r.Revision != 0 {
			lowest = min(lowest, r.Revision)
		}
	}
	refusal := Refusal{
		Property: ExpiryJustified, a: lowest, b: s.Compacted(),
		form: "a transaction that reads at {a} was refused as compacted, but the compaction point was {b}",
	}
	switch {
	case lowest == math.MaxInt64:
		refusal.form = "a transaction that reads no old revision was refused as compacted"
		return no(refusal)
	case lowest < 0:
		return one(s)
	default:
		return s.expired(lowest+1, refusal)
	}
}

func (s *State) lacksFuture(path []*histories.Request) ([]*State, Refusal) {
	highest := histories.Revision(0)
	for _, r := range path {
		if r.Kind.IsRead() {
			highest = max(highest, r.Revision)
		}
	}
	return s.ahead(highest, Refusal{
		Property: ReadFuture, a: highest, b: s.newest,
		form: "a transaction that reads at {a} was refused as in the future, but the store was at {b}",
	})
}

// transactionUnseen takes a transaction of unknown outcome as having taken effect
// here.
func (s *State) transactionUnseen(c *Call) ([]*State, Refusal) {
	return s.settled(func(g *glance) ([]*State, Refusal) {
		next, effects, refusal := g.blindly(c, symbol(c.Operation))
		if refusal.Refused() {
			return no(refusal)
		}
		return one(next.pushOpen(c, effects))
	})
}

// transactionSeen takes a transaction whose answer was lost, at the revision at
// which somebody saw what it wrote.
func (g *glance) transactionSeen(c *Call) ([]*State, Refusal) {
	next, effects, refusal := g.blindly(c, c.Answer.Revision)
	if refusal.Refused() {
		return no(refusal)
	}
	return next.effect(effects...)
}

// blindly carries out a transaction that told nothing. Its revision is known or
// stands for one that is not.
func (g *glance) blindly(c *Call, revision histories.Revision) (*State, []Effect, Refusal) {
	t := g.begin(g.state.tip.root(), revision)
	path := t.path(c.Request.Txn)
	for _, r := range path {
		t.write(r)
	}
	g.doubt = t.doubt
	if len(t.effects) == 0 {
		return nil, nil, Refusal{Property: WriteNoEffect, form: "the transaction would have had no effect"}
	}
	next := g.state
	for _, r := range path {
		at := r.Revision
		switch {
		case g.state.unheardOf(r.Lease), r.Kind.IsRead() && at > 0 && (at < next.compacted || at > far || !isSymbol(revision) && at >= revision):
			return nil, nil, Refusal{Property: WriteNoEffect, form: "the transaction would have failed"}
		case r.Kind.IsRead() && at > next.newest:
			next = next.raise(at)
		case r.Kind.IsRead() && at > 0:
			next = next.readable(at)
		}
	}
	return next, t.effects, allowed
}
