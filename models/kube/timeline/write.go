package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// judgeWrites replays the timeline: each change against the state before it.
func (j *judge) judgeWrites() {
	seen := map[string]*effect{}
	for _, e := range j.effects {
		if e.lost {
			continue
		}
		b := j.before(e.rank, e.revision)
		certain := j.certainBefore(e)
		if b != nil && b.deleted() {
			b = nil
		}
		if e.author == nil {
			e.author = j.authorOf(e, b, certain)
		}
		j.judgeIdentity(e, b, certain, seen)
		if certain && j.judgePhases(e, b) && e.deleted() {
			continue // that it was removed so is told, whoever did
		}
		if certain {
			j.judgeGeneration(e, b)
			j.judgeCondition(e, b)
			j.judgeSilentWrite(e, b)
		} else {
			j.judgeMade(e)
		}
		j.judgeOrigin(e, b, certain)
	}
	j.judgeAcknowledged()
}

// certainBefore reports whether no change of the key can hide between an effect and the
// one before it.
func (j *judge) certainBefore(e *effect) bool {
	_, certain := j.stateAt(e.rank, e.revision-1, histories.Never)
	return certain
}

// judgeIdentity holds uids: fresh at a creation, the same until the deletion (WR-05, RV-10).
func (j *judge) judgeIdentity(e, b *effect, certain bool, seen map[string]*effect) {
	if e.deleted() || e.uid == "" {
		return
	}
	first := seen[e.uid]
	if first == nil {
		seen[e.uid] = e
	}
	j.Exercise(models.WriteIdentity)
	switch {
	case first != nil && first.rank != e.rank:
		j.reportIdentity(e, fmt.Sprintf("a uid of its own, not that of %s", j.quoted(first.rank)), first)
	case !certain && first != nil && e.author != nil && e.author.Request.Kind == histories.Create:
		j.reportIdentity(e, "a uid of its own, not that of an older object", first)
	case !certain:
	case b != nil && b.uid != e.uid && b.uid != "":
		j.reportIdentity(e, "the uid "+b.uid+" until it is deleted", b)
	case b == nil && first != nil:
		j.reportIdentity(e, "a new uid after the deletion", first)
	}
}

func (j *judge) reportIdentity(e *effect, allowed string, other *effect) {
	j.Report(models.Finding{
		Property: models.WriteIdentity, Operations: append(opsOf(e), opsOf(other)...), Revision: e.revision, Key: &j.keys[e.rank],
		Allowed: allowed, Observed: "the uid " + e.uid,
		Explanation: fmt.Sprintf("%s has the uid %s at resource version %d, where the contract wants %s.", j.quoted(e.rank), e.uid, e.revision, allowed),
	})
}

// judgePhases holds the deletion of objects with finalizers (WR-24), and reports whether it is
// wrong.
func (j *judge) judgePhases(e, b *effect) bool {
	if b == nil || b.object == nil || b.uid != e.uid {
		return false
	}
	finalizers := len(b.object.Meta().Finalizers) > 0
	if !finalizers && !b.object.Deleting {
		return false
	}
	j.Exercise(models.WriteTwoPhase)
	switch {
	case !e.deleted() && b.object.Deleting && !e.object.Deleting:
		j.reportPhase(e, "to stay marked as being deleted", "was no longer marked", b)
	case !e.deleted() || !finalizers || j.mayHaveLooked(e, b):
		return false // a delete that looked for finalizers before there were some removes the object later
	case !b.object.Deleting:
		j.reportPhase(e, "to be marked as being deleted first", "was removed at once", b)
	case j.closed() && !j.hasRemover(e, func(op *histories.Operation) bool { return takesFinalizers(&op.Request) }):
		j.reportPhase(e, "to stay until its finalizers are taken away", "was removed though nobody had taken them away", b)
	default:
		return false
	}
	return true
}

// mayHaveLooked reports whether the delete that removed an object may have looked whether
// it has finalizers before it got those that it had in the end: a server looks and
// removes in two steps.
func (j *judge) mayHaveLooked(e, b *effect) bool {
	if !j.closed() {
		return true
	}
	had := b
	for p := j.before(had.rank, had.revision); p != nil && p.uid == e.uid && p.object != nil && len(p.object.Meta().Finalizers) > 0; {
		had, p = p, j.before(p.rank, p.revision)
	}
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if deletes(op) && canRemove(op) && concerns(&op.Request, j.keys[e.rank]) && j.mayOverlap(op, had.author) && mayMeet(op, e.uid) {
			return true
		}
	}
	return false
}

