package generators

import (
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// Leases live long enough to outlive most plans, but for those that a plan waits
// for: etcd grants no less than about a second.
const (
	shortTTL = 1
	hugeTTL  = 1 << 40 // more than any store grants
)

// grant writes a grant of a lease that probably outlives the plan. Many are of one
// length, as those of a Kubernetes API server are.
func (a *author) grant(lane int) string {
	return a.grantWith(lane, pick[int64](a.dice, 10, 10, 10, 60, 3600), 0)
}

// grantWith writes a grant; id 0 leaves the choice to the server.
func (a *author) grantWith(lane int, ttl, id int64) string {
	label := a.add(lane, plans.Op{Kind: histories.LeaseGrant, TTL: ttl, ID: id}, ttl < hugeTTL && !a.granted(id))
	if ttl >= hugeTTL {
		a.gone[label] = true
	}
	return label
}

// granted reports whether a lease of this id is there.
func (a *author) granted(id int64) bool {
	for _, m := range a.marks {
		if m.op.Kind == histories.LeaseGrant && id != 0 && m.op.ID == id && m.expected && !a.gone[m.label] {
			return true
		}
	}
	return false
}

// leaseID draws an id that a client might choose. The leases of all runs on a
// store share their ids, so they must be rare.
func (a *author) leaseID() int64 { return 1<<40 + int64(a.below(1<<20))<<10 + int64(a.ops) }

// unknownLease is the id of a lease that nobody granted.
func (a *author) unknownLease() string { return strconv.FormatInt(a.leaseID()+1<<41, 10) }

// grants are the grants that the lane can refer to.
func (a *author) grants(lane int) []mark {
	return a.within(lane, func(m mark) bool { return m.op.Kind == histories.LeaseGrant && m.expected })
}

// held are the grants whose lease is there, as far as one can tell.
func (a *author) held(lane int) []mark {
	return a.within(lane, func(m mark) bool {
		return m.op.Kind == histories.LeaseGrant && m.expected && !a.gone[m.label]
	})
}

// someLease draws a lease: mostly one that is held, now and then one that is gone
// or never was.
func (a *author) someLease(lane int) (lease string, held bool) {
	holding, all := a.held(lane), a.grants(lane)
	switch {
	case len(holding) > 0 && a.chance(92):
		return a.recent(holding).label, true
	case len(all) > 0 && a.chance(60):
		lease = a.recent(all).label
		return lease, !a.gone[lease]
	default:
		return a.unknownLease(), false
	}
}

// attach writes a put that binds the key to a lease.
func (a *author) attach(lane int, name, lease string) string {
	op, allowed := a.dress(lane, plans.Op{Kind: histories.LeaseAttach, Key: key(name)})
	op.Lease = lease
	return a.change(lane, op, allowed && a.holds(lease))
}

// bind binds the key to a lease in one of the ways there are.
func (a *author) bind(lane int, name, lease string) string {
	if a.chance(50) {
		return a.attach(lane, name, lease)
	}
	label := a.store(lane, name)
	op := a.op(label)
	op.Lease = lease
	a.rebind(name, label, lease)
	return label
}

// rebind corrects what is noted of a write whose lease was changed after it was drawn.
func (a *author) rebind(name, label, lease string) {
	if a.alive[name] != label {
		return
	}
	delete(a.bound, name)
	if lease != "" {
		a.bound[name] = lease
	}
}

// holds reports whether a lease is there, as far as one can tell.
func (a *author) holds(lease string) bool {
	for _, m := range a.marks {
		if m.label == lease {
			return !a.gone[lease]
		}
	}
	return false
}

// revoke writes the end of a lease, and of all objects that are bound to it.
func (a *author) revoke(lane int, lease string) string {
	label := a.add(lane, plans.Op{Kind: histories.LeaseRevoke, Lease: lease}, a.holds(lease))
	a.end(lease)
	return label
}

// end notes that a lease is over.
func (a *author) end(lease string) {
	a.gone[lease] = true
	for name, bound := range a.bound {
		if bound == lease {
			a.unmade(name)
		}
	}
}

// expire writes the wait for the end of a lease.
func (a *author) expire(lane int, lease string) string {
	label := a.add(lane, plans.Op{Kind: plans.ExpireKind, Lease: lease}, true)
	a.end(lease)
	return label
}

func (a *author) keepAlive(lane int, lease string) {
	a.add(lane, plans.Op{Kind: histories.LeaseKeepAlive, Lease: lease}, a.holds(lease))
}

func (a *author) timeToLive(lane int, lease string) {
	a.add(lane, plans.Op{Kind: histories.LeaseTimeToLive, Lease: lease}, true)
}

// randomGrant grants a lease, now and then with an id of the client's choice or a
// time that is none.
func (a *author) randomGrant(lane int) {
	switch {
	case a.chance(a.mix.options[hostile]):
		a.grantWith(lane, pick[int64](a.dice, 0, -1, hugeTTL, hugeTTL), 0)
	case a.chance(30):
		a.grantWith(lane, 60, a.leaseID())
	default:
		a.grant(lane)
	}
}

// randomLeaseCall writes a call about some lease.
func (a *author) randomLeaseCall(lane int, kind histories.Kind) {
	lease, _ := a.someLease(lane)
	switch kind {
	case histories.LeaseAttach:
		a.attach(lane, a.someKey(), lease)
	case histories.LeaseKeepAlive:
		a.keepAlive(lane, lease)
	case histories.LeaseTimeToLive:
		a.timeToLive(lane, lease)
	default:
		a.revoke(lane, lease)
	}
}

// look at a lease and at what is bound to it.
func (a *author) lookAtLease(lane int, lease string) {
	switch a.below(4) {
	case 0:
		a.keepAlive(lane, lease)
	case 1:
		a.attach(lane, a.someKey(), lease)
	default:
		a.timeToLive(lane, lease)
	}
}
