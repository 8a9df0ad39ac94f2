package timeline

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// A removal has no value by which to know who made it. In a closed world somebody of the
// history did, so that it was not before the first of those who may have had asked.

// indexRemovers lists, by key, the writes that may remove an object: but for the deletes that
// name the uid of what they removed, which are listed by that.
func (j *judge) indexRemovers() {
	j.removers, j.deletes = make([][]*histories.Operation, len(j.keys)), map[string][]*histories.Operation{}
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		switch uid := namedUID(op); {
		case !canRemove(op):
		case uid != "":
			j.deletes[uid] = append(j.deletes[uid], op)
		default:
			for rank, k := range j.keys {
				if concerns(&op.Request, k) && (op.Request.Kind != histories.DeleteCollection || mayHaveMet(op, k)) {
					j.removers[rank] = append(j.removers[rank], op)
				}
			}
		}
	}
}

// canRemove reports whether an operation may have removed something, as far as itself tells.
func canRemove(op *histories.Operation) bool {
	r, a := &op.Request, &op.Answer
	switch {
	case !r.Kind.IsWrite() || r.Options().DryRun || r.Options().NoOp:
		return false
	case r.Kind == histories.DeleteCollection:
		return mayHaveBegun(a)
	case a.Outcome == histories.Fail:
		return false
	case r.Kind == histories.Delete:
		return true
	default:
		return takesFinalizers(r) && (a.Outcome == histories.Unknown || len(a.Objects) != 1 || isLastBreath(&a.Objects[0]))
	}
}

// mayHaveBegun reports whether a deletion of a collection may have deleted something before
// it was answered.
func mayHaveBegun(a *histories.Answer) bool {
	return a.Outcome != histories.Fail || a.Error != nil && a.Error.Class != histories.Invalid && a.Error.Class != histories.Busy
}

// eachRemover calls f for the writes that may have made a removal, until it returns false. What
// has been blamed may have made it when it should not.
func (j *judge) eachRemover(e *effect, f func(op *histories.Operation) bool) {
	for _, all := range [][]*histories.Operation{j.deletes[e.uid], j.removers[e.rank]} {
		for _, op := range all {
			over := j.wasOver(op, e.revision) && !j.Blamed(op.ID)
			if concerns(&op.Request, j.keys[e.rank]) && !over && !f(op) {
				return
			}
		}
	}
}

// hasRemover reports whether some write that may have made a removal is such a one.
func (j *judge) hasRemover(e *effect, is func(op *histories.Operation) bool) bool {
	found := false
	j.eachRemover(e, func(op *histories.Operation) bool {
		found = is(op)
		return !found
	})
	return found
}

// boundRemovals takes into what real time says that whatever was over before anybody asked
// for a removal was before it.
func (j *judge) boundRemovals() {
	if !j.closed() {
		return
	}
	var bounds []demand
	for _, e := range j.effects {
		if !e.deleted() || e.lost || len(e.sources) == 0 || j.time.refuted[e.sources[0]] {
			continue
		}
		var first *histories.Operation
		j.eachRemover(e, func(op *histories.Operation) bool {
			if first == nil || op.Call < first.Call {
				first = op
			}
			return true
		})
		// Where the store had come further by then, something lies, and what it is nobody can tell here.
		if first != nil && j.time.learned(first.Call) < e.revision {
			bounds = append(bounds, demand{first, e.revision - 1})
		}
	}
	j.time.demands = append(j.time.demands, bounds...)
	slices.SortStableFunc(j.time.demands, func(a, b demand) int { return compareTimes(a.op.Call, b.op.Call) })
	j.settle()
}
