package generators

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// transact writes a transaction. holds: its conditions do, as far as one can tell;
// accepted: the store will not refuse the whole.
func (a *author) transact(lane int, txn *plans.Txn, holds, accepted bool) string {
	label := a.add(lane, plans.Op{Kind: histories.Transact, Txn: txn}, accepted)
	if !accepted {
		return label
	}
	taken := txn.Else
	if holds {
		taken = txn.Then
	}
	at := len(a.marks) - 1
	a.marks[at].puts = a.apply(label, taken)
	return label
}

// apply notes what the operations of a branch do, and returns the keys that they write.
func (a *author) apply(label string, branch []plans.Op) (puts []string) {
	for _, op := range branch {
		switch op.Kind {
		case histories.Put:
			a.made(op.Key.Name, label, op.Lease)
			puts = append(puts, op.Key.Name)
		case histories.Delete:
			a.unmade(op.Key.Name)
		case histories.DeleteRange:
			a.unmade(a.inside(op.Scope)...)
		case histories.Transact:
			puts = append(puts, a.apply(label, op.Txn.Then)...)
		default:
		}
	}
	return puts
}

// condition draws a condition on a key that holds or does not, as far as one can tell.
func (a *author) condition(lane int, name string, holds bool) plans.Compare {
	var choices []plans.Compare
	switch {
	case a.alive[name] == "":
		choices = absentConditions(holds)
	case a.reaches(lane, a.alive[name]):
		choices = append(presentConditions(holds), a.exactConditions(name, holds)...)
	default:
		choices = presentConditions(holds)
	}
	c := pick(a.dice, choices...)
	c.Key = key(name)
	return c
}

func compare(target, op string, value plans.Ref) plans.Compare {
	return plans.Compare{Target: target, Op: op, Value: value}
}

func granted(label string) plans.Ref { return plans.Ref{Kind: plans.Granted, Label: label} }

func written(label string) plans.Ref { return plans.Ref{Kind: plans.Written, Label: label} }

// absentConditions are conditions on a key that is not there: everything about it
// is zero.
func absentConditions(holds bool) []plans.Compare {
	if holds {
		return []plans.Compare{
			compare("mod", "=", number(0)), compare("mod", "=", number(0)), compare("version", "=", number(0)),
			compare("create", "=", number(0)), compare("lease", "=", number(0)), compare("mod", "<", number(1)),
			compare("version", "!=", number(1)), compare("create", "<", now), compare("version", ">", number(-1)),
		}
	}
	return []plans.Compare{
		compare("mod", "!=", number(0)), compare("version", ">", number(0)), compare("create", ">", number(0)),
		compare("mod", "=", now), compare("lease", "!=", number(0)), compare("version", "<", number(0)),
	}
}

// presentConditions are conditions on a key that is there, whatever it is.
func presentConditions(holds bool) []plans.Compare {
	if holds {
		return []plans.Compare{
			compare("mod", ">", number(0)), compare("version", ">", number(0)), compare("create", "!=", number(0)),
			compare("version", "!=", number(0)), compare("mod", "<", plus(now, future)),
		}
	}
	return []plans.Compare{
		compare("mod", "=", number(0)), compare("version", "=", number(0)), compare("create", "=", number(0)),
		compare("version", "<", number(1)), compare("mod", ">", plus(now, future)),
	}
}

// exactConditions are conditions on just the object that is there.
func (a *author) exactConditions(name string, holds bool) []plans.Compare {
	made := a.alive[name]
	at, born, n := rv(made), rv(a.born[name]), int64(a.version[name])
	choices := []plans.Compare{
		compare("mod", "=", plus(at, pick(a.dice, -1, 1))), compare("mod", "<", at), compare("mod", ">", at),
		compare("mod", "!=", at), compare("create", ">", born), compare("create", "!=", born), compare("create", "=", plus(born, 1)),
		compare("version", "=", number(n+1)), compare("version", "!=", number(n)), compare("version", "<", number(n)),
		compare("version", ">", number(n)),
	}
	if holds {
		choices = []plans.Compare{
			compare("mod", "=", at), compare("mod", "=", at), compare("mod", "<", plus(at, 1)), compare("mod", ">", plus(at, -1)),
			compare("create", "=", born), compare("create", "=", born), compare("create", "<", plus(born, 1)),
			compare("version", "=", number(n)), compare("version", "=", number(n)), compare("version", "<", number(n+1)),
			compare("version", ">", number(n-1)), compare("version", "!=", number(n+1)),
		}
	}
	same, other := "=", "!="
	if !holds {
		same, other = other, same
	}
	if kind := a.op(made).Kind; kind != histories.Transact {
		choices = append(choices, compare("value", same, written(made)), compare("value", same, written(made)))
	}
	if lease := a.bound[name]; lease != "" && a.place(lease) >= 0 {
		return append(choices, compare("lease", same, granted(lease)), compare("lease", other, number(0)))
	}
	return append(choices, compare("lease", same, number(0)))
}

// branch is a branch of a transaction while it is drawn. A key may be written only
// once in it, and not deleted too: stores refuse that.
type branch struct {
	ops      []plans.Op
	written  []string
	accepted bool
}

