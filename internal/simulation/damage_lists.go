package simulation

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

func several(op *histories.Operation) bool { return len(op.Answer.Objects) > 1 }

// listDamages are what a store answers that scans wrongly.
var listDamages = []Damage{
	{ID: "list-dropped", Property: "list/snapshot", Apply: alter(Both(succeeded(histories.List), newestRead, shows), dropObject)},
	{ID: "list-exact-dropped", Property: "list/exact", Apply: alter(Both(succeeded(histories.List), exactRead, shows), dropObject)},
	{ID: "list-duplicated", Property: "list/order", Apply: alter(Both(succeeded(histories.List), shows), duplicateObject)},
	{ID: "list-misordered", Property: "list/order", Apply: alter(Both(succeeded(histories.List, histories.Next), several), swapObjects)},
	{ID: "list-older-object", Property: "list/snapshot", Apply: alter(Both(succeeded(histories.List), newestRead, shows), olderObject)},
	{ID: "list-exact-older-object", Property: "list/exact", Apply: alter(Both(succeeded(histories.List), exactRead, shows), olderObject)},
	{ID: "list-count", Property: "list/count", Apply: alter(succeeded(histories.List, histories.Next), wrongCount)},
	{ID: "list-count-limit", Property: "list/count", Apply: alter(Both(succeeded(histories.List, histories.Next), limited), countOfPage)},
	{ID: "list-more-never", Property: "list/more", Apply: alter(Both(succeeded(histories.List, histories.Next), limited), flipMore)},
	{ID: "list-more-always", Property: "list/more", Apply: alter(succeeded(histories.List, histories.Next), flipMore)},
	{ID: "list-over-limit", Property: "list/limit", Apply: alter(Both(succeeded(histories.List), limited), overLimit)},
	{ID: "list-out-of-scope", Property: "list/scope", Apply: alter(succeeded(histories.List, histories.Next), outOfScope)},
	{ID: "get-out-of-scope", Property: "list/scope", Apply: alter(Both(succeeded(histories.Get), shows), otherKey)},
	{ID: "list-before-start", Property: "list/scope", Apply: alter(Both(succeeded(histories.List), unlimited), ignoreStart)},
	{ID: "list-deleted", Property: "list/snapshot", Apply: alter(Both(succeeded(histories.List), newestRead, unlimited), showDeleted)},
}

func dropObject(rng *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	i := rng.IntN(len(op.Answer.Objects))
	op.Answer.Objects = slices.Delete(slices.Clone(op.Answer.Objects), i, i+1)
	op.Answer.Count--
	return true
}

func duplicateObject(rng *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	i := rng.IntN(len(op.Answer.Objects))
	op.Answer.Objects = slices.Insert(slices.Clone(op.Answer.Objects), i, op.Answer.Objects[i])
	op.Answer.Count++
	return true
}

func swapObjects(rng *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	i := rng.IntN(len(op.Answer.Objects) - 1)
	objects := slices.Clone(op.Answer.Objects)
	objects[i], objects[i+1] = objects[i+1], objects[i]
	op.Answer.Objects = objects
	return true
}

// olderObject shows one object as it was before.
func olderObject(rng *rand.Rand, h *histories.History, op *histories.Operation) bool {
	i := rng.IntN(len(op.Answer.Objects))
	shown := op.Answer.Objects[i]
	older := readLedger(h).before(shown.Key.Name, shown.RV)
	if older == nil {
		return false
	}
	op.Answer.Objects = slices.Clone(op.Answer.Objects)
	op.Answer.Objects[i] = *older
	return true
}

func wrongCount(rng *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	if op.Answer.Count == 0 || Chance(rng, 0.5) {
		op.Answer.Count++
	} else {
		op.Answer.Count--
	}
	return true
}

func countOfPage(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer.Count = int64(len(op.Answer.Objects))
	return true
}

func flipMore(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer.More = !op.Answer.More
	return true
}

func overLimit(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	req := op.Request
	req.Limit++
	op.Answer = readLedger(h).answer(&req, contentRevision(op), op.Answer.Revision)
	return int64(len(op.Answer.Objects)) > op.Request.Limit
}

// contentRevision is the revision that a read shows.
func contentRevision(op *histories.Operation) histories.Revision {
	if op.Request.Revision > 0 {
		return op.Request.Revision
	}
	return op.Answer.Revision
}

// outOfScope adds an object that was not asked for.
func outOfScope(rng *rand.Rand, h *histories.History, op *histories.Operation) bool {
	l := readLedger(h)
	var strays []histories.Object
	for name := range l.entries {
		if o := l.at(name, contentRevision(op)); o != nil && !asks(&op.Request, name) {
			strays = append(strays, *o)
		}
	}
	if len(strays) == 0 {
		return false
	}
	slices.SortFunc(strays, func(a, b histories.Object) int { return a.Key.Compare(b.Key) })
	op.Answer.Objects = append(slices.Clone(op.Answer.Objects), one(rng, strays))
	slices.SortFunc(op.Answer.Objects, func(a, b histories.Object) int { return a.Key.Compare(b.Key) })
	op.Answer.Count++
	return true
}

func otherKey(rng *rand.Rand, h *histories.History, op *histories.Operation) bool {
	op.Answer.Objects, op.Answer.Count = nil, 0
	return outOfScope(rng, h, op)
}

func ignoreStart(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	req := op.Request
	req.HasStart, req.Start = false, ""
	a := readLedger(h).answer(&req, contentRevision(op), op.Answer.Revision)
	changed := op.Request.HasStart && differ(a, op.Answer)
	op.Answer = a
	return changed
}

// showDeleted shows an object that was deleted before.
func showDeleted(rng *rand.Rand, h *histories.History, op *histories.Operation) bool {
	l := readLedger(h)
	var gone []histories.Object
	for name := range l.entries {
		if l.at(name, op.Answer.Revision) == nil && asks(&op.Request, name) {
			if o := l.before(name, op.Answer.Revision); o != nil {
				gone = append(gone, *o)
			}
		}
	}
	if len(gone) == 0 {
		return false
	}
	slices.SortFunc(gone, func(a, b histories.Object) int { return a.Key.Compare(b.Key) })
	op.Answer.Objects = append(slices.Clone(op.Answer.Objects), one(rng, gone))
	slices.SortFunc(op.Answer.Objects, func(a, b histories.Object) int { return a.Key.Compare(b.Key) })
	op.Answer.Count++
	return true
}