// mayOverlap reports whether a write may have been under way while another one was,
// where the other is known.
func (j *judge) mayOverlap(op, other *histories.Operation) bool {
	if other == nil {
		return true
	}
	over := j.surely(op.Return)
	if op.Answer.Outcome == histories.Unknown {
		over = histories.Never
	}
	return op.Call <= j.surely(other.Return) && other.Call <= over
}

func (j *judge) reportPhase(e *effect, allowed, observed string, b *effect) {
	j.Report(models.Finding{
		Property: models.WriteTwoPhase, Operations: append(opsOf(e), opsOf(b)...), Revision: e.revision, Key: &j.keys[e.rank],
		Allowed: allowed, Observed: observed,
		Explanation: fmt.Sprintf("%s held %s. It had %s, but at resource version %d it %s.", j.quoted(e.rank), j.held(b), allowed, e.revision, observed),
	})
}

// judgeCondition holds a write whose effect is known against the state just before it.
func (j *judge) judgeCondition(e, b *effect) {
	op := e.author
	if op == nil || e.deleted() || b != nil && b.partial {
		return
	}
	r := &op.Request
	if r.Options().GenerateName || r.Key != j.keys[e.rank] {
		r = named(r, j.keys[e.rank])
	}
	property := conditionProperty(r)
	j.Exercise(property)
	var before *histories.Object
	if b != nil {
		before = b.object
	}
	out := kube.WriteTo(&j.history.Header, before, r)
	switch {
	case out.Refused():
		j.reportCondition(op, e, b, property, string(out.Refusal))
	case out.Object == nil || e.partial || out.Loose || out.Change != kube.Stored:
	default:
		wanted := *out.Object
		wanted.UID = e.object.UID
		if differs := difference(&wanted, e.object, false); differs != "" {
			if r.Kind == histories.Patch {
				property = models.WritePatch
			}
			j.reportMade(op, e, b, property, &wanted)
		}
	}
}

// named is a create with a generated name, under the name that it got.
func named(r *histories.Request, k histories.Key) *histories.Request {
	full := *r
	full.Key = k
	return &full
}

func conditionProperty(r *histories.Request) string {
	switch {
	case r.Kind == histories.Create:
		return models.WriteCreateExclusive
	case r.Kind == histories.Patch && !r.Conditional && r.ExpectUID == "":
		return models.WritePatch
	default:
		return models.WriteUpdateCAS
	}
}

func (j *judge) reportCondition(op *histories.Operation, e, b *effect, property, refusal string) {
	j.Report(models.Finding{
		Property: property, Operations: append([]int{op.ID}, opsOf(b)...), Revision: e.revision, Key: &j.keys[e.rank],
		Allowed: "a refusal (" + refusal + ")", Observed: fmt.Sprintf("an effect at resource version %d", e.revision),
		Explanation: fmt.Sprintf("%s took effect on %s at resource version %d, but just before %s held %s%s.",
			j.name(op.ID), j.quoted(e.rank), e.revision, j.quoted(e.rank), j.held(b), expected(&op.Request)),
	})
}

// expected says what the precondition of a write was.
func expected(r *histories.Request) string {
	switch {
	case r.Conditional && r.Expect != 0:
		return fmt.Sprintf(", while the write was for resource version %d", r.Expect)
	case r.ExpectUID != "":
		return ", while the write was for the uid " + r.ExpectUID
	default:
		return ""
	}
}

func (j *judge) reportMade(op *histories.Operation, e, b *effect, property string, wanted *histories.Object) {
	j.Report(models.Finding{
		Property: property, Operations: append([]int{op.ID}, opsOf(b)...), Revision: e.revision, Key: &j.keys[e.rank],
		Allowed: j.state(wanted, false), Observed: j.state(e.object, false),
		Explanation: fmt.Sprintf("%s found %s as %s and should have made %s of it, but at resource version %d it is %s: they differ in %s.",
			j.name(op.ID), j.quoted(e.rank), j.held(b), j.state(wanted, false), e.revision, j.state(e.object, false), difference(wanted, e.object, false)),
	})
}

