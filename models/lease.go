package models

import (
	"cmp"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// Lease is a lease that lives. The specification has no clock: a lease ends when
// it is revoked, or by Expire.
type Lease struct {
	ID int64
	// TTL is the time to live that was granted, in seconds.
	TTL int64
}

// maxTTL is the longest time to live, in seconds, that etcd grants.
const maxTTL = 9_000_000_000

// firstPick is below the ids that Apply picks, which no client is likely to name.
const firstPick = 1 << 40

// Lease returns a lease, false if it does not live.
func (s *State) Lease(id int64) (Lease, bool) {
	i, found := s.findLease(id)
	if !found {
		return Lease{}, false
	}
	return s.leases[i], true
}

// Leases returns the leases that live, by id.
func (s *State) Leases() []Lease { return slices.Clone(s.leases) }

// Attached returns the keys that a lease holds.
func (s *State) Attached(id int64) []histories.Key {
	var keys []histories.Key
	for _, o := range s.attached(id) {
		keys = append(keys, o.Key)
	}
	return keys
}

// Expire returns the state after the end of a lease: its keys are deleted, all at
// one revision, which is used only if there are any.
func (s *State) Expire(id int64, revision histories.Revision) *State {
	if _, found := s.findLease(id); !found {
		panic("models: internal fault: Expire of a lease that does not live")
	}
	return s.ended(id, revision)
}

// ended is the state after the end of a lease, whatever ended it.
func (s *State) ended(id int64, revision histories.Revision) *State {
	effects := removals(s.attached(id), revision)
	if len(effects) == 0 {
		return s.without(id)
	}
	return s.push(effects...).without(id)
}

func (s *State) findLease(id int64) (int, bool) {
	return slices.BinarySearchFunc(s.leases, id, func(l Lease, id int64) int { return cmp.Compare(l.ID, id) })
}

// attached returns the objects that a lease holds. An object names its lease, so
// that a put without it, or the object's end, lets it go.
func (s *State) attached(id int64) []*histories.Object {
	var held []*histories.Object
	s.tip.root().ascend(histories.Key{}, func(o *histories.Object) bool {
		if o.Lease == id {
			held = append(held, o)
		}
		return true
	})
	return held
}

// with returns the state in which the lease lives.
func (s *State) with(lease Lease) *State {
	i, found := s.findLease(lease.ID)
	next := s.clone()
	next.leases = slices.Clone(s.leases)
	if found {
		next.leases[i] = lease
	} else {
		next.leases = slices.Insert(next.leases, i, lease)
	}
	return next
}

// without returns the state in which the lease does not live.
func (s *State) without(id int64) *State {
	i, found := s.findLease(id)
	if !found {
		return s
	}
	next := s.clone()
	next.leases = slices.Delete(slices.Clone(s.leases), i, i+1)
	return next
}

// missing reports whether a write names a lease that does not live.
func (s *State) missing(id int64) bool {
	_, found := s.findLease(id)
	return id != 0 && !found
}

// applyLease performs the lease calls. What is asked for is granted, a second at
// least; a store may grant more. Nothing passes: what is left is what was granted.
func (s *State) applyLease(r *histories.Request, revision histories.Revision) (*State, histories.Answer) {
	if r.Kind == histories.LeaseGrant {
		return s.applyGrant(r)
	}
	answer := histories.Answer{Outcome: histories.OK, Revision: s.newest, Lease: r.Lease}
	lease, found := s.Lease(r.Lease)
	switch {
	case r.Kind == histories.LeaseRevoke && !found:
		return s, refused(histories.NoLease, "NotFound")
	case r.Kind == histories.LeaseRevoke:
		next := s.ended(r.Lease, revision)
		answer.Revision = next.newest
		return next, answer
	case r.Kind == histories.LeaseKeepAlive:
		answer.TTL = lease.TTL
	case found:
		answer.TTL, answer.GrantedTTL, answer.Keys = lease.TTL, lease.TTL, s.Attached(r.Lease)
	default:
		answer.TTL = -1
	}
	return s, answer
}

func (s *State) applyGrant(r *histories.Request) (*State, histories.Answer) {
	lease := Lease{ID: r.Lease, TTL: max(r.TTL, 1)}
	for next := s.picked + 1; lease.ID == 0; next++ {
		if _, found := s.findLease(firstPick + next); !found {
			lease.ID = firstPick + next
		}
	}
	if lease.TTL > maxTTL {
		return s, refused(histories.Invalid, "OutOfRange")
	}
	if _, found := s.findLease(lease.ID); found {
		return s, refused(histories.Exists, "FailedPrecondition")
	}
	next := s.with(lease)
	if r.Lease == 0 {
		next.picked = lease.ID - firstPick
	}
	return next, histories.Answer{Outcome: histories.OK, Revision: s.newest, Lease: lease.ID, TTL: lease.TTL}
}
