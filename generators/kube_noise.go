package generators

import (
	"math"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// kubeSensible says of the Kubernetes layer what sensible says of etcd's.
func (a *author) kubeSensible(lane int, kind noiseKind) bool {
	switch kind {
	case noiseKind(histories.Next):
		return len(a.pages(lane)) > 0
	case noiseKind(histories.Stop), noiseKind(histories.Await):
		return len(a.streams(lane)) > 0
	case noiseKind(histories.Watch):
		return len(a.streams(lane)) < 4
	default:
		return true
	}
}

func (a *author) kubeRandom(lane int, kind noiseKind) {
	switch kind {
	case noiseKind(histories.Create):
		a.randomCreate(lane)
	case noiseKind(histories.Update):
		name := a.keyThat(a.chance(85))
		a.kubeUpdate(lane, a.kubeExpectation(lane, name), name)
	case overwrite:
		a.kubeUpdate(lane, plans.Ref{}, a.keyThat(a.chance(85)))
	case noiseKind(histories.Delete):
		a.randomDelete(lane)
	case noiseKind(histories.Patch):
		a.randomPatch(lane)
	case noiseKind(histories.DeleteCollection):
		a.randomCollect(lane)
	case noiseKind(histories.Get):
		a.randomObject(lane)
	case noiseKind(histories.List):
		a.say(lane, a.someList(lane), true)
	case noiseKind(histories.Next):
		a.someNext(lane, a.recent(a.pages(lane)).label)
	case noiseKind(histories.Watch):
		a.say(lane, a.someWatch(lane), true)
	case noiseKind(histories.Stop):
		a.stop(lane, a.recent(a.streams(lane)).label)
	case noiseKind(histories.Await):
		a.kubeAwait(lane)
	case noiseKind(histories.Compact):
		a.compact(lane, a.kubeRevision(lane), false)
	default:
		panic("fault of rvcheck: no random operation of the Kubernetes layer " + string(kind))
	}
}

func (a *author) randomCreate(lane int) {
	name := a.keyThat(a.chance(25))
	switch {
	case a.chance(a.mix.options[withPrefix]):
		key := object(name)
		key.Name += "-"
		a.say(lane, plans.Op{Kind: histories.Create, Key: key, GenerateName: true, Labels: a.labels()}, true)
	case a.chance(a.mix.options[withDryRun]):
		a.say(lane, plans.Op{Kind: histories.Create, Key: object(name), DryRun: true}, false)
	default:
		a.create(lane, name)
	}
}

// kubeExpectation draws what an update is conditional on: what is there as a rule.
func (a *author) kubeExpectation(lane int, name string) plans.Ref {
	if !a.chance(a.mix.options[stale]) && a.alive[name] != "" {
		return a.current(lane, name)
	}
	choices := []choice[plans.Ref]{{2, now}, {1, number(1)}, {1, number(math.MaxInt64)}}
	for _, m := range a.within(lane, func(m mark) bool { return kubeTells(m) && m.wrote(name) }) {
		choices = append(choices, choice[plans.Ref]{4, rv(m.label)}, choice[plans.Ref]{1, plus(rv(m.label), 1)})
	}
	return choose(a.dice, choices)
}

func (a *author) randomDelete(lane int) {
	name := a.keyThat(a.chance(80))
	if a.chance(50) {
		op := a.preconditions(lane, name)
		op.DryRun = a.chance(a.mix.options[withDryRun])
		a.delete(lane, name, op)
		return
	}
	var op plans.Op
	if a.chance(60) {
		op.Expect = a.kubeExpectation(lane, name)
	}
	if a.chance(a.mix.options[withUID]) {
		op.UID = a.someUID(lane, name)
	}
	a.delete(lane, name, op)
}

func (a *author) randomPatch(lane int) {
	name := a.keyThat(a.chance(90))
	var op plans.Op
	switch {
	case a.chance(a.mix.options[withNoOp]):
		a.patch(lane, name, plans.Op{NoOp: true})
		return
	case a.chance(a.mix.options[withStatus]):
		op.Status = true
	case a.chance(a.mix.options[withFinalizers]):
		if op.ClearFinalizers = a.finalized[name] && a.chance(60); !op.ClearFinalizers {
			op.Finalizers = pick(a.dice, firstFinalizer, twoFinalizers)
		}
	}
	if a.chance(20) {
		op.Expect = a.kubeExpectation(lane, name)
	}
	if a.chance(a.mix.options[withUID] / 2) {
		op.UID = a.someUID(lane, name)
	}
	op.DryRun = a.chance(a.mix.options[withDryRun])
	a.patch(lane, name, op)
}

func (a *author) randomCollect(lane int) {
	op := plans.Op{Scope: inNamespace(pick(a.dice, a.spaces()...))}
	a.selectSome(&op)
	op.DryRun = a.chance(a.mix.options[withDryRun])
	a.collect(lane, op)
}

// randomObject gets an object, or what is none.
func (a *author) randomObject(lane int) {
	key := object(a.touched(lane))
	if a.chance(a.mix.options[absentKey]) {
		key.Name = pick(a.dice, key.Name+"x", "none")
	}
	op := plans.Op{Kind: histories.Get, Key: key}
	if a.chance(a.mix.options[atRevision]) {
		op.ResourceVersion = choose(a.dice, []choice[plans.Ref]{{2, number(0)}, {3, a.kubeRevision(lane)}})
	}
	op.RawResourceVersion = a.nonsenseRV(&op)
	a.encode(&op)
	a.say(lane, op, true)
}

// touched is an object that was written lately as a rule, and any other one else.
func (a *author) touched(lane int) string {
	marks := a.within(lane, func(m mark) bool {
		return m.expected && m.op.Kind.IsWrite() && m.op.Key.Name != "" && !m.op.GenerateName
	})
	if len(marks) == 0 || a.chance(35) {
		return a.someKey()
	}
	return path(a.recent(marks[max(0, len(marks)-4):]).op.Key)
}

// someList draws a list in any of the modes of the contract, and now and then one that
// has to be refused.
func (a *author) someList(lane int) plans.Op {
	op := plans.Op{Kind: histories.List, Scope: a.kubeScope()}
	if a.chance(a.mix.options[atRevision]) {
		op.ResourceVersion = choose(a.dice, []choice[plans.Ref]{{2, number(0)}, {6, a.kubeRevision(lane)}})
		if a.chance(a.mix.options[withMatch]) {
			op.Match = pick(a.dice, "Exact", "Exact", "NotOlderThan")
		}
		if op.Match == "Exact" && op.ResourceVersion == number(0) {
			op.Match = "NotOlderThan"
		}
	}
	if a.chance(a.mix.options[withLimit]) {
		op.Limit = int64(a.limit(op.Scope))
	}
	a.selectSome(&op)
	a.encode(&op)
	if a.chance(a.mix.options[withNonsense]) {
		a.contradict(&op)
	}
	return op
}

// contradict gives a read options that do not fit together, or texts that are none.
func (a *author) contradict(op *plans.Op) {
	switch a.below(6) {
	case 0:
		op.Match, op.ResourceVersion = pick(a.dice, "Exact", "NotOlderThan"), plans.Ref{}
	case 1:
		op.Match, op.ResourceVersion = "Exact", number(0)
	case 2:
		op.Match, op.ResourceVersion = pick(a.dice, "exact", "NewerThan"), now
	case 3:
		op.FieldSelector = "spec.none=1"
	case 4:
		op.LabelSelector = pick(a.dice, "x=(", "x in 1", "=1")
	default:
		op.RawResourceVersion, op.ResourceVersion = nonsenseText(a.dice), plans.Ref{}
	}
}

// nonsenseRV draws a resource version that is no number, where the plan has such, and
// takes its place.
func (a *author) nonsenseRV(op *plans.Op) string {
	if !a.chance(a.mix.options[withNonsense]) {
		return ""
	}
	op.ResourceVersion = plans.Ref{}
	return nonsenseText(a.dice)
}

func nonsenseText(d dice) string {
	return pick(d, "abc", "-1", "1.0", "18446744073709551616", "18446744073709551615", "01", " 5")
}

// someNext goes on behind a page, by its token or by a damaged one, and now and then
// with what no request beside a token may have (PAGE-09).
func (a *author) someNext(lane int, page string) string {
	op := plans.Op{Kind: histories.Next, Of: page}
	if a.chance(30) {
		op.Limit = int64(max(1, a.limit(everything)))
	}
	op.Damaged = a.chance(a.mix.options[withDamage])
	if a.chance(a.mix.options[withNonsense]) {
		op.ResourceVersion = pick(a.dice, number(0), now, number(1))
		op.Match = pick(a.dice, "", "", "Exact", "NotOlderThan")
	}
	refused := op.Damaged || op.ResourceVersion.Kind != plans.Unset
	return a.say(lane, op, !refused)
}

// someWatch draws a watch that begins with a state, from now, or behind a revision.
func (a *author) someWatch(lane int) plans.Op {
	op := plans.Op{Kind: histories.Watch, Scope: a.kubeScope()}
	if a.chance(a.mix.options[fromRevision]) {
		op.ResourceVersion = choose(a.dice, []choice[plans.Ref]{{2, number(0)}, {8, a.kubeRevision(lane)}, {1, plus(now, a.between(1, 4))}})
	}
	if a.chance(a.mix.options[withInitials]) {
		send := a.chance(80)
		op.SendInitialEvents, op.Match = &send, "NotOlderThan"
		op.AllowWatchBookmarks = a.chance(80)
	}
	if a.chance(a.mix.options[withNonsense] / 2) {
		op.Match, op.RawResourceVersion = pick(a.dice, "Exact", "NotOlderThan", ""), pick(a.dice, "", "abc")
		if op.RawResourceVersion != "" {
			op.ResourceVersion = plans.Ref{}
		}
	}
	a.kubeWatch(&op)
	return op
}

// kubeAwait waits for a write that the watch has to show, or for the newest.
func (a *author) kubeAwait(lane int) {
	w := a.recent(a.streams(lane))
	seen := a.within(lane, func(m mark) bool { return kubeTells(m) && m.shows(w.op) && a.after(m, w) })
	if len(seen) > 0 && a.chance(80) {
		a.await(lane, w.label, a.at(a.recent(seen).label))
		return
	}
	a.await(lane, w.label, now)
}
