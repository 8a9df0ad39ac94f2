package generators

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// finalizerLife: an object with finalizers is deleted, more than once, looked at, written,
// created in vain, and goes with its last finalizer; then its name is used again.
func finalizerLife(a *author) {
	lane := a.someLane()
	name := a.keyThat(false)
	a.begin(lane, name)
	if a.cfg.can(targets.Watches) && a.chance(70) {
		a.watch(a.someLane(), pick(a.dice, everything, single(name), prefix(name)), plans.Ref{})
	}
	gone := a.delete(lane, name, a.preconditions(lane, name))
	for range a.between(1, 4) {
		a.whileDoomed(lane, name)
		lane = a.turn(lane)
	}
	a.release(lane, name)
	if a.chance(60) {
		a.get(lane, name, plans.Ref{})
	}
	if a.chance(40) {
		a.say(lane, plans.Op{Kind: histories.List, Scope: everything, ResourceVersion: plus(tombstone(gone), pick(a.dice, 0, -1)), Match: "Exact"}, true)
	}
	if a.chance(60) {
		a.create(a.turn(lane), name)
	}
}

// begin makes sure that an object is there that has finalizers.
func (a *author) begin(lane int, name string) string {
	held := pick(a.dice, firstFinalizer, twoFinalizers)
	if a.alive[name] != "" {
		a.patch(lane, name, plans.Op{Finalizers: held})
		return a.alive[name]
	}
	label := a.say(lane, plans.Op{Kind: histories.Create, Key: object(name), Finalizers: held}, true)
	a.made(name, label, "")
	a.setFinalized(name, true)
	return label
}

// whileDoomed does something to an object whose deletion has begun.
func (a *author) whileDoomed(lane int, name string) {
	switch a.below(7) {
	case 0:
		a.delete(lane, name, plans.Op{})
	case 1:
		a.create(lane, name)
	case 2:
		a.get(lane, name, plans.Ref{})
	case 3:
		a.list(lane, pick(a.dice, everything, prefix(name)), plans.Ref{}, 0)
	case 4: // a finalizer more, which is refused
		a.say(lane, plans.Op{Kind: histories.Patch, Key: object(name), Finalizers: "rvcheck.dev/late,rvcheck.dev/one"}, false)
	case 5:
		a.patch(lane, name, plans.Op{Labels: a.labels()})
	default:
		a.update(lane, name, a.current(lane, name))
	}
}

// twoPhaseRace: lanes delete an object that has finalizers while others take them
// away, put some back, or write. It goes once.
func twoPhaseRace(a *author) {
	for range a.between(1, 2) {
		name := a.someKey()
		lane := a.someLane()
		a.begin(lane, name)
		a.barrier()
		for lane := range a.lanes {
			for range a.between(1, 2) {
				switch a.below(6) {
				case 0, 1:
					a.delete(lane, name, plans.Op{})
				case 2:
					a.delete(lane, name, plans.Op{Expect: last})
				case 3, 4:
					a.say(lane, plans.Op{Kind: histories.Patch, Key: object(name), ClearFinalizers: true}, false)
				default:
					a.say(lane, plans.Op{Kind: histories.Update, Key: object(name), Expect: last, Finalizers: firstFinalizer}, false)
				}
			}
		}
		a.barrier()
		if a.chance(70) {
			a.release(a.someLane(), name)
		}
	}
	a.look(a.someLane(), a.someKey())
}

// oldUID: a name is used again, and writes that mean the object that had it before are
// refused, whatever their resource version.
func oldUID(a *author) {
	lane := a.someLane()
	name := a.keyThat(false)
	old := a.create(lane, name)
	a.erase(lane, name)
	lane = a.turn(lane)
	if a.finalized[name] {
		a.release(lane, name)
	}
	fresh := a.create(lane, name)
	for range a.between(1, 3) {
		uid := pick(a.dice, uidOf(old), uidOf(old), number(1))
		switch a.below(3) {
		case 0:
			a.delete(lane, name, plans.Op{UID: uid})
		case 1:
			a.delete(lane, name, plans.Op{UID: uid, Expect: rv(fresh)})
		default:
			a.say(lane, plans.Op{Kind: histories.Update, Key: object(name), UID: uid, Expect: pick(a.dice, rv(fresh), rv(old))}, false)
		}
	}
	a.get(lane, name, plans.Ref{})
	if a.chance(50) {
		a.delete(a.turn(lane), name, plans.Op{UID: uidOf(fresh)})
		a.unmade(name)
	}
}

