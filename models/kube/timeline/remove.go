package timeline

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// A delete does not tell its revision. What binds it to one is the uid that its answer
// names: the tombstone of that uid is its effect, or that of whoever else took the
// object away.

// bindDeletes holds acknowledged deletes against the tombstones of their uids.
func (j *judge) bindDeletes() {
	plain := map[string]*histories.Operation{}
	j.bindCollections()
	defer j.learnDeletes()
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if !isAcknowledgedDelete(op) {
			continue
		}
		uid := op.Answer.Details().UID
		j.Exercise(models.WriteDurable)
		t := j.tombstone(uid)
		if t == nil {
			j.judgeUnbound(op, uid)
			continue
		}
		b := j.before(t.rank, t.revision)
		j.Exercise(models.WriteDeleteCAS)
		switch earlier := plain[uid]; {
		case op.Request.ExpectUID != "" && op.Request.ExpectUID != uid:
			j.reportUnmet(op, t, b, "the uid "+op.Request.ExpectUID)
		case t.revision <= j.time.learned(op.Call):
			j.reportDeletedAgain(op, t)
		case t.revision > j.time.ceiling(j.surely(op.Return)):
			j.reportAlive(op, t.rank, fmt.Sprintf("removed only at resource version %d", t.revision))
		case b == nil || b.partial || b.deleted() || b.object.Deleting || len(b.object.Meta().Finalizers) > 0 || j.hadFinalizers(uid):
			// Whoever deletes such an object may be told of success though another took it away.
		case earlier != nil:
			j.reportShared(op, earlier, t)
		case op.Request.Conditional && op.Request.Expect != b.revision && j.certainBefore(t):
			j.reportUnmet(op, t, b, fmt.Sprintf("resource version %d", op.Request.Expect))
		default:
			plain[uid] = op
		}
	}
}

// learnDeletes takes the revisions of acknowledged deletions into what is known once they
// are answered: then the objects were gone.
func (j *judge) learnDeletes() {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if j.Blamed(op.ID) || op.Return == histories.Never {
			continue
		}
		for _, t := range j.tombstonesOf(op) {
			if len(t.sources) > 0 && !j.time.refuted[t.sources[0]] {
				j.time.lessons = append(j.time.lessons, lesson{source{op: op.ID}, j.surely(op.Return), t.revision})
			}
		}
	}
	slices.SortStableFunc(j.time.lessons, func(a, b lesson) int { return compareTimes(a.time, b.time) })
	j.settle()
}

// tombstonesOf are the removals that were certainly done when a deletion was answered. Where there are
// finalizers the deletion of a collection only begins them.
func (j *judge) tombstonesOf(op *histories.Operation) []*effect {
	var all []*effect
	if isAcknowledgedDelete(op) {
		all = append(all, j.tombstone(op.Answer.Details().UID))
	}
	if isAcknowledgedCollection(op) {
		for i := range op.Answer.Objects {
			if t := j.tombstone(op.Answer.Objects[i].UID); t != nil && !j.hadFinalizers(t.uid) && !j.mayGetFinalizers(t) && t.revision <= j.time.ceiling(j.surely(op.Return)) {
				all = append(all, t)
			}
		}
	}
	return slices.DeleteFunc(all, func(t *effect) bool { return t == nil })
}

// isAcknowledgedCollection reports whether an operation is a deletion of a collection that succeeded.
func isAcknowledgedCollection(op *histories.Operation) bool {
	return op.Request.Kind == histories.DeleteCollection && op.Answer.Outcome == histories.OK && !op.Request.Options().DryRun
}

// isAcknowledgedDelete reports whether a delete says that the object with a uid is gone.
func isAcknowledgedDelete(op *histories.Operation) bool {
	return op.Request.Kind == histories.Delete && op.Answer.Outcome == histories.OK && !op.Request.Options().DryRun &&
		len(op.Answer.Objects) == 0 && op.Answer.Details().UID != ""
}

