package simulation

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// readDamages are what a store answers that reads from the wrong place.
var readDamages = []Damage{
	{ID: "get-stale", Property: "get/fresh", Apply: alter(Both(succeeded(histories.Get), newestRead), stale)},
	{ID: "list-stale", Property: "list/fresh", Apply: alter(Both(succeeded(histories.List), newestRead), stale)},
	{ID: "get-stale-content", Property: "get/snapshot", Apply: alter(Both(succeeded(histories.Get), newestRead), staleContent)},
	{ID: "list-stale-content", Property: "list/snapshot", Apply: alter(Both(succeeded(histories.List), newestRead), staleContent)},
	{ID: "get-exact-newest", Property: "get/exact", Apply: alter(Both(succeeded(histories.Get), exactRead), newestContent)},
	{ID: "list-exact-newest", Property: "list/exact", Apply: alter(Both(succeeded(histories.List), exactRead), newestContent)},
	{ID: "get-lost", Property: "get/snapshot", Apply: alter(Both(succeeded(histories.Get), newestRead, shows), lose)},
	{ID: "get-ahead", Property: "header/not-ahead", Apply: alter(succeeded(histories.Get), ahead)},
	{ID: "list-ahead", Property: "header/not-ahead", Apply: alter(succeeded(histories.List), ahead)},
	{ID: "read-header-zero", Property: "get/fresh", Apply: alter(succeeded(histories.Get, histories.List), headerZero)},
	{ID: "read-header-asked", Property: "get/fresh", Apply: alter(Both(succeeded(histories.Get, histories.List), exactRead), headerAsked)},
	{ID: "read-future-answered", Property: "read/future", Apply: alter(refusedAs(histories.Future, histories.Get, histories.List), answerNewest)},
	{ID: "read-future-refused", Property: "read/future", Apply: alter(Both(succeeded(histories.Get, histories.List, histories.Next), exactRead), refuse(histories.Future))},
	{ID: "serializable-mixed", Property: "read/serializable", Apply: alter(Both(succeeded(histories.Get, histories.List), mayBeOld), staleContent)},
	{ID: "serializable-lost", Property: "read/serializable", Apply: alter(Both(succeeded(histories.Get, histories.List), mayBeOld, shows), lose)},
	{ID: "newest-refused", Property: "read/future", Apply: alter(Both(succeeded(histories.Get, histories.List), newestRead), refuse(histories.Future))},
}

// stale answers as of an older revision, header and all.
func stale(rng *rand.Rand, h *histories.History, op *histories.Operation) bool {
	low := known(h, op.Call)
	if low <= 1 {
		return false
	}
	at := max(1, low-1-histories.Revision(rng.IntN(3)))
	op.Answer = readLedger(h).answer(&op.Request, at, at)
	return true
}

// staleContent answers with older content under the right header.
func staleContent(rng *rand.Rand, h *histories.History, op *histories.Operation) bool {
	l := readLedger(h)
	for at := op.Answer.Revision - 1; at > 0; at-- {
		if a := l.answer(&op.Request, at, op.Answer.Revision); differ(a, op.Answer) {
			op.Answer = a
			return true
		}
		if rng.IntN(10) == 0 {
			return false
		}
	}
	return false
}

func newestContent(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	a := readLedger(h).answer(&op.Request, op.Answer.Revision, op.Answer.Revision)
	changed := differ(a, op.Answer)
	op.Answer = a
	return changed
}

func differ(a, b histories.Answer) bool {
	return !slices.EqualFunc(a.Objects, b.Objects, func(x, y histories.Object) bool {
		return x.Key == y.Key && x.RV == y.RV
	})
}

func lose(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer.Objects, op.Answer.Count = nil, 0
	return true
}

// ahead names a revision that the store reaches later.
func ahead(rng *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer.Revision += histories.Revision(1 + rng.IntN(1000))
	return true
}

func headerZero(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer.Revision = 0
	return true
}

func headerAsked(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	if op.Answer.Revision == op.Request.Revision {
		return false
	}
	op.Answer.Revision = op.Request.Revision
	return true
}

func answerNewest(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	at := max(1, known(h, op.Return))
	op.Answer = readLedger(h).answer(&op.Request, at, at)
	return true
}

func refuse(class histories.ErrorClass) func(*rand.Rand, *histories.History, *histories.Operation) bool {
	return func(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
		op.Answer = refusal(class)
		return true
	}
}
