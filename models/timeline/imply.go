package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// implyDeletes adds the tombstones that acknowledged range deletes must have left,
// where their number is what the answer says and no event told of them: so that a
// watch which leaves one out has a gap, and a read which shows the key is stale.
func (j *judge) implyDeletes() {
	for i := range j.history.Operations {
		if op := &j.history.Operations[i]; isRangeDelete(op) {
			j.rangeDeletes = append(j.rangeDeletes, op)
		}
	}
	acknowledged := slices.DeleteFunc(slices.Clone(j.rangeDeletes), func(op *histories.Operation) bool {
		return op.Answer.Outcome != histories.OK || op.Answer.Revision <= 0
	})
	if len(acknowledged) == 0 {
		return
	}
	slices.SortStableFunc(acknowledged, func(a, b *histories.Operation) int {
		return cmp.Compare(a.Answer.Revision, b.Answer.Revision)
	})
	j.rangeDeletesAt = map[histories.Revision][]*histories.Operation{}
	for _, op := range acknowledged {
		j.rangeDeletesAt[op.Answer.Revision] = append(j.rangeDeletesAt[op.Answer.Revision], op)
	}
	present := make([]*effect, len(j.keys))
	var implied []effect
	next := 0
	for _, op := range acknowledged {
		at := op.Answer.Revision
		for ; next < len(j.effects) && j.effects[next].revision < at; next++ {
			present[j.effects[next].rank] = &j.effects[next]
		}
		var gone []effect
		all := deeds(op)
		for i, d := range all {
			gone = append(gone, j.impliedBy(d, all[:i], present, at)...)
		}
		for i := range gone {
			present[gone[i].rank] = &gone[i]
		}
		implied = append(implied, gone...)
	}
	if len(implied) == 0 {
		return
	}
	j.effects = append(j.effects, implied...)
	slices.SortStableFunc(j.effects, func(a, b effect) int {
		return cmp.Or(cmp.Compare(a.revision, b.revision), cmp.Compare(a.rank, b.rank))
	})
}

// impliedBy returns the tombstones of one range delete that nobody told of. What
// earlier deletes of the same transaction remove was gone when it came.
func (j *judge) impliedBy(d deed, earlier []deed, present []*effect, at histories.Revision) []effect {
	if d.request.Kind != histories.DeleteRange || d.answer == nil || d.answer.Deleted == 0 {
		return nil
	}
	reaches := func(rank int) bool {
		return removes(d.request, j.keys[rank]) && !slices.ContainsFunc(earlier, func(e deed) bool {
			return e.answer != nil && removes(e.request, j.keys[rank])
		})
	}
	told := map[int]bool{}
	for _, e := range j.effects {
		if e.revision == at && e.deleted && reaches(e.rank) {
			told[e.rank] = true
		}
	}
	j.judgeAlone(d, at)
	if int64(len(told)) == d.answer.Deleted {
		return nil
	}
	var missing []effect
	found := int64(0)
	for rank, e := range present {
		if e == nil || e.deleted || !reaches(rank) {
			continue
		}
		found++
		if !told[rank] {
			missing = append(missing, effect{place: place{at, rank}, content: content{deleted: true}, author: d.op, acked: true, implied: true})
		}
	}
	if found != d.answer.Deleted { // something that nobody saw came before, or the answer is wrong
		for rank := range j.keys {
			if !told[rank] && reaches(rank) {
				j.vague = append(j.vague, vagueDelete{rank, d})
			}
		}
		return nil
	}
	return missing
}

// vagueDelete is a key that an acknowledged range delete may have removed, or not:
// how many it removed is known, but not which.
type vagueDelete struct {
	rank int
	deed deed
}

// judgeAlone reports another call that says that it changed something at the
// revision at which a range delete removed something.
func (j *judge) judgeAlone(d deed, at histories.Revision) {
	for i := range j.effects {
		if e := &j.effects[i]; e.revision == at && e.acked && e.author != d.op {
			j.reportShared(d.op, e)
		}
	}
}

// judgeVague reports range deletes that say to have removed more keys than can have
// been there without anybody's telling of their end.
func (j *judge) judgeVague() {
	possible := map[*histories.Operation]int64{}
	for _, v := range j.vague {
		if j.mayBeRemoved(v.rank, v.deed.op) {
			possible[v.deed.op]++
		}
	}
	for _, op := range j.rangeDeletes {
		if op.Request.Kind != histories.DeleteRange || !slices.ContainsFunc(j.vague, func(v vagueDelete) bool { return v.deed.op == op }) {
			continue
		}
		told := int64(0)
		for i := range j.effects {
			if e := &j.effects[i]; e.revision == op.Answer.Revision && e.deleted && op.Request.Scope.Contains(j.keys[e.rank]) {
				told++
			}
		}
		if most := told + possible[op]; op.Answer.Deleted > most && !j.blamed(op.ID) {
			j.report(models.Finding{
				Property: models.WriteDeletedCount, Operations: []int{op.ID}, Revision: op.Answer.Revision,
				Allowed: fmt.Sprintf("at most %s deleted", plural(most, "key")), Observed: plural(op.Answer.Deleted, "key") + " deleted",
				Explanation: fmt.Sprintf("%s says that it removed %s at revision %d, but there cannot have been more than %d to remove then.",
					j.name(op.ID), plural(op.Answer.Deleted, "key"), op.Answer.Revision, most),
			})
		}
	}
}

// mayBeRemoved reports whether a range delete may have removed a key though nobody
// told: it may have been there, and no watch that covers it went past.
func (j *judge) mayBeRemoved(rank int, op *histories.Operation) bool {
	if j.history.Header.World == histories.Open {
		return true
	}
	at := op.Answer.Revision
	for _, s := range j.streams {
		if s.op.Request.Scope.Contains(j.keys[rank]) && !slices.Contains(s.op.Request.Filters, histories.NoDelete) && !s.heir &&
			j.certainStart(s) <= at && at <= s.reached {
			return false
		}
	}
	return j.mayBeThere(rank, at)
}

// mayBeElsewhere reports whether a key that a range delete is held to have removed may
// have been gone before, and something that nobody saw have been removed in its place.
func (j *judge) mayBeElsewhere(e *effect) bool {
	if !e.implied {
		return false
	}
	last := histories.Revision(0)
	if before := j.before(e.rank, e.revision); before != nil {
		last = before.revision
	}
	return j.mayHide(e.rank, last, e.revision-1, histories.Never) && !j.removedAll(e)
}

// removedAll reports whether a range delete says that it removed as many keys as may
// have been there: then each of them was.
func (j *judge) removedAll(e *effect) bool {
	r := &e.author.Request
	if r.Kind != histories.DeleteRange {
		return false
	}
	possible := int64(0)
	for rank, key := range j.keys {
		if removes(r, key) && j.mayBeThere(rank, e.revision) {
			possible++
		}
	}
	return possible <= e.author.Answer.Deleted
}

// mayBeThere reports whether a key may have been present just before a revision.
func (j *judge) mayBeThere(rank int, revision histories.Revision) bool {
	last := histories.Revision(0)
	if before := j.before(rank, revision); before != nil {
		if !before.deleted {
			return true
		}
		last = before.revision
	}
	return j.mayAppear(rank, last, revision-1, histories.Never)
}