func (j *judge) hadFinalizers(uid string) bool {
	for _, e := range j.byUID[uid] {
		if e.object != nil && (e.object.Deleting || len(e.object.Meta().Finalizers) > 0) {
			return true
		}
	}
	return false
}

// judgeUnbound judges an acknowledged delete whose tombstone nobody saw: the object
// must not be seen where the delete was over.
func (j *judge) judgeUnbound(op *histories.Operation, uid string) {
	known, ceiling := j.byUID[uid], j.time.ceiling(j.surely(op.Return))
	j.Exercise(models.WriteDeleteCAS)
	if r := &op.Request; r.Conditional && r.Expect >= ceiling {
		j.reportUnmetUnseen(op, fmt.Sprintf("it was over at resource version %d at most", ceiling))
		return
	}
	if len(known) == 0 {
		j.judgeUnknown(op, uid)
		return
	}
	last := known[len(known)-1]
	if r := &op.Request; r.Conditional && r.Expect != last.revision && (r.Expect < last.revision || !j.mayHaveChanged(last, op)) {
		j.reportUnmet(op, last, last, fmt.Sprintf("resource version %d", r.Expect))
		return
	}
	gone := func(*histories.Object) bool { return false }
	switch reader, earlier := j.seenAfter(op, uid, gone), j.vanished[uid]; {
	case ceiling <= last.revision:
		j.reportAlive(op, last.rank, fmt.Sprintf("%s, changed at resource version %d", j.state(last.object, last.partial), last.revision))
	case reader != nil:
		j.reportAlive(op, last.rank, "still shown by "+j.name(reader.ID))
	case earlier != nil && op.Call > j.surely(earlier.Return):
		j.reportGone(op, earlier, last.rank)
	default:
		// It is gone, as far as anybody can tell. That a watch which passed its place did not
		// tell is judged with the watch.
		j.vanish(uid, op)
	}
}

// vanish notes that an object was gone when a deletion was answered, of which no watch told.
func (j *judge) vanish(uid string, op *histories.Operation) {
	if earlier := j.vanished[uid]; earlier == nil || op.Return < earlier.Return {
		j.vanished[uid] = op
	}
}

// bindCollections finds objects that an acknowledged deletion of a collection says it met,
// and of whose deletion no watch told. Where they have finalizers they may still be there.
func (j *judge) bindCollections() {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if !isAcknowledgedCollection(op) {
			continue
		}
		for k := range op.Answer.Objects {
			o := &op.Answer.Objects[k]
			if rank, known := j.ranks[o.Key]; known && len(j.byUID[o.UID]) > 0 && j.tombstone(o.UID) == nil && !j.Blamed(op.ID) {
				j.bindMet(op, o, rank)
			}
		}
	}
}

func (j *judge) bindMet(op *histories.Operation, o *histories.Object, rank int) {
	marked := func(o *histories.Object) bool { return o.Deleting }
	if reader := j.seenAfter(op, o.UID, marked); reader != nil {
		j.reportLeft(op, rank, "still shown", j.name(reader.ID)+" still shows it", reader.ID)
		return
	}
	last := j.byUID[o.UID][len(j.byUID[o.UID])-1]
	plain := !o.Deleting && len(o.Meta().Finalizers) == 0 && !j.hadFinalizers(o.UID) && !j.mayGetFinalizers(last)
	// Where a watch of everything shows no deletion there was none: judgeCollection reports it.
	if ceiling := j.time.ceiling(j.surely(op.Return)); plain && last.revision < ceiling && j.covered.Reach(last.revision) < ceiling {
		j.vanish(o.UID, op)
	}
}

// mayGetFinalizers reports whether a write that nobody saw may have given an object
// finalizers.
func (j *judge) mayGetFinalizers(last *effect) bool {
	return !j.closed() || slices.ContainsFunc(j.unseen[last.rank], func(op *histories.Operation) bool {
		return op.Request.Kind != histories.Create && len(op.Request.Options().Finalizers) > 0 && mayMeet(op, last.uid)
	})
}

