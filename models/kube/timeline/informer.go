package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// judgeInformers holds what a client's library made of the store's answers against the
// timeline, of which it is no part: an informer teaches nothing about the store. States that
// were skipped are nobody's fault (INF-06), nor is a deletion told with an old state (INF-07) or an
// update that changes nothing (INF-08); and nothing is said of the order between objects (INF-03).
func (j *judge) judgeInformers() {
	for i := range j.history.Streams {
		s := &j.history.Streams[i]
		op := j.history.Operation(s.Op)
		if op != nil && op.Request.Kind == histories.Inform && op.Answer.Outcome == histories.OK {
			f := &informer{judge: j, Stream: s, known: map[int]*histories.Object{}, highest: map[int]histories.Revision{}}
			f.walk()
			f.judgeInitial()
		}
	}
	for i := range j.history.Operations {
		switch op := &j.history.Operations[i]; op.Request.Kind {
		case histories.Stored:
			j.judgeStored(op)
		case histories.ListPages:
			j.judgePager(op)
		default:
		}
	}
}

// informer walks the calls of one informer's handler.
type informer struct {
	*judge
	*histories.Stream
	// known is what the handler was told last of an object that is there, highest the
	// newest resource version that it was told of one, there or gone.
	known   map[int]*histories.Object
	highest map[int]histories.Revision
}

func (f *informer) walk() {
	for i := range f.Events {
		e := &f.Events[i]
		rank, sound := f.ranks[e.Object.Key]
		if !sound || e.Object.RV <= 0 {
			continue
		}
		switch e.Type {
		case histories.AddedEvent, histories.ModifiedEvent:
			f.hold(e, rank)
			f.known[rank] = &e.Object
		case histories.DeleteEvent:
			f.hold(e, rank)
			delete(f.known, rank)
		default:
			continue
		}
		f.highest[rank] = max(f.highest[rank], e.Object.RV)
	}
}

// hold holds one call of the handler.
func (f *informer) hold(e *histories.Event, rank int) {
	f.holdOrder(e, rank)
	f.holdSequence(e, rank)
	f.holdState(e, rank)
}

// holdOrder: no state comes after a newer one, and none comes twice (INF-01, INF-04).
func (f *informer) holdOrder(e *histories.Event, rank int) {
	before, told := f.highest[rank]
	if !told || e.Details().FinalStateUnknown {
		return
	}
	f.Exercise(models.InformerOrder)
	resync := e.Type == histories.ModifiedEvent && e.Prev != nil && e.Prev.RV == e.Object.RV
	switch {
	case e.Object.RV < before:
		f.fail(models.InformerOrder, e, rank, "nothing older than resource version "+before.String(), f.call(e),
			"%s told of %s at resource version %d and then %s", f.quoted(rank), before, f.call(e))
	case e.Object.RV == before && e.Type != histories.DeleteEvent && !resync:
		f.fail(models.InformerOrder, e, rank, "each change once", f.call(e)+" again", "%s told twice of %s at resource version %d", f.quoted(rank), before)
	}
}

// holdSequence: added, then updates from what was told before, then gone (INF-05).
func (f *informer) holdSequence(e *histories.Event, rank int) {
	f.Exercise(models.InformerHandlers)
	known := f.known[rank]
	switch {
	case e.Type == histories.AddedEvent && known != nil:
		f.fail(models.InformerHandlers, e, rank, "an update or a deletion: the object is known", f.call(e),
			"%s had told of %s at resource version %d, and then told of %s", f.quoted(rank), known.RV, f.call(e))
	case e.Type != histories.AddedEvent && known == nil:
		f.fail(models.InformerHandlers, e, rank, "an addition first: the object is not known", f.call(e),
			"%s told of %s, but had never told that %s was added, or had told since that it is gone", f.call(e), f.quoted(rank))
	case e.Type == histories.ModifiedEvent && e.Prev != nil && (e.Prev.RV != known.RV || e.Prev.UID != known.UID):
		f.fail(models.InformerHandlers, e, rank, fmt.Sprintf("an update from resource version %d", known.RV), fmt.Sprintf("from resource version %d", e.Prev.RV),
			"%s had told of %s at resource version %d, and then of an update of it from resource version %d", f.quoted(rank), known.RV, e.Prev.RV)
	}
}

