package generators

import (
	"math"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// watch writes a watch; its options are drawn.
func (a *author) watch(lane int, scope histories.Scope, from plans.Ref) string {
	return a.watchWith(lane, scope, from, a.chance(a.mix.options[withPrevKV]))
}

func (a *author) watchWith(lane int, scope histories.Scope, from plans.Ref, prevKV bool) string {
	return a.add(lane, plans.Op{
		Kind: histories.Watch, Scope: scope, StartRevision: from, PrevKV: prevKV,
		ProgressNotify: a.chance(a.mix.options[progressNotify]),
	}, true)
}

func (a *author) stop(lane int, watch string) string {
	return a.add(lane, plans.Op{Kind: histories.Stop, Of: watch}, true)
}

func (a *author) await(lane int, watch string, at plans.Ref) string {
	return a.add(lane, plans.Op{Kind: histories.Await, Of: watch, Revision: at}, true)
}

// progress asks for progress where the target can be asked.
func (a *author) progress(lane int, watch string) {
	if a.cfg.can(targets.ProgressOnCall) {
		a.add(lane, plans.Op{Kind: histories.Progress, Of: watch}, true)
	}
}

// compact writes a compaction; expected to succeed where the revision is likely
// to be there and not compacted.
func (a *author) compact(lane int, at plans.Ref, physical bool) string {
	expected := at.Kind != plans.Number && at.Kind != plans.Compacted && at.Offset <= 0
	return a.add(lane, plans.Op{Kind: histories.Compact, Revision: at, Physical: physical}, expected)
}

// fill makes many revisions quickly.
func (a *author) fill(lane int) string {
	n := min(a.cfg.Fill, pick(a.dice, 10, 30, 100, a.cfg.Fill))
	return a.add(lane, plans.Op{Kind: plans.FillKind, Fill: n}, true)
}

// streams are the watches that the lane can still use.
func (a *author) streams(lane int) []mark {
	return a.within(lane, func(m mark) bool {
		return m.op.Kind == histories.Watch && !a.stopped(m.label)
	})
}

func (a *author) stopped(watch string) bool {
	return slices.ContainsFunc(a.marks, func(m mark) bool { return m.op.Kind == histories.Stop && m.op.Of == watch })
}

func (a *author) randomWatch(lane int) {
	from := plans.Ref{}
	if a.chance(a.mix.options[fromRevision]) {
		from = a.startRevision(lane)
	}
	a.watch(lane, a.scope(), from)
}

// startRevision draws where a watch begins: at a revision of interest, after one,
// or above everything yet.
func (a *author) startRevision(lane int) plans.Ref {
	choices := []choice[plans.Ref]{
		{8, a.revision(lane)}, {3, plus(now, 1)}, {1, plus(now, a.between(2, 5))}, {2, plus(now, -a.between(1, 9))},
	}
	if marks := a.within(lane, mark.tells); len(marks) > 0 {
		choices = append(choices, choice[plans.Ref]{4, plus(rv(a.recent(marks).label), 1)})
	}
	if a.chance(a.mix.options[hostile]) {
		choices = append(choices, choice[plans.Ref]{4, plus(now, future)}, choice[plans.Ref]{2, number(math.MaxInt64)})
	}
	return choose(a.dice, choices)
}

// randomAwait waits for a write that the watch can see, or for the newest
// revision, which takes a progress notification.
func (a *author) randomAwait(lane int) {
	w := a.recent(a.streams(lane))
	seen := a.within(lane, func(m mark) bool {
		return m.expected && m.op.Kind.IsWrite() && covers(w.op.Scope, m.op.Key.Name) && a.after(m, w)
	})
	if len(seen) > 0 && a.chance(80) {
		a.await(lane, w.label, rv(a.recent(seen).label))
		return
	}
	a.await(lane, w.label, now)
}

// after reports whether one mark stands behind the other in the plan.
func (a *author) after(m, other mark) bool {
	at := func(label string) int {
		return slices.IndexFunc(a.marks, func(m mark) bool { return m.label == label })
	}
	return at(m.label) > at(other.label)
}
