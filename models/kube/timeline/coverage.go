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
		if !op.Request.Kind.IsWrite() || op.Request.Options().DryRun || !j.mayBeUnseen(op) {
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
		return a.Outcome != histories.Fail || a.Error != nil && a.Error.Class != histories.Invalid && a.Error.Class != histories.Busy
	case a.Outcome == histories.Fail:
		return false
	case a.Outcome == histories.OK && op.Request.Kind == histories.Delete:
		return len(a.Objects) == 0 && j.tombstone(a.Details().UID) == nil
	case a.Outcome == histories.OK && len(a.Objects) == 1:
		return isLastBreath(&a.Objects[0]) && j.tombstone(a.Objects[0].UID) == nil
	case op.Request.Kind == histories.Delete || takesFinalizers(&op.Request):
		return true
	default:
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

// clear returns the last revision up to which, from an effect on, no change of the key
// that nobody saw may lie, as far as something that was over at a time can have noticed.
func (j *judge) clear(rank int, e *effect, from histories.Revision, time int64) histories.Revision {
	if !j.closed() {
		if e != nil && j.vanished[e.uid] != nil {
			return from
		}
		return j.covered.Reach(from)
	}
	clear := unbounded
	if e != nil && j.vanished[e.uid] != nil && j.vanished[e.uid].Call <= j.surely(time) {
		clear = max(from, j.time.learned(j.vanished[e.uid].Call)) // whatever covers it did not tell
	}
	for _, op := range j.unseen[rank] {
		if op.Call <= j.surely(time) && mayChange(&op.Request, e) && !j.wasOver(op, from) {
			clear = min(clear, j.covered.Reach(max(from, j.time.learned(op.Call))))
		}
	}
	return clear
}

// mayChange reports whether a write may be the first to change a state: a create does
// nothing to what is there, and only a create or an apply to what is not.
func mayChange(r *histories.Request, e *effect) bool {
	if present := e != nil && !e.deleted(); present {
		return r.Kind != histories.Create
	}
	return r.Kind == histories.Create || r.Options().Patch == histories.ApplyPatch
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
	// clear is the last revision at which the state is certain, below from if none is.
	clear histories.Revision
}

// object is the state, nil where there is nothing.
func (s *segment) object() *histories.Object {
	if s.effect == nil {
		return nil
	}
	return s.effect.object
}

// opens returns the first revision of a segment at which an answer may find what fits:
// its beginning where its state does, else where the state is not certain any more. It
// is false where there is none. Version is the one that the answer shows, zero for none:
// what comes later cannot be older than the state.
func (s *segment) opens(fits func(o *histories.Object) bool, version histories.Revision) (histories.Revision, bool) {
	if fits(s.object()) {
		return s.from, s.from <= s.to
	}
	if s.clear >= s.to || version > 0 && s.effect != nil && version <= s.effect.revision {
		return 0, false
	}
	return max(s.from, s.clear+1), true
}

// segments are the states of a key over all revisions, as far as something that was over
// at a time can have noticed. What is older than the history is not certain.
func (j *judge) segments(rank int, time int64) []segment {
	b := j.base.revision
	first := segment{from: 0, to: unbounded, clear: -1}
	var all []segment
	if j.base.known && b < unbounded {
		all = append(all, segment{from: 0, to: b - 1, clear: -1})
		empty := b
		if j.base.objects == nil { // no list says so, and a write that nobody saw may be older
			empty = 0
		}
		first = segment{from: b, to: unbounded, clear: j.clear(rank, nil, empty, time)}
	}
	all = append(all, first)
	for _, e := range j.byKey[rank] {
		if e.lost {
			continue
		}
		last := &all[len(all)-1]
		if e.revision <= b { // what the space held when the history began
			last.effect = e
			last.clear = j.clear(rank, e, b, time)
			continue
		}
		last.to = e.revision - 1
		all = append(all, segment{from: e.revision, to: unbounded, effect: e, clear: j.clear(rank, e, e.revision, time)})
	}
	return all
}

// stateAt returns the state of a key at a revision, and whether it is certain.
func (j *judge) stateAt(rank int, revision histories.Revision, time int64) (*effect, bool) {
	for _, s := range j.segments(rank, time) {
		if s.from <= revision && revision <= s.to {
			return s.effect, revision <= s.clear
		}
	}
	return nil, false
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

// takes reports whether a list or a watch would show an object; partial encodings show
// labels as well.
func takes(scope histories.Scope, selector kube.Selector) func(o *histories.Object) bool {
	return func(o *histories.Object) bool { return scope.Contains(o.Key) && selector.Matches(o) }
}
