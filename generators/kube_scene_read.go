package generators

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// listThenWatch: a client lists and watches from the list's resource version, as every
// informer does, while others write. Nothing is lost between the two, and nothing
// comes twice.
func listThenWatch(a *author) {
	lane := a.someLane()
	a.populate(lane, a.between(1, 3))
	scope := a.kubeScope()
	list := plans.Op{Kind: histories.List, Scope: scope}
	a.selectSome(&list)
	if a.chance(30) {
		list.ResourceVersion = number(0)
	}
	if a.chance(25) {
		list.Limit = int64(a.edge(scope))
	}
	label := a.say(lane, list, true)
	for range a.below(3) {
		a.write(pick(a.dice, lane, a.someLane()))
	}
	watch := plans.Op{
		Kind: histories.Watch, Scope: scope, ResourceVersion: rv(label),
		LabelSelector: list.LabelSelector, FieldSelector: list.FieldSelector, AllowWatchBookmarks: a.chance(60),
	}
	w := a.say(lane, watch, true)
	for range a.between(1, 4) {
		a.write(pick(a.dice, lane, a.someLane()))
	}
	if a.chance(40) {
		a.stop(lane, w)
		watch.ResourceVersion = after(w)
		w = a.say(lane, watch, true)
	}
	a.finally(lane, w, a.at(a.store(lane, a.someKey())))
}

// labelsFlip: an object comes into a selector and leaves it, by updates, deletes and
// creates, beside others that stay. A watch tells of it as of one that comes and goes;
// lists at each revision agree.
func labelsFlip(a *author) {
	lane := a.someLane()
	name := a.someKey()
	selector := a.labelSelector()
	scope := pick(a.dice, everything, objectScope(prefix(name)), objectScope(single(name)))
	var seen []plans.Ref
	first := a.present(lane, name)
	watch := plans.Op{
		Kind: histories.Watch, Scope: scope, LabelSelector: selector, AllowWatchBookmarks: a.chance(60),
		ResourceVersion: pick(a.dice, a.at(first), a.at(first), plus(now, 0), plans.Ref{}),
	}
	late := a.chance(35)
	if !late {
		a.say(lane, watch, true)
	}
	for range a.between(3, 6) {
		seen = append(seen, a.at(a.flip(pick(a.dice, lane, lane, a.someLane()), name)))
	}
	if late {
		watch.ResourceVersion = a.at(first)
		a.say(a.turn(lane), watch, true)
	}
	for range a.between(1, 3) {
		op := plans.Op{Kind: histories.List, Scope: scope, LabelSelector: selector}
		if a.chance(70) {
			op.ResourceVersion, op.Match = plus(pick(a.dice, seen...), pick(a.dice, 0, 0, -1)), "Exact"
		}
		if a.chance(30) {
			op.Limit = 1
		}
		a.say(lane, op, true)
	}
}

// flip writes an object with other labels, or deletes it.
func (a *author) flip(lane int, name string) string {
	labels := pick(a.dice, map[string]string{"x": "1"}, map[string]string{"x": "2"}, map[string]string{"x": "1", "y": ""}, map[string]string{"y": "2"}, nil)
	switch {
	case a.alive[name] == "":
		label := a.create(lane, name)
		a.op(label).Labels = labels
		return label
	case a.chance(20):
		return a.erase(lane, name)
	case a.cfg.can(targets.Patches) && labels != nil && a.chance(30):
		return a.patch(lane, name, plans.Op{Labels: labels})
	}
	label := a.update(lane, name, a.current(lane, name))
	a.op(label).Labels = labels
	return label
}

// watchListBesideList: a watch that sends a state first, of the newest revision, of any or of
// one not older than another, beside the list at the revision that its bookmark names.
func watchListBesideList(a *author) {
	lane := a.someLane()
	a.populate(lane, a.between(0, 4))
	send := a.chance(90)
	scope := a.kubeScope()
	op := plans.Op{
		Kind: histories.Watch, Scope: scope, SendInitialEvents: &send, Match: "NotOlderThan", AllowWatchBookmarks: a.chance(85),
		ResourceVersion: choose(a.dice, []choice[plans.Ref]{{4, plans.Ref{}}, {2, number(0)}, {4, a.kubeRevision(lane)}}),
	}
	a.selectSome(&op)
	if a.chance(50) {
		write := a.write(lane)
		if lane = a.turn(lane); op.ResourceVersion.Kind != plans.Unset && a.chance(70) {
			op.ResourceVersion = a.at(write)
		}
	}
	w := a.say(lane, op, true)
	for range a.below(3) {
		a.write(pick(a.dice, lane, a.someLane()))
	}
	if a.chance(60) {
		a.await(lane, w, now)
		a.say(lane, plans.Op{
			Kind: histories.List, Scope: scope, ResourceVersion: after(w), Match: "Exact",
			LabelSelector: op.LabelSelector, FieldSelector: op.FieldSelector,
		}, true)
	}
	if a.chance(40) {
		a.stop(lane, w)
		op.SendInitialEvents, op.Match, op.ResourceVersion = nil, "", after(w)
		w = a.say(lane, op, true)
	}
	a.finally(lane, w, a.at(a.store(lane, a.someKey())))
}

