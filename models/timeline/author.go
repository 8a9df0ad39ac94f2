package timeline

import (
	"cmp"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// orphans are the tombstones of one revision that no answer claims. One call made
// them, or the end of one lease, for no two share a revision.
type orphans struct {
	revision   histories.Revision
	candidates []*histories.Operation // of unknown outcome, those that explain least first, of equals the last one sent
	leased     bool
}

// assignAuthors finds, for the tombstones that no answer claims, the calls of unknown
// outcome that made them: each call took effect once, so this is a matching, and one
// as large as possible. What the end of a lease may have done comes last.
func (j *judge) assignAuthors() {
	groups := j.findOrphans()
	slices.SortStableFunc(groups, func(a, b orphans) int { return cmp.Compare(rankOf(a.leased), rankOf(b.leased)) })
	j.assigned = map[histories.Revision]*histories.Operation{}
	m := matching{groups: groups, of: map[*histories.Operation]int{}}
	for i := range groups {
		m.assign(i, map[*histories.Operation]bool{})
	}
	for op, i := range m.of {
		j.assigned[groups[i].revision] = op
	}
	j.spare = m.spare()
}

func rankOf(leased bool) int {
	if leased {
		return 1
	}
	return 0
}

// matching says which group of orphans an operation made.
type matching struct {
	groups []orphans
	of     map[*histories.Operation]int
}

// assign gives a group an operation, a free one if there is, else one whose group
// can have another.
func (m *matching) assign(group int, tried map[*histories.Operation]bool) bool {
	for _, op := range m.groups[group].candidates {
		if _, taken := m.of[op]; !taken {
			m.of[op] = group
			return true
		}
	}
	for _, op := range m.groups[group].candidates {
		if tried[op] {
			continue
		}
		tried[op] = true
		if m.assign(m.of[op], tried) {
			m.of[op] = group
			return true
		}
	}
	return false
}

// spare returns the operations that need not be what made a group: another one that
// is free, or can be made free, may have. Nobody knows which of them had no effect.
func (m *matching) spare() map[*histories.Operation]bool {
	holder := make([]*histories.Operation, len(m.groups))
	for op, i := range m.of {
		holder[i] = op
	}
	free := map[*histories.Operation]bool{}
	wanting := map[*histories.Operation][]int{} // the groups that an operation may have made
	var next []*histories.Operation
	for i := range m.groups {
		for _, op := range m.groups[i].candidates {
			if wanting[op] = append(wanting[op], i); len(wanting[op]) > 1 {
				continue
			}
			if _, taken := m.of[op]; !taken {
				free[op] = true
				next = append(next, op)
			}
		}
	}
	for len(next) > 0 {
		op := next[0]
		next = next[1:]
		for _, i := range wanting[op] {
			if h := holder[i]; h != nil && !free[h] {
				free[h] = true
				next = append(next, h)
			}
		}
	}
	return free
}

// findOrphans lists the tombstones without an author, and who may have made them.
func (j *judge) findOrphans() []orphans {
	var found []orphans
	for i := 0; i < len(j.effects); {
		first := i
		for i < len(j.effects) && j.effects[i].revision == j.effects[first].revision {
			i++
		}
		group := j.effects[first:i]
		if open := j.unclaimed(group); len(open) > 0 {
			found = append(found, orphans{
				revision: group[0].revision, candidates: j.candidates(group, open), leased: j.endsLease(open),
			})
		}
	}
	return found
}

// unclaimed returns the tombstones of one revision that no answer claims.
func (j *judge) unclaimed(group []effect) []*effect {
	var open []*effect
	for i := range group {
		if e := &group[i]; !e.lost && e.deleted && e.author == nil && j.rangeDeleteAt(e) == nil {
			open = append(open, e)
		}
	}
	return open
}

// candidates returns the calls of unknown outcome that may have removed all the keys,
// and made the rest of the revision.
func (j *judge) candidates(group []effect, open []*effect) []*histories.Operation {
	var fit []deed
	for _, d := range j.unseen[open[0].rank] {
		removesAll := !slices.ContainsFunc(open, func(e *effect) bool { return !j.mayHaveRemoved(d.op, e) })
		madeRest := !slices.ContainsFunc(group, func(e effect) bool { return e.author != nil && e.author != d.op })
		known := slices.ContainsFunc(fit, func(other deed) bool { return other.op == d.op })
		if removesAll && madeRest && !known && d.op.Answer.Outcome == histories.Unknown {
			fit = append(fit, d)
		}
	}
	slices.SortStableFunc(fit, func(a, b deed) int {
		return cmp.Or(cmp.Compare(narrow(b), narrow(a)), cmp.Compare(b.op.Call, a.op.Call))
	})
	var ops []*histories.Operation
	for _, d := range fit {
		ops = append(ops, d.op)
	}
	return ops
}

// findAuthors names who asked for the tombstones of one revision.
func (j *judge) findAuthors(group []effect) {
	open := j.unclaimed(group)
	for i := range group {
		if e := &group[i]; !e.lost && e.deleted && e.author == nil {
			e.author = j.rangeDeleteAt(e)
		}
	}
	if len(open) == 0 {
		return
	}
	if op := j.assigned[open[0].revision]; op != nil {
		for _, e := range open {
			if e.author = op; !j.spare[op] {
				j.spend(e.rank, op)
			}
		}
		return
	}
	if j.endsLease(open) {
		return
	}
	for _, e := range open {
		e.author = j.authorOfDelete(e)
	}
}

func (j *judge) mayHaveRemoved(op *histories.Operation, e *effect) bool {
	return slices.ContainsFunc(j.unseen[e.rank], func(d deed) bool {
		return d.op == op && !stores(d.request) && j.fits(d, e)
	})
}

// object returns what a key held just before an effect, nil if it was absent.
func (j *judge) object(e *effect) *effect {
	if before := j.before(e.rank, e.revision); before != nil && !before.deleted {
		return before
	}
	return nil
}

// endsLease reports whether all keys were bound to one lease.
func (j *judge) endsLease(open []*effect) bool {
	first := j.object(open[0])
	return first != nil && first.lease != 0 && !slices.ContainsFunc(open, func(e *effect) bool {
		before := j.object(e)
		return before == nil || before.lease != first.lease
	})
}

// fits reports whether an elementary call may have left a tombstone.
func (j *judge) fits(d deed, e *effect) bool {
	r, before := d.request, j.object(e)
	if j.time.learned(d.op.Call) >= e.revision || d.op.Answer.Outcome == histories.OK && d.op.Answer.Revision != e.revision {
		return false
	}
	if r.Kind == histories.LeaseRevoke {
		return before != nil && before.lease == r.Lease
	}
	return removes(r, j.keys[e.rank]) && (!r.Conditional || before == nil || r.Expect == before.revision ||
		r.Expect > before.revision && j.mayHide(e.rank, before.revision, e.revision-1, histories.Never))
}

// authorOfDelete finds who else may have asked for a tombstone: an unknown delete that
// explains no other; failing that, a refused one, which is then to blame.
func (j *judge) authorOfDelete(e *effect) *histories.Operation {
	fits := func(d deed) bool { return j.fits(d, e) }
	if op := j.takeUnknownDelete(e, fits); op != nil {
		return op
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
func (j *judge) rangeDeleteAt(e *effect) *histories.Operation {
	removed := func(d deed) bool { return d.answer != nil && d.answer.Deleted > 0 && j.fits(d, e) }
	for _, op := range j.rangeDeletesAt[e.revision] {
		if slices.ContainsFunc(deeds(op), removed) {
			return op
		}
	}
	return nil
}

// takeUnknownDelete finds an unknown delete that explains no other tombstone, and
// takes it out of those that may hide: it has no second effect.
func (j *judge) takeUnknownDelete(e *effect, fits func(deed) bool) *histories.Operation {
	var best deed
	for _, d := range j.unseen[e.rank] {
		if !stores(d.request) && fits(d) && (best.op == nil || narrow(d) >= narrow(best)) && !j.isAssigned(d.op) {
			best = d
		}
	}
	j.spend(e.rank, best.op)
	return best.op
}

func (j *judge) isAssigned(op *histories.Operation) bool {
	for _, assigned := range j.assigned {
		if assigned == op {
			return true
		}
	}
	return false
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