// holdState: the object had that state (INF-01).
func (f *informer) holdState(e *histories.Event, rank int) {
	o := &e.Object
	if e.Details().FinalStateUnknown || f.isOld(o.Key, o.RV) {
		return
	}
	change := f.at[place{o.RV, rank}]
	if change == nil || change.lost {
		if f.nothingHides(rank, o.RV) {
			f.Exercise(models.InformerStates)
			f.fail(models.InformerStates, e, rank, "states that the object had", f.call(e), "%s told of %s, but nothing happened to the object there", f.call(e))
		}
		return
	}
	f.Exercise(models.InformerStates)
	switch removed := e.Type == histories.DeleteEvent; {
	case change.deleted() != removed:
		f.fail(models.InformerStates, e, rank, f.change(change), f.call(e), "%s told of %s, but what happened there is %s", f.call(e), f.change(change))
	case !removed:
		if differs := difference(change.object, o, change.partial); differs != "" {
			f.fail(models.InformerStates, e, rank, f.state(change.object, change.partial), f.state(o, change.partial),
				"%s told of %s as %s, but it was %s: they differ in %s", f.call(e), f.state(o, change.partial), f.state(change.object, change.partial), differs)
		}
	}
}

// call names a call of the handler.
func (f *informer) call(e *histories.Event) string {
	what := map[histories.EventType]string{
		histories.AddedEvent: "the addition", histories.ModifiedEvent: "an update", histories.DeleteEvent: "the deletion",
	}[e.Type]
	return fmt.Sprintf("%s of %s at resource version %d", what, quote(e.Object.Key), e.Object.RV)
}

// fail reports a violation by one call of the handler. The story is the form of a sentence
// with the name of the informer in its first place, and then the details.
func (f *informer) fail(property string, e *histories.Event, rank int, allowed, observed, story string, details ...any) {
	f.ReportStream(models.Finding{
		Property: property, Operations: append([]int{f.Op}, opsOf(f.at[place{e.Object.RV, rank}])...), Revision: e.Object.RV,
		Key: &f.keys[rank], Allowed: allowed, Observed: observed,
		Explanation: fmt.Sprintf(story, append([]any{f.name(f.Op)}, details...)...) + ".",
	})
}

// judgeInitial holds what the informer tells as its first list (INF-09). A list that failed
// on the way says nothing.
func (f *informer) judgeInitial() {
	synced := slices.IndexFunc(f.Events, func(e histories.Event) bool {
		return e.Type == histories.SyncedEvent || e.Type == histories.ErrorEvent
	})
	if synced < 0 || f.Events[synced].Type == histories.ErrorEvent {
		return
	}
	f.Exercise(models.InformerInitial)
	first := map[int]*histories.Event{}
	for i := range f.Events {
		e := &f.Events[i]
		rank, sound := f.ranks[e.Object.Key]
		if !sound || !e.Details().Initial {
			continue
		}
		if i > synced {
			f.fail(models.InformerInitial, e, rank, "all of the first list before the handler is synced", f.call(e)+" of the first list",
				"%s said that its handler is synced, and then told of %s as a part of its first list", f.call(e))
			return
		}
		first[rank] = e
	}
	f.findFirst(first)
}