// judgeSilentWrite looks for versions that no write explains but one that changes
// nothing (WR-16). Apply patches may change who owns what, which no history shows.
func (j *judge) judgeSilentWrite(e, b *effect) {
	if b == nil || e.deleted() || e.partial || b.partial || b.uid != e.uid || !j.closed() || difference(e.object, b.object, false) != "" {
		return
	}
	var culprit *histories.Operation
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if !concerns(&op.Request, j.keys[e.rank]) || !op.Request.Kind.IsWrite() || op.Answer.Outcome == histories.Fail {
			continue
		}
		switch o := op.Request.Options(); {
		case op.Request.Kind == histories.Patch && o.Patch == histories.ApplyPatch:
			if op.Answer.Outcome == histories.Unknown || told(op) == e.revision {
				return
			}
		case o.NoOp && len(op.Answer.Objects) == 1 && op.Answer.Objects[0].RV == e.revision, o.NoOp && culprit == nil:
			culprit = op
		}
	}
	if culprit == nil {
		// A write of a fresh value cannot leave the object as it is. A delete that comes again can.
		if again := j.deleteOf(e.rank); again != nil && b.object.Deleting {
			j.reportPhase(e, "to be marked as being deleted once", "was written again, though "+j.name(again.ID)+" found it marked", b)
		}
		return
	}
	j.Report(models.Finding{
		Property: models.WriteNoOp, Operations: append([]int{culprit.ID}, opsOf(e)...), Revision: e.revision, Key: &j.keys[e.rank],
		Allowed: fmt.Sprintf("resource version %d, as before", b.revision), Observed: fmt.Sprintf("resource version %d", e.revision),
		Explanation: fmt.Sprintf("%s changes nothing of %s, but the object got resource version %d in the place of %d, with the same content.",
			j.name(culprit.ID), j.quoted(e.rank), e.revision, b.revision),
	})
}

// deleteOf returns a delete that may have met a key, nil if there is none.
func (j *judge) deleteOf(rank int) *histories.Operation {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if kind := op.Request.Kind; (kind == histories.Delete || kind == histories.DeleteCollection) && concerns(&op.Request, j.keys[rank]) && op.Answer.Outcome == histories.OK {
			return op
		}
	}
	return nil
}

// judgeOrigin asks who made a change: nobody who was refused, no dry run, and in a closed
// world somebody who asked for it.
func (j *judge) judgeOrigin(e, b *effect, certain bool) {
	if e.deleted() {
		j.judgeRemoval(e, b, certain)
		return
	}
	for _, id := range []histories.WriteID{e.object.Write, e.object.Meta().Status} {
		op := j.writers[id]
		switch {
		case id == "":
		case op == nil && j.closed() && j.base.known && e.revision > j.base.revision && !e.partial:
			j.reportUnasked(e)
			return
		case op == nil:
		case op.Request.Options().DryRun:
			j.reportNoEffect(models.WriteDryRun, op, e)
		case op.Answer.Outcome == histories.Fail:
			j.reportNoEffect(models.WriteNoEffect, op, e)
		}
	}
	if e.object.Foreign != "" && j.closed() && !e.partial {
		j.reportUnasked(e)
	}
}

func (j *judge) reportNoEffect(property string, op *histories.Operation, e *effect) {
	what := "was refused"
	if property == models.WriteDryRun {
		what = "is a dry run"
	}
	j.Report(models.Finding{
		Property: property, Operations: append([]int{op.ID}, opsOf(e)...), Revision: e.revision, Key: &j.keys[e.rank],
		Allowed: "no effect", Observed: j.change(e),
		Explanation: fmt.Sprintf("%s %s, but %s shows %s.", j.name(op.ID), what, j.name(e.sources[0].op), j.change(e)),
	})
}

// judgeRemoval asks who removed an object.
func (j *judge) judgeRemoval(e, b *effect, certain bool) {
	if !j.closed() || !certain || len(e.sources) == 0 {
		return
	}
	j.Exercise(models.WatchAuthentic)
	// Whoever took the last finalizer from another object may remove this one (finding A2).
	if j.hasRemover(e, func(op *histories.Operation) bool {
		return deletes(op) || b == nil || b.object.Deleting || op.Answer.Outcome == histories.OK
	}) {
		return
	}
	rehearsed := j.rehearsedDelete(e.rank)
	if rehearsed != nil {
		j.reportNoEffect(models.WriteDryRun, rehearsed, e)
		return
	}
	if refused := j.refusedDelete(e.rank); refused != nil {
		j.reportNoEffect(models.WriteNoEffect, refused, e)
		return
	}
	j.reportUnasked(e)
}

func deletes(op *histories.Operation) bool {
	return op.Request.Kind == histories.Delete || op.Request.Kind == histories.DeleteCollection
}

