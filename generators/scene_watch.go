package generators

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// pastBesideNow: a watch from the past beside one from now, while others write.
// Neither may disturb the other, and both must see the same from now on.
func pastBesideNow(a *author) {
	lane := a.someLane()
	first := a.write(lane)
	for range a.between(1, 3) {
		a.write(lane)
	}
	if a.cfg.Fill > 0 && a.chance(30) {
		a.fill(lane)
	}
	lane = a.turn(lane)
	other := a.someLane()
	scope := a.scope()
	past := a.watch(lane, scope, a.at(first))
	a.watch(other, pick(a.dice, scope, everything), pick(a.dice, plans.Ref{}, plans.Ref{}, plus(now, 1)))
	for range a.between(2, 4) {
		a.write(a.someLane())
	}
	a.finally(lane, past, a.at(a.store(lane, a.someKey())))
}

// rewatch: a watch is stopped and taken up again where it was, as clients do. The
// two together must see everything, once.
func rewatch(a *author) {
	lane := a.someLane()
	scope := pick(a.dice, everything, a.scope())
	w := a.watch(lane, scope, plans.Ref{})
	for range a.between(1, 3) {
		seen := a.write(lane)
		a.stir(lane, 1)
		if a.chance(70) {
			a.await(lane, w, a.at(seen))
		}
		a.stop(lane, w)
		if a.chance(50) {
			a.write(pick(a.dice, lane, a.someLane()))
		}
		w = a.watch(lane, scope, plus(a.at(seen), pick(a.dice, 1, 1, 1, 0)))
	}
	a.finally(lane, w, a.at(a.write(lane)))
}

// previousValues: one object goes through all that can happen to it under a watch
// that asks for previous values, live or from the past.
func previousValues(a *author) {
	lane := a.someLane()
	name := a.someKey()
	first := a.store(lane, name)
	live := a.chance(60)
	scope := pick(a.dice, everything, single(name), prefix(name))
	w := ""
	if live {
		w = a.watchWith(lane, scope, pick(a.dice, plans.Ref{}, rv(first), plus(rv(first), 1)), true)
	}
	seen := first
	for range a.between(2, 5) {
		if a.alive[name] != "" && a.chance(40) {
			seen = a.erase(lane, name)
		} else {
			seen = a.store(lane, name)
		}
	}
	if !live {
		lane = a.turn(lane)
		w = a.watchWith(lane, scope, a.at(pick(a.dice, first, seen)), true)
	}
	a.finally(lane, w, a.at(seen))
}

// neighbours: watches of one key, of a prefix and of a range, and writes to keys
// that resemble them: each watch must see its own and nothing else.
func neighbours(a *author) {
	lane := a.someLane()
	name := a.ambiguous()
	w := a.watch(lane, pick(a.dice, single(name), single(name), prefix(name), prefix(name[:1]), prefix(name+"/"), span(name, name+"\x00"), a.span()), plans.Ref{})
	if a.chance(50) {
		a.watch(a.someLane(), a.scope(), plans.Ref{})
	}
	for range a.between(2, 5) {
		a.store(pick(a.dice, lane, a.someLane()), a.someKey())
	}
	if a.chance(50) {
		a.erase(lane, a.keyThat(true))
	}
	a.finally(lane, w, a.at(a.store(lane, name)))
}

// futureWatch: a watch that begins above everything must wait and then begin
// right there.
func futureWatch(a *author) {
	lane := a.someLane()
	ahead := a.between(2, 4)
	base := a.at(a.write(lane))
	w := a.watch(lane, pick(a.dice, everything, everything, a.scope()), plus(base, ahead))
	if a.chance(40) {
		a.progress(lane, w)
	}
	seen := ""
	for range ahead + 1 {
		seen = a.write(lane)
	}
	a.finally(lane, w, a.at(seen))
}

// watchUnderLoad: watches begin, from now and from the past, while all lanes
// write; the seam between history and live events must not show.
func watchUnderLoad(a *author) {
	first := a.at(a.write(a.someLane()))
	a.barrier()
	w, watcher := "", a.someLane()
	for round := range a.between(2, 3) {
		for lane := range a.lanes {
			if a.chance(70) {
				a.write(lane)
			}
		}
		if round == 0 || a.chance(40) {
			w = a.watch(watcher, pick(a.dice, everything, a.scope()), pick(a.dice, first, plus(now, -1), plus(now, 1), plans.Ref{}))
		}
	}
	a.finally(watcher, w, a.at(a.store(watcher, a.someKey())))
}

// progressAtOnce: progress is asked for right after a watch from the past began,
// or in the middle of writes. A notification must not overtake events.
func progressAtOnce(a *author) {
	lane := a.someLane()
	first := a.at(a.store(lane, a.someKey()))
	if a.cfg.Fill > 0 && a.chance(60) {
		a.fill(lane)
	}
	for range a.between(1, 5) {
		a.write(lane)
	}
	lane = a.turn(lane)
	w := a.watch(lane, pick(a.dice, everything, everything, a.scope()), pick(a.dice, first, first, plans.Ref{}))
	for range a.between(1, 3) {
		a.progress(lane, w)
	}
	for range a.between(0, 3) {
		a.write(pick(a.dice, lane, a.someLane()))
		if a.chance(60) {
			a.progress(lane, w)
		}
	}
	a.finally(lane, w, now)
}

// progressAmongWrites: one lane asks for progress again and again while the
// others write what it watches.
func progressAmongWrites(a *author) {
	watcher := a.someLane()
	w := a.watch(watcher, pick(a.dice, everything, everything, a.scope()), pick(a.dice, plans.Ref{}, plans.Ref{}, plus(now, -2)))
	a.barrier()
	for range a.between(2, 4) {
		for lane := range a.lanes {
			if lane == watcher {
				a.progress(lane, w)
			} else {
				a.write(lane)
			}
		}
		if a.chance(30) {
			a.write(watcher)
		}
	}
	a.progress(watcher, w)
}

// quietProgress: progress is asked for on watches that have nothing to see. It
// must be answered, and with what the store has reached.
func quietProgress(a *author) {
	lane := a.someLane()
	name := a.someKey()
	seen := a.at(a.write(lane))
	lane = a.turn(lane)
	w := a.watch(lane, pick(a.dice, single(name+"-quiet"), prefix("quiet/"), single(name)), pick(a.dice, plans.Ref{}, seen, plus(seen, 1), plus(now, 1)))
	a.progress(lane, w)
	if a.chance(60) {
		a.write(a.someLane())
		a.progress(lane, w)
	}
	if a.cfg.can(targets.Reads) {
		a.await(lane, w, rv(a.list(lane, everything, plans.Ref{}, 0)))
		return
	}
	a.finally(lane, w, now)
}

// watches writes a watch from each of the revisions.
func (a *author) watches(lane int, scope histories.Scope, from ...plans.Ref) (labels []string) {
	for _, at := range from {
		labels = append(labels, a.watch(lane, scope, at))
	}
	return labels
}
