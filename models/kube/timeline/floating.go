package timeline

import (
	"container/heap"
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// Gets, refusals and writes without an effect say what a key held, not when. Each has
// the set of revisions at which the timeline explains it. In order of call, each is
// given the smallest of these that is not below what was known before; where there is
// none, no order explains the answers.

// floating is an operation whose position is to be found.
type floating struct {
	op   *histories.Operation
	rank int
	sight
	// at is the position where the answer tells it, zero where it floats.
	at histories.Revision
	// property is broken where nothing explains the answer; stale where only a state
	// from before does.
	property, stale string
	// says is what the answer means.
	says string
}

// returned orders placed operations by their return.
type returned []placed

type placed struct {
	time     int64
	revision histories.Revision
	op       int
}

func (r returned) Len() int           { return len(r) }
func (r returned) Less(a, b int) bool { return r[a].time < r[b].time }
func (r returned) Swap(a, b int)      { r[a], r[b] = r[b], r[a] }
func (r *returned) Push(x any)        { *r = append(*r, x.(placed)) }
func (r *returned) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}

// placeFloating places every operation that asks for the most recent state.
func (j *judge) placeFloating() {
	var all []*floating
	for i := range j.history.Operations {
		if f := j.floatingOf(&j.history.Operations[i]); f != nil {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b *floating) int { return compareTimes(a.op.Call, b.op.Call) })
	var pending returned
	var low placed
	for _, f := range all {
		for len(pending) > 0 && pending[0].time < f.op.Call {
			if p := heap.Pop(&pending).(placed); p.revision > low.revision {
				low = p
			}
		}
		if at, ok := j.place(f, low); ok && f.op.Return != histories.Never {
			heap.Push(&pending, placed{j.surely(f.op.Return), at, f.op.ID})
		}
	}
}

