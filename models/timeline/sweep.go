package timeline

import (
	"cmp"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// table is the state of the store at one revision of the sweep: for each key its
// last effect, and how many keys are present up to each rank (a Fenwick tree).
type table struct {
	last    []*effect
	present []int
}

func newTable(keys int) *table {
	return &table{last: make([]*effect, keys), present: make([]int, keys+1)}
}

// apply makes an effect the last one of its key.
func (t *table) apply(e *effect) {
	was, is := t.object(e.rank) != nil, !e.deleted
	t.last[e.rank] = e
	if was == is {
		return
	}
	step := 1
	if !is {
		step = -1
	}
	for i := e.rank + 1; i < len(t.present); i += i & -i {
		t.present[i] += step
	}
}

// object returns the effect that made the present object of a key, nil if the key is absent.
func (t *table) object(rank int) *effect {
	if e := t.last[rank]; e != nil && !e.deleted {
		return e
	}
	return nil
}

// count returns the number of present keys with a rank in [from, to).
func (t *table) count(from, to int) int { return t.below(to) - t.below(from) }

func (t *table) below(rank int) int {
	n := 0
	for i := rank; i > 0; i -= i & -i {
		n += t.present[i]
	}
	return n
}

// visit is an answer to be held against the state at a revision.
type visit struct {
	revision histories.Revision
	op       *histories.Operation
}

// sweep replays the timeline once, in the order of revisions, and holds each
// write against the state before it and each answer against the state that it
// shows.
func (j *judge) sweep() {
	visits := j.visits()
	if slices.ContainsFunc(visits, func(v visit) bool { return isSpecial(v.op) }) {
		j.specification = models.Empty().WithForeignCompactions()
	}
	j.assignAuthors()
	state := newTable(len(j.keys))
	next := 0
	for i := 0; i < len(j.effects); {
		revision := j.effects[i].revision
		for ; next < len(visits) && visits[next].revision < revision; next++ {
			j.visit(state, visits[next])
		}
		group := i
		for i < len(j.effects) && j.effects[i].revision == revision {
			i++
		}
		j.findAuthors(j.effects[group:i])
		for k := group; k < i; k++ {
			j.judgeEffect(state, &j.effects[k])
		}
		j.judgeSiblings(j.effects[group:i])
		j.judgeLeaseEnd(state, j.effects[group:i])
		j.advance(j.effects[group:i])
		for k := group; k < i; k++ {
			if e := &j.effects[k]; !e.lost {
				j.foldMetadata(state, e)
				state.apply(e)
			}
		}
	}
	for ; next < len(visits); next++ {
		j.visit(state, visits[next])
	}
}

// visits lists the answers that show a state, by its revision.
func (j *judge) visits() []visit {
	var list []visit
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		switch {
		case op.Answer.Revision <= 0 || j.blamed(op.ID):
		case isSpecial(op):
			list = append(list, visit{j.specialRevision(op), op})
		case op.Request.Kind == histories.LeaseRevoke && op.Answer.Outcome == histories.OK:
			list = append(list, visit{op.Answer.Revision, op})
		case isAnswered(op):
			list = append(list, visit{shownRevision(op), op})
		case isRefusal(op), isEmptyDelete(op):
			list = append(list, visit{op.Answer.Revision, op})
		}
	}
	slices.SortStableFunc(list, func(a, b visit) int { return cmp.Compare(a.revision, b.revision) })
	return list
}

// isRefusal reports whether the operation is a conditional write whose condition did not hold.
func isRefusal(op *histories.Operation) bool {
	switch op.Request.Kind {
	case histories.Create, histories.Update, histories.Delete:
		return op.Answer.Outcome == histories.Fail && op.Answer.Error != nil && op.Answer.Error.Class == histories.Conflict
	default:
		return false
	}
}

// isEmptyDelete reports whether the operation is a delete that may find nothing,
// and did: it changes nothing. One that is conditional on a revision may not.
func isEmptyDelete(op *histories.Operation) bool {
	return op.Request.Kind == histories.Delete && op.Answer.Outcome == histories.OK && removedNothing(&op.Request, &op.Answer)
}

// removedNothing reports whether a delete was right to find nothing, and did.
func removedNothing(r *histories.Request, a *histories.Answer) bool {
	return (!r.Conditional || r.Expect == 0) && a.Deleted == 0
}

func (j *judge) visit(state *table, v visit) {
	switch {
	case isSpecial(v.op):
		j.judgeSpecial(v)
	case v.op.Request.Kind == histories.LeaseRevoke:
		j.judgeRevoked(state, v)
	case isAnswered(v.op) && v.op.Request.Kind == histories.Get:
		j.judgeGet(state, v)
	case isAnswered(v.op):
		j.judgeList(state, v)
	case isEmptyDelete(v.op):
		j.judgeEmptyDelete(state, v)
	default:
		j.judgeRefusal(state, v)
	}
}

// beginsKey reports whether a write that took effect found its key absent.
func beginsKey(r *histories.Request) bool {
	return r.Kind == histories.Create || r.Kind == histories.Update && r.Conditional && r.Expect == 0
}

// foldMetadata computes create revision and version from the effect before
// (ETCD-08).
func (j *judge) foldMetadata(state *table, e *effect) {
	if e.deleted {
		return
	}
	before := state.last[e.rank]
	from := histories.Revision(0)
	if before != nil {
		from = before.revision
	}
	switch hidden := j.mayHide(e.rank, from, e.revision-1, histories.Never); {
	case hidden && e.author != nil && beginsKey(&e.author.Request):
		e.created, e.version, e.known = e.revision, 1, true
	case hidden && (before == nil || e.author == nil || !e.author.Request.Conditional || e.author.Request.Expect != before.revision):
	case before == nil || before.deleted:
		e.created, e.version, e.known = e.revision, 1, true
	case before.known:
		e.created, e.version, e.known = before.created, before.version+1, true
	}
}
