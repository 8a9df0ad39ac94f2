package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// judgeEffect holds one effect against the state just before it: somebody must
// have asked for it, and its condition must have held.
func (j *judge) judgeEffect(state *table, e *effect) {
	if e.lost {
		return
	}
	before := state.object(e.rank)
	if e.author == nil && e.deleted && before != nil && before.lease != 0 {
		return // the end of its lease: lease.go
	}
	if e.author == nil {
		j.judgeUnasked(e)
		return
	}
	if !isSimple(e.author) {
		j.judgePart(e)
		return
	}
	if e.author.Answer.Outcome == histories.Fail {
		j.reportEffectOfRefused(e)
		return
	}
	hidden := j.mayHide(e.rank, lastRevision(state, e.rank), e.revision-1, histories.Never)
	j.judgeCondition(e, before, hidden)
	if r := &e.author.Request; e.acked && r.Kind == histories.Delete {
		j.exercise(models.WriteDeletedCount)
		if e.author.Answer.Deleted != 1 {
			j.report(models.Finding{
				Property: models.WriteDeletedCount, Operations: []int{e.author.ID}, Revision: e.revision, Key: &j.keys[e.rank],
				Allowed: "1 key deleted", Observed: plural(e.author.Answer.Deleted, "key") + " deleted",
				Explanation: fmt.Sprintf("%s deleted %s at revision %d and nothing else, but was told of %s.", j.name(e.author.ID), j.quoted(e.rank), e.revision, plural(e.author.Answer.Deleted, "deleted key")),
			})
			return
		}
	}
	if e.deleted && before == nil && !j.mayAppear(e.rank, lastRevision(state, e.rank), e.revision-1, histories.Never) {
		j.reportNothingDeleted(e)
	}
}

// isSimple reports whether the operation is one write of one key.
func isSimple(op *histories.Operation) bool {
	switch op.Request.Kind {
	case histories.Transact, histories.DeleteRange, histories.LeaseRevoke:
		return false
	default:
		return true
	}
}

// judgePart judges one effect of an operation with several; the operation as a
// whole is held against the specification (special.go).
func (j *judge) judgePart(e *effect) {
	if e.author.Answer.Outcome == histories.Fail {
		j.reportEffectOfRefused(e)
		return
	}
	if e.author.Request.Kind != histories.Transact || e.author.Answer.Outcome != histories.OK || e.deleted {
		return
	}
	if d := j.authors[e.write]; d.answer == nil {
		j.report(models.Finding{
			Property: models.TxnAtomic, Operations: []int{e.author.ID}, Revision: e.revision, Key: &j.keys[e.rank],
			Allowed: "no effect of the branch that was not taken", Observed: fmt.Sprintf("%s at revision %d", j.change(e.content), e.revision),
			Explanation: fmt.Sprintf("%s says which of its branches it took, yet a write of the other one shows: %s at revision %d.", j.name(e.author.ID), j.quoted(e.rank), e.revision),
		})
	}
}

// reportNothingDeleted reports a tombstone of a key that was absent.
func (j *judge) reportNothingDeleted(e *effect) {
	if !e.acked {
		j.judgeUnasked(e)
		return
	}
	if r := &e.author.Request; r.Conditional && r.Expect != 0 {
		return // its condition did not hold: reported
	}
	e.lost = e.seen == 0
	j.report(models.Finding{
		Property: models.WriteDeletedCount, Operations: []int{e.author.ID}, Revision: e.revision, Key: &j.keys[e.rank],
		Allowed: "0 keys deleted", Observed: plural(e.author.Answer.Deleted, "key") + " deleted",
		Explanation: fmt.Sprintf("%s was told that it deleted %s at revision %d, but the key was absent.", j.name(e.author.ID), j.quoted(e.rank), e.revision),
	})
}

func lastRevision(state *table, rank int) histories.Revision {
	if e := state.last[rank]; e != nil {
		return e.revision
	}
	return 0
}

