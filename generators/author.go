package generators

import (
	"maps"
	"slices"
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// author writes one plan. It keeps an idea of what will have happened when an
// operation is carried out, in order to aim; the idea may be wrong where lanes run
// concurrently.
type author struct {
	dice
	cfg  Config
	mix  mix
	keys []string
	// words are those of the plan's layer.
	words vocabulary

	lanes []lane
	steps []plans.Step
	// phase counts the barriers, ops the operations; length is what ops comes to.
	phase, ops, length int
	marks              []mark
	// alive names the write that made each object that is there, born the one that
	// created it, and version counts its writes.
	alive   map[string]string
	born    map[string]string
	version map[string]int
	// bound names the grant whose lease an object is bound to, and gone the grants
	// whose lease was revoked or has expired.
	bound map[string]string
	gone  map[string]bool
	// finalized are the objects that have finalizers, doomed those of them whose
	// deletion has begun.
	finalized, doomed map[string]bool
	// loads counts the large payloads, which take a store longer than all the rest.
	loads int
	// trace names the scenes, for measuring.
	trace []string
}

// lane is a client; ops counts what it does.
type lane struct {
	name     string
	endpoint int
	ops      int
}

// mark remembers an operation that others can refer to. Its label is given now
// and taken away at the end if nobody did.
type mark struct {
	label string
	op    *plans.Op
	lane  int
	phase int
	// expected: the operation will do what it says, as far as one can tell.
	expected bool
	// there is the number of objects that were there by then, in the operation's scope.
	there int
	// puts are the keys that a transaction writes.
	puts []string
	// stream names the first watch on the transport stream of a watch.
	stream string
}

// compose draws a plan, and names its scenes.
func compose(d dice, cfg Config) (plans.Plan, []string) {
	a := &author{
		dice: d, cfg: cfg, mix: drawMix(d, cfg), words: vocabularyOf(cfg.Layer),
		keys: vocabularyOf(cfg.Layer).keys(d, cfg), alive: map[string]string{}, born: map[string]string{}, version: map[string]int{},
		bound: map[string]string{}, gone: map[string]bool{}, finalized: map[string]bool{}, doomed: map[string]bool{},
	}
	a.drawLanes()
	a.length = a.between(max(cfg.Steps/2, len(a.lanes)), cfg.Steps)
	if a.mix.patient {
		a.attempt(expiry)
	}
	for a.ops < a.length {
		a.part()
		if a.chance(a.mix.barrier) && a.ops < a.length {
			a.barrier()
		}
	}
	a.tidy()
	if !cfg.can(targets.Namespaces) {
		a.unscope()
	}
	return plans.Plan{Layer: cfg.Layer, Steps: a.steps}, a.trace
}

func (a *author) drawLanes() {
	n := a.cfg.Clients
	if n > 1 && a.chance(20) {
		n = 1 + a.below(n)
	}
	for i := range n {
		a.lanes = append(a.lanes, lane{name: "c" + strconv.Itoa(i+1), endpoint: 1})
	}
	if !a.cfg.can(targets.ManyEndpoints) {
		return
	}
	first := a.below(a.cfg.Endpoints)
	for i := range a.lanes {
		at := first + i // evenly as a rule
		if a.chance(20) {
			at = a.below(a.cfg.Endpoints)
		}
		a.lanes[i].endpoint = 1 + at%a.cfg.Endpoints
	}
}

// idle is the number of lanes without work yet.
func (a *author) idle() int {
	n := 0
	for _, l := range a.lanes {
		if l.ops == 0 {
			n++
		}
	}
	return n
}

// spare is the number of operations that can be added and still leave one for
// each lane without work.
func (a *author) spare() int { return a.length - a.ops - a.idle() }

// part writes a scene or some random operations.
func (a *author) part() {
	if a.chance(a.mix.sceneShare) {
		for range 2 { // the first may not fit
			if a.scene() {
				return
			}
		}
	}
	for range a.between(1, 5) {
		if a.ops < a.length {
			a.noise()
		}
	}
}

// scene writes a scene, and reports whether there was one that fits.
func (a *author) scene() bool {
	i := a.weighted(a.mix.scenes)
	return i >= 0 && a.attempt(a.words.scenes[i])
}

// attempt writes a scene if it fits.
func (a *author) attempt(s scene) bool {
	draft := a.clone()
	s.write(draft)
	if draft.spare() < 0 {
		return false
	}
	*a = *draft
	a.trace = append(a.trace, s.name)
	return true
}

func (a *author) clone() *author {
	draft := *a
	draft.lanes = slices.Clone(a.lanes)
	draft.steps = slices.Clone(a.steps)
	draft.marks = slices.Clone(a.marks)
	draft.alive, draft.born, draft.version = maps.Clone(a.alive), maps.Clone(a.born), maps.Clone(a.version)
	draft.bound, draft.gone = maps.Clone(a.bound), maps.Clone(a.gone)
	draft.finalized, draft.doomed = maps.Clone(a.finalized), maps.Clone(a.doomed)
	return &draft
}

// barrier lets all lanes meet, in plans that have barriers.
func (a *author) barrier() {
	if a.mix.barrier == 0 || len(a.steps) == 0 || a.steps[len(a.steps)-1].Barrier {
		return
	}
	a.steps = append(a.steps, plans.Step{Barrier: true})
	a.phase++
}

// someLane draws a lane, those without work more often.
func (a *author) someLane() int {
	if a.idle() > 0 && (a.spare() <= 0 || a.chance(60)) {
		for i, l := range a.lanes {
			if l.ops == 0 {
				return i
			}
		}
	}
	return a.below(len(a.lanes))
}

// turn goes on with the same lane, or after a barrier with another.
func (a *author) turn(lane int) int {
	if a.mix.barrier == 0 || len(a.lanes) == 1 || !a.chance(40) {
		return lane
	}
	a.barrier()
	return a.someLane()
}

// initials begin the labels, as in the examples of the documentation: a create
// is an "a", since lanes are a "c".
var initials = map[histories.Kind]string{
	histories.Create: "a", histories.Update: "u", histories.Delete: "d", histories.Put: "p",
	histories.Get: "g", histories.List: "l", histories.Next: "n", histories.Watch: "w",
	histories.Stop: "s", histories.Await: "o", histories.Progress: "r", histories.Compact: "k",
	histories.DeleteRange: "d", histories.Transact: "t", histories.LeaseGrant: "g", histories.LeaseAttach: "p",
	histories.LeaseKeepAlive: "e", histories.LeaseTimeToLive: "e", histories.LeaseRevoke: "v", histories.Status: "i",
	plans.FillKind: "f", plans.ExpireKind: "v", histories.Patch: "p", histories.DeleteCollection: "d",
}

// add writes an operation, in the form of the layer, and returns its label.
func (a *author) add(lane int, op plans.Op, expected bool) string {
	return a.say(lane, a.words.form(a, op, expected), expected)
}

// say writes an operation that has the form of the layer.
func (a *author) say(lane int, op plans.Op, expected bool) string {
	op.Lane, op.Endpoint = a.lanes[lane].name, a.lanes[lane].endpoint
	op.Label = initials[op.Kind] + strconv.Itoa(a.ops+1)
	a.steps = append(a.steps, plans.Step{Op: &op})
	a.marks = append(a.marks, mark{
		label: op.Label, op: &op, lane: lane, phase: a.phase, expected: expected, there: len(a.inside(op.Scope)), stream: op.Label,
	})
	a.lanes[lane].ops++
	a.ops++
	return op.Label
}

// tidy takes labels away that nothing refers to, and a barrier at the end.
func (a *author) tidy() {
	used := map[string]bool{}
	for _, step := range a.steps {
		if step.Op == nil {
			continue
		}
		for _, label := range step.Op.References() {
			used[label] = true
		}
	}
	for _, step := range a.steps {
		if step.Op != nil && !used[step.Op.Label] {
			step.Op.Label = ""
		}
	}
	if n := len(a.steps); n > 0 && a.steps[n-1].Barrier {
		a.steps = a.steps[:n-1]
	}
}

// within are the marks that will have happened when the lane gets here: its own
// and those of earlier phases.
func (a *author) within(lane int, want func(mark) bool) []mark {
	var found []mark
	for _, m := range a.marks {
		if (m.lane == lane || m.phase < a.phase) && want(m) {
			found = append(found, m)
		}
	}
	return found
}

// recent draws one of the marks, the later ones more often.
func (a *author) recent(marks []mark) mark {
	n := len(marks)
	return marks[n-1-min(a.below(n), a.below(n))]
}

// someKey draws one of the plan's keys.
func (a *author) someKey() string { return a.keys[a.below(len(a.keys))] }

// keyThat draws a key that is there, or that is not; any key if there is none.
func (a *author) keyThat(isThere bool) string {
	var found []string
	for _, key := range a.keys {
		if (a.alive[key] != "") == isThere {
			found = append(found, key)
		}
	}
	if len(found) == 0 {
		return a.someKey()
	}
	return found[a.below(len(found))]
}

// freshKey is a key that was never there, none of those taken: one of the plan's, or
// another one, which becomes one of them.
func (a *author) freshKey(taken ...string) string {
	for _, name := range a.keys {
		if a.born[name] == "" && !slices.Contains(taken, name) {
			return name
		}
	}
	name := a.someKey() + strconv.Itoa(len(a.keys))
	a.keys = slices.Sorted(slices.Values(append(slices.Clone(a.keys), name)))
	return name
}

// key makes a key of the etcd layer.
func key(name string) histories.Key { return histories.Key{Name: name} }
