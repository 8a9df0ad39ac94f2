package models

import "github.com/rvcheck/rvcheck/histories"

// The headers of lease calls are not looked at here: a server may read them before
// or after the call took effect. A revocation's is the exception, since the
// deletions of its keys lie at or below it.

// leaseCall takes an acknowledged lease call.
func (s *State) leaseCall(c *Call) ([]*State, Refusal) {
	switch c.Request.Kind {
	case histories.LeaseGrant:
		return s.grant(c)
	case histories.LeaseRevoke:
		return s.revoke(c)
	default:
		return s.renewedOrTold(c)
	}
}

// grant takes an acknowledged grant. The time to live is the server's choice.
func (s *State) grant(c *Call) ([]*State, Refusal) {
	id := c.Answer.Lease
	_, lives := s.findLease(id)
	switch {
	case id == 0:
		return no(Refusal{Property: LeaseDistinct, form: "a lease was granted without an id"})
	case c.Request.Lease != 0 && c.Request.Lease != id:
		return no(Refusal{
			Property: LeaseDistinct, a: histories.Revision(c.Request.Lease), b: histories.Revision(id),
			form: "lease {a} was asked for, and lease {b} was granted",
		})
	case lives:
		return no(Refusal{Property: LeaseDistinct, a: histories.Revision(id), form: "lease {a} was granted, but it lived already"})
	}
	return one(s.with(Lease{ID: id, TTL: c.Answer.TTL}))
}

// revoke takes an acknowledged revocation.
func (s *State) revoke(c *Call) ([]*State, Refusal) {
	id := c.Request.Lease
	if s.unheardOf(id) {
		return no(notLiving(id))
	}
	held, header := s.attached(id), c.Answer.Revision
	switch {
	case len(held) == 0, s.newest > far:
		return one(s.without(id))
	case header == 0:
		return one(s.pushOpen(c, removals(held, symbol(c.Operation))).without(id))
	case header <= s.newest:
		return no(Refusal{
			Property: WriteRevisionOrder, a: header, b: s.newest,
			form: "a lease with keys was revoked when the store was at {a}, but it was at {b} already",
		})
	case header == s.newest+1:
		return one(s.push(removals(held, header)...).without(id))
	}
	next, ok := s.pushOpen(c, removals(held, symbol(c.Operation))).narrow(c.Operation, 0, header)
	if !ok {
		panic("models: internal fault: a revocation does not fit below its header")
	}
	return one(next.without(id))
}

// renewedOrTold takes an acknowledged keepalive or the answer to a question for
// what is left. That a keepalive renewed a lease binds nobody: a member that has
// not heard of a revocation yet may say so. Neither do the keys that are told,
// which a server may read while they change. Of a lease whose time is over, but
// which has not ended yet, etcd tells less than nothing and what was granted.
func (s *State) renewedOrTold(c *Call) ([]*State, Refusal) {
	id, a := c.Request.Lease, c.Answer
	lease, lives := s.Lease(id)
	asked := c.Request.Kind == histories.LeaseTimeToLive
	switch {
	case lives && (asked && a.TTL < 0 && a.GrantedTTL == 0 || !asked && a.TTL == 0):
		return no(notKnown(id))
	case asked && (a.TTL >= 0 || a.GrantedTTL > 0) && s.unheardOf(id):
		return no(notLiving(id))
	case lives && asked && lease.TTL > 0 && a.GrantedTTL != lease.TTL:
		return no(Refusal{
			Property: LeaseKnown, a: histories.Revision(a.GrantedTTL), b: histories.Revision(lease.TTL),
			form: "the lease is said to have been granted for {a} seconds, but it was for {b}",
		})
	}
	return one(s)
}

// noLease takes a call that was refused because its lease does not live.
func (s *State) noLease(c *Call) ([]*State, Refusal) {
	id := c.Request.Lease
	if _, lives := s.findLease(id); lives || id == 0 {
		return no(notKnown(id))
	}
	return one(s)
}

// leaseUnseen takes a lease call of unknown outcome as having taken effect here.
func (s *State) leaseUnseen(c *Call) ([]*State, Refusal) {
	id := c.Request.Lease
	_, lives := s.findLease(id)
	switch c.Request.Kind {
	case histories.LeaseGrant:
		if lives || id == 0 {
			return no(Refusal{Property: WriteNoEffect, form: "nobody could tell that the lease was granted"})
		}
		// What was granted for is not known.
		return one(s.with(Lease{ID: id}))
	case histories.LeaseRevoke:
		if !lives {
			return no(Refusal{Property: WriteNoEffect, form: "there was no lease to revoke"})
		}
		if held := s.attached(id); len(held) > 0 {
			return one(s.pushOpen(c, removals(held, symbol(c.Operation))).without(id))
		}
		return one(s.without(id))
	default:
		return one(s)
	}
}

// unheardOf reports whether nobody can have granted a lease. On a store that is
// not the run's alone, others may have.
func (s *State) unheardOf(id int64) bool { return s.missing(id) && !s.foreign }

// holder refuses a write that succeeded with a lease that does not live.
func (s *State) holder(r *histories.Request) Refusal {
	if s.unheardOf(r.Lease) {
		refusal := notLiving(r.Lease)
		refusal.key, refusal.form = r.Key, "the write of {key} succeeded with lease {a}, which does not live"
		return refusal
	}
	return allowed
}

func notLiving(id int64) Refusal {
	return Refusal{Property: LeaseKnown, a: histories.Revision(id), form: "lease {a} was taken for living, but it does not live"}
}

func notKnown(id int64) Refusal {
	return Refusal{Property: LeaseKnown, a: histories.Revision(id), form: "lease {a} was not found, but it lives"}
}
