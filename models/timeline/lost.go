package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// dropLostWrites takes acknowledged writes out of the timeline that nothing but
// their own answer supports and that several sources contradict: otherwise every
// later read would be blamed for not showing them (WR-28).
func (j *judge) dropLostWrites() {
	var reads []*histories.Operation // by the revision that they show
	for i := range j.effects {
		e := &j.effects[i]
		if !e.acked {
			continue
		}
		j.exercise(models.WriteDurable)
		if e.seen > 0 {
			continue
		}
		if reads == nil {
			reads = j.readsByRevision()
		}
		if against := j.testify(e, reads); len(against) >= 2 {
			j.lose(e, against)
		}
	}
}

// lose takes the effect out of the timeline and reports its author.
func (j *judge) lose(e *effect, against []int) {
	e.lost = true
	property := models.WriteDurable
	switch kind := e.author.Request.Kind; {
	case kind == histories.Transact && j.otherPartSeen(e):
		property = models.TxnAtomic
	case kind == histories.DeleteRange && j.otherPartSeen(e):
		property = models.DeleteRange
	}
	j.report(models.Finding{
		Property: property, Operations: append([]int{e.author.ID}, against...), Revision: e.revision, Key: &j.keys[e.rank],
		Allowed:  fmt.Sprintf("the effect of %s at revision %d shows in what covers that revision", j.name(e.author.ID), e.revision),
		Observed: fmt.Sprintf("%s and %s do not show it", j.name(against[0]), j.name(against[1])),
		Explanation: fmt.Sprintf("%s was told that it %s at revision %d, but neither %s nor %s, which cover that revision, shows it.",
			j.name(e.author.ID), j.did(e), e.revision, j.name(against[0]), j.name(against[1])),
	})
}

// otherPartSeen reports whether another effect of the same call shows: no two calls
// share a revision.
func (j *judge) otherPartSeen(e *effect) bool {
	return slices.ContainsFunc(j.effects, func(o effect) bool { return o.revision == e.revision && o.rank != e.rank && o.seen > 0 })
}

// testify returns the operations whose answers contradict an effect that nobody
// saw, none if anything supports it.
func (j *judge) testify(e *effect, reads []*histories.Operation) []int {
	if j.mayBeElsewhere(e) {
		return nil
	}
	if next := j.after(e.rank, e.revision); next != nil && j.buildsOn(next, e) {
		return nil
	}
	upTo := unbounded
	if next := j.after(e.rank, e.revision); next != nil {
		upTo = next.revision
	}
	var against []int
	at, _ := slices.BinarySearchFunc(reads, e.revision, func(op *histories.Operation, r histories.Revision) int {
		return cmp.Compare(shownRevision(op), r)
	})
	for _, op := range reads[at:] {
		if isSpecial(op) {
			continue
		}
		if shownRevision(op) >= upTo || len(against) > 4 {
			break
		}
		if !j.looksAt(op, e.rank) || j.mayHide(e.rank, e.revision, shownRevision(op), op.Return) {
			continue
		}
		if e.deleted && findKey(op.Answer.Objects, j.keys[e.rank]) == nil {
			return nil
		}
		against = append(against, op.ID)
	}
	for _, s := range j.streams {
		if s.op.Request.Scope.Contains(j.keys[e.rank]) && !filteredOut(s, e) && !s.heir && j.certainStart(s) <= e.revision && e.revision <= s.reached {
			against = append(against, s.op.ID)
		}
	}
	for _, op := range j.outlivedBy(e) {
		if !slices.Contains(against, op) {
			against = append(against, op)
		}
	}
	return against
}

// outlivedBy returns the operations that show that a key was there all the time
// over a revision at which it is said to have been deleted: one found it created
// before and changed after, or changed it on the condition that it was as before.
func (j *judge) outlivedBy(e *effect) []int {
	if !e.deleted {
		return nil
	}
	var found []int
	outlived := func(o *histories.Object) bool {
		return o.RV > e.revision && o.CreateRevision > 0 && o.CreateRevision < e.revision && o.Key == j.keys[e.rank]
	}
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if slices.ContainsFunc(op.Answer.Objects, func(o histories.Object) bool { return outlived(&o) }) {
			found = append(found, op.ID)
		}
	}
	for _, s := range j.streams {
		if slices.ContainsFunc(s.events, func(event histories.Event) bool { return outlived(&event.Object) }) {
			found = append(found, s.op.ID)
		}
	}
	if next := j.after(e.rank, e.revision); next != nil && next.author != nil && next.author.Answer.Outcome == histories.OK && isSimple(next.author) {
		if r := &next.author.Request; r.Conditional && r.Expect > 0 && r.Expect < e.revision {
			found = append(found, next.author.ID)
		}
	}
	return found
}

// buildsOn reports whether an effect can only have followed on the one before.
func (j *judge) buildsOn(next, e *effect) bool {
	if next.author == nil || next.author.Answer.Outcome != histories.OK || next.seen == 0 {
		return false
	}
	r := &next.author.Request
	if !isSimple(next.author) {
		return false
	}
	if e.deleted {
		return r.Kind == histories.Create
	}
	return r.Conditional && r.Expect == e.revision
}

// readsByRevision returns the successful reads, ordered by the revision they show.
func (j *judge) readsByRevision() []*histories.Operation {
	reads := []*histories.Operation{}
	for i := range j.history.Operations {
		if op := &j.history.Operations[i]; isAnswered(op) && !j.blamed(op.ID) {
			reads = append(reads, op)
		}
	}
	slices.SortStableFunc(reads, func(a, b *histories.Operation) int { return cmp.Compare(shownRevision(a), shownRevision(b)) })
	return reads
}

// isAnswered reports whether the operation is a read that returned objects.
func isAnswered(op *histories.Operation) bool {
	return op.Request.Kind.IsRead() && op.Answer.Outcome == histories.OK
}

// shownRevision is the revision whose state a read shows.
func shownRevision(op *histories.Operation) histories.Revision {
	if op.Request.Revision > 0 {
		return op.Request.Revision
	}
	return op.Answer.Revision
}

// looksAt reports whether the answer would have to show the key if it is there.
func (j *judge) looksAt(op *histories.Operation, rank int) bool {
	key := j.keys[rank]
	if op.Request.Kind == histories.Get {
		return op.Request.Key == key
	}
	if op.Request.CountOnly || !op.Request.Scope.Contains(key) || op.Request.HasStart && key.Name < op.Request.Start {
		return false
	}
	n := len(op.Answer.Objects)
	if op.Request.Limit <= 0 || int64(n) < op.Request.Limit {
		return true
	}
	return n > 0 && key.Compare(op.Answer.Objects[n-1].Key) <= 0
}

func findKey(objects []histories.Object, key histories.Key) *histories.Object {
	for i := range objects {
		if objects[i].Key == key {
			return &objects[i]
		}
	}
	return nil
}

// did says what an effect did.
func (j *judge) did(e *effect) string {
	if e.deleted {
		return "deleted " + j.quoted(e.rank)
	}
	return "wrote " + j.quoted(e.rank)
}