func compareTimes(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

// floatingOf says what an operation needs of the state at its position, nil where that
// is nothing, or is judged elsewhere.
func (j *judge) floatingOf(op *histories.Operation) *floating {
	if j.Blamed(op.ID) || j.time.refuted[source{op: op.ID}] {
		return nil
	}
	if isRecentList(op) {
		return &floating{op: op, at: op.Answer.Revision, rank: -1, stale: models.ListFresh}
	}
	rank, known := j.ranks[op.Request.Key]
	if !known || op.Request.Options().GenerateName {
		return nil
	}
	f := &floating{op: op, rank: rank}
	switch {
	case op.Request.Kind == histories.Get && isRecentGet(op):
		return j.floatingGet(f)
	case op.Request.Kind == histories.Create, op.Request.Kind == histories.Update, op.Request.Kind == histories.Patch, op.Request.Kind == histories.Delete:
		return j.floatingWrite(f)
	default:
		return nil
	}
}

func (j *judge) floatingGet(f *floating) *floating {
	f.property, f.stale = models.GetSnapshot, models.GetFresh
	switch a := &f.op.Answer; {
	case a.Outcome == histories.OK && len(a.Objects) == 1 && a.Objects[0].RV > 0 && a.Objects[0].Key == f.op.Request.Key:
		f.sight = shownAt(a.Objects[0].RV)
		f.says = fmt.Sprintf("%s at resource version %d", j.state(&a.Objects[0], isPartial(f.op.Request.Options().Encoding)), a.Objects[0].RV)
	case isError(f.op, histories.NotFound):
		f.sight, f.says = nothing, "that there is nothing"
	default:
		return nil
	}
	j.Exercise(models.GetSnapshot)
	if j.time.learned(f.op.Call) > 0 {
		j.Exercise(models.GetFresh)
	}
	return f
}

// nothing is the sight of no object.
var nothing = sight{fits: func(o *histories.Object) bool { return o == nil }, absent: true}

// shownAt is the sight of an object at a resource version.
func shownAt(rv histories.Revision) sight {
	return sight{fits: func(o *histories.Object) bool { return o != nil && o.RV == rv }, version: rv}
}

// floatingWrite is about writes that were refused for the state of the object, dry runs,
// and those that succeed without having an effect. What has an effect of its own has a
// position.
func (j *judge) floatingWrite(f *floating) *floating {
	op, a := f.op, &f.op.Answer
	f.property = models.WriteConflictOwed
	f.stale = f.property
	class := histories.ErrorClass("")
	switch {
	case a.Outcome == histories.OK:
		return j.floatingSuccess(f)
	case a.Outcome == histories.Fail && a.Error != nil:
		class = a.Error.Class
	default:
		return nil
	}
	switch class {
	case histories.NotFound:
		f.sight, f.says = nothing, "that there is nothing"
	case histories.Exists:
		f.fits, f.says = func(o *histories.Object) bool { return o != nil }, "that the object exists"
	case histories.Conflict:
		if op.Request.Kind == histories.Create || op.Request.Kind == histories.Patch && op.Request.Options().Patch == histories.ApplyPatch ||
			!op.Request.Conditional && op.Request.ExpectUID == "" || op.Request.Conditional && op.Request.Expect == 0 {
			return nil
		}
		f.fits = func(o *histories.Object) bool {
			out := kube.WriteTo(&j.history.Header, o, &op.Request)
			return out.MayRefuse(histories.Conflict)
		}
		f.says = "that its condition does not hold"
	default:
		return nil
	}
	j.Exercise(f.property)
	return f
}

// floatingSuccess is about successful writes: what the answer shows was stored at the
// position, or would have been.
func (j *judge) floatingSuccess(f *floating) *floating {
	op, a := f.op, &f.op.Answer
	if own := j.ownRevision(op); own > 0 {
		f.at, f.stale = own, models.WriteRevisionOrder
		return f
	}
	f.property = models.WriteUpdateCAS
	switch op.Request.Kind {
	case histories.Create:
		f.property = models.WriteCreateExclusive
	case histories.Delete:
		f.property = models.WriteDeleteCAS
	case histories.Patch:
		if !op.Request.Conditional && op.Request.ExpectUID == "" {
			f.property = models.WritePatch
		}
	default: // an update
	}
	f.stale = f.property
	switch {
	case op.Request.Options().DryRun:
		f.fits = func(o *histories.Object) bool {
			out := kube.WriteTo(&j.history.Header, o, &op.Request)
			return !out.Refused()
		}
		f.says = "that it would succeed"
	case len(a.Objects) == 1 && !isLastBreath(&a.Objects[0]) && a.Objects[0].RV > 0:
		f.sight = shownAt(a.Objects[0].RV)
		f.says = fmt.Sprintf("%s at resource version %d", j.state(&a.Objects[0], false), a.Objects[0].RV)
	default:
		return nil
	}
	j.Exercise(f.property)
	return f
}

// place finds the position of an operation, and reports it where there is none.
func (j *judge) place(f *floating, low placed) (histories.Revision, bool) {
	known := j.time.learned(f.op.Call)
	floor := max(known, low.revision)
	if f.at > 0 {
		if f.at < low.revision && known < low.revision {
			j.reportBehind(f, low)
			return 0, false
		}
		return f.at, true
	}
	ceiling := j.time.ceiling(j.surely(f.op.Return))
	before := false
	for _, s := range j.recentSegments(f.rank, f.op.Return) {
		from, ok := s.opens(f.sight)
		if !ok || from > ceiling {
			continue
		}
		if at := max(from, floor); at <= min(s.to, ceiling) {
			return at, true
		}
		before = before || s.clear >= s.from && f.fits(s.object())
	}
	j.reportUnplaced(f, floor, ceiling, low, before)
	return 0, false
}

// recentSegments are the states that whoever asks for the most recent one may find: in a
// closed world the space was empty until the first write of the run.
func (j *judge) recentSegments(rank int, time int64) []segment {
	all := j.segments(rank, time)
	if j.closed() && len(all) > 1 && all[0].effect == nil && all[0].clear < 0 && all[1].effect == nil {
		all = all[1:]
		all[0].from = 0
	}
	return all
}

func (j *judge) reportBehind(f *floating, low placed) {
	j.Report(models.Finding{
		Property: f.stale, Operations: []int{f.op.ID, low.op}, Revision: low.revision,
		Allowed: fmt.Sprintf("resource version %d or a later one", low.revision), Observed: fmt.Sprintf("resource version %d", f.at),
		Explanation: fmt.Sprintf("%s was sent after %s was answered, which no state before resource version %d explains, but was answered at resource version %d.",
			j.name(f.op.ID), j.name(low.op), low.revision, f.at),
	})
}

func (j *judge) reportUnplaced(f *floating, floor, ceiling histories.Revision, low placed, before bool) {
	property := f.property
	if before {
		property = f.stale
	}
	wanted := fmt.Sprintf("a state at resource version %d or later", floor)
	if ceiling < unbounded {
		wanted = fmt.Sprintf("a state between the resource versions %d and %d", floor, ceiling)
	}
	e := j.before(f.rank, min(ceiling, unbounded-1)+1)
	held := j.before(f.rank, floor+1)
	ops := append([]int{f.op.ID}, opsOf(held)...)
	if low.revision == floor && j.time.learned(f.op.Call) < floor {
		ops = append(ops, low.op)
	} else if l := j.teacher(f.op.Call, floor); l != 0 {
		ops = append(ops, l)
	}
	text := fmt.Sprintf("%s said %s. Resource version %d was known when it was sent, and there %s held %s", j.name(f.op.ID), f.says, floor, j.quoted(f.rank), j.held(held))
	if ceiling < unbounded && e != held && e != nil {
		text += fmt.Sprintf(", and up to resource version %d nothing else explains it", ceiling)
	}
	j.Report(models.Finding{
		Property: property, Operations: ops, Revision: floor, Key: &j.keys[f.rank],
		Allowed: wanted, Observed: f.says, Explanation: text + ".",
	})
}

// teacher returns who had shown a revision before a time.
func (j *judge) teacher(time int64, revision histories.Revision) int {
	for _, l := range j.time.lessons {
		if l.time < time && l.revision == revision && !j.time.refuted[l.source] {
			return l.op
		}
	}
	return 0
}