// rehearsedDelete returns a dry run of a deletion of a key, nil if there was none.
func (j *judge) rehearsedDelete(rank int) *histories.Operation {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if deletes(op) && op.Request.Options().DryRun && op.Answer.Outcome == histories.OK && concerns(&op.Request, j.keys[rank]) {
			return op
		}
	}
	return nil
}

// refusedDelete returns a delete of a key that was refused, nil if there was none.
func (j *judge) refusedDelete(rank int) *histories.Operation {
	for i := range j.history.Operations {
		if op := &j.history.Operations[i]; op.Request.Kind == histories.Delete && op.Request.Key == j.keys[rank] && op.Answer.Outcome == histories.Fail {
			return op
		}
	}
	return nil
}

func (j *judge) reportUnasked(e *effect) {
	f := models.Finding{
		Property: models.WatchAuthentic, Operations: opsOf(e), Revision: e.revision, Key: &j.keys[e.rank],
		Allowed: "changes that somebody asked for", Observed: j.change(e),
		Explanation: fmt.Sprintf("%s shows %s, which nobody asked for.", j.name(e.sources[0].op), j.change(e)),
	}
	if e.sources[0].event > 0 {
		j.ReportStream(f)
		return
	}
	f.Property = models.ObjectOneTruth
	j.Report(f)
}

// judgeAcknowledged holds the answers of updates and patches: they show what the write
// made.
func (j *judge) judgeAcknowledged() {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op.Answer.Outcome == histories.Fail && op.Request.Kind.IsWrite() {
			j.Exercise(models.WriteNoEffect)
		}
		if op.Request.Options().DryRun && op.Answer.Outcome == histories.OK {
			j.Exercise(models.WriteDryRun)
		}
		if op.Request.Options().NoOp && op.Answer.Outcome == histories.OK {
			j.Exercise(models.WriteNoOp)
		}
		j.judgeMet(op)
		isChange := op.Request.Kind == histories.Create || op.Request.Kind == histories.Update || op.Request.Kind == histories.Patch
		if !isChange || op.Answer.Outcome != histories.OK || op.Request.Write == "" || len(op.Answer.Objects) != 1 || isPartial(op.Request.Options().Encoding) {
			continue
		}
		if o := &op.Answer.Objects[0]; !madeBy(op, o) && (o.Write != "" || o.Foreign != "") {
			rank := j.ranks[o.Key]
			j.Report(models.Finding{
				Property: models.WriteDurable, Operations: []int{op.ID}, Revision: o.RV, Key: &o.Key,
				Allowed: "the object with what the write stores", Observed: j.state(o, false),
				Explanation: fmt.Sprintf("%s was told of success, but the answer shows %s as %s, without what it wrote.", j.name(op.ID), j.quoted(rank), j.state(o, false)),
			})
		}
	}
}

// judgeMet holds what a write that succeeded says of the object that it met against its
// conditions: it names a uid, and a resource version that is not below the one that it
// found.
func (j *judge) judgeMet(op *histories.Operation) {
	r := &op.Request
	if op.Answer.Outcome != histories.OK || r.Options().DryRun || j.Blamed(op.ID) {
		return
	}
	uid, met := op.Answer.Details().UID, histories.Revision(0)
	if len(op.Answer.Objects) == 1 && r.Kind.IsWrite() && r.Kind != histories.DeleteCollection {
		uid, met = op.Answer.Objects[0].UID, op.Answer.Objects[0].RV
	}
	wanted, observed := "the uid "+r.ExpectUID, "the uid "+uid
	switch {
	case r.ExpectUID != "" && uid != "" && uid != r.ExpectUID && (r.Kind != histories.Patch || !r.Options().Status):
	case r.Conditional && met > 0 && met < r.Expect && !j.mayHaveMade(op, met):
		wanted, observed = fmt.Sprintf("resource version %d", r.Expect), fmt.Sprintf("resource version %d", met)
	default:
		return
	}
	property := models.WriteUpdateCAS
	if r.Kind == histories.Delete {
		property = models.WriteDeleteCAS
	}
	j.Report(models.Finding{
		Property: property, Operations: []int{op.ID}, Key: &r.Key,
		Allowed: "a refusal: the object does not have " + wanted, Observed: "success on an object with " + observed,
		Explanation: fmt.Sprintf("%s was for %s, but its answer is about an object with %s.", j.name(op.ID), wanted, observed),
	})
}