// drawBranch draws n operations that write to free keys.
func (a *author) drawBranch(lane, n int, free []string) branch {
	b := branch{accepted: true}
	for range n {
		b.draw(a, lane, free)
	}
	return b
}

func (b *branch) draw(a *author, lane int, free []string) {
	var left []string
	for _, name := range free {
		if !slices.Contains(b.written, name) {
			left = append(left, name)
		}
	}
	switch at := a.below(20); {
	case at < 8 && len(left) > 0:
		b.put(a, lane, left[a.below(len(left))])
	case at < 11 && len(left) > 0:
		name := left[a.below(len(left))]
		b.written = append(b.written, name)
		b.ops = append(b.ops, plans.Op{Kind: histories.Delete, Key: key(name)})
	case at < 12:
		b.dropRange(a)
	case at < 17 || !a.cfg.can(targets.Reads):
		op, ok := a.getOp(lane)
		b.read(op, ok)
	default:
		op, ok := a.listOp(lane)
		b.read(op, ok)
	}
}

func (b *branch) put(a *author, lane int, name string) {
	op, allowed := a.dress(lane, plans.Op{Kind: histories.Put, Key: key(name)})
	b.ops, b.written = append(b.ops, op), append(b.written, name)
	b.accepted = b.accepted && allowed
}

// dropRange adds a delete of a scope, if it leaves alone what the branch writes.
func (b *branch) dropRange(a *author) {
	scope := a.scope()
	if slices.ContainsFunc(b.written, func(name string) bool { return covers(scope, name) }) {
		return
	}
	for _, name := range a.keys {
		if covers(scope, name) {
			b.written = append(b.written, name)
		}
	}
	b.ops = append(b.ops, plans.Op{Kind: histories.DeleteRange, Scope: scope, PrevKV: a.chance(a.mix.options[withPrevKV])})
}

func (b *branch) read(op plans.Op, answered bool) {
	b.ops = append(b.ops, op)
	b.accepted = b.accepted && answered
}

// randomTransaction writes a transaction of random conditions and branches, now
// and then with another one inside, or one that is refused.
func (a *author) randomTransaction(lane int) {
	holds := a.chance(65)
	txn := &plans.Txn{Compares: a.conditions(lane, holds)}
	holds = holds || len(txn.Compares) == 0
	then, other := a.drawBranch(lane, a.between(1, 4), a.keys), a.drawBranch(lane, a.between(0, 2), a.keys)
	if a.chance(15) {
		a.nest(lane, &then)
	}
	if a.chance(10) {
		a.spoil(lane, &then)
	}
	txn.Then, txn.Else = then.ops, other.ops
	accepted := other.accepted
	if holds {
		accepted = then.accepted
	}
	a.transact(lane, txn, holds, accepted)
}

// conditions draws up to three conditions, of which one does not hold if they
// should not.
func (a *author) conditions(lane int, hold bool) []plans.Compare {
	var compares []plans.Compare
	for range a.below(3) {
		compares = append(compares, a.condition(lane, a.someKey(), true))
	}
	if hold {
		return compares
	}
	return slices.Insert(compares, a.below(len(compares)+1), a.condition(lane, a.someKey(), false))
}

// nest adds a transaction inside the branch.
func (a *author) nest(lane int, b *branch) {
	var free []string
	for _, name := range a.keys {
		if !slices.Contains(b.written, name) {
			free = append(free, name)
		}
	}
	then := a.drawBranch(lane, a.between(1, 2), free)
	inner := &plans.Txn{Compares: a.conditions(lane, true), Then: then.ops}
	if a.chance(50) && a.cfg.can(targets.Reads) {
		op, answered := a.getOp(lane)
		inner.Else = []plans.Op{op}
		then.accepted = then.accepted && answered
	}
	b.ops = append(b.ops, plans.Op{Kind: histories.Transact, Txn: inner})
	b.written = append(b.written, then.written...)
	b.accepted = b.accepted && then.accepted
}

// spoil makes a store refuse the branch as a whole, after some of its writes as a
// rule: a read at a revision that there is not, a key that is written twice, a
// lease that nobody granted.
func (a *author) spoil(lane int, b *branch) {
	b.accepted = false
	var bad []plans.Op
	if a.cfg.can(targets.Reads) {
		at := pick(a.dice, plus(now, future), plus(now, future), plus(now, 50))
		if len(a.within(lane, mark.compacts)) > 0 {
			at = pick(a.dice, at, plus(compacted, -1))
		}
		bad = append(bad,
			plans.Op{Kind: histories.Get, Key: key(a.someKey()), Revision: at},
			plans.Op{Kind: histories.List, Scope: a.scope(), Revision: at})
	}
	name := a.someKey()
	if len(b.written) > 0 {
		name = b.written[0]
		bad = append(bad, plans.Op{Kind: histories.Put, Key: key(name)})
	}
	if a.mix.has[leases] {
		bad = append(bad, plans.Op{Kind: histories.Put, Key: key(name + "~"), Lease: a.unknownLease()})
	}
	if len(bad) == 0 {
		b.accepted = true
		return
	}
	op := pick(a.dice, bad...)
	b.ops = slices.Insert(b.ops, a.between(len(b.ops)/2, len(b.ops)), op)
}