// findFirst looks for the state that the first list shows. A list from a cache may be
// old: what nothing in it forces to be of this history may be of before.
func (f *informer) findFirst(first map[int]*histories.Event) {
	at := histories.Revision(0)
	for _, e := range first {
		at = max(at, e.Object.RV)
	}
	candidates := []histories.Revision{at}
	for _, e := range f.effects {
		if e.revision > at && !e.lost {
			candidates = append(candidates, e.revision)
		}
	}
	nearest, fewest := candidates[0], len(f.keys)+1
	for _, r := range candidates {
		switch wrong := f.differing(first, r); {
		case len(wrong) == 0:
			return
		case len(wrong) < fewest:
			nearest, fewest = r, len(wrong)
		}
	}
	rank := f.differing(first, nearest)[0]
	held, _ := f.stateAt(rank, nearest, histories.Never)
	observed := "nothing"
	if e := first[rank]; e != nil {
		observed = fmt.Sprintf("resource version %d", e.Object.RV)
	}
	f.ReportStream(models.Finding{
		Property: models.InformerInitial, Operations: append([]int{f.Op}, opsOf(held)...), Revision: nearest, Key: &f.keys[rank],
		Allowed: "one state of the store, such as that at resource version " + nearest.String(), Observed: observed + " of " + f.quoted(rank),
		Explanation: fmt.Sprintf("%s told of %s as its first list, which the store never held: at resource version %d, which is nearest, %s held %s, but it told of %s.",
			f.name(f.Op), plural(len(first), "object"), nearest, f.quoted(rank), f.held(held), observed),
	})
}

// differing lists the objects that a first list does not show as they were at a
// revision, as far as that is certain.
func (f *informer) differing(first map[int]*histories.Event, r histories.Revision) []int {
	var wrong []int
	for rank := range f.keys {
		var o *histories.Object
		if e := first[rank]; e != nil {
			o = &e.Object
		}
		if e, certain := f.stateAt(rank, r, histories.Never); certain && !shows(e, o) {
			wrong = append(wrong, rank)
		}
	}
	return wrong
}

// shows reports whether an object, nil for nothing, is the state of an effect.
func shows(e *effect, o *histories.Object) bool {
	if e == nil || e.deleted() {
		return o == nil
	}
	return o != nil && o.RV == e.revision
}

// judgeStored holds what an informer's store held when it had come to the last write
// against what the handler was told, and against the last state (INF-02).
func (j *judge) judgeStored(op *histories.Operation) {
	s := j.history.Stream(op.Request.Of)
	if s == nil || op.Answer.Outcome == histories.Unknown || s.End != nil && s.End.Time <= op.Return {
		return
	}
	stored := map[int]*histories.Object{}
	for i := range op.Answer.Objects {
		if rank, sound := j.ranks[op.Answer.Objects[i].Key]; sound {
			stored[rank] = &op.Answer.Objects[i]
		}
	}
	j.judgeHandler(s, op, stored)
	// An informer whose requests failed may be waiting to try again.
	failed := slices.ContainsFunc(s.Events, func(e histories.Event) bool { return e.Type == histories.ErrorEvent })
	if op.Answer.Outcome == histories.OK || !failed {
		j.judgeComplete(op, stored)
	}
}

// judgeHandler: at some moment while the run waited the handler had been told of what the store
// held.
func (j *judge) judgeHandler(s *histories.Stream, op *histories.Operation, stored map[int]*histories.Object) {
	j.Exercise(models.InformerTold)
	told := map[int]histories.Revision{}
	agreed := map[int]bool{}
	compare := func(rank int) {
		o := stored[rank]
		agreed[rank] = agreed[rank] || o == nil && told[rank] == 0 || o != nil && told[rank] == o.RV
	}
	next := 0
	for ; next < len(s.Events) && s.Events[next].Time <= op.Call; next++ {
		j.tell(told, &s.Events[next])
	}
	for rank := range j.keys {
		compare(rank)
	}
	for ; next < len(s.Events) && s.Events[next].Time <= op.Return; next++ {
		j.tell(told, &s.Events[next])
		if rank, sound := j.ranks[s.Events[next].Object.Key]; sound {
			compare(rank)
		}
	}
	for rank := range j.keys {
		if agreed[rank] {
			continue
		}
		allowed, observed := "nothing", "nothing"
		if o := stored[rank]; o != nil {
			allowed = "resource version " + o.RV.String()
		}
		if told[rank] > 0 {
			observed = "resource version " + told[rank].String()
		}
		j.reportStored(models.InformerTold, op, rank, allowed, observed, fmt.Sprintf("holds %s of %s, but told its handler of %s", allowed, j.quoted(rank), observed))
		return
	}
}

