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
	op := plans.Op{
		Kind: histories.Watch, Scope: scope, StartRevision: from, PrevKV: prevKV,
		ProgressNotify: a.chance(a.mix.options[progressNotify]),
		Fragment:       a.chance(a.mix.options[fragmented]),
	}
	if a.chance(a.mix.options[onTransport]) {
		op.On = a.someTransport(lane)
	}
	if a.chance(a.mix.options[withID]) {
		op.ID = a.freshID()
	}
	return a.openWatch(lane, op)
}

// openWatch writes a watch whose options are all given.
func (a *author) openWatch(lane int, op plans.Op) string {
	op.Kind = histories.Watch
	label := a.add(lane, op, !a.taken(op))
	if op.On != "" {
		a.marks[len(a.marks)-1].stream = a.streamOf(op.On)
	}
	return label
}

// someTransport draws a watch of the lane whose transport stream another one can
// share, a cancelled one too; empty if there is none.
func (a *author) someTransport(lane int) string {
	var found []mark
	for _, m := range a.marks {
		if m.lane == lane && m.op.Kind == histories.Watch {
			found = append(found, m)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return a.recent(found).label
}

// op is the operation with this label.
func (a *author) op(label string) *plans.Op { return a.marks[a.place(label)].op }

// streamOf names the first watch on the transport stream of a watch.
func (a *author) streamOf(watch string) string {
	return a.marks[a.place(watch)].stream
}

// place is the index of a mark, by its label.
func (a *author) place(label string) int {
	return slices.IndexFunc(a.marks, func(m mark) bool { return m.label == label })
}

// freshID draws a watch id. Ids are above those that a server picks by counting.
func (a *author) freshID() int64 { return 100 + int64(a.ops) }

// taken reports whether the id of a watch is in use on its transport stream.
func (a *author) taken(op plans.Op) bool {
	if op.On == "" || op.ID == 0 {
		return false
	}
	stream := a.streamOf(op.On)
	return slices.ContainsFunc(a.marks, func(m mark) bool {
		return m.op.Kind == histories.Watch && m.expected && m.stream == stream && m.op.ID == op.ID && !a.stopped(m.label)
	})
}

func (a *author) stop(lane int, watch string) string {
	return a.add(lane, plans.Op{Kind: histories.Stop, Of: watch}, true)
}

func (a *author) await(lane int, watch string, at plans.Ref) string {
	return a.add(lane, plans.Op{Kind: histories.Await, Of: watch, Revision: at}, true)
}

// finally waits at the end of a scene, in some of them: the end of the run waits
// for all watches, and a watch from the past keeps a lane waiting for long.
func (a *author) finally(lane int, watch string, at plans.Ref) {
	if a.chance(35) {
		a.await(lane, watch, at)
	}
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
	return a.fillOf(lane, []choice[int]{{30, 10}, {30, 30}, {8, 100}, {3, 200}, {3, a.cfg.Fill}})
}

// backlog makes a history that a watch of it needs several responses for.
func (a *author) backlog(lane int) string {
	return a.fillOf(lane, []choice[int]{{40, 30}, {30, 100}, {10, 200}, {4, a.cfg.Fill}})
}

func (a *author) fillOf(lane int, sizes []choice[int]) string {
	n := min(a.cfg.Fill, choose(a.dice, sizes))
	return a.add(lane, plans.Op{Kind: plans.FillKind, Fill: n}, true)
}

// streams are the watches that the lane can still use.
func (a *author) streams(lane int) []mark {
	return a.within(lane, func(m mark) bool {
		return m.op.Kind == histories.Watch && m.expected && !a.stopped(m.label)
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
	op := a.op(a.watch(lane, a.scope(), from))
	if a.chance(a.mix.options[withFilter]) {
		op.NoPut, op.NoDelete = pick(a.dice, true, false), pick(a.dice, true, true, false)
	}
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
		choices = append(choices, choice[plans.Ref]{4, plus(now, future)}, choice[plans.Ref]{2, number(math.MaxInt64)}, choice[plans.Ref]{6, number(-a.negative())})
	}
	return choose(a.dice, choices)
}

// randomAwait waits for a write that the watch can see, or for the newest
// revision, which takes a progress notification.
func (a *author) randomAwait(lane int) {
	w := a.recent(a.streams(lane))
	seen := a.within(lane, func(m mark) bool {
		return m.expected && m.shows(w.op) && a.after(m, w)
	})
	if len(seen) > 0 && a.chance(80) {
		a.await(lane, w.label, rv(a.recent(seen).label))
		return
	}
	a.await(lane, w.label, now)
}

// after reports whether one mark stands behind the other in the plan.
func (a *author) after(m, other mark) bool {
	return a.place(m.label) > a.place(other.label)
}

// shows reports whether a watch would be told of the operation's effect.
func (m mark) shows(w *plans.Op) bool {
	switch name := path(m.op.Key); m.op.Kind {
	case histories.Create, histories.Update, histories.Patch, histories.Put, histories.LeaseAttach:
		return !w.NoPut && covers(w.Scope, name)
	case histories.Delete:
		return !w.NoDelete && covers(w.Scope, name)
	case histories.Transact:
		return !w.NoPut && slices.ContainsFunc(m.puts, func(name string) bool { return covers(w.Scope, name) })
	default:
		return false
	}
}
