package generators

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// noise writes one random operation, of a kind that makes sense here.
func (a *author) noise() {
	lane := a.someLane()
	weights := make([]int, len(a.words.kinds))
	for i, k := range a.words.kinds {
		if a.words.sensible(a, lane, k.kind) {
			weights[i] = a.mix.kinds[k.kind]
		}
	}
	i := a.weighted(weights)
	if i < 0 {
		a.words.anything(a, lane)
		return
	}
	a.words.random(a, lane, a.words.kinds[i].kind)
}

// stir writes up to n random operations on other lanes than this one.
func (a *author) stir(lane, n int) {
	for range a.below(n + 1) {
		if other := a.someLane(); other != lane {
			a.noise()
		}
	}
}

// sensible reports whether there is something that the operation can be about.
func (a *author) sensible(lane int, kind noiseKind) bool {
	switch kind {
	case noiseKind(histories.Next):
		return len(a.pages(lane)) > 0
	case noiseKind(histories.Stop), noiseKind(histories.Await), noiseKind(histories.Progress):
		return len(a.streams(lane)) > 0
	case noiseKind(histories.Watch):
		return len(a.streams(lane)) < 4
	case noiseKind(histories.LeaseGrant):
		return len(a.held(lane)) < 3
	case noiseKind(histories.LeaseAttach), noiseKind(histories.LeaseKeepAlive),
		noiseKind(histories.LeaseTimeToLive), noiseKind(histories.LeaseRevoke):
		return len(a.grants(lane)) > 0
	default:
		return true
	}
}

// anything is for plans whose every kind is left out or unsupported: the plan has
// to do something.
func (a *author) anything(lane int) {
	a.add(lane, plans.Op{Kind: histories.Get, Key: key(a.someKey())}, true)
}

func (a *author) random(lane int, kind noiseKind) {
	switch kind {
	case noiseKind(histories.Create):
		a.create(lane, a.keyThat(a.chance(25)))
	case noiseKind(histories.Update):
		name := a.keyThat(a.chance(85))
		a.update(lane, name, a.expectation(lane, name))
	case noiseKind(histories.Delete):
		name := a.keyThat(a.chance(80))
		a.remove(lane, name, a.expectation(lane, name))
	case noiseKind(histories.Put):
		a.put(lane, a.someKey())
	case drop:
		a.drop(lane, a.keyThat(a.chance(75)))
	case noiseKind(histories.DeleteRange):
		a.dropRange(lane, a.scope())
	case noiseKind(histories.Transact):
		a.randomTransaction(lane)
	case noiseKind(histories.LeaseGrant):
		a.randomGrant(lane)
	case noiseKind(histories.LeaseAttach), noiseKind(histories.LeaseKeepAlive),
		noiseKind(histories.LeaseTimeToLive), noiseKind(histories.LeaseRevoke):
		a.randomLeaseCall(lane, histories.Kind(kind))
	case noiseKind(histories.Status):
		a.add(lane, plans.Op{Kind: histories.Status}, true)
	case noiseKind(histories.Get):
		a.randomGet(lane)
	case noiseKind(histories.List):
		a.randomList(lane)
	case noiseKind(histories.Next):
		a.randomNext(lane)
	case noiseKind(histories.Watch):
		a.randomWatch(lane)
	case noiseKind(histories.Stop):
		a.stop(lane, a.recent(a.streams(lane)).label)
	case noiseKind(histories.Await):
		a.randomAwait(lane)
	case noiseKind(histories.Progress):
		a.progress(lane, a.recent(a.streams(lane)).label)
	case noiseKind(histories.Compact):
		a.randomCompact(lane)
	default:
		panic("fault of rvcheck: no random operation " + string(kind))
	}
}

func (a *author) randomGet(lane int) {
	op, answered := a.getOp(lane)
	a.add(lane, op, answered)
}

// getOp draws a get, and says whether it is expected to be answered.
func (a *author) getOp(lane int) (op plans.Op, answered bool) {
	name := a.someKey()
	if a.chance(a.mix.options[absentKey]) {
		name = pick(a.dice, name+"x", name+"/", "none", name[:len(name)-1]+"_")
	}
	op = plans.Op{Kind: histories.Get, Key: key(name), Revision: a.readAt(lane)}
	a.rangeOptions(lane, &op)
	return op, a.answers(op.Revision)
}

func (a *author) randomList(lane int) {
	op, answered := a.listOp(lane)
	a.add(lane, op, answered)
}

// listOp draws a list, and says whether it is expected to be answered.
func (a *author) listOp(lane int) (op plans.Op, answered bool) {
	op = plans.Op{Kind: histories.List, Scope: a.scope(), Revision: a.readAt(lane)}
	if a.chance(a.mix.options[withLimit]) {
		op.Limit = int64(a.limit(op.Scope))
	}
	if a.chance(a.mix.options[withStartKey]) {
		op.Start, op.HasStart = a.startKey(), true
	}
	a.rangeOptions(lane, &op)
	return op, a.answers(op.Revision)
}

