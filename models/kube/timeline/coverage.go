package timeline

import (
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/internal/intervals"
	"github.com/rvcheck/rvcheck/models/kube"
)

// cover finds out over which resource versions nothing can be missing from the
// timeline: where a watch over everything, from a known one on, has delivered what
// came before something else.
func (j *judge) cover() {
	var all []intervals.Interval
	for _, s := range j.streams {
		if from, ok := j.certainStart(s); s.whole() && ok {
			if reached := j.reached(s, from); reached > from {
				all = append(all, intervals.Interval{After: from, UpTo: reached})
			}
		}
	}
	j.covered = intervals.Of(all)
}

// certainStart is the resource version after which a watch certainly owes everything.
// One that begins with a state and does not tell where owes, in a closed world, what
// was written after it was accepted.
func (j *judge) certainStart(s *stream) (histories.Revision, bool) {
	switch {
	case s.from > 0:
		return s.from, true
	case s.told > 0 && s.state:
		return s.told, true
	case j.closed() && !j.wroteBefore(s.op.Return):
		return j.base.revision, true
	default:
		return 0, false
	}
}

func (j *judge) wroteBefore(time int64) bool {
	return slices.ContainsFunc(j.history.Operations, func(op histories.Operation) bool {
		return op.Request.Kind.IsWrite() && op.Call <= j.surely(time)
	})
}

// reached is how far a stream has provably come: an event proves what came before it,
// a bookmark what is at it as well.
func (j *judge) reached(s *stream, from histories.Revision) histories.Revision {
	reached := from
	for i := range s.Events {
		e := &s.Events[i]
		switch {
		case e.Type == histories.ErrorEvent:
			return reached
		case j.time.refuted[source{s.Op, i + 1}]:
		case i < s.end && s.state:
		case e.Type == histories.ProgressEvent:
			reached = max(reached, e.Header)
		default:
			reached = max(reached, e.Object.RV-1)
		}
	}
	return reached
}

// findUnseen lists, by key, the calls whose effect nobody saw. Outside the coverage
// such an effect may hide.
func (j *judge) findUnseen() {
	j.unseen = make([][]*histories.Operation, len(j.keys))
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if !op.Request.Kind.IsWrite() || op.Request.Options().DryRun || op.Request.Options().NoOp || !j.mayBeUnseen(op) {
			continue
		}
		for rank, k := range j.keys {
			if concerns(&op.Request, k) && (op.Request.Kind != histories.DeleteCollection || mayHaveMet(op, k)) {
				j.unseen[rank] = append(j.unseen[rank], op)
			}
		}
	}
}

// concerns reports whether a write may change a key.
func concerns(r *histories.Request, k histories.Key) bool {
	switch {
	case r.Kind == histories.DeleteCollection:
		return r.Scope.Contains(k)
	case r.Options().GenerateName:
		return k.Namespace == r.Key.Namespace && strings.HasPrefix(k.Name, r.Key.Name)
	default:
		return k == r.Key
	}
}

// mayHaveMet reports whether a deletion of a collection may have deleted an object: one
// that was acknowledged shows what it found (WR-26).
func mayHaveMet(op *histories.Operation, k histories.Key) bool {
	return op.Answer.Outcome != histories.OK ||
		slices.ContainsFunc(op.Answer.Objects, func(o histories.Object) bool { return o.Key == k })
}

// mayBeUnseen reports whether a write may have an effect that the timeline lacks.
func (j *judge) mayBeUnseen(op *histories.Operation) bool {
	a := &op.Answer
	switch {
	case op.Request.Kind == histories.DeleteCollection:
		return mayHaveBegun(a)
	case a.Outcome == histories.Fail:
		return false
	case a.Outcome == histories.OK && op.Request.Kind == histories.Delete:
		return len(a.Objects) == 0 && j.tombstone(a.Details().UID) == nil
	case a.Outcome == histories.OK && len(a.Objects) == 1:
		return isLastBreath(&a.Objects[0]) && j.tombstone(a.Objects[0].UID) == nil
	case op.Request.Kind == histories.Delete:
		return true
	default:
		// One that takes the last finalizer removes the object, and stores nothing.
		e := j.firstOf(op)
		return e == nil || j.mayBeOfAnother(e, op)
	}
}

// mayBeOfAnother reports whether the first effect that shows the value of a write may be
// that of another write, which kept the value that it found: then the write's own effect
// lies below, where nobody saw it.
func (j *judge) mayBeOfAnother(e *effect, op *histories.Operation) bool {
	if e.author != nil {
		return e.author != op
	}
	if b := j.before(e.rank, e.revision); e.object.Deleting && (b == nil || b.deleted() || !b.object.Deleting) {
		return true
	}
	for _, s := range e.sources {
		if teller := j.history.Operation(s.op); s.event == 0 && teller != op && teller.Request.Kind.IsWrite() {
			return true
		}
	}
	for i := range j.history.Operations {
		other := &j.history.Operations[i]
		if other != op && other.Answer.Outcome == histories.Unknown && keepsValue(&other.Request) && concerns(&other.Request, j.keys[e.rank]) {
			return true
		}
	}
	for _, id := range []histories.WriteID{e.object.Write, e.object.Meta().Status} {
		if other := j.writers[id]; id != "" && other != nil && other != op && j.firstOf(other) == e {
			return true
		}
	}
	return false
}

