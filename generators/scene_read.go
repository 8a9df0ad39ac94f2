package generators

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// emptyAnswer: reads that return nothing, right after a write elsewhere. Their
// revision must not be older than that write, and must be of use for a watch.
func emptyAnswer(a *author) {
	lane := a.someLane()
	a.write(lane)
	lane = a.turn(lane)
	absent := a.keyThat(false) + pick(a.dice, "", "none", "/")
	read := ""
	if a.chance(50) {
		read = a.get(lane, absent, plans.Ref{})
	} else {
		read = a.list(lane, pick(a.dice, single(absent), prefix(absent+"/"), a.slice(absent, absent+"\x00")), plans.Ref{}, 0)
	}
	if a.cfg.can(targets.Watches) && a.chance(50) {
		w := a.watch(lane, everything, plus(rv(read), 1))
		a.finally(lane, w, a.at(a.write(lane)))
		return
	}
	a.write(lane)
	a.get(lane, absent, rv(read))
}

// pastRead: reads at the revisions around writes and deletes of the past, which
// must not show what came later.
func pastRead(a *author) {
	lane := a.someLane()
	var past []plans.Ref
	for range a.between(2, 5) {
		past = append(past, a.at(a.write(lane)))
		a.stir(lane, 1)
	}
	for range a.between(2, 5) {
		at := plus(pick(a.dice, past...), pick(a.dice, 0, 0, -1, 1))
		if a.chance(40) {
			a.get(a.turn(lane), a.someKey(), at)
		} else {
			a.list(a.turn(lane), a.scope(), at, 0)
		}
	}
}

// readsBesideWrites: some lanes write a few keys while others read them, whole or
// cut by a limit, now or at the newest revision of the moment or one just before.
// Each answer is of one revision in all its parts, whatever is written meanwhile.
func readsBesideWrites(a *author) {
	names := a.someKeys(pick(a.dice, 1, 1, 2, 3))
	a.someCondition(names)
	a.barrier()
	writers, churn := a.between(1, max(1, len(a.lanes)/2)), pick(a.dice, 15, 60)
	for range a.between(2, 4) {
		for lane := range a.lanes {
			if lane >= writers {
				a.readBesideWrites(lane, pick(a.dice, names...))
			} else if name := pick(a.dice, names...); a.alive[name] != "" && a.chance(churn) {
				a.erase(lane, name)
			} else {
				a.store(lane, name)
			}
		}
	}
}

func (a *author) readBesideWrites(lane int, name string) {
	if a.chance(45) {
		a.get(lane, name, pick(a.dice, now, now, now, now, plus(now, -1), plans.Ref{}))
		return
	}
	scope, limit := pick(a.dice, everything, everything, prefix(name)), 0
	if a.cfg.can(targets.Ranges) && a.chance(70) {
		limit = a.edge(scope)
	}
	a.list(lane, scope, pick(a.dice, now, plus(now, -1), plans.Ref{}, plans.Ref{}, plans.Ref{}, plans.Ref{}), limit)
}

// futureRead: reads at revisions that do not exist yet, which are refused, and
// the same revisions again when they do.
func futureRead(a *author) {
	lane := a.someLane()
	base := a.at(a.write(lane))
	ahead := a.between(1, 3)
	a.get(lane, a.someKey(), plus(base, ahead))
	a.list(lane, everything, plus(now, pick(a.dice, 1, 2, future)), 0)
	for range ahead {
		a.write(lane)
	}
	a.list(lane, everything, plus(base, ahead), 0)
}

// siblings: keys that resemble each other are written, and each scope that should
// tell them apart is read.
func siblings(a *author) {
	lane := a.someLane()
	a.populate(lane, 4)
	lane = a.turn(lane)
	for range a.between(2, 4) {
		name := a.someKey()
		switch a.below(6) {
		case 0:
			a.get(lane, name, plans.Ref{})
		case 1:
			a.list(lane, single(name), plans.Ref{}, 0)
		case 2:
			a.list(lane, prefix(name+"/"), plans.Ref{}, 0)
		case 3:
			a.list(lane, a.span(), plans.Ref{}, 0)
		default:
			a.list(lane, prefix(name[:a.between(1, len(name))]), plans.Ref{}, 0)
		}
	}
	if a.chance(50) {
		a.erase(lane, a.keyThat(true))
		a.list(lane, a.scope(), plans.Ref{}, 0)
	}
}

// pagesAcrossWrites: a chain of pages with writes between them; all pages must
// show the first one's revision.
func pagesAcrossWrites(a *author) {
	lane := a.someLane()
	a.populate(lane, a.between(2, 5))
	lane = a.turn(lane)
	scope := a.crowded()
	limit := a.pageSize(scope)
	page := a.list(lane, scope, plans.Ref{}, limit)
	for rest := len(a.inside(scope)) - limit; rest > 0; rest -= limit {
		for range a.between(1, 2) {
			a.write(pick(a.dice, lane, a.someLane()))
		}
		page = a.next(lane, page, 0)
		if a.chance(25) {
			break
		}
	}
}

// crowded is a scope for several pages: everything as a rule, or the fullest of
// some others.
func (a *author) crowded() histories.Scope {
	if a.chance(70) {
		return everything
	}
	best := a.scope()
	for range 3 {
		if other := a.scope(); len(a.inside(other)) > len(a.inside(best)) {
			best = other
		}
	}
	return best
}

// pageSize is a limit that leaves something for another page.
func (a *author) pageSize(scope histories.Scope) int {
	n := len(a.inside(scope))
	return max(1, pick(a.dice, 1, 1, 2, n/2, n-1))
}

// manySmallPages: chains of the smallest pages, beside writes on other lanes.
func manySmallPages(a *author) {
	lane := a.someLane()
	a.populate(lane, a.between(3, 6))
	lane = a.turn(lane)
	scope := a.crowded()
	n := len(a.inside(scope))
	page := a.list(lane, scope, a.readAt(lane), 1)
	for range min(n-1, 5) {
		if other := a.someLane(); other != lane || a.chance(30) {
			a.write(other)
		}
		a.stir(lane, 1)
		page = a.next(lane, page, 0)
	}
}

// pageBoundaries: lists whose limit, count and start key lie right at the ends of
// what is there.
func pageBoundaries(a *author) {
	lane := a.someLane()
	a.populate(lane, a.between(1, 4))
	lane = a.turn(lane)
	for range a.between(2, 4) {
		scope := a.crowded()
		n := len(a.inside(scope))
		limit := max(0, pick(a.dice, 1, n-1, n, n+1))
		page := a.list(lane, scope, a.readAt(lane), limit)
		if a.chance(40) {
			op := a.op(page)
			op.Start, op.HasStart = a.startKey(), true
		} else if limit > 0 && limit < n {
			a.next(lane, page, pick(a.dice, 0, 1, n, n+1))
		}
	}
}
