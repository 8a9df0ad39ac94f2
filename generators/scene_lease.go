package generators

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// leaseLife: keys are bound to a lease, some are taken from it again, and what is
// left goes with it, at one revision.
func leaseLife(a *author) {
	lane := a.someLane()
	lease := a.grant(lane)
	names := a.someKeys(a.between(2, 4))
	w := ""
	if a.cfg.can(targets.Watches) && a.chance(50) {
		w = a.watch(lane, everything, plans.Ref{})
	}
	a.useLease(lane, lease, names)
	lane = a.turn(lane)
	if a.chance(40) {
		a.timeToLive(lane, lease)
	}
	ended := a.revoke(lane, lease)
	a.look(lane, pick(a.dice, names...))
	a.lookAtLease(lane, lease)
	if w != "" && a.reaches(lane, w) {
		a.finally(lane, w, pick(a.dice, rv(ended), now))
	}
	a.look(lane, names[0])
	if a.chance(40) {
		a.store(lane, pick(a.dice, names...))
	}
}

// useLease binds the keys to a lease, and does with it and with the first of them
// what can be done.
func (a *author) useLease(lane int, lease string, names []string) {
	for _, name := range names {
		a.bind(lane, name, lease)
	}
	if a.chance(60) {
		a.bind(lane, a.someKey(), a.grant(lane)) // beside it, and not concerned by its end
	}
	if a.chance(60) {
		a.timeToLive(lane, lease)
	}
	if a.mix.has[transactions] && a.chance(50) {
		a.compareLease(lane, names[0], lease)
	}
	if a.chance(60) {
		a.detach(lane, names[0])
	}
	if a.chance(40) {
		a.keepAlive(lane, lease)
	}
}

// compareLease writes a transaction that asks whether a key is bound to a lease, and
// binds it again or to none.
func (a *author) compareLease(lane int, name, lease string) {
	c := compare("lease", pick(a.dice, "=", "!="), granted(lease))
	c.Key = key(name)
	put := plans.Op{Kind: histories.Put, Key: key(name), Lease: pick(a.dice, "", lease)}
	read := plans.Op{Kind: histories.Get, Key: key(name)}
	holds := (a.bound[name] == lease) == (c.Op == "=")
	a.transact(lane, &plans.Txn{Compares: []plans.Compare{c}, Then: []plans.Op{put, read}, Else: []plans.Op{read}}, holds, true)
}

// detach takes a key from its lease: by a write without one or with another, or by
// a delete after which it comes again.
func (a *author) detach(lane int, name string) {
	label := ""
	switch a.below(4) {
	case 0:
		a.bind(lane, name, a.grant(lane))
		return
	case 1:
		a.erase(lane, name)
		label = a.store(lane, name)
	default:
		label = a.store(lane, name)
	}
	a.op(label).Lease = ""
	a.rebind(name, label, "")
}

// leaseRace: a lease is revoked while others bind keys to it and ask for it. A key
// that was bound in time goes with it, one that came too late was refused.
func leaseRace(a *author) {
	owner := a.someLane()
	lease := a.grant(owner)
	names := a.someKeys(a.between(1, 3))
	for _, name := range names {
		if a.chance(60) {
			a.bind(owner, name, lease)
		}
	}
	a.barrier()
	for lane := range a.lanes {
		if lane == owner {
			a.stir(lane, 1)
			continue
		}
		for range a.between(1, 3) {
			if a.chance(60) {
				a.bind(lane, pick(a.dice, names...), lease)
			} else {
				a.lookAtLease(lane, lease)
			}
		}
	}
	a.revoke(owner, lease)
	a.barrier()
	a.look(a.someLane(), pick(a.dice, names...))
	a.timeToLive(a.someLane(), lease)
}

// unknownLeases: writes and calls with leases that are gone or never were have no
// effect, and say so.
func unknownLeases(a *author) {
	lane := a.someLane()
	lease, name := a.unknownLease(), a.someKey()
	if a.chance(60) {
		lease = a.grant(lane)
		if a.chance(50) {
			a.bind(lane, a.someKey(), lease)
		}
		a.revoke(lane, lease)
		lane = a.turn(lane)
	}
	for range a.between(1, 2) {
		a.attach(lane, name, lease)
		a.lookAtLease(lane, lease)
	}
	if a.chance(40) {
		a.add(lane, plans.Op{Kind: histories.LeaseRevoke, Lease: lease}, false)
	}
	a.look(lane, name)
}

// leaseAgain: a lease's id is chosen by the client, and is used again while the
// lease is there, or after it went. The second lease has nothing of the first.
func leaseAgain(a *author) {
	lane := a.someLane()
	id := a.leaseID()
	first := a.grantWith(lane, 60, id)
	name, other := a.someKey(), a.someKey()
	a.bind(lane, name, first)
	if a.chance(50) {
		a.grantWith(a.turn(lane), 60, id)
	}
	lane = a.turn(lane)
	a.revoke(lane, first)
	if a.chance(50) {
		label := a.store(lane, name)
		a.op(label).Lease = ""
		a.rebind(name, label, "")
	}
	second := a.grantWith(lane, 60, id)
	a.timeToLive(lane, second)
	a.bind(lane, other, second)
	a.revoke(lane, second)
	a.look(lane, name)
	a.look(lane, other)
}

// leaseExpiry: leases of the shortest kind run out while the plan waits, some keys
// having left them, beside a lease that is kept. Nothing may go too early, and what
// goes, goes at once.
func leaseExpiry(a *author) {
	lane := a.someLane()
	names := a.someKeys(a.between(2, 4))
	lease := a.grantWith(lane, shortTTL, 0)
	kept := ""
	if a.chance(50) {
		kept = a.grant(lane)
	}
	watched := a.cfg.can(targets.Watches) && a.chance(70)
	if watched {
		a.watchWith(lane, everything, plans.Ref{}, a.chance(50))
	}
	for i, name := range names {
		if i > 0 && kept != "" && a.chance(30) {
			a.bind(lane, name, kept)
		} else {
			a.bind(lane, name, lease)
		}
	}
	if a.chance(50) {
		a.detach(lane, names[len(names)-1])
	}
	if a.chance(50) {
		a.timeToLive(lane, lease)
	}
	for range a.between(1, 3) {
		a.stir(lane, 1)
		a.look(lane, pick(a.dice, names...))
	}
	if a.chance(40) {
		a.keepAlive(lane, lease)
	}
	a.expire(lane, lease)
	for _, name := range names {
		a.look(lane, name)
	}
	a.lookAtLease(lane, lease)
	a.store(a.turn(lane), names[0])
}
