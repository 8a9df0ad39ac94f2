package simulation

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// siblings returns the indexes of the events that stand behind another one of
// their revision.
func siblings(s *histories.Stream) []int {
	var found []int
	for i := 1; i < len(s.Events); i++ {
		if isChange(&s.Events[i]) && s.Events[i].Object.RV == s.Events[i-1].Object.RV {
			found = append(found, i)
		}
	}
	return found
}

func hasSiblings(s *histories.Stream) bool { return len(siblings(s)) > 0 }

// splitRevision begins another response in the middle of a revision.
func splitRevision(rng *rand.Rand, _ *histories.History, s *histories.Stream) bool {
	at := one(rng, siblings(s))
	for i := at; i < len(s.Events); i++ {
		s.Events[i].Batch += len(s.Events)
	}
	remark(s)
	return true
}

// dropSibling leaves out one of the changes of a revision that a call was told of:
// of others nobody knows how many there were.
func dropSibling(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	at := one(rng, siblings(s)) - rng.IntN(2)
	if !acknowledged(h, s.Events[at].Object.RV) {
		return false
	}
	s.Events = slices.Delete(s.Events, at, at+1)
	remark(s)
	return true
}

// unwantedEvent delivers, at its place, a change of a type that the watch leaves out.
func unwantedEvent(rng *rand.Rand, h *histories.History, s *histories.Stream) bool {
	req := &h.Operation(s.Op).Request
	if len(req.Filters) == 0 {
		return false
	}
	return misplace(rng, h, s, func(name string, e entry) bool { return contains(req.Scope, name) && filters(req, e.deleted) })
}

// deletedBy makes a delete report more or fewer keys.
func deletedBy(n int64) func(*rand.Rand, *histories.History, *histories.Operation) bool {
	return func(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
		op.Answer.Deleted += n
		return true
	}
}

// otherRemoved makes a delete show an older version of what it removed, or one
// object less.
func otherRemoved(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	o := &op.Answer.Objects[0]
	if older := readLedger(h).before(o.Key.Name, o.RV); older != nil {
		*o = *older
		return true
	}
	op.Answer.Objects = op.Answer.Objects[1:]
	return true
}
