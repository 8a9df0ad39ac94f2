package generators

import (
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// tombstoneCompaction: the history is compacted right at, before or after a
// delete; whoever reads or watches from the compaction revision on must still see
// everything from there, the delete included.
func tombstoneCompaction(a *author) {
	lane := a.someLane()
	name := a.someKey()
	a.present(lane, name)
	if a.chance(30) {
		a.store(lane, name)
	}
	gone := tombstone(a.erase(lane, name))
	for range a.between(0, 2) {
		a.write(lane)
	}
	lane = a.turn(lane)
	point := plus(gone, pick(a.dice, 0, 0, 0, 0, -1, 1))
	if point.Offset > 0 {
		a.store(lane, a.someKey())
	}
	a.compact(lane, point, a.chance(a.mix.options[physical]))
	lane = a.turn(lane)
	scope := pick(a.dice, everything, single(name), prefix(name), a.scope())
	w := a.watch(lane, scope, pick(a.dice, gone, gone, point, plus(point, 1)))
	if a.chance(50) {
		a.list(lane, everything, pick(a.dice, gone, point, plus(point, -1)), 0)
	}
	if a.chance(40) {
		a.get(lane, name, pick(a.dice, gone, point, plus(point, 1)))
	}
	a.finally(lane, w, a.at(a.store(lane, name)))
}

// readsAroundCompaction: reads below, at and above the compaction revision; the
// first are refused and the others unchanged.
func readsAroundCompaction(a *author) {
	lane := a.someLane()
	var past []plans.Ref
	for range a.between(3, 5) {
		past = append(past, a.at(a.write(lane)))
	}
	point := past[a.between(1, len(past)-1)]
	if a.chance(40) {
		a.list(lane, everything, point, 0)
	}
	a.compact(lane, point, a.chance(a.mix.options[physical]))
	lane = a.turn(lane)
	for range a.between(3, 5) {
		at := pick(a.dice, point, plus(point, -1), plus(point, -1), plus(point, 1), pick(a.dice, past...))
		if a.chance(50) {
			a.get(lane, a.someKey(), at)
		} else {
			a.list(lane, a.scope(), at, 0)
		}
	}
	if a.chance(40) {
		a.compact(lane, pick(a.dice, point, plus(point, -1), plus(point, 1), past[0]), false)
	}
}

// compactionRace: some lanes compact while others read at and watch from the
// revisions concerned.
func compactionRace(a *author) {
	lane := a.someLane()
	var past []plans.Ref
	for range a.between(2, 4) {
		past = append(past, a.at(a.write(lane)))
	}
	a.barrier()
	compactor := a.someLane()
	for range a.between(1, 2) {
		a.compact(compactor, pick(a.dice, past...), a.chance(30))
		a.write(compactor)
	}
	for lane := range a.lanes {
		if lane == compactor && len(a.lanes) > 1 {
			continue
		}
		for range a.between(1, 3) {
			switch at := pick(a.dice, past...); a.below(4) {
			case 0:
				a.get(lane, a.someKey(), at)
			case 1:
				a.watch(lane, pick(a.dice, everything, a.scope()), at)
			default:
				a.list(lane, pick(a.dice, everything, a.scope()), at, 0)
			}
		}
	}
}

// watchesAroundCompaction: watches from below, at and above the compaction
// revision, and one that was there before: it must go on undisturbed.
func watchesAroundCompaction(a *author) {
	lane := a.someLane()
	first := a.at(a.store(lane, a.someKey()))
	witness := a.watch(lane, everything, pick(a.dice, plans.Ref{}, first))
	for range a.between(1, 3) {
		a.write(lane)
	}
	point := a.at(a.write(lane))
	if a.chance(50) {
		a.write(lane)
	}
	a.compact(lane, pick(a.dice, point, point, now), a.chance(a.mix.options[physical]))
	reader := a.turn(lane)
	a.watches(reader, pick(a.dice, everything, a.scope()), plus(point, -1), pick(a.dice, point, plus(point, 1), compacted, first))
	a.finally(lane, witness, a.at(a.write(lane)))
	if a.chance(50) {
		a.watch(reader, everything, compacted)
	}
}

// compactionOvertakes: the history is compacted while watches still deliver it.
// They go on to the end, or say that they cannot.
func compactionOvertakes(a *author) {
	lane := a.someLane()
	first := a.at(a.store(lane, a.someKey()))
	if a.cfg.Fill > 0 && a.chance(75) {
		a.backlog(lane)
	}
	for range a.between(3, 8) {
		a.write(lane)
	}
	compactor := lane
	if a.chance(35) {
		lane = a.turn(lane)
		compactor = a.someLane()
	}
	scope := pick(a.dice, everything, everything, a.scope())
	labels := a.watches(lane, scope, first, pick(a.dice, first, plus(first, 1), plus(now, -1)))
	if scope == everything && compactor == lane && a.chance(50) {
		a.await(lane, labels[0], first) // the first response has come, most have not
	}
	for range a.between(1, 2) {
		a.compact(compactor, pick(a.dice, now, now, plus(now, -1)), a.chance(a.mix.options[physical]))
		a.write(compactor)
	}
	a.finally(lane, pick(a.dice, labels...), now)
}

// pagesAcrossCompaction: the revision of a chain of pages is compacted between
// two of them, or everything below it, or the newest.
func pagesAcrossCompaction(a *author) {
	lane := a.someLane()
	a.populate(lane, a.between(2, 4))
	before := a.at(a.write(lane))
	a.populate(lane, 3)
	limit := a.pageSize(everything)
	page := a.list(lane, everything, pick(a.dice, plans.Ref{}, plans.Ref{}, before), limit)
	for range a.between(1, 2) {
		a.write(pick(a.dice, lane, a.someLane()))
	}
	a.compact(a.turn(lane), pick(a.dice, now, now, rv(page), before), a.chance(a.mix.options[physical]))
	next := a.next(lane, page, 0)
	if a.chance(40) && a.cfg.can(targets.Ranges) {
		a.next(lane, pick(a.dice, page, next), 0)
	}
}
