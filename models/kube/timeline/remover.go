package timeline

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
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
		case op.Answer.Outcome == histories.OK && uid != "":
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

// eachRemover calls f for the writes that may have made a removal, until it returns false.
func (j *judge) eachRemover(e *effect, f func(op *histories.Operation) bool) {
	for _, all := range [][]*histories.Operation{j.deletes[e.uid], j.removers[e.rank]} {
		for _, op := range all {
			if concerns(&op.Request, j.keys[e.rank]) && mayMeet(op, e.uid) && !j.wasOver(op, e.revision) && !f(op) {
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
		switch {
		case first == nil || j.Blamed(first.ID): // judgeRemoval asks who it was
		case j.time.learned(first.Call) >= e.revision:
			j.reportUnaskedYet(e, first)
		default:
			bounds = append(bounds, demand{first, e.revision - 1})
		}
	}
	j.time.demands = append(j.time.demands, bounds...)
	slices.SortStableFunc(j.time.demands, func(a, b demand) int { return compareTimes(a.op.Call, b.op.Call) })
	j.settle()
}

func (j *judge) reportUnaskedYet(e *effect, first *histories.Operation) {
	known := j.time.learned(first.Call)
	ops := append(opsOf(e), first.ID)
	if teacher := j.teacher(first.Call, known); teacher != 0 {
		ops = append(ops, teacher)
	}
	j.ReportStream(models.Finding{
		Property: models.WatchAuthentic, Operations: ops, Revision: e.revision, Key: &j.keys[e.rank],
		Allowed: fmt.Sprintf("a removal after resource version %d", known), Observed: j.change(e),
		Explanation: fmt.Sprintf("%s shows %s, but nobody had asked for that before %s, which was sent when resource version %d was known.",
			j.name(e.sources[0].op), j.change(e), j.name(first.ID), known),
	})
}