// bookmarksThenResume: a watch is told by bookmarks of writes that it does not see, and
// another goes on from there.
func bookmarksThenResume(a *author) {
	lane := a.someLane()
	name := a.someKey()
	first := a.present(lane, name)
	scope := objectScope(pick(a.dice, single(name), prefix(name), everything))
	op := plans.Op{Kind: histories.Watch, Scope: scope, AllowWatchBookmarks: true, ResourceVersion: pick(a.dice, a.at(first), now, plans.Ref{})}
	w := a.say(lane, op, true)
	for range a.between(1, 3) {
		for range a.between(1, 3) {
			a.write(pick(a.dice, lane, a.someLane()))
		}
		if a.chance(50) {
			a.await(lane, w, now)
		}
		a.stop(lane, w)
		op.ResourceVersion = after(w)
		w = a.say(lane, op, true)
	}
	a.finally(lane, w, a.at(a.store(lane, name)))
}

// sparsePages: pages of a list whose selector takes some of many objects, so that a server
// has to read on until a page is full (LIST-14, PAGE-03).
func sparsePages(a *author) {
	lane := a.someLane()
	for more := a.between(5, 8) - len(a.alive); more > 0; more-- {
		a.flip(lane, a.freshKey())
	}
	lane = a.turn(lane)
	list := plans.Op{
		Kind: histories.List, Scope: pick(a.dice, everything, everything, everything, a.kubeScope()),
		LabelSelector: a.labelSelector(), Limit: int64(a.between(2, 3)),
	}
	if a.chance(25) {
		list.ResourceVersion, list.Match = a.kubeRevision(lane), "Exact"
	}
	page := a.say(lane, list, true)
	for range a.between(1, 3) {
		if a.chance(30) {
			a.write(a.someLane())
		}
		page = a.next(lane, page, 0)
	}
}

// tokensAgain: a token is used more than once, by other lanes, with other limits, after
// writes, and damaged. The same token gives the same page (PAGE-06).
func tokensAgain(a *author) {
	lane := a.someLane()
	a.populate(lane, a.between(3, 6))
	lane = a.turn(lane)
	scope := pick(a.dice, everything, everything, a.kubeScope())
	list := plans.Op{Kind: histories.List, Scope: scope, Limit: int64(a.pageSize(scope))}
	if a.chance(30) {
		a.selectSome(&list)
	}
	if a.chance(30) {
		list.ResourceVersion, list.Match = a.kubeRevision(lane), pick(a.dice, "Exact", "NotOlderThan", "")
	}
	page := a.say(lane, list, true)
	for range a.between(2, 4) {
		if a.chance(50) {
			a.write(a.someLane())
		}
		reader := pick(a.dice, lane, lane, a.turn(lane))
		next := a.someNext(reader, page)
		if a.chance(40) && !a.op(next).Damaged && a.op(next).Match == "" {
			page = next
		}
	}
}

// expired: what was compacted is asked for, by number, by token and by watch. A token
// comes back with another one that goes on at the newest revision (PAGE-10).
func expired(a *author) {
	lane := a.someLane()
	a.populate(lane, a.between(2, 4))
	old := a.at(a.store(lane, a.someKey()))
	page := a.list(lane, everything, plans.Ref{}, pick(a.dice, 1, 1, 2))
	for range a.between(1, 3) {
		a.write(pick(a.dice, lane, a.someLane()))
	}
	a.compact(lane, pick(a.dice, now, now, plus(rv(page), 1), rv(page)), false)
	if a.chance(50) {
		a.write(lane)
	}
	next := a.next(lane, page, 0)
	for range a.between(1, 3) {
		switch a.below(4) {
		case 0:
			a.say(lane, plans.Op{Kind: histories.List, Scope: everything, ResourceVersion: plus(old, pick(a.dice, 0, 1)), Match: "Exact"}, true)
		case 1:
			op := plans.Op{Kind: histories.Watch, Scope: everything, ResourceVersion: plus(old, pick(a.dice, 0, -1)), AllowWatchBookmarks: a.chance(50)}
			a.say(lane, op, true)
		case 2:
			a.say(lane, plans.Op{Kind: histories.List, Scope: everything, ResourceVersion: old, Match: pick(a.dice, "", "NotOlderThan")}, true)
		default:
			next = a.next(lane, pick(a.dice, page, next, next), pick(a.dice, 0, 1, 5))
		}
		if a.chance(30) {
			a.write(lane)
		}
	}
	a.next(lane, next, 0)
}