// judgeUnasked reports an effect that nobody asked for: a violation where nobody
// else writes. Who showed it first is blamed.
func (j *judge) judgeUnasked(e *effect) {
	if j.history.Header.World == histories.Open {
		return
	}
	if s := j.firstTold(e); s != nil {
		j.reportStream(models.Finding{
			Property: models.WatchAuthentic, Operations: []int{s.op.ID}, Revision: e.revision, Key: &j.keys[e.rank],
			Allowed: "changes that a write of the run made", Observed: fmt.Sprintf("%s at revision %d", j.change(e.content), e.revision),
			Explanation: fmt.Sprintf("%s told of a change that nobody had asked for: %q %s at revision %d.", j.name(s.op.ID), j.keys[e.rank].Name, j.became(e.content), e.revision),
		})
		e.lost = e.deleted
		return
	}
	if op := j.firstShown(e); op != nil {
		property := models.ListSnapshot
		if op.Request.Kind == histories.Get {
			property = models.GetSnapshot
		}
		j.report(models.Finding{
			Property: property, Operations: []int{op.ID}, Revision: e.revision, Key: &j.keys[e.rank],
			Allowed: "objects that a write of the run made", Observed: j.value(e.content),
			Explanation: fmt.Sprintf("%s returned %q with %s, but no write of the run put that there.", j.name(op.ID), j.keys[e.rank].Name, j.held(e)),
		})
	}
	e.lost = true
}

// firstTold returns the first stream with an event for the effect.
func (j *judge) firstTold(e *effect) *stream {
	for _, s := range j.streams {
		for i := range s.events {
			if p, c, ok := j.told(&s.events[i]); ok && p == e.place && c == e.content {
				return s
			}
		}
	}
	return nil
}

// firstShown returns the first operation whose answer shows the effect.
func (j *judge) firstShown(e *effect) *histories.Operation {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		for k := range op.Answer.Objects {
			if p, c, ok := j.shown(&op.Answer.Objects[k]); ok && p == e.place && c == e.content {
				return op
			}
		}
	}
	return nil
}

// judgeRefused reports the refused writes whose effect shows. It runs before the
// sweep, so that such a write is blamed for the effect and not for its refusal.
func (j *judge) judgeRefused() {
	for i := range j.effects {
		if e := &j.effects[i]; e.author != nil && e.author.Answer.Outcome == histories.Fail {
			j.reportEffectOfRefused(e)
		}
	}
}

func (j *judge) reportEffectOfRefused(e *effect) {
	property := models.WriteNoEffect
	if e.author.Request.Kind == histories.Transact {
		property = models.TxnAtomic
	}
	j.report(models.Finding{
		Property: property, Operations: []int{e.author.ID}, Revision: e.revision, Key: &j.keys[e.rank],
		Allowed: "no effect of a refused write", Observed: fmt.Sprintf("%s at revision %d", j.change(e.content), e.revision),
		Explanation: fmt.Sprintf("%s was refused, yet it took effect: %s shows it on %s at revision %d.", j.name(e.author.ID), j.shownBy(e), j.quoted(e.rank), e.revision),
	})
}

// shownBy names who showed an effect first.
func (j *judge) shownBy(e *effect) string {
	if s := j.firstTold(e); s != nil {
		return j.name(s.op.ID)
	}
	if op := j.firstShown(e); op != nil {
		return j.name(op.ID)
	}
	return "what came later"
}

// judgeCondition holds the condition of a write against the state before it.
func (j *judge) judgeCondition(e, before *effect, hidden bool) {
	r := &e.author.Request
	property := models.WriteUpdateCAS
	switch {
	case r.Kind == histories.Create:
		property = models.WriteCreateExclusive
	case r.Kind == histories.Delete && r.Conditional:
		property = models.WriteDeleteCAS
	case !r.Conditional:
		return
	}
	j.exercise(property)
	if holds(r, before) || hidden {
		return
	}
	observed := "the key was absent"
	involved := []int{e.author.ID}
	if before != nil {
		observed = "the key held " + j.held(before)
		if before.author != nil {
			involved = append(involved, before.author.ID)
		}
	}
	// A write that nobody saw and whose condition did not hold had no effect: its
	// answer is the lie, not the watches that do not show it.
	e.lost = e.seen == 0
	j.report(models.Finding{
		Property: property, Operations: involved, Revision: e.revision, Key: &j.keys[e.rank],
		Allowed: "success only if " + condition(r), Observed: observed,
		Explanation: fmt.Sprintf("%s succeeded at revision %d although it was to succeed only if %s; just before, %s.", j.name(e.author.ID), e.revision, condition(r), observed),
	})
}