// patchRace: lanes patch different parts of one object at once, without a resource
// version, beside updates. No part may be lost.
func patchRace(a *author) {
	name := a.someKey()
	a.present(a.someLane(), name)
	a.barrier()
	parts := []map[string]string{{"x": "1"}, {"y": "1"}, {"z": "1"}, {"x": "2"}}
	for range a.between(1, 3) {
		for lane := range a.lanes {
			switch {
			case a.chance(20):
				a.update(lane, name, last)
			case a.chance(15):
				a.say(lane, plans.Op{Kind: histories.Patch, Key: object(name), Expect: last, Labels: parts[lane%len(parts)]}, false)
			default:
				a.say(lane, plans.Op{Kind: histories.Patch, Key: object(name), Labels: parts[lane%len(parts)]}, false)
			}
		}
	}
	a.barrier()
	a.get(a.someLane(), name, plans.Ref{})
}

// noOpPatches: patches that change nothing store nothing: the object keeps its RV, and
// no watch is told.
func noOpPatches(a *author) {
	lane := a.someLane()
	name, other := a.someKey(), a.someKey()
	first := a.present(lane, name)
	w := a.watch(lane, pick(a.dice, everything, single(name)), plus(a.at(first), 1))
	for range a.between(1, 3) {
		if a.chance(60) {
			a.store(pick(a.dice, lane, a.someLane()), pick(a.dice, name, other))
		}
		op := plans.Op{Kind: histories.Patch, Key: object(name), NoOp: true, Patch: a.patchType()}
		if op.Patch == histories.ApplyPatch {
			op.Patch = "" // a first apply stores who owns what
		}
		if a.chance(20) {
			op.Expect = pick(a.dice, last, rv(first))
		}
		a.say(lane, op, false)
		if a.chance(40) {
			a.get(lane, name, plans.Ref{})
		}
	}
	a.finally(lane, w, a.at(a.store(lane, name)))
}

// statusBesideSpec: the status and the rest of an object are written apart, and each
// leaves the other alone.
func statusBesideSpec(a *author) {
	name := a.someKey()
	lane := a.someLane()
	a.present(lane, name)
	a.patch(lane, name, plans.Op{Labels: a.labels()})
	a.barrier()
	for range a.between(1, 3) {
		for lane := range a.lanes {
			switch a.below(4) {
			case 0:
				a.say(lane, plans.Op{Kind: histories.Update, Key: object(name), Expect: last, Status: true}, false)
			case 1:
				a.say(lane, plans.Op{Kind: histories.Patch, Key: object(name), Status: true}, false)
			case 2:
				a.say(lane, plans.Op{Kind: histories.Patch, Key: object(name)}, false)
			default:
				a.get(lane, name, plans.Ref{})
			}
		}
	}
	a.get(a.someLane(), name, plans.Ref{})
}

// collectionBesideCreates: a namespace is emptied while others create in it and beside
// it. What the list of the delete did not see stays.
func collectionBesideCreates(a *author) {
	lane := a.someLane()
	a.populate(lane, a.between(2, 5))
	op := plans.Op{Scope: inNamespace(pick(a.dice, a.spaces()...))}
	if a.mix.has[selectors] && a.chance(40) {
		op.LabelSelector = a.labelSelector()
	}
	if a.chance(50) {
		a.watch(lane, everything, plans.Ref{})
	}
	a.barrier()
	collector := a.someLane()
	for lane := range a.lanes {
		switch {
		case lane == collector:
			a.collect(lane, op)
		case a.chance(70):
			a.create(lane, a.keyThat(a.chance(40)))
			a.store(lane, a.someKey())
		default:
			a.look(lane, a.someKey())
		}
	}
	a.barrier()
	a.list(a.someLane(), pick(a.dice, everything, op.Scope), plans.Ref{}, 0)
}

// rehearsal: dry runs answer like the writes and change nothing.
func rehearsal(a *author) {
	lane := a.someLane()
	for range a.between(2, 4) {
		name := a.keyThat(a.chance(60))
		switch a.below(4) {
		case 0:
			a.say(lane, plans.Op{Kind: histories.Create, Key: object(name), DryRun: true}, false)
		case 1:
			a.say(lane, plans.Op{Kind: histories.Update, Key: object(name), Expect: last, DryRun: true}, false)
		case 2:
			name = a.keyThat(true)
			a.say(lane, plans.Op{Kind: histories.Delete, Key: object(name), DryRun: true}, false)
		default:
			key, generated := object(name), a.cfg.can(targets.GeneratedNames)
			if generated {
				key.Name += "-"
			}
			a.say(lane, plans.Op{Kind: histories.Create, Key: key, GenerateName: generated, DryRun: a.chance(30)}, true)
		}
		if a.chance(70) {
			a.look(lane, name)
		} else {
			a.store(lane, name)
		}
	}
}
