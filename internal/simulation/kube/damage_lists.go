package kube

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

var listDamages = []Damage{
	{ID: "list-drops", Property: models.ListSnapshot, Calls: true, Apply: calls(simulation.Both(succeeded(histories.List), plain, shows), dropped)},
	{ID: "list-shows-older", Property: models.ListSnapshot, Calls: true, Apply: calls(simulation.Both(succeeded(histories.List), plain, shows), olderObject)},
	{ID: "list-keeps-removed", Property: models.ListSnapshot, Calls: true, Apply: calls(simulation.Both(succeeded(histories.List), plain), addedObject(true))},
	{ID: "list-crosses-scope", Property: models.ListScope, Apply: calls(succeeded(histories.List), addedObject(false))},
	{ID: "list-disordered", Property: models.ListOrder, Apply: calls(succeeded(histories.List, histories.Next), swapped)},
	{ID: "list-repeats", Property: models.ListOrder, Apply: calls(simulation.Both(succeeded(histories.List), shows), repeated)},
	{ID: "list-exceeds-limit", Property: models.ListLimit, Apply: calls(simulation.Both(succeeded(histories.List), hasMore), limitLowered)},
	{ID: "selector-drops", Property: models.ListSelector, Calls: true, Apply: calls(simulation.Both(succeeded(histories.List), selective, shows), dropped)},
	{ID: "selector-ignored", Property: models.ListSelector, Apply: calls(simulation.Both(succeeded(histories.List), selective), unmatched)},
	{ID: "selector-on-old-version", Property: models.ListSelector, Apply: calls(simulation.Both(succeeded(histories.List), selective), matchedBefore)},
}

var pageDamages = []Damage{
	{ID: "page-unpinned", Property: models.PagePinned, Calls: true, Apply: calls(simulation.Both(succeeded(histories.Next), continues(true)), unpinned)},
	{ID: "page-drops-first", Property: models.PageNoGap, Calls: true, Apply: calls(simulation.Both(succeeded(histories.Next), shows), droppedFirst)},
	{ID: "page-repeats", Property: models.PageNoGap, Apply: calls(simulation.Both(succeeded(histories.Next)), repeatedBefore)},
	{ID: "page-ends-early", Property: models.ListSnapshot, Calls: true, Apply: calls(simulation.Both(succeeded(histories.List), hasMore, plain), endedEarly)},
	{ID: "token-refused", Property: models.PageToken, Apply: calls(simulation.Both(succeeded(histories.Next)), tokenRefused)},
	{ID: "inconsistent-from-before", Property: models.PageInconsistent, Apply: calls(simulation.Both(succeeded(histories.Next), continues(false)), lowered)},
	{ID: "remaining-on-last-page", Property: models.PageRemaining, Apply: calls(simulation.Both(succeeded(histories.List, histories.Next), not(hasMore)), remaining(2))},
	{ID: "remaining-with-selector", Property: models.PageRemaining, Apply: calls(simulation.Both(succeeded(histories.List, histories.Next), hasMore, selective), remaining(1))},
}

func not(condition func(*histories.Operation) bool) func(*histories.Operation) bool {
	return func(op *histories.Operation) bool { return !condition(op) }
}

// continues holds for pages whose options are right.
func continues(pinned bool) func(*histories.Operation) bool {
	return func(op *histories.Operation) bool {
		token, _ := kube.ParseToken(op.Request.Options().Continue)
		return inMode(kube.Continuation)(op) && (token.Revision > 0) == pinned
	}
}

func dropped(rng *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	i := rng.IntN(len(op.Answer.Objects))
	op.Answer.Objects = slices.Delete(op.Answer.Objects, i, i+1)
	return true
}

func droppedFirst(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer.Objects = op.Answer.Objects[1:]
	return len(op.Answer.Objects) > 0
}

