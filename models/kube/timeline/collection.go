package timeline

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// A deletion of a collection is a list, which its answer shows, and then a deletion of each
// object (WR-26). The list has no resource version.

// judgeCollection holds what a deletion of a collection says that it deleted (WR-26).
func (j *judge) judgeCollection(op *histories.Operation) {
	if op.Answer.Outcome != histories.OK || j.Blamed(op.ID) {
		return
	}
	if j.judgeMetCollection(op); j.Blamed(op.ID) || op.Request.Options().DryRun {
		return
	}
	ceiling := j.time.ceiling(j.surely(op.Return))
	for i := range op.Answer.Objects {
		o := &op.Answer.Objects[i]
		rank, known := j.ranks[o.Key]
		if !known || o.UID == "" || o.RV <= 0 || ceiling == unbounded {
			continue
		}
		j.Exercise(models.WriteCollection)
		e, certain := j.stateAt(rank, ceiling, histories.Never)
		if next := j.after(rank, ceiling); next != nil && next.uid == o.UID {
			e, certain = next, true
		}
		if !certain || e == nil || e.deleted() || e.uid != o.UID || e.object.Deleting {
			continue
		}
		j.reportLeft(op, rank, j.held(e), "when it was answered that held "+j.held(e), opsOf(e)...)
		return
	}
}

// judgeMetCollection asks whether there was a moment of the call at which what it shows
// was the state.
func (j *judge) judgeMetCollection(op *histories.Operation) {
	views := j.viewsOf(op)
	if views == nil {
		return
	}
	j.Exercise(models.WriteCollection)
	floor, ceiling := j.time.learned(op.Call), j.time.ceiling(j.surely(op.Return))
	states, moments := map[int][]segment{}, []histories.Revision{floor}
	for rank := range views {
		states[rank] = j.recentSegments(rank, op.Return)
		for _, s := range states[rank] {
			moments = append(moments, s.from, s.clear+1, s.kept+1)
		}
	}
	slices.Sort(moments)
	blocking := -1
	for _, at := range slices.Compact(moments) {
		if at < floor || at > ceiling {
			continue
		}
		if blocking = disallowed(views, states, at); blocking < 0 {
			return
		}
	}
	if blocking >= 0 {
		j.reportNeverMet(op, blocking, views[blocking], floor, ceiling)
	}
}

// viewsOf is what a deletion of a collection shows of each key of its scope, by rank, nil where
// nobody knows what it selects.
func (j *judge) viewsOf(op *histories.Operation) map[int]view {
	r := &op.Request
	selector, err := kube.ParseSelector(r.Options().LabelSelector, r.Options().FieldSelector)
	if err != nil {
		return nil
	}
	views, wants := map[int]view{}, selects(r, selector)
	for rank, k := range j.keys {
		if r.Scope.Contains(k) {
			views[rank] = view{nil, true, wants}
		}
	}
	for i := range op.Answer.Objects {
		if rank, known := j.ranks[op.Answer.Objects[i].Key]; known {
			views[rank] = view{&op.Answer.Objects[i], true, wants}
		}
	}
	return views
}

// disallowed returns the least rank of a view that cannot be right at a revision, -1 for
// none.
func disallowed(views map[int]view, states map[int][]segment, at histories.Revision) int {
	least := -1
	for rank, v := range views {
		for i := range states[rank] {
			if s := &states[rank][i]; s.from <= at && at <= s.to && !s.allows(v, at) && (least < 0 || rank < least) {
				least = rank
			}
		}
	}
	return least
}

func (j *judge) reportNeverMet(op *histories.Operation, rank int, v view, floor, ceiling histories.Revision) {
	held, observed, says := j.before(rank, floor+1), "nothing", "does not show "+j.quoted(rank)
	if v.object != nil {
		observed = fmt.Sprintf("%s, resource version %d", j.state(v.object, false), v.object.RV)
		says = fmt.Sprintf("says that it met %s as %s", j.quoted(rank), observed)
	}
	wanted := fmt.Sprintf("what there was at resource version %d or later", floor)
	if ceiling < unbounded {
		wanted = fmt.Sprintf("what there was at one of the resource versions %d to %d", floor, ceiling)
	}
	j.Report(models.Finding{
		Property: models.WriteCollection, Operations: append([]int{op.ID}, opsOf(held)...), Revision: floor, Key: &j.keys[rank],
		Allowed: wanted, Observed: observed,
		Explanation: fmt.Sprintf("%s %s. Resource version %d was known when it was sent, and there %s held %s.",
			j.name(op.ID), says, floor, j.quoted(rank), j.held(held)),
	})
}