// holds reports whether the condition of a write holds for the present object.
func holds(r *histories.Request, present *effect) bool {
	if r.Kind == histories.Create || r.Expect == 0 {
		return present == nil
	}
	return present != nil && present.revision == r.Expect
}

func condition(r *histories.Request) string {
	if r.Kind == histories.Create || r.Expect == 0 {
		return "the key was absent"
	}
	return fmt.Sprintf("the key's revision was %d", r.Expect)
}

// judgeSiblings reports two writes that share a revision: each write of the
// layer's calls has one of its own (ETCD-02, RV-06).
func (j *judge) judgeSiblings(group []effect) {
	var first *effect
	for i := range group {
		e := &group[i]
		if e.lost || e.author == nil {
			continue
		}
		if first == nil {
			first = e
			continue
		}
		if e.author == first.author {
			continue
		}
		j.report(models.Finding{
			Property: models.WriteOwnRevision, Operations: []int{e.author.ID, first.author.ID}, Revision: e.revision, Key: &j.keys[e.rank],
			Allowed: "one write at a revision", Observed: fmt.Sprintf("%s and %s at revision %d", j.name(first.author.ID), j.name(e.author.ID), e.revision),
			Explanation: fmt.Sprintf("%s and %s are two writes, each with a revision of its own, but both took effect at revision %d.", j.name(first.author.ID), j.name(e.author.ID), e.revision),
		})
	}
}

// judgeRefusal holds a refused write against the state at its header: the
// condition must not have held, and what the failure branch returned must be
// the current object.
func (j *judge) judgeRefusal(state *table, v visit) {
	op, r := v.op, &v.op.Request
	rank := j.ranks[r.Key]
	present := state.object(rank)
	hidden := j.mayHide(rank, lastRevision(state, rank), v.revision, op.Return)
	j.exercise(models.WriteConflictOwed)
	j.exercise(models.WriteNoEffect)
	j.exercise(models.HeaderMonotone)
	if holds(r, present) && !hidden {
		j.report(models.Finding{
			Property: models.WriteConflictOwed, Operations: append([]int{op.ID}, authorIDs(present)...), Revision: v.revision, Key: &j.keys[rank],
			Allowed: "success, because " + condition(r), Observed: "a conflict",
			Explanation: fmt.Sprintf("%s was refused at revision %d although it was to succeed if %s, and %s held %s then.", j.name(op.ID), v.revision, condition(r), j.quoted(rank), j.held(present)),
		})
		return
	}
	if r.Kind == histories.Create {
		return // it has no failure branch
	}
	j.exercise(models.WriteFailureBranch)
	if d := j.differs(present, op.Answer.Objects, j.keys[rank], hidden); d != nil {
		j.report(models.Finding{
			Property: models.WriteFailureBranch, Operations: append([]int{op.ID}, authorIDs(present)...), Revision: v.revision, Key: &j.keys[rank],
			Allowed: d.allowed, Observed: d.observed,
			Explanation: fmt.Sprintf("%s was refused at revision %d and returned %s as what %s held, but it held %s.", j.name(op.ID), v.revision, d.observed, j.quoted(rank), d.allowed),
		})
	}
}

// judgeEmptyDelete holds a delete that found nothing against the state at its header.
func (j *judge) judgeEmptyDelete(state *table, v visit) {
	rank := j.ranks[v.op.Request.Key]
	present := state.object(rank)
	if present == nil || j.mayHide(rank, present.revision, v.revision, v.op.Return) {
		return
	}
	j.report(models.Finding{
		Property: models.WriteDurable, Operations: append([]int{v.op.ID}, authorIDs(present)...), Revision: v.revision, Key: &j.keys[rank],
		Allowed: "1 key deleted: " + j.value(present.content), Observed: "0 keys deleted",
		Explanation: fmt.Sprintf("%s found nothing to delete at revision %d, but %s held %s.", j.name(v.op.ID), v.revision, j.quoted(rank), j.held(present)),
	})
}