// tell takes note of what a handler is told, zero for what is gone.
func (j *judge) tell(told map[int]histories.Revision, e *histories.Event) {
	rank, sound := j.ranks[e.Object.Key]
	if !sound {
		return
	}
	switch e.Type {
	case histories.AddedEvent, histories.ModifiedEvent:
		told[rank] = e.Object.RV
	case histories.DeleteEvent:
		told[rank] = 0
	default:
	}
}

// judgeComplete: the store held what the objects were at the last write, or later.
func (j *judge) judgeComplete(op *histories.Operation, stored map[int]*histories.Object) {
	j.Exercise(models.InformerComplete)
	last := op.Request.Revision
	for rank := range j.keys {
		o := stored[rank]
		right := slices.ContainsFunc(j.segments(rank, histories.Never), func(s segment) bool {
			return s.to >= last && (shows(s.effect, o) || s.clear < s.to)
		})
		if right {
			continue
		}
		held, _ := j.stateAt(rank, last, histories.Never)
		observed := "nothing"
		if o != nil {
			observed = fmt.Sprintf("%s, resource version %d", j.state(o, false), o.RV)
		}
		j.reportStored(models.InformerComplete, op, rank, j.held(held), observed,
			fmt.Sprintf("holds %s of %s, but at the last write, resource version %d, that held %s", observed, j.quoted(rank), last, j.held(held)))
		return
	}
}

// reportStored reports what is wrong with an informer's store. The story goes on behind
// its name.
func (j *judge) reportStored(property string, op *histories.Operation, rank int, allowed, observed, story string) {
	held, _ := j.stateAt(rank, op.Request.Revision, histories.Never)
	j.ReportStream(models.Finding{
		Property: property, Operations: append([]int{op.ID, op.Request.Of}, opsOf(held)...), Revision: op.Request.Revision, Key: &j.keys[rank],
		Allowed: allowed, Observed: observed, Explanation: fmt.Sprintf("%s %s.", j.name(op.ID), story),
	})
}

// judgePager holds what a pager put together: each object once, and the state at the
// resource version that it tells (INF-14).
func (j *judge) judgePager(op *histories.Operation) {
	a := &op.Answer
	if a.Outcome != histories.OK || a.Revision <= 0 {
		return
	}
	j.Exercise(models.PagerSnapshot)
	shown := map[histories.Key]*histories.Object{}
	for i := range a.Objects {
		shown[a.Objects[i].Key] = &a.Objects[i]
	}
	everything := selection{takes: func(*histories.Object) bool { return true }}
	for rank, k := range j.keys {
		if !op.Request.Scope.Contains(k) {
			continue
		}
		held := j.segmentAt(rank, a.Revision, op.Return)
		if !held.allows(view{shown[k], true, everything}, a.Revision) {
			j.reportContent(op, models.PagerSnapshot, rank, held.effect, shown[k])
			return
		}
	}
	if twice := firstTwice(a.Objects); twice != nil {
		j.Report(models.Finding{
			Property: models.PagerSnapshot, Operations: []int{op.ID}, Revision: a.Revision, Key: &twice.Key,
			Allowed: "each object once", Observed: quote(twice.Key) + " twice",
			Explanation: fmt.Sprintf("%s put %s together twice.", j.name(op.ID), quote(twice.Key)),
		})
	}
}

// firstTwice is an object of which there are two, nil if there is none.
func firstTwice(objects []histories.Object) *histories.Object {
	sorted := slices.Clone(objects)
	slices.SortStableFunc(sorted, func(a, b histories.Object) int {
		return cmp.Or(cmp.Compare(a.Key.Namespace, b.Key.Namespace), cmp.Compare(a.Key.Name, b.Key.Name))
	})
	for i := 1; i < len(sorted); i++ {
		if sorted[i].Key == sorted[i-1].Key {
			return &sorted[i]
		}
	}
	return nil
}