// rangeOptions gives a read the options that only etcd has, now and then.
func (a *author) rangeOptions(lane int, op *plans.Op) {
	op.Serializable = a.chance(a.mix.options[serializable])
	op.CountOnly = a.chance(a.mix.options[countOnly])
	op.KeysOnly = a.chance(a.mix.options[keysOnly])
	if a.chance(a.mix.options[sorted]) {
		a.sort(op)
	}
	if a.chance(a.mix.options[filtered]) {
		a.filter(lane, op)
	}
}

// sort draws an order.
func (a *author) sort(op *plans.Op) {
	op.Sort = pick(a.dice, histories.SortByKey, histories.SortByVersion, histories.SortByCreate, histories.SortByMod, histories.SortByValue)
	op.Order = pick(a.dice, "", histories.Ascend, histories.Descend, histories.Descend)
}

// filter draws one or two revision filters, at a write or right beside it.
func (a *author) filter(lane int, op *plans.Op) {
	bounds := []*plans.Ref{&op.MinMod, &op.MaxMod, &op.MinCreate, &op.MaxCreate}
	for range a.between(1, 2) {
		*bounds[a.below(len(bounds))] = a.filterBound(lane)
	}
}

// filters reports whether a read leaves out objects by their revisions.
func filters(op *plans.Op) bool {
	return op.MinMod != plans.Ref{} || op.MaxMod != plans.Ref{} || op.MinCreate != plans.Ref{} || op.MaxCreate != plans.Ref{}
}

func (a *author) filterBound(lane int) plans.Ref {
	choices := []choice[plans.Ref]{{2, now}, {1, plus(now, -a.between(1, 5))}, {1, number(1)}, {1, plus(now, 1)}}
	if marks := a.within(lane, mark.tells); len(marks) > 0 {
		choices = append(choices, choice[plans.Ref]{8, plus(rv(a.recent(marks).label), pick(a.dice, 0, 0, 1, -1))})
	}
	return choose(a.dice, choices)
}

func (a *author) randomNext(lane int) {
	limit := 0
	if a.chance(20) {
		limit = a.limit(everything)
	}
	a.next(lane, a.recent(a.pages(lane)).label, limit)
}

// pages are the pages that probably have another one after them.
func (a *author) pages(lane int) []mark {
	return a.within(lane, func(m mark) bool {
		full := m.op.Kind == histories.Next || m.op.Kind == histories.List && !m.op.HasStart
		if !full || !m.expected || m.op.CountOnly || m.op.Sort != "" || filters(m.op) {
			return false
		}
		page := a.read(m)
		return page.limit > 0 && page.behind < page.of
	})
}

// progressed says how far a chain of pages has come.
type progressed struct {
	// limit is that of the last page; behind counts the objects of all pages so
	// far, of those that the first page's revision has.
	limit, behind, of int64
}

// read says how far a page and those before it have come.
func (a *author) read(page mark) progressed {
	if page.op.Kind == histories.List {
		return progressed{limit: page.op.Limit, behind: page.op.Limit, of: int64(page.there)}
	}
	before := a.marks[a.place(page.op.Of)]
	p := a.read(before)
	if page.op.Limit != 0 {
		p.limit = page.op.Limit
	}
	p.behind += p.limit
	return p
}

func (a *author) randomCompact(lane int) {
	at := a.compactAt(lane)
	a.compact(lane, at, a.chance(a.mix.options[physical]))
}

// compactAt draws what to compact to: a revision of interest, now and then one
// that is refused.
func (a *author) compactAt(lane int) plans.Ref {
	choices := []choice[plans.Ref]{{1, now}, {3, plus(now, -a.between(1, 5))}}
	if marks := a.within(lane, mark.tells); len(marks) > 0 {
		choices = append(choices, choice[plans.Ref]{4, rv(a.recent(marks).label)})
	}
	if marks := a.within(lane, mark.removes); len(marks) > 0 {
		r := tombstone(a.recent(marks).label)
		choices = append(choices, choice[plans.Ref]{6, r}, choice[plans.Ref]{1, plus(r, -1)}, choice[plans.Ref]{1, plus(r, 1)})
	}
	if marks := a.within(lane, mark.compacts); len(marks) > 0 {
		choices = append(choices, choice[plans.Ref]{1, compacted}, choice[plans.Ref]{1, plus(compacted, 1)}, choice[plans.Ref]{1, plus(compacted, -1)})
	}
	if a.chance(a.mix.options[hostile]) {
		choices = append(choices, choice[plans.Ref]{3, plus(now, future)}, choice[plans.Ref]{1, number(0)}, choice[plans.Ref]{1, number(-1)})
	}
	return choose(a.dice, choices)
}
