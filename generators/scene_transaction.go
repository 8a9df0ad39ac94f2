package generators

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// together writes a transaction that changes some keys at one revision: puts, and
// now and then a delete.
func (a *author) together(lane int, names ...string) string {
	txn := &plans.Txn{}
	if a.chance(40) {
		txn.Compares = append(txn.Compares, a.condition(lane, a.someKey(), true))
	}
	for i, name := range names {
		if i > 0 && a.alive[name] != "" && a.chance(25) {
			txn.Then = append(txn.Then, plans.Op{Kind: histories.Delete, Key: key(name)})
			continue
		}
		op, allowed := a.dress(lane, plans.Op{Kind: histories.Put, Key: key(name)})
		if !allowed {
			op.Lease, op.Size = "", 0
		}
		txn.Then = append(txn.Then, op)
	}
	return a.transact(lane, txn, true, true)
}

// someKeys draws up to n different keys.
func (a *author) someKeys(n int) []string {
	first := a.below(len(a.keys))
	var names []string
	for i := range min(n, len(a.keys)) {
		names = append(names, a.keys[(first+i)%len(a.keys)])
	}
	return names
}

// readTogether writes a transaction that reads the keys, alone or in lists.
func (a *author) readTogether(lane int, names ...string) string {
	txn := &plans.Txn{}
	for _, name := range names {
		switch a.below(4) {
		case 0:
			txn.Then = append(txn.Then, plans.Op{Kind: histories.List, Scope: everything})
		case 1:
			txn.Then = append(txn.Then, plans.Op{Kind: histories.List, Scope: prefix(name)})
		default:
			txn.Then = append(txn.Then, plans.Op{Kind: histories.Get, Key: key(name)})
		}
	}
	return a.transact(lane, txn, true, true)
}

// keysTogether: some keys change together, again and again, while others read them
// together and watch them. Nobody may see one change without the other.
func keysTogether(a *author) {
	names := a.someKeys(a.between(2, 3))
	writer := a.someLane()
	first := a.at(a.together(writer, names...))
	watcher, w := a.someLane(), ""
	if a.cfg.can(targets.Watches) {
		w = a.watch(watcher, pick(a.dice, everything, everything, a.scope()), pick(a.dice, plans.Ref{}, plus(now, 1), plus(now, -1)))
	}
	a.barrier()
	for range a.between(2, 4) {
		for lane := range a.lanes {
			switch {
			case lane == writer || a.chance(25):
				a.together(lane, names...)
			case a.chance(75):
				a.readTogether(lane, names...)
			default:
				a.look(lane, names[0])
			}
		}
	}
	seen := a.at(a.together(writer, names...))
	if w == "" {
		return
	}
	if a.chance(50) {
		a.watch(watcher, everything, first)
	}
	if a.reaches(watcher, a.marks[len(a.marks)-1].label) {
		a.finally(watcher, w, seen)
	}
}

// transactionRace: all lanes do a transaction with the same conditions, of which
// at most one may succeed; the others tell what they found.
func transactionRace(a *author) {
	names := a.someKeys(a.between(1, 3))
	for range a.between(1, 2) {
		a.someCondition(names)
		a.barrier()
		condition := a.guard(names[0])
		for lane := range a.lanes {
			txn := &plans.Txn{Compares: []plans.Compare{condition}}
			for _, name := range names {
				txn.Then = append(txn.Then, plans.Op{Kind: histories.Put, Key: key(name)})
				txn.Else = append(txn.Else, plans.Op{Kind: histories.Get, Key: key(name)})
			}
			if len(names) > 1 && a.chance(30) {
				txn.Then[1].Kind = histories.Delete
			}
			a.transact(lane, txn, lane == 0, true)
			if a.chance(25) {
				a.write(lane)
			}
		}
	}
	a.readTogether(a.turn(a.someLane()), names...)
}

// someCondition brings the keys into some state, all by one lane.
func (a *author) someCondition(names []string) {
	lane := a.someLane()
	for _, name := range names {
		switch {
		case a.alive[name] == "" || a.chance(40):
			a.store(lane, name)
		case a.chance(40):
			a.erase(lane, name)
		}
	}
}

// guard is a condition that holds for one of those who change the key.
func (a *author) guard(name string) plans.Compare {
	made := a.alive[name]
	c := compare(pick(a.dice, "mod", "version", "create"), "=", number(0))
	switch {
	case made == "":
	case a.chance(25):
		c = compare("version", "=", number(int64(a.version[name])))
	case a.op(made).Kind != histories.Transact && a.chance(30):
		c = compare("value", "=", written(made))
	default:
		c = compare("mod", "=", rv(made))
	}
	c.Key = key(name)
	return c
}

