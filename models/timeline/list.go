package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// judgeList holds a list or a page against the state that it shows.
func (j *judge) judgeList(state *table, v visit) {
	op := v.op
	property := models.ListSnapshot
	switch {
	case op.Request.Kind == histories.Next:
		property = models.PagePinned
		j.exercise(models.PageNoGap)
	case op.Request.Revision > 0:
		property = models.ListExact
	}
	j.exercise(property)
	if op.Request.Serializable {
		j.exercise(models.ReadSerializable)
	} else {
		j.exercise(models.ListFresh)
	}
	rank, d := j.listDiffers(state, v)
	if d == nil {
		return
	}
	if d.property == "" {
		d.property = property
		if op.Request.Serializable {
			d.property = models.ReadSerializable
		}
	}
	j.reportRead(op, d.property, v.revision, rank, d)
}

// listDiffers finds the first way in which a list deviates, with the key
// concerned, -1 if it is none: form first, then content, then counts.
func (j *judge) listDiffers(state *table, v visit) (int, *difference) {
	op := v.op
	from, to := span(j.keys, &op.Request)
	if rank, d := j.formDiffers(op, from, to); d != nil {
		return rank, d
	}
	if rank, d := j.objectsDiffer(state, v, from, to); d != nil {
		return rank, d
	}
	return -1, j.countDiffers(state, v, from, to)
}

// formDiffers checks scope, order and limit.
func (j *judge) formDiffers(op *histories.Operation, from, to int) (int, *difference) {
	r, objects := &op.Request, op.Answer.Objects
	last := -1
	for i := range objects {
		rank := j.ranks[objects[i].Key]
		j.exercise(models.ListScope)
		if !r.Scope.Contains(objects[i].Key) {
			return rank, &difference{models.ListScope, "keys of the scope", fmt.Sprintf("key %q", objects[i].Key.Name)}
		}
		if rank < from || rank >= to {
			property := models.ListScope
			if r.Kind == histories.Next {
				property = models.PageNoGap
			}
			return rank, &difference{property, fmt.Sprintf("keys from %q", r.Start), fmt.Sprintf("key %q", objects[i].Key.Name)}
		}
		if i > 0 {
			j.exercise(models.ListOrder)
			if rank <= last {
				return rank, &difference{models.ListOrder, "ascending keys, each once", fmt.Sprintf("%q after %q", objects[i].Key.Name, objects[i-1].Key.Name)}
			}
		}
		last = rank
	}
	if r.Limit > 0 {
		j.exercise(models.ListLimit)
		if int64(len(objects)) > r.Limit {
			return -1, &difference{models.ListLimit, fmt.Sprintf("at most %d objects", r.Limit), fmt.Sprintf("%d objects", len(objects))}
		}
	}
	return -1, nil
}

// objectsDiffer compares the objects of a list in [from, to) with the state, up
// to the last object where the limit cut the list.
func (j *judge) objectsDiffer(state *table, v visit, from, to int) (int, *difference) {
	op := v.op
	if op.Request.CountOnly {
		return -1, nil
	}
	objects := op.Answer.Objects
	if n := len(objects); op.Request.Limit > 0 && int64(n) == op.Request.Limit {
		to = j.ranks[objects[n-1].Key] + 1
	}
	next := 0
	for rank := from; rank < to; rank++ {
		present := state.object(rank)
		if next < len(objects) && j.ranks[objects[next].Key] == rank {
			if d := j.objectDiffers(present, &objects[next]); d != nil {
				return rank, d
			}
			next++
			continue
		}
		if present != nil && !j.mayHide(rank, present.revision, v.revision, op.Return) {
			d := &difference{allowed: fmt.Sprintf("%q: %s", j.keys[rank].Name, describe(present)), observed: "nothing"}
			if op.Request.Kind == histories.Next && next == 0 && !j.showsAt(op, op.Answer.Revision, from, to) {
				d.property = models.PageNoGap
			}
			return rank, d
		}
		if present != nil {
			j.noteAbsence(op, present, v.revision)
		}
	}
	return -1, nil
}

// showsAt reports whether the objects of a list are the state at a revision.
func (j *judge) showsAt(op *histories.Operation, revision histories.Revision, from, to int) bool {
	next := 0
	for rank := from; rank < to; rank++ {
		present := j.before(rank, revision+1)
		if present == nil || present.deleted {
			continue
		}
		if next >= len(op.Answer.Objects) || op.Answer.Objects[next].RV != present.revision {
			return false
		}
		next++
	}
	return next == len(op.Answer.Objects)
}

func (j *judge) objectDiffers(present *effect, o *histories.Object) *difference {
	if present == nil {
		return &difference{allowed: fmt.Sprintf("%q: nothing", o.Key.Name), observed: describeObject(o)}
	}
	if d := contentDiffers(present, o); d != nil {
		return d
	}
	return j.metadataDiffers(present, o)
}

// countDiffers checks count and more against the keys in [from, to).
func (j *judge) countDiffers(state *table, v visit, from, to int) *difference {
	op := v.op
	a, n := &op.Answer, state.count(from, to)
	least, most := n, n
	for rank := from; rank < to && j.anyUnseen(); rank++ {
		if j.mayHide(rank, lastRevision(state, rank), v.revision, op.Return) {
			if state.object(rank) != nil {
				least--
			} else {
				most++
			}
		}
	}
	j.exercise(models.ListCount)
	if a.Count < int64(least) || a.Count > int64(most) {
		return &difference{models.ListCount, fmt.Sprintf("count %d", n), fmt.Sprintf("count %d", a.Count)}
	}
	j.exercise(models.ListMore)
	cut := op.Request.Limit > 0 && a.Count > op.Request.Limit
	if a.More != cut {
		return &difference{models.ListMore, fmt.Sprintf("more=%t with count %d and limit %d", cut, a.Count, op.Request.Limit), fmt.Sprintf("more=%t", a.More)}
	}
	return nil
}

// anyUnseen reports whether an effect can hide at all.
func (j *judge) anyUnseen() bool {
	if j.history.Header.World == histories.Open {
		return true
	}
	for _, ops := range j.unseen {
		if len(ops) > 0 {
			return true
		}
	}
	return false
}