// manyWays: one revision is read in every way there is: whole, by namespace, by
// selector, page by page, one by one. All of it agrees.
func manyWays(a *author) {
	lane := a.someLane()
	a.populate(lane, a.between(2, 4))
	at := a.at(a.store(lane, a.someKey()))
	for range a.below(3) {
		a.write(pick(a.dice, lane, a.someLane()))
	}
	at = pick(a.dice, at, at, now)
	for range a.between(2, 5) {
		lane = pick(a.dice, lane, a.turn(lane))
		op := plans.Op{Kind: histories.List, Scope: a.kubeScope(), ResourceVersion: at, Match: "Exact"}
		a.selectSome(&op)
		a.encode(&op)
		if a.chance(40) {
			op.Limit = int64(a.pageSize(op.Scope))
			if a.chance(50) {
				op.Match = "" // a limit makes it exact all the same (LIST-06)
			}
		}
		page := a.say(lane, op, true)
		for range a.below(3) {
			if op.Limit > 0 {
				page = a.next(lane, page, 0)
			}
		}
	}
}

// freshAndStale: right after each write of an object, and sometimes beside it, lanes read
// it: what must show the write, what need not be older than it, and what may be.
func freshAndStale(a *author) {
	names := a.someKeys(a.between(1, 2))
	lane := a.someLane()
	for range a.between(2, 4) {
		name := pick(a.dice, names...)
		write := ""
		if a.alive[name] != "" && a.chance(30) {
			write = a.erase(lane, name)
		} else {
			write = a.store(lane, name)
		}
		if a.chance(30) {
			a.barrier()
		}
		for range a.between(1, 3) {
			a.readAfter(pick(a.dice, lane, lane, a.someLane()), name, write)
		}
		lane = a.turn(lane)
	}
}

// readAfter reads an object after a write of it, alone or in a list.
func (a *author) readAfter(lane int, name, write string) {
	at := now
	if a.reaches(lane, write) {
		at = a.at(write)
	}
	from := choose(a.dice, []choice[plans.Ref]{{5, plans.Ref{}}, {4, at}, {1, number(0)}})
	if a.chance(50) {
		a.say(lane, plans.Op{Kind: histories.Get, Key: object(name), ResourceVersion: from}, true)
		return
	}
	op := plans.Op{Kind: histories.List, Scope: a.kubeScope(), ResourceVersion: from}
	if from.Kind != plans.Unset && a.chance(50) {
		op.Match = "NotOlderThan"
	}
	if a.chance(30) {
		op.Limit = int64(a.edge(op.Scope))
	}
	a.say(lane, op, true)
}

// nonsense: options that do not fit together, and texts that are none, in requests that a
// server has to refuse. Nothing of it changes anything.
func nonsense(a *author) {
	lane := a.someLane()
	a.store(lane, a.someKey())
	for range a.between(2, 4) {
		switch a.below(6) {
		case 0:
			a.say(lane, plans.Op{Kind: histories.Get, Key: object(a.someKey()), RawResourceVersion: nonsenseText(a.dice)}, false)
		case 1, 2:
			a.misuse(lane)
		case 3:
			a.say(lane, a.refusedWatch(), false)
		default:
			op := plans.Op{Kind: histories.List, Scope: a.kubeScope()}
			a.contradict(&op)
			a.say(lane, op, false)
		}
	}
	a.look(lane, a.someKey())
}

// misuse sends a token that is damaged, or together with what no token goes with.
func (a *author) misuse(lane int) {
	a.populate(lane, 2)
	op := plans.Op{Kind: histories.Next, Of: a.say(lane, plans.Op{Kind: histories.List, Scope: everything, Limit: 1}, true)}
	switch a.below(4) {
	case 0, 1:
		op.Damaged = true
	case 2:
		op.ResourceVersion = pick(a.dice, now, number(1))
	default:
		op.ResourceVersion, op.Match = now, pick(a.dice, "Exact", "NotOlderThan")
	}
	a.say(lane, op, false)
}

// refusedWatch draws a watch whose options do not fit together.
func (a *author) refusedWatch() plans.Op {
	op := plans.Op{Kind: histories.Watch, Scope: a.kubeScope(), ResourceVersion: now}
	send := a.chance(70)
	switch initials := a.mix.has[watchLists]; {
	case initials && a.chance(50):
		op.SendInitialEvents = &send
	case initials && a.chance(30):
		op.SendInitialEvents, op.Match = &send, "Exact"
	case a.chance(50):
		op.Match = pick(a.dice, "NotOlderThan", "Exact")
	default:
		op.ResourceVersion, op.RawResourceVersion = plans.Ref{}, pick(a.dice, "abc", "-1")
	}
	return op
}
