package timeline

import (
	"cmp"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
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
	present := make([]*effect, len(j.keys))
	var implied []effect
	next := 0
	for _, op := range acknowledged {
		at := op.Answer.Revision
		for ; next < len(j.effects) && j.effects[next].revision < at; next++ {
			present[j.effects[next].rank] = &j.effects[next]
		}
		var gone []effect
		for _, d := range deeds(op) {
			gone = append(gone, j.impliedBy(d, present, at)...)
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

// impliedBy returns the tombstones of one range delete that nobody told of.
func (j *judge) impliedBy(d deed, present []*effect, at histories.Revision) []effect {
	if d.request.Kind != histories.DeleteRange || d.answer == nil || d.answer.Deleted == 0 {
		return nil
	}
	told := map[int]bool{}
	for _, e := range j.effects {
		if e.revision == at && e.deleted && d.request.Scope.Contains(j.keys[e.rank]) {
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
		if e == nil || e.deleted || !d.request.Scope.Contains(j.keys[rank]) {
			continue
		}
		found++
		if !told[rank] {
			missing = append(missing, effect{place: place{at, rank}, content: content{deleted: true}, author: d.op, acked: true})
		}
	}
	if found != d.answer.Deleted { // something that nobody saw came before, or the answer is wrong
		for rank, key := range j.keys {
			if !told[rank] && removes(d.request, key) {
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