// removedBy are the uids of the objects that were gone when a deletion was answered, as far as no
// watch told of it.
func (j *judge) removedBy(op *histories.Operation) []string {
	var uids []string
	switch {
	case isAcknowledgedDelete(op):
		uids = append(uids, op.Answer.Details().UID)
	case op.Request.Kind == histories.DeleteCollection:
		for i := range op.Answer.Objects {
			uids = append(uids, op.Answer.Objects[i].UID)
		}
	}
	return slices.DeleteFunc(uids, func(uid string) bool { return j.vanished[uid] != op })
}

// mayHaveChanged reports whether a write that nobody saw may have given an object a newer
// version before it was deleted.
func (j *judge) mayHaveChanged(last *effect, deletion *histories.Operation) bool {
	return !j.closed() || slices.ContainsFunc(j.unseen[last.rank], func(op *histories.Operation) bool {
		marks := !deletes(op) || len(last.object.Meta().Finalizers) > 0
		return op != deletion && marks && j.mayChange(op, last)
	})
}

// judgeUnknown judges an acknowledged delete of an object that nobody saw: in a closed
// world somebody has to have made it.
func (j *judge) judgeUnknown(op *histories.Operation, uid string) {
	rank, known := j.ranks[op.Request.Key]
	if !j.closed() || !known || len(j.base.objects) > 0 {
		return
	}
	for i := range j.history.Operations {
		maker := &j.history.Operations[i]
		makes := j.mayCreate(&maker.Request)
		untold := maker.Answer.Outcome == histories.Unknown || maker.Answer.Outcome == histories.OK && len(maker.Answer.Objects) != 1
		if makes && untold && concerns(&maker.Request, op.Request.Key) && !maker.Request.Options().DryRun {
			return
		}
	}
	j.Report(models.Finding{
		Property: models.WriteDeleteCAS, Operations: []int{op.ID}, Key: &j.keys[rank], Allowed: "not found", Observed: "success",
		Explanation: fmt.Sprintf("%s was told that it deleted %s with the uid %s, but nobody has made an object with that uid.", j.name(op.ID), j.quoted(rank), uid),
	})
}

// seenAfter returns a read of the most recent state that was sent after a deletion was
// answered, or a list at a revision that the deletion cannot be above, that shows the object
// in a state that it may not have then.
func (j *judge) seenAfter(op *histories.Operation, uid string, may func(*histories.Object) bool) *histories.Operation {
	for i := range j.history.Operations {
		read := &j.history.Operations[i]
		recent := isRecentList(read) || isRecentGet(read) || read.Request.Kind == histories.DeleteCollection
		after := read.Call > j.surely(op.Return) && recent
		beyond := read.Request.Kind == histories.List && read.Answer.Revision >= j.time.ceiling(j.surely(op.Return))
		if read.Answer.Outcome != histories.OK || !after && !beyond {
			continue
		}
		for k := range read.Answer.Objects {
			if o := &read.Answer.Objects[k]; o.UID == uid && !may(o) {
				return read
			}
		}
	}
	return nil
}

func isRecentGet(op *histories.Operation) bool {
	return op.Request.Kind == histories.Get && op.Request.Options().ResourceVersion == ""
}

func (j *judge) reportAlive(op *histories.Operation, rank int, observed string) {
	j.Report(models.Finding{
		Property: models.WriteDurable, Operations: []int{op.ID}, Key: &j.keys[rank],
		Allowed: fmt.Sprintf("%s gone when the delete was answered", j.quoted(rank)), Observed: observed,
		Explanation: fmt.Sprintf("%s was told that %s is deleted, but the object was %s.", j.name(op.ID), j.quoted(rank), observed),
	})
}

