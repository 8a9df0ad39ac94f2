package generators

import (
	"math"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

func rv(label string) plans.Ref { return plans.Ref{Kind: plans.RV, Label: label} }

func tombstone(label string) plans.Ref { return plans.Ref{Kind: plans.Tombstone, Label: label} }

func number(n int64) plans.Ref { return plans.Ref{Kind: plans.Number, Offset: n} }

// plus moves a reference.
func plus(r plans.Ref, n int) plans.Ref {
	r.Offset += int64(n)
	return r
}

var (
	now       = plans.Ref{Kind: plans.Now}
	last      = plans.Ref{Kind: plans.Last}
	compacted = plans.Ref{Kind: plans.Compacted}
)

// future is a revision that no run reaches.
const future = 1_000_000

// create writes a create; expected to succeed where the key is not there.
func (a *author) create(lane int, name string) string {
	op, allowed := a.dress(lane, plans.Op{Kind: histories.Create, Key: key(name)})
	return a.change(lane, op, allowed && a.alive[name] == "")
}

// update writes an update that is conditional on the revision.
func (a *author) update(lane int, name string, expect plans.Ref) string {
	op, allowed := a.dress(lane, plans.Op{Kind: histories.Update, Key: key(name), Expect: expect})
	return a.change(lane, op, allowed && a.matches(name, expect))
}

// put writes an unconditional put.
func (a *author) put(lane int, name string) string {
	op, allowed := a.dress(lane, plans.Op{Kind: histories.Put, Key: key(name)})
	return a.change(lane, op, allowed)
}

// change writes an operation that stores a value; expected: it will.
func (a *author) change(lane int, op plans.Op, expected bool) string {
	label := a.add(lane, op, expected)
	if expected {
		a.made(op.Key.Name, label, op.Lease)
	}
	return label
}

// remove writes a conditional delete.
func (a *author) remove(lane int, name string, expect plans.Ref) string {
	matches := a.matches(name, expect)
	label := a.add(lane, plans.Op{Kind: histories.Delete, Key: key(name), Expect: expect}, matches)
	if matches {
		a.removed(name)
	}
	return label
}

// removed notes that an object was deleted: one with finalizers goes when they do.
func (a *author) removed(name string) {
	if a.finalized[name] {
		a.doomed[name] = true
		return
	}
	a.unmade(name)
}

// drop writes an unconditional delete.
func (a *author) drop(lane int, name string) string {
	label := a.add(lane, plans.Op{Kind: histories.Delete, Key: key(name)}, a.alive[name] != "")
	a.removed(name)
	return label
}

// dropRange writes a delete of a whole scope.
func (a *author) dropRange(lane int, scope histories.Scope) string {
	covered := a.inside(scope)
	label := a.add(lane, plans.Op{
		Kind: histories.DeleteRange, Scope: scope, PrevKV: a.chance(a.mix.options[withPrevKV]),
	}, len(covered) > 0)
	a.unmade(covered...)
	return label
}

// inside are the keys in the scope that are there.
func (a *author) inside(scope histories.Scope) []string {
	var found []string
	for _, name := range a.keys {
		if a.alive[name] != "" && covers(scope, name) {
			found = append(found, name)
		}
	}
	return found
}

// made notes that an operation made an object, bound to a lease or to none.
func (a *author) made(name, label, lease string) {
	if a.alive[name] == "" {
		a.born[name], a.version[name] = label, 0
	}
	a.alive[name] = label
	a.version[name]++
	delete(a.bound, name)
	if lease != "" {
		a.bound[name] = lease
	}
}

// unmade notes that objects are gone.
func (a *author) unmade(names ...string) {
	for _, name := range names {
		delete(a.alive, name)
		delete(a.bound, name)
		delete(a.finalized, name)
		delete(a.doomed, name)
	}
}

// matches reports whether a condition is expected to hold.
func (a *author) matches(name string, expect plans.Ref) bool {
	there := a.alive[name]
	return there != "" && (expect == last || expect == rv(there))
}

// dress gives a write labels, a payload and a lease now and then. allowed: the
// store is expected not to refuse what it got.
func (a *author) dress(lane int, op plans.Op) (dressed plans.Op, allowed bool) {
	allowed = true
	if a.chance(a.mix.options[withLabels]) {
		op.Labels = pick(a.dice, map[string]string{"x": "1"}, map[string]string{"x": "2"}, map[string]string{"x": "1", "y": ""})
	}
	if a.chance(a.mix.options[withSize]) {
		op.Size = pick(a.dice, 1, 64, 1000, 10_000, 100_000)
	}
	if a.loads < mostLoads && a.chance(a.mix.options[withBulk]) {
		a.loads++
		op.Size = pick(a.dice, 1_000_000, largest, largest, tooLarge, tooLarge, farTooLarge)
		allowed = op.Size <= largest
	}
	if a.chance(a.mix.options[withLease]) && (len(a.held(lane)) > 0 || a.chance(5)) {
		lease, held := a.someLease(lane)
		op.Lease, allowed = lease, allowed && held
	}
	return op, allowed
}

// mostLoads is how many large payloads a plan has at most.
const mostLoads = 4

// Payloads around the limit of etcd, 1.5 MiB for a whole request.
const (
	largest     = 1_500_000
	tooLarge    = 1_573_000
	farTooLarge = 2_200_000 // above what gRPC takes there
)

// store writes something that is expected to succeed: a create where the key is
// not there, else an update, or a put where there are puts.
func (a *author) store(lane int, name string) string {
	switch cas := a.cfg.can(targets.Writes); {
	case a.kube():
		return a.kubeStore(lane, name)
	case !cas || a.cfg.can(targets.Puts) && a.chance(25):
		return a.put(lane, name)
	case a.alive[name] == "":
		return a.create(lane, name)
	default:
		return a.update(lane, name, a.current(lane, name))
	}
}

// current is the revision of an object that is there: last as a rule, but the
// very write if nothing else says that the run knows the key by now.
func (a *author) current(lane int, name string) plans.Ref {
	known := a.within(lane, func(m mark) bool {
		return m.expected && m.wrote(name)
	})
	if len(known) == 0 {
		return rv(a.alive[name])
	}
	return last
}

// erase writes a delete that is expected to succeed, of a key that is there.
func (a *author) erase(lane int, name string) string {
	switch cas := a.cfg.can(targets.Writes); {
	case a.kube():
		return a.kubeErase(lane, name)
	case !cas && !a.cfg.can(targets.Deletes):
		return a.put(lane, name) // nothing can be deleted
	case !cas || a.cfg.can(targets.Deletes) && a.chance(25):
		return a.drop(lane, name)
	case a.reaches(lane, a.alive[name]) && a.chance(50):
		return a.remove(lane, name, rv(a.alive[name]))
	default:
		return a.remove(lane, name, a.current(lane, name))
	}
}

// present makes sure that the key is there, and returns the write that made it.
func (a *author) present(lane int, name string) string {
	if made := a.alive[name]; made != "" && a.reaches(lane, made) {
		return made
	}
	return a.store(lane, name)
}

// reaches reports whether the labelled operation will have happened when the lane
// gets here.
func (a *author) reaches(lane int, label string) bool {
	return len(a.within(lane, func(m mark) bool { return m.label == label })) > 0
}

// expectation draws what an update or a delete of the key is conditional on:
// mostly what is there, else something that is or might be wrong.
func (a *author) expectation(lane int, name string) plans.Ref {
	if !a.chance(a.mix.options[stale]) {
		if made := a.alive[name]; a.reaches(lane, made) && a.chance(35) {
			return rv(made)
		}
		if a.alive[name] != "" {
			return a.current(lane, name)
		}
	}
	choices := []choice[plans.Ref]{{2, number(0)}, {2, now}, {1, number(1)}}
	for _, m := range a.within(lane, func(m mark) bool { return m.expected && (m.wrote(name) || m.deleted(name)) }) {
		choices = append(choices, choice[plans.Ref]{4, rv(m.label)}, choice[plans.Ref]{1, plus(rv(m.label), pick(a.dice, -1, 1))})
	}
	if a.alive[name] != "" {
		choices = append(choices, choice[plans.Ref]{2, plus(last, -1)}, choice[plans.Ref]{1, plus(last, 1)})
	}
	if a.chance(a.mix.options[hostile]) {
		choices = append(choices, choice[plans.Ref]{4, plus(now, future)}, choice[plans.Ref]{2, number(-1)}, choice[plans.Ref]{2, number(math.MaxInt64)})
	}
	return choose(a.dice, choices)
}

// wrote reports whether the operation writes the key, or would.
func (m mark) wrote(name string) bool {
	switch m.op.Kind {
	case histories.Create, histories.Update, histories.Patch, histories.Put, histories.LeaseAttach:
		return path(m.op.Key) == name
	default:
		return slices.Contains(m.puts, name)
	}
}

// deleted reports whether the operation deletes just the key, or would.
func (m mark) deleted(name string) bool {
	return m.op.Kind == histories.Delete && path(m.op.Key) == name
}