// refusedTransaction: a transaction that writes and is then refused as a whole has
// done nothing, on no member, and the store's revisions go on as if it had not been.
func refusedTransaction(a *author) {
	lane := a.someLane()
	names := a.someKeys(a.between(1, 2))
	if a.chance(60) {
		a.someCondition(names)
		lane = a.turn(lane)
	}
	for range a.between(1, 2) {
		b := branch{accepted: true}
		for _, name := range names {
			b.put(a, lane, name)
		}
		a.spoil(lane, &b)
		txn := &plans.Txn{Then: b.ops}
		holds := a.chance(85)
		txn.Compares = append(txn.Compares, a.condition(lane, names[0], holds))
		if !holds && a.chance(50) {
			txn.Then, txn.Else = nil, b.ops
		}
		// Only the branch that is taken counts, except for keys that are there twice.
		a.add(lane, plans.Op{Kind: histories.Transact, Txn: txn}, false)
	}
	a.everyLaneLooks(names[0])
	a.store(lane, a.someKey())
	a.everyLaneLooks(names[0])
}

// everyLaneLooks lets all lanes read a key, each at its endpoint.
func (a *author) everyLaneLooks(name string) {
	if !a.cfg.can(targets.Reads) {
		return
	}
	for lane := range a.lanes {
		op := plans.Op{Kind: histories.Get, Key: key(name)}
		if a.chance(40) {
			op = plans.Op{Kind: histories.List}
		}
		op.Serializable = a.cfg.can(targets.Serializable) && a.chance(40)
		a.add(lane, op, true)
	}
}

// ownReads: reads in a transaction see what stands before them in it, and not what
// stands behind them; its answers come one by one.
func ownReads(a *author) {
	lane := a.someLane()
	names := a.someKeys(2)
	one, other := names[0], names[len(names)-1]
	a.someCondition(names)
	lane = a.turn(lane)
	for range a.between(1, 3) {
		txn := &plans.Txn{}
		if a.chance(50) {
			txn.Compares = append(txn.Compares, a.condition(lane, one, true))
		}
		txn.Then = append(txn.Then, a.peek(lane, one), plans.Op{Kind: histories.Put, Key: key(one)}, a.peek(lane, one))
		if other != one {
			change := histories.Put
			if a.chance(50) {
				change = histories.Delete
			}
			txn.Then = append(txn.Then, plans.Op{Kind: change, Key: key(other)}, a.peek(lane, other))
		}
		if a.chance(40) {
			txn.Then = append(txn.Then, plans.Op{Kind: histories.List})
		}
		a.transact(lane, txn, true, true)
	}
	a.look(lane, one)
}

// peek is a read inside a transaction: of a key or around it, now or as it was.
func (a *author) peek(lane int, name string) plans.Op {
	op := plans.Op{Kind: histories.Get, Key: key(name)}
	if a.chance(30) {
		op = plans.Op{Kind: histories.List, Scope: pick(a.dice, everything, prefix(name), single(name))}
	}
	if made := a.alive[name]; made != "" && a.reaches(lane, made) && a.chance(30) {
		op.Revision = a.at(made)
	}
	return op
}

// comparisons: conditions of every kind on keys that are there, that were, and that
// never were; what the branches read shows which was taken.
func comparisons(a *author) {
	lane := a.someLane()
	names := a.someKeys(3)
	a.someCondition(names)
	lane = a.turn(lane)
	for range a.between(3, 5) {
		name := pick(a.dice, names...)
		holds := a.chance(55)
		txn := &plans.Txn{Compares: []plans.Compare{a.condition(lane, name, holds)}}
		if a.chance(40) {
			txn.Compares = append(txn.Compares, a.condition(lane, pick(a.dice, names...), true))
		}
		if a.chance(30) {
			txn.Then = append(txn.Then, plans.Op{Kind: histories.Put, Key: key(name)})
		}
		if a.cfg.can(targets.Reads) {
			txn.Then = append(txn.Then, plans.Op{Kind: histories.Get, Key: key(name)})
			txn.Else = append(txn.Else, plans.Op{Kind: histories.Get, Key: key(name)})
		}
		a.transact(lane, txn, holds, true)
		a.stir(lane, 1)
	}
}

// scopeDeletes: everything in a scope goes at one revision, under a watch, and some
// of it comes again.
func scopeDeletes(a *author) {
	lane := a.someLane()
	a.populate(lane, a.between(2, 5))
	w := ""
	scope := pick(a.dice, everything, a.scope(), a.scope(), a.span())
	if a.cfg.can(targets.Watches) && a.chance(60) {
		w = a.watch(lane, pick(a.dice, everything, scope), plans.Ref{})
	}
	if lane = a.turn(lane); a.chance(60) {
		a.dropBesideWrites(lane, scope)
	} else {
		a.dropRange(lane, scope)
	}
	if a.chance(50) {
		a.dropRange(lane, scope)
	}
	a.look(lane, a.someKey())
	seen := a.store(lane, a.someKey())
	if w != "" && a.reaches(lane, w) {
		a.finally(lane, w, rv(seen))
	}
	a.look(a.turn(lane), a.someKey())
}

// dropBesideWrites: one lane deletes everything in a scope, again and again, while
// the others bring keys of it to life.
func (a *author) dropBesideWrites(deleter int, scope histories.Scope) {
	a.barrier()
	for range a.between(2, 3) {
		for lane := range a.lanes {
			name := a.someKey()
			for range 3 {
				if !covers(scope, name) {
					name = a.someKey()
				}
			}
			if lane == deleter {
				a.dropRange(lane, scope)
			} else {
				a.store(lane, name)
			}
		}
	}
	a.barrier()
}
