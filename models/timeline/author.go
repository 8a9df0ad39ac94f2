package timeline

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// findAuthors finds who asked for the tombstones of one revision that no answer
// claims. It is one call, or the end of one lease, for no two share a revision.
func (j *judge) findAuthors(state *table, group []effect) {
	var open []*effect
	for i := range group {
		e := &group[i]
		if e.lost || !e.deleted || e.author != nil {
			continue
		}
		if e.author = j.rangeDeleteAt(e, state.object(e.rank)); e.author == nil {
			open = append(open, e)
		}
	}
	if len(open) == 0 {
		return
	}
	if len(group) > 1 {
		if op := j.commonAuthor(state, group, open); op != nil {
			for _, e := range open {
				e.author = op
				j.spend(e.rank, op)
			}
			return
		}
		if endsLease(state, open) {
			return
		}
	}
	for _, e := range open {
		e.author = j.authorOfDelete(e, state.object(e.rank))
	}
}

// commonAuthor finds a call of unknown outcome that may have removed all the keys:
// the one that made the rest of the revision, if that is known.
func (j *judge) commonAuthor(state *table, group []effect, open []*effect) *histories.Operation {
	var best *histories.Operation
	for _, d := range j.unseen[open[0].rank] {
		removesAll := !slices.ContainsFunc(open, func(e *effect) bool { return !j.mayHaveRemoved(d.op, e, state.object(e.rank)) })
		madeRest := !slices.ContainsFunc(group, func(e effect) bool { return e.author != nil && e.author != d.op })
		if removesAll && madeRest {
			best = d.op
		}
	}
	return best
}

func (j *judge) mayHaveRemoved(op *histories.Operation, e *effect, before *effect) bool {
	return slices.ContainsFunc(j.unseen[e.rank], func(d deed) bool {
		return d.op == op && !stores(d.request) && j.fits(d, e, before)
	})
}

// endsLease reports whether all keys were bound to one lease.
func endsLease(state *table, open []*effect) bool {
	first := state.object(open[0].rank)
	return first != nil && first.lease != 0 && !slices.ContainsFunc(open, func(e *effect) bool {
		before := state.object(e.rank)
		return before == nil || before.lease != first.lease
	})
}

// fits reports whether an elementary call may have left a tombstone.
func (j *judge) fits(d deed, e *effect, before *effect) bool {
	r := d.request
	if j.time.learned(d.op.Call) >= e.revision || d.op.Answer.Outcome == histories.OK && d.op.Answer.Revision != e.revision {
		return false
	}
	if r.Kind == histories.LeaseRevoke {
		return before != nil && before.lease == r.Lease
	}
	return removes(r, j.keys[e.rank]) && (!r.Conditional || before == nil || r.Expect == before.revision)
}

// authorOfDelete finds who asked for a tombstone that no acknowledged delete
// names: an unknown delete whose condition fits; failing that, a refused one,
// which is then to blame.
func (j *judge) authorOfDelete(e *effect, before *effect) *histories.Operation {
	fits := func(d deed) bool { return j.fits(d, e, before) }
	if op := j.takeUnknownDelete(e.rank, fits); op != nil {
		return op
	}
	if before != nil && before.lease != 0 {
		return nil // the end of its lease
	}
	for i := range j.history.Operations {
		if op := &j.history.Operations[i]; op.Answer.Outcome == histories.Fail && slices.ContainsFunc(deeds(op), fits) {
			return op
		}
	}
	return nil
}

// rangeDeleteAt finds the acknowledged operation at the revision of a tombstone that
// can have removed the key without naming it.
func (j *judge) rangeDeleteAt(e *effect, before *effect) *histories.Operation {
	removed := func(d deed) bool { return d.answer != nil && d.answer.Deleted > 0 && j.fits(d, e, before) }
	for _, op := range j.rangeDeletes {
		if op.Answer.Outcome == histories.OK && op.Answer.Revision == e.revision && slices.ContainsFunc(deeds(op), removed) {
			return op
		}
	}
	return nil
}

// takeUnknownDelete finds an unknown delete for a tombstone and takes it out of
// those that may hide: it has no second effect. One that is conditional fits
// nowhere else, one that removes a single key fewer places than the others; of
// equals the last one sent leaves most possible for the rest.
func (j *judge) takeUnknownDelete(rank int, fits func(deed) bool) *histories.Operation {
	var best deed
	for _, d := range j.unseen[rank] {
		if !stores(d.request) && fits(d) && (best.op == nil || narrow(d) >= narrow(best)) {
			best = d
		}
	}
	j.spend(rank, best.op)
	return best.op
}

// narrow says how few other tombstones an unknown delete may explain.
func narrow(d deed) int {
	switch {
	case d.request.Conditional:
		return 2
	case isSimple(d.op):
		return 1
	default:
		return 0
	}
}

// spend takes an operation out of those that may hide at a key.
func (j *judge) spend(rank int, op *histories.Operation) {
	j.unseen[rank] = slices.DeleteFunc(j.unseen[rank], func(d deed) bool { return d.op == op })
}
