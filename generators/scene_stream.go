package generators

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// oneTransport: several watches share a transport stream, from the past and from
// now, of different scopes. Each gets its own events, progress on the stream waits
// for the slowest, and the end of one leaves the others alone.
func oneTransport(a *author) {
	lane := a.someLane()
	first := a.at(a.store(lane, a.someKey()))
	if a.cfg.Fill > 0 && a.chance(30) {
		a.fill(lane)
	}
	for range a.between(1, 3) {
		a.write(lane)
	}
	on := a.openWatch(lane, plans.Op{Scope: a.scope(), StartRevision: pick(a.dice, plans.Ref{}, first)})
	labels := []string{on}
	for range a.between(1, 2) {
		op := plans.Op{On: on, Scope: pick(a.dice, everything, a.scope()), StartRevision: pick(a.dice, plans.Ref{}, first, first, plus(now, 1))}
		op.PrevKV, op.Fragment = a.chance(30), a.chance(30)
		labels = append(labels, a.openWatch(lane, op))
		if a.chance(50) {
			a.progress(lane, pick(a.dice, labels...))
		}
	}
	for range a.between(1, 3) {
		a.write(pick(a.dice, lane, a.someLane()))
		if a.chance(40) {
			a.progress(lane, pick(a.dice, labels...))
		}
	}
	victim := a.below(len(labels))
	if a.chance(60) {
		a.stop(lane, labels[victim])
	}
	seen := a.store(lane, a.someKey())
	for i, w := range labels {
		if i != victim {
			a.finally(lane, w, pick(a.dice, rv(seen), now))
		}
	}
}

// watchAgain: a watch is cancelled and another one takes its place on the stream,
// with its id or another, from where it was or from now.
func watchAgain(a *author) {
	lane := a.someLane()
	scope := pick(a.dice, everything, everything, a.scope())
	id := pick(a.dice, 0, a.freshID(), a.freshID(), a.freshID())
	if !a.cfg.can(targets.WatchIDs) {
		id = 0
	}
	w := a.openWatch(lane, plans.Op{Scope: scope, ID: id})
	beside := a.openWatch(lane, plans.Op{Scope: a.scope(), On: w})
	for range a.between(2, 3) {
		seen := a.write(lane)
		if a.chance(30) {
			a.openWatch(lane, plans.Op{Scope: a.scope(), On: w, ID: id}) // while the id is in use
		}
		if a.chance(40) {
			a.await(lane, w, a.at(seen))
		}
		a.stop(lane, w)
		if a.chance(50) {
			a.write(pick(a.dice, lane, a.someLane()))
		}
		w = a.openWatch(lane, plans.Op{
			Scope: pick(a.dice, scope, scope, a.scope()), On: pick(a.dice, w, beside), ID: id,
			StartRevision: pick(a.dice, after(w), after(w), plus(a.at(seen), 1), plans.Ref{}),
		})
	}
	seen := a.at(a.store(lane, a.someKey()))
	a.finally(lane, w, seen)
	a.finally(lane, beside, now)
}

func after(watch string) plans.Ref { return plans.Ref{Kind: plans.After, Label: watch} }

// resumed: a watch is cut off at any place, in the midst of writes, and taken up
// behind what it had delivered. Nothing is lost and nothing comes twice.
func resumed(a *author) {
	lane := a.someLane()
	scope := pick(a.dice, everything, everything, a.scope())
	w := a.watch(lane, scope, pick(a.dice, plans.Ref{}, plus(now, -2)))
	if a.cfg.Fill > 0 && a.chance(25) {
		a.fill(a.someLane())
	}
	for range a.between(1, 3) {
		for range a.between(1, 2) {
			a.write(a.someLane())
		}
		if a.cfg.can(targets.ProgressOnCall) && a.chance(30) {
			a.progress(lane, w)
		}
		a.stop(lane, w)
		if a.chance(60) {
			a.write(pick(a.dice, lane, a.someLane()))
		}
		w = a.watch(lane, scope, after(w))
	}
	a.finally(lane, w, a.at(a.store(lane, a.someKey())))
}

// eventFilters: watches that leave out puts or deletes beside one that does not,
// live or from the past.
func eventFilters(a *author) {
	lane := a.someLane()
	name := a.someKey()
	first := a.at(a.store(lane, name))
	scope := pick(a.dice, everything, everything, single(name), prefix(name))
	from := pick(a.dice, plans.Ref{}, first)
	var labels []string
	open := func() {
		for range a.between(1, 3) {
			op := plans.Op{Scope: scope, StartRevision: from, PrevKV: a.chance(40), Fragment: a.chance(25)}
			op.NoPut = a.chance(45)
			op.NoDelete = !op.NoPut || a.chance(15)
			if len(labels) > 0 && a.cfg.can(targets.SharedStreams) && a.chance(40) {
				op.On = labels[0]
			}
			labels = append(labels, a.openWatch(lane, op))
		}
	}
	late := from != plans.Ref{} && a.chance(40)
	if !late {
		open()
	}
	for range a.between(2, 4) {
		if a.alive[name] != "" && a.chance(55) {
			a.erase(lane, name)
		} else {
			a.store(lane, name)
		}
		a.stir(lane, 1)
	}
	if late {
		open()
	}
	for _, w := range labels {
		a.finally(lane, w, now)
	}
}

// bigBatches: more bytes than fit in one message are owed to watches from the past,
// of which some allow the store to cut them in fragments.
func bigBatches(a *author) {
	lane := a.someLane()
	names := a.someKeys(2)
	first := a.at(a.store(lane, names[0]))
	for ; a.loads < mostLoads; a.loads++ {
		a.op(a.store(lane, pick(a.dice, names...))).Size = pick(a.dice, 500_000, 700_000, 1_000_000)
		if a.chance(20) {
			break
		}
	}
	if a.mix.has[transactions] && a.chance(50) {
		a.loads++
		txn := a.op(a.together(lane, names...)).Txn
		for i := range txn.Then {
			if txn.Then[i].Kind == histories.Put {
				txn.Then[i].Size = 700_000
			}
		}
	}
	lane = a.turn(lane)
	for range a.between(1, 2) {
		op := plans.Op{Scope: everything, StartRevision: first, PrevKV: a.chance(30)}
		op.Fragment = a.cfg.can(targets.WatchOptions) && a.chance(75)
		a.finally(lane, a.openWatch(lane, op), now)
	}
}