// addedObject adds an older object that the list does not show, within its scope or not.
func addedObject(within bool) func(*rand.Rand, *histories.History, *histories.Operation) bool {
	return func(rng *rand.Rand, h *histories.History, op *histories.Operation) bool {
		l := readLedger(h)
		var found []histories.Object
		for _, v := range l.sorted() {
			o := l.objects[v]
			shown := slices.ContainsFunc(op.Answer.Objects, func(s histories.Object) bool { return s.Key == o.Key })
			if !shown && op.Request.Scope.Contains(v.key) == within && v.rv <= op.Answer.Revision {
				found = append(found, o)
			}
		}
		o, ok := one(rng, found)
		if ok {
			insert(op, o)
		}
		return ok
	}
}

// insert adds an object where it belongs.
func insert(op *histories.Operation, o histories.Object) {
	objects := slices.Clone(op.Answer.Objects)
	i, _ := slices.BinarySearchFunc(objects, o.Key, func(o histories.Object, k histories.Key) int { return o.Key.Compare(k) })
	op.Answer.Objects = slices.Insert(objects, i, kube.Shown(&op.Request, o))
}

func swapped(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	if len(op.Answer.Objects) < 2 {
		return false
	}
	op.Answer.Objects[0], op.Answer.Objects[1] = op.Answer.Objects[1], op.Answer.Objects[0]
	return true
}

func repeated(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer.Objects = append([]histories.Object{op.Answer.Objects[0]}, op.Answer.Objects...)
	return true
}

func limitLowered(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Request.Limit = int64(len(op.Answer.Objects)) - 1
	return op.Request.Limit > 0
}

// ofSelector adds the version at the list's revision of an object for which holds.
func ofSelector(h *histories.History, op *histories.Operation, holds func(l *ledger, now histories.Object, matches func(*histories.Object) bool) (histories.Object, bool)) bool {
	o := op.Request.Options()
	selector, err := kube.ParseSelector(o.LabelSelector, o.FieldSelector)
	l := readLedger(h)
	if err != nil {
		return false
	}
	for _, v := range l.sorted() {
		now := l.objects[v]
		last := l.next(v) > op.Answer.Revision
		if v.rv > op.Answer.Revision || !last || !op.Request.Scope.Contains(v.key) || selector.Matches(&now) {
			continue
		}
		if add, ok := holds(l, now, selector.Matches); ok {
			insert(op, add)
			return true
		}
	}
	return false
}

// unmatched shows an object that does not match.
func unmatched(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	return ofSelector(h, op, func(_ *ledger, now histories.Object, _ func(*histories.Object) bool) (histories.Object, bool) {
		return now, true
	})
}

// matchedBefore shows an object as it was when it still matched.
func matchedBefore(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	return ofSelector(h, op, func(l *ledger, now histories.Object, matches func(*histories.Object) bool) (histories.Object, bool) {
		old, there := l.before(now.Key, now.RV)
		return old, there && matches(&old)
	})
}

// unpinned answers a page at a later revision.
func unpinned(rng *rand.Rand, h *histories.History, op *histories.Operation) bool {
	newest := readLedger(h).newest
	if op.Answer.Revision >= newest {
		return false
	}
	op.Answer.Revision += 1 + histories.Revision(rng.Int64N(int64(newest-op.Answer.Revision)))
	return true
}

// repeatedBefore begins a page with the last object of the one before.
func repeatedBefore(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	before := h.Operation(op.Request.Of).Answer.Objects
	if len(before) == 0 {
		return false
	}
	op.Answer.Objects = append([]histories.Object{before[len(before)-1]}, op.Answer.Objects...)
	return true
}

func endedEarly(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	for i := range h.Operations {
		if h.Operations[i].Request.Of == op.ID {
			return false // somebody has the token
		}
	}
	op.Answer.Continue, op.Answer.Kube = "", nil
	return true
}

func tokenRefused(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	if op.Request.Options().ResourceVersion != "" {
		return false
	}
	op.Answer = refusal(histories.Invalid, "400", "BadRequest")
	return true
}

func remaining(n int64) func(*rand.Rand, *histories.History, *histories.Operation) bool {
	return func(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
		op.Answer.Kube = &histories.KubeAnswer{Remaining: &n}
		return true
	}
}