func (j *judge) reportDeletedAgain(op *histories.Operation, t *effect) {
	j.Report(models.Finding{
		Property: models.WriteDeleteCAS, Operations: append([]int{op.ID}, opsOf(t)...), Revision: t.revision, Key: &j.keys[t.rank],
		Allowed: "not found", Observed: "success",
		Explanation: fmt.Sprintf("%s was told that it deleted %s, but the object with that uid was gone at resource version %d, before the call.", j.name(op.ID), j.quoted(t.rank), t.revision),
	})
}

// reportGone reports a delete of what another deletion had removed before.
func (j *judge) reportGone(op, earlier *histories.Operation, rank int) {
	j.Report(models.Finding{
		Property: models.WriteDeleteCAS, Operations: []int{op.ID, earlier.ID}, Key: &j.keys[rank], Allowed: "not found", Observed: "success",
		Explanation: fmt.Sprintf("%s was told that it deleted %s, but the object with that uid was gone when %s was answered, before the call.", j.name(op.ID), j.quoted(rank), j.name(earlier.ID)),
	})
}

// reportLeft reports a deletion of a collection that left an object.
func (j *judge) reportLeft(op *histories.Operation, rank int, observed, but string, others ...int) {
	j.Report(models.Finding{
		Property: models.WriteCollection, Operations: append([]int{op.ID}, others...), Key: &j.keys[rank],
		Allowed: j.quoted(rank) + " deleted, or marked as being deleted", Observed: observed,
		Explanation: fmt.Sprintf("%s says that it deleted %s, but %s.", j.name(op.ID), j.quoted(rank), but),
	})
}

// reportUnmetUnseen reports a delete that succeeded although the version that it asks for cannot have
// been there.
func (j *judge) reportUnmetUnseen(op *histories.Operation, why string) {
	j.Report(models.Finding{
		Property: models.WriteDeleteCAS, Operations: []int{op.ID}, Revision: op.Request.Expect, Key: &op.Request.Key,
		Allowed: "a refusal (conflict, or not found)", Observed: "success",
		Explanation: fmt.Sprintf("%s was told that it deleted %s if it has resource version %d, but %s.", j.name(op.ID), quote(op.Request.Key), op.Request.Expect, why),
	})
}

func (j *judge) reportUnmet(op *histories.Operation, t, b *effect, wanted string) {
	j.Report(models.Finding{
		Property: models.WriteDeleteCAS, Operations: append([]int{op.ID}, opsOf(b)...), Revision: t.revision, Key: &j.keys[t.rank],
		Allowed: "a refusal (conflict)", Observed: "success",
		Explanation: fmt.Sprintf("%s was told that it deleted %s if it has %s, but at resource version %d it was removed while it held %s.", j.name(op.ID), j.quoted(t.rank), wanted, t.revision, j.held(b)),
	})
}

func (j *judge) reportShared(op, earlier *histories.Operation, t *effect) {
	j.Report(models.Finding{
		Property: models.WriteDeleteCAS, Operations: []int{op.ID, earlier.ID}, Revision: t.revision, Key: &j.keys[t.rank],
		Allowed: "one delete that removes the object", Observed: fmt.Sprintf("%s and %s", j.name(earlier.ID), j.name(op.ID)),
		Explanation: fmt.Sprintf("%s and %s were both told that they deleted %s, which has no finalizers and was removed once, at resource version %d.",
			j.name(earlier.ID), j.name(op.ID), j.quoted(t.rank), t.revision),
	})
}

