package generators

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// sortedAndFiltered: lists in every order and between all revisions, cut by a limit,
// of objects that came and changed at different times.
func sortedAndFiltered(a *author) {
	lane := a.someLane()
	a.populate(lane, a.between(3, 6))
	for range a.between(1, 3) {
		a.store(lane, a.keyThat(true))
	}
	lane = a.turn(lane)
	for range a.between(3, 5) {
		op := plans.Op{Kind: histories.List, Scope: pick(a.dice, everything, everything, a.scope()), Revision: a.readAt(lane)}
		what := a.below(5) // each alone as a rule: what is wrong with both says less
		if what < 3 {
			a.sort(&op)
		}
		if what > 1 {
			a.filter(lane, &op)
		}
		if a.chance(60) && a.cfg.can(targets.Ranges) {
			op.Limit = int64(a.limit(op.Scope))
		}
		op.KeysOnly = a.chance(a.mix.options[keysOnly])
		a.add(lane, op, a.answers(op.Revision))
	}
}

// keysAndCounts: the same range, whole, as keys and as a number.
func keysAndCounts(a *author) {
	lane := a.someLane()
	a.populate(lane, a.between(1, 5))
	lane = a.turn(lane)
	for range a.between(1, 2) {
		scope, at := pick(a.dice, everything, a.scope()), a.readAt(lane)
		limit := pick(a.dice, 0, 0, a.limit(scope))
		if !a.cfg.can(targets.Ranges) {
			limit = 0
		}
		for range a.between(2, 3) {
			op := plans.Op{Kind: histories.List, Scope: scope, Revision: at, Limit: int64(limit)}
			op.KeysOnly = a.chance(50)
			op.CountOnly = !op.KeysOnly && a.chance(60)
			a.add(lane, op, a.answers(at))
		}
		a.write(lane)
	}
}

// oldBesideFresh: reads that may be old beside reads that may not, while others
// write. The old ones show some state of the past as it was, the others the newest.
func oldBesideFresh(a *author) {
	writer := a.someLane()
	name := a.someKey()
	a.store(writer, name)
	a.barrier()
	for range a.between(2, 4) {
		for lane := range a.lanes {
			if lane == writer || a.chance(15) {
				a.write(lane)
				continue
			}
			op := plans.Op{Kind: histories.Get, Key: key(pick(a.dice, name, a.someKey()))}
			if a.chance(65) {
				op = plans.Op{Kind: histories.List, Scope: pick(a.dice, everything, everything, a.scope())}
			}
			op.Serializable = a.chance(60)
			a.add(lane, op, true)
		}
	}
}

// acrossMembers: what one lane wrote is read by all others at once, each at its
// endpoint, and watched from there.
func acrossMembers(a *author) {
	name := a.someKey()
	for range a.between(1, 3) {
		lane := a.someLane()
		seen := a.write(lane)
		if a.alive[name] == "" || a.chance(50) {
			seen = a.store(lane, name)
		}
		a.barrier()
		for reader := range a.lanes {
			switch at := a.below(10); {
			case at < 3:
				a.get(reader, name, plans.Ref{})
			case at < 5:
				a.list(reader, pick(a.dice, everything, a.scope()), pick(a.dice, plans.Ref{}, a.at(seen)), 0)
			case at < 6 && a.cfg.can(targets.Watches):
				a.watch(reader, everything, pick(a.dice, a.at(seen), plus(a.at(seen), 1), plans.Ref{}))
			case at < 8 && a.cfg.can(targets.Serializable):
				a.add(reader, plans.Op{Kind: histories.List, Serializable: true}, true)
			case at < 9 && a.cfg.can(targets.Writes):
				a.update(reader, name, last)
			default:
				a.write(reader)
			}
		}
	}
	a.look(a.below(len(a.lanes)), name)
}
