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
			return rank, &difference{
				property: models.ListScope, allowed: "keys of the scope", observed: fmt.Sprintf("key %q", objects[i].Key.Name),
				story: fmt.Sprintf(" and asked for %s, but returned %q", models.Span(r.Scope), objects[i].Key.Name),
			}
		}
		if rank < from || rank >= to {
			property := models.ListScope
			if r.Kind == histories.Next {
				property = models.PageNoGap
			}
			return rank, &difference{
				property: property, allowed: fmt.Sprintf("keys from %q", r.Start), observed: fmt.Sprintf("key %q", objects[i].Key.Name),
				story: fmt.Sprintf(" and was to go on from %q, but returned %q", r.Start, objects[i].Key.Name),
			}
		}
		if i > 0 {
			j.exercise(models.ListOrder)
			if rank <= last {
				return rank, &difference{
					property: models.ListOrder, allowed: "ascending keys, each once",
					observed: fmt.Sprintf("%q after %q", objects[i].Key.Name, objects[i-1].Key.Name),
					story:    fmt.Sprintf(" and returned %q after %q: keys ascend, and each comes once", objects[i].Key.Name, objects[i-1].Key.Name),
				}
			}
		}
		last = rank
	}
	if r.Limit > 0 {
		j.exercise(models.ListLimit)
		if int64(len(objects)) > r.Limit {
			return -1, &difference{
				property: models.ListLimit, allowed: "at most " + plural(r.Limit, "object"), observed: plural(int64(len(objects)), "object"),
				story: fmt.Sprintf(" with a limit of %d, but returned %s", r.Limit, plural(int64(len(objects)), "object")),
			}
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
			d := &difference{
				allowed: fmt.Sprintf("%q: %s", j.keys[rank].Name, j.held(present)), observed: "nothing", involved: authorIDs(present),
				story: fmt.Sprintf(", when %s held %s, but it left that key out", j.quoted(rank), j.held(present)),
			}
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
		return &difference{
			allowed: fmt.Sprintf("%q: nothing", o.Key.Name), observed: j.returned(o), involved: j.writerIDs(o),
			story: fmt.Sprintf(", when %q was absent, but it returned %s", o.Key.Name, j.returned(o)),
		}
	}
	if d := j.contentDiffers(present, o); d != nil {
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
		return &difference{
			property: models.ListCount, allowed: fmt.Sprintf("count %d", n), observed: fmt.Sprintf("count %d", a.Count),
			story: fmt.Sprintf(", when there were %s to count, but it says %d", plural(int64(n), "key"), a.Count),
		}
	}
	j.exercise(models.ListMore)
	cut := op.Request.Limit > 0 && a.Count > op.Request.Limit
	if a.More != cut {
		return &difference{
			property: models.ListMore, allowed: fmt.Sprintf("more=%t with count %d and limit %d", cut, a.Count, op.Request.Limit), observed: fmt.Sprintf("more=%t", a.More),
			story: wrongMore(op),
		}
	}
	return nil
}

// wrongMore says what is wrong with a list's claim that there is more, or is not.
func wrongMore(op *histories.Operation) string {
	a := &op.Answer
	if a.More {
		return fmt.Sprintf(" and says that there is more, but its limit cut nothing off: it counts %s", plural(a.Count, "key"))
	}
	return fmt.Sprintf(" and says that there is no more, but its limit of %d cut off a part of the %s that it counts", op.Request.Limit, plural(a.Count, "key"))
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