// dropLost takes acknowledged writes out of the timeline that nobody saw though two
// should have: they were lost, and no watch and no read can be blamed for that.
func (j *judge) dropLost() {
	for _, e := range j.effects {
		if e.author == nil || e.author.Answer.Outcome != histories.OK {
			continue
		}
		j.Exercise(models.WriteDurable)
		if len(e.sources) > 1 || j.builtUpon(e) {
			continue
		}
		if witnesses := j.missedBy(e); len(witnesses) > 1 {
			e.lost = true
			j.Report(models.Finding{
				Property: models.WriteDurable, Operations: append([]int{e.author.ID}, witnesses[:2]...), Revision: e.revision, Key: &j.keys[e.rank],
				Allowed: j.change(e), Observed: "nothing that shows it",
				Explanation: fmt.Sprintf("%s was told that it made resource version %d of %s, but neither %s nor %s, which passed it, show that.",
					j.name(e.author.ID), e.revision, j.quoted(e.rank), j.name(witnesses[0]), j.name(witnesses[1])),
			})
		}
	}
}

// builtUpon reports whether a later state of the object still holds the value, so that
// the write took effect whatever else did not show it.
func (j *judge) builtUpon(e *effect) bool {
	next := j.after(e.rank, e.revision)
	return next != nil && !next.deleted() && next.uid == e.uid &&
		(next.object.Write == e.object.Write && e.object.Write != "" || next.author != nil && next.author.Request.Expect == e.revision)
}

// missedBy returns who went past an effect without showing it: watches of everything,
// and reads of the most recent state that show an older one.
func (j *judge) missedBy(e *effect) []int {
	var all []int
	for _, s := range j.streams {
		from, ok := j.certainStart(s)
		if ok && s.whole() && from < e.revision && j.reached(s, from) >= e.revision {
			all = append(all, s.Op)
		}
	}
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if isRecentList(op) && op.Request.Scope.Contains(j.keys[e.rank]) && op.Answer.Revision >= e.revision && op.Answer.Continue == "" && plainList(op) ||
			op.Request.Kind == histories.Get && op.Request.Key == j.keys[e.rank] && isRecentGet(op) && op.Call > j.surely(e.author.Return) && hasAnswer(op) {
			if j.showsBefore(op, e) && !j.mayHaveGone(e, op) {
				all = append(all, op.ID)
			}
		}
	}
	return all
}

// mayHaveGone reports whether something that no stream shows may have removed or replaced
// the object before a read was answered.
func (j *judge) mayHaveGone(e *effect, read *histories.Operation) bool {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op != e.author && op.Request.Kind.IsWrite() && op.Call <= j.surely(read.Return) && concerns(&op.Request, j.keys[e.rank]) && j.mayBeUnseen(op) {
			return true
		}
	}
	return false
}

// plainList reports whether a list has no selector.
func plainList(op *histories.Operation) bool {
	return op.Request.Options().LabelSelector == "" && op.Request.Options().FieldSelector == ""
}

// hasAnswer reports whether a get says what there is, or that there is nothing.
func hasAnswer(op *histories.Operation) bool {
	return op.Answer.Outcome == histories.OK || isError(op, histories.NotFound)
}

func isError(op *histories.Operation, class histories.ErrorClass) bool {
	return op.Answer.Outcome == histories.Fail && op.Answer.Error != nil && op.Answer.Error.Class == class
}

// showsBefore reports whether an answer shows a key in a state from before an effect,
// with no other change of it between.
func (j *judge) showsBefore(op *histories.Operation, e *effect) bool {
	if next := j.after(e.rank, e.revision); next != nil && (op.Answer.Revision == 0 || next.revision <= op.Answer.Revision) {
		return false
	}
	for k := range op.Answer.Objects {
		if o := &op.Answer.Objects[k]; o.Key == j.keys[e.rank] {
			return o.RV < e.revision
		}
	}
	seen := op.Answer.Revision
	if seen == 0 {
		seen = j.time.ceiling(j.surely(op.Return))
	}
	if _, kept := j.certainty(e.rank, e, e.revision, op.Return); kept < seen {
		return false // somebody may have removed it since
	}
	b := j.before(e.rank, e.revision)
	return b == nil || b.deleted() || op.Request.Kind == histories.List || isError(op, histories.NotFound)
}