// keepsValue reports whether a write changes an object without storing a value.
func keepsValue(r *histories.Request) bool {
	changes := r.Kind == histories.Update || r.Kind == histories.Patch
	return changes && !r.Options().NoOp && !r.Options().DryRun && (r.Options().Status || r.Write == "")
}

// takesFinalizers reports whether an update or a patch may take away finalizers, and
// so remove an object without its value ever being stored.
func takesFinalizers(r *histories.Request) bool {
	o := r.Options()
	return !o.Status && !o.NoOp && (r.Kind == histories.Update || r.Kind == histories.Patch && (o.ClearFinalizers || len(o.Finalizers) > 0))
}

// tombstone returns the effect that removed the object with a uid, nil if none is known.
func (j *judge) tombstone(uid string) *effect {
	if uid == "" {
		return nil
	}
	for _, e := range j.byUID[uid] {
		if e.deleted() {
			return e
		}
	}
	return nil
}

// certainty returns the last revision up to which, from an effect on, no change of the key
// that nobody saw may lie, and the last up to which no removal may, as far as something that
// was over at a time can have noticed.
func (j *judge) certainty(rank int, e *effect, from histories.Revision, time int64) (clear, kept histories.Revision) {
	if !j.closed() {
		if e != nil && j.vanished[e.uid] != nil {
			return from, from
		}
		return j.covered.Reach(from), j.covered.Reach(from)
	}
	clear, kept = unbounded, unbounded
	if e != nil && j.vanished[e.uid] != nil && j.vanished[e.uid].Call <= j.surely(time) {
		clear = max(from, j.time.learned(j.vanished[e.uid].Call)) // whatever covers it did not tell
		kept = clear
	}
	for _, op := range j.unseen[rank] {
		if op.Call > j.surely(time) || j.wasOver(op, from) {
			continue
		}
		certain := j.covered.Reach(max(from, j.time.learned(op.Call)))
		if j.mayChange(op, e) {
			clear = min(clear, certain)
		}
		if j.mayRemove(op, e) {
			kept = min(kept, certain)
		}
	}
	return clear, kept
}

// mayChange reports whether a write may be the first to change a state: a create does
// nothing to what is there, only a create, an apply, or where they create an update to what is
// not, and a condition has to hold.
func (j *judge) mayChange(op *histories.Operation, e *effect) bool {
	r := &op.Request
	switch {
	case e == nil || e.deleted():
		return j.mayCreate(r)
	case r.Kind == histories.Create, !mayMeet(op, e.uid):
		return false
	case e.object.Deleting && takesFinalizers(r):
		return true // it looks at the condition, and removes the object later
	default:
		return !r.Conditional || r.Expect == 0 || r.Expect == e.revision
	}
}

// mayRemove reports whether a write may remove an object, perhaps after other changes that
// nobody saw.
func (j *judge) mayRemove(op *histories.Operation, e *effect) bool {
	r := &op.Request
	switch {
	case e == nil || e.deleted(), !mayMeet(op, e.uid):
		return false
	case r.Kind == histories.Delete:
		return !r.Conditional || r.Expect == 0 || r.Expect >= e.revision
	default:
		return r.Kind == histories.DeleteCollection || e.object.Deleting && takesFinalizers(r)
	}
}

// mayCreate reports whether a write may make an object where there is none.
func (j *judge) mayCreate(r *histories.Request) bool {
	switch {
	case r.Kind == histories.Create:
		return true
	case r.Options().Status:
		return false
	default:
		return r.Options().Patch == histories.ApplyPatch || r.Kind == histories.Update && j.updatesCreate()
	}
}

// updatesCreate reports whether updates make what is not there (WR-11).
func (j *judge) updatesCreate() bool {
	_, lacks := j.history.Header.Unsupported[histories.StrictUpdates]
	return lacks
}

// mayMeet reports whether a write may be about the object with a uid, as far as its request
// and its answer name one. A patch of a status may take no notice of the one in its request.
func mayMeet(op *histories.Operation, uid string) bool {
	r, named := &op.Request, namedUID(op)
	wanted := r.ExpectUID == "" || r.ExpectUID == uid || r.Kind == histories.Patch && r.Options().Status
	return uid == "" || wanted && (named == "" || named == uid)
}

// namedUID is the uid of the object that a delete says it met, empty where it does not say, and for
// other writes: one that takes the last finalizer may remove what has come in the place of the
// object that it shows (finding A2).
func namedUID(op *histories.Operation) string {
	switch {
	case op.Request.Kind != histories.Delete || op.Answer.Outcome != histories.OK:
		return ""
	case len(op.Answer.Objects) == 1:
		return op.Answer.Objects[0].UID
	default:
		return op.Answer.Details().UID
	}
}

