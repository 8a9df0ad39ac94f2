package generators

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// createRace: lanes create the same keys in the same order, keys that never were or
// that are gone, while others write something else all the time. A run of creates
// waits for nobody: the lanes drift apart, so that they meet at every distance.
// Exactly one create of each key may succeed.
func createRace(a *author) {
	writers, first := a.below(max(1, len(a.lanes)-1)), a.someLane()
	for range a.between(1, 2) {
		names := a.vacant(a.between(1, 4))
		a.barrier()
		for _, name := range names {
			for i := range a.lanes {
				lane := (first + i) % len(a.lanes)
				if i < writers || a.chance(20) {
					a.store(lane, a.someKey())
				}
				if i >= writers && (i < writers+2 || a.chance(80)) {
					a.create(lane, name)
				}
			}
		}
		if a.chance(30) {
			a.barrier()
			a.erase(a.below(len(a.lanes)), pick(a.dice, names...))
		}
	}
	a.look(a.below(len(a.lanes)), a.someKey())
}

// vacant makes sure that there are n keys which are not there: most never were, the
// others are gone.
func (a *author) vacant(n int) (names []string) {
	for range n {
		name := a.keyThat(false)
		switch {
		case a.chance(60) || slices.Contains(names, name):
			name = a.freshKey(names...)
		case a.alive[name] != "":
			a.erase(a.someLane(), name)
		}
		names = append(names, name)
	}
	return names
}

// updateRace: all lanes update one key from the same revision, or from whatever
// they know. At most one of those with the same revision may succeed.
func updateRace(a *author) {
	name := a.someKey()
	base := a.present(a.someLane(), name)
	a.barrier()
	for range a.between(1, 3) {
		for lane := range a.lanes {
			a.update(lane, name, pick(a.dice, rv(base), last, last))
		}
	}
	a.look(a.below(len(a.lanes)), name)
}

// deleteRace: all lanes delete one object, some also update or create it.
func deleteRace(a *author) {
	name := a.someKey()
	for range a.between(1, 2) {
		base := a.present(a.someLane(), name)
		a.barrier()
		for lane := range a.lanes {
			if a.chance(20) {
				a.update(lane, name, rv(base))
			} else {
				a.remove(lane, name, pick(a.dice, rv(base), rv(base), last))
			}
			if a.chance(25) {
				a.create(lane, name)
			}
		}
	}
	a.look(a.below(len(a.lanes)), name)
}

// deleteTwice: a delete that succeeded is repeated, with the revision it had and
// with others.
func deleteTwice(a *author) {
	lane := a.someLane()
	name := a.someKey()
	base := a.present(lane, name)
	if a.chance(30) {
		base = a.update(lane, name, rv(base))
	}
	gone := a.remove(lane, name, rv(base))
	lane = a.turn(lane)
	for range a.between(1, 2) {
		a.remove(lane, name, pick(a.dice, rv(base), rv(base), tombstone(gone), last, number(0)))
	}
	if a.chance(50) {
		a.update(lane, name, pick(a.dice, rv(base), tombstone(gone), last))
	}
	a.look(lane, name)
	if a.chance(50) {
		a.create(a.turn(lane), name)
	}
}

// staleWrite: writes with a revision that the object had once, or never had, on
// objects that are there and on some that are not.
func staleWrite(a *author) {
	lane := a.someLane()
	name := a.someKey()
	old := a.present(lane, name)
	fresh := a.update(lane, name, pick(a.dice, rv(old), last))
	lane = a.turn(lane)
	wrong := []plans.Ref{rv(old), plus(rv(fresh), 1), plus(rv(fresh), -1), number(0), now, plus(now, 1)}
	for range a.between(2, 4) {
		if a.chance(50) {
			a.update(lane, name, pick(a.dice, wrong...))
		} else {
			a.remove(lane, name, pick(a.dice, wrong...))
		}
	}
	if a.chance(40) {
		absent := a.keyThat(false)
		a.remove(lane, absent, rv(old))
		a.update(lane, absent, pick(a.dice, rv(old), number(0)))
	}
	a.look(lane, name)
}

// recreation: an object comes, changes, goes and comes again. Its creation
// revision and version must begin anew.
func recreation(a *author) {
	lane := a.someLane()
	name := a.someKey()
	for range a.between(1, 3) {
		for range a.between(1, 3) {
			a.store(lane, name)
			a.stir(lane, 1)
		}
		a.look(lane, name)
		a.erase(lane, name)
		lane = a.turn(lane)
	}
	a.look(lane, name)
	a.store(lane, name)
	a.look(lane, name)
}

// overwriting: a few keys are written in turn, and each write is read back.
func overwriting(a *author) {
	lane := a.someLane()
	one, other := a.someKey(), a.someKey()
	for range a.between(2, 4) {
		name := pick(a.dice, one, other)
		if a.cfg.can(targets.Puts) && a.chance(60) {
			a.put(lane, name)
		} else {
			a.store(lane, name)
		}
		if a.chance(60) {
			a.look(a.turn(lane), name)
		}
	}
	a.look(a.turn(lane), one)
}

// writerAndReader: one lane writes while another reads, without a barrier between.
func writerAndReader(a *author) {
	writer, reader := a.someLane(), a.someLane()
	name := a.someKey()
	for range a.between(2, 5) {
		if a.alive[name] != "" && a.chance(30) {
			a.erase(writer, name)
		} else {
			a.store(writer, name)
		}
		a.look(reader, pick(a.dice, name, a.someKey()))
	}
}

// look reads a key, alone or in a list.
func (a *author) look(lane int, name string) string {
	if !a.cfg.can(targets.Reads) {
		return ""
	}
	if a.chance(60) {
		return a.get(lane, name, plans.Ref{})
	}
	scope, limit := pick(a.dice, everything, single(name), prefix(name)), 0
	if a.cfg.can(targets.Ranges) && a.chance(45) {
		scope = a.crowded()
		limit = a.edge(scope)
	}
	return a.list(lane, scope, plans.Ref{}, limit)
}

// write changes a key that is likely to exist, or brings it to life, or changes
// several at once.
func (a *author) write(lane int) string {
	if a.mix.has[transactions] && a.chance(20) {
		return a.together(lane, a.someKeys(a.between(1, 3))...)
	}
	if scope := a.scope(); a.cfg.can(targets.Deletes) && len(a.inside(scope)) > 1 && a.chance(6) {
		return a.dropRange(lane, scope)
	}
	if name := a.keyThat(true); a.alive[name] != "" && a.chance(25) {
		return a.erase(lane, name)
	}
	return a.store(lane, a.someKey())
}

// populate makes sure that n keys are there, or all of them if they are fewer.
func (a *author) populate(lane, n int) {
	for i := 0; len(a.alive) < min(n, len(a.keys)) && i < n; i++ {
		a.store(lane, a.keyThat(false))
	}
}

// at is the revision of a write, as a tombstone if it is a delete.
func (a *author) at(write string) plans.Ref {
	if kind := a.op(write).Kind; kind == histories.Delete || kind == histories.DeleteRange {
		return tombstone(write)
	}
	return rv(write)
}