// wasOver reports whether a write was answered before a revision was there.
func (j *judge) wasOver(op *histories.Operation, revision histories.Revision) bool {
	return op.Answer.Outcome == histories.OK && j.time.ceiling(j.surely(op.Return)) < revision
}

// segment is a stretch of revisions, both ends included, over which the timeline has
// one state of a key.
type segment struct {
	from, to histories.Revision
	// effect is the state, nil where the key was never there.
	effect *effect
	// clear is the last revision at which the state is certain, below from if none is; kept the
	// last at which it is certain that the object, in this state or a later one, is there.
	clear, kept histories.Revision
}

// object is the state, nil where there is nothing.
func (s *segment) object() *histories.Object {
	if s.effect == nil {
		return nil
	}
	return s.effect.object
}

// sight is what an answer shows of a key.
type sight struct {
	// fits reports whether an object, nil for none, explains the answer.
	fits func(o *histories.Object) bool
	// version is the resource version that the answer shows, zero for none; absent: it says
	// that there is nothing.
	version histories.Revision
	absent  bool
}

// opens returns the first revision of a segment at which an answer may be given: its
// beginning where its state explains it, else where the state is not certain any more. It
// is false where there is none. A version is not older than itself, and nothing comes after
// it unseen that would show it again.
func (s *segment) opens(of sight) (histories.Revision, bool) {
	if of.fits(s.object()) {
		return s.from, s.from <= s.to
	}
	certain := s.clear
	if of.absent {
		certain = s.kept
	}
	if certain >= s.to || of.version > s.to || of.version > 0 && s.effect != nil && of.version <= s.effect.revision {
		return 0, false
	}
	return max(s.from, certain+1, of.version), true
}

// segments are the states of a key over all revisions, as far as something that was over
// at a time can have noticed. What is older than the history is not certain.
func (j *judge) segments(rank int, time int64) []segment {
	b := j.base.revision
	first := segment{from: 0, to: unbounded, clear: -1, kept: -1}
	var all []segment
	if j.base.known && b < unbounded {
		all = append(all, segment{from: 0, to: b - 1, clear: -1, kept: -1})
		empty := b
		if j.base.objects == nil { // no list says so, and a write that nobody saw may be older
			empty = 0
		}
		first = j.segment(rank, nil, empty, time)
		first.from = b
	}
	all = append(all, first)
	for _, e := range j.byKey[rank] {
		if e.lost {
			continue
		}
		last := &all[len(all)-1]
		if e.revision <= b { // what the space held when the history began
			*last = j.segment(rank, e, b, time)
			continue
		}
		last.to = e.revision - 1
		all = append(all, j.segment(rank, e, e.revision, time))
	}
	return all
}

// segment is the state that an effect left, nil for none, from a revision on.
func (j *judge) segment(rank int, e *effect, from histories.Revision, time int64) segment {
	s := segment{from: from, to: unbounded, effect: e}
	s.clear, s.kept = j.certainty(rank, e, from, time)
	return s
}

// stateAt returns the state of a key at a revision, and whether it is certain.
func (j *judge) stateAt(rank int, revision histories.Revision, time int64) (*effect, bool) {
	s := j.segmentAt(rank, revision, time)
	return s.effect, revision <= s.clear
}

// segmentAt returns the segment of a key at a revision, one that is certain of nothing where
// there is none.
func (j *judge) segmentAt(rank int, revision histories.Revision, time int64) segment {
	for _, s := range j.segments(rank, time) {
		if s.from <= revision && revision <= s.to {
			return s
		}
	}
	return segment{clear: -1, kept: -1}
}

// open says what the judge had to leave undecided: writes of unknown outcome that may
// hide where no watch covers the history, below its last change.
func (j *judge) open() string {
	if len(j.effects) == 0 {
		return ""
	}
	last := j.effects[len(j.effects)-1].revision - 1
	for _, changes := range j.unseen {
		for _, op := range changes {
			if op.Answer.Outcome == histories.Unknown && j.covered.Reach(j.time.learned(op.Call)) < last {
				return j.name(op.ID) + ", whose outcome is unknown, may have taken effect where no watch covers the history"
			}
		}
	}
	return ""
}

// hidden names a deletion that was acknowledged, and whose place nobody told.
func (j *judge) hidden() string {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if isAcknowledgedDelete(op) && j.tombstone(op.Answer.Details().UID) == nil {
			return j.name(op.ID) + " was acknowledged, but no watch tells its resource version"
		}
	}
	return ""
}

// selection is what a list or a watch shows.
type selection struct {
	takes func(o *histories.Object) bool
	// byLabels: a change of an object's labels may make it begin or cease to belong.
	byLabels bool
}

func selects(r *histories.Request, selector kube.Selector) selection {
	return selection{takes(r.Scope, selector), r.Options().LabelSelector != ""}
}

// takes reports whether a list or a watch would show an object; partial encodings show
// labels as well.
func takes(scope histories.Scope, selector kube.Selector) func(o *histories.Object) bool {
	return func(o *histories.Object) bool { return scope.Contains(o.Key) && selector.Matches(o) }
}
