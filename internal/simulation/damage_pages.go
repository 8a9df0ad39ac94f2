package simulation

import (
	"math/rand/v2"

	"github.com/rvcheck/rvcheck/histories"
)

// pageDamages are what a store answers that loses the thread of a paged list.
var pageDamages = []Damage{
	{ID: "page-unpinned", Property: "page/pinned", Apply: alter(succeeded(histories.Next), newestContent)},
	{ID: "page-older", Property: "page/pinned", Apply: alter(succeeded(histories.Next), olderPage)},
	{ID: "page-repeats", Property: "page/no-gap", Apply: alter(succeeded(histories.Next), repeatLast)},
	{ID: "page-skips", Property: "page/no-gap", Apply: alter(Both(succeeded(histories.Next), shows), skipFirst)},
	{ID: "page-from-start", Property: "page/no-gap", Apply: alter(succeeded(histories.Next), pageFromStart)},
}

func olderPage(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	l := readLedger(h)
	for at := op.Request.Revision - 1; at > 0; at-- {
		if a := l.answer(&op.Request, at, op.Answer.Revision); differ(a, op.Answer) {
			op.Answer = a
			return true
		}
	}
	return false
}

// repeatLast begins with the last object of the page before.
func repeatLast(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	req := op.Request
	req.Start = req.Start[:len(req.Start)-1]
	op.Answer = readLedger(h).answer(&req, contentRevision(op), op.Answer.Revision)
	return true
}

func skipFirst(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	req := op.Request
	req.Start = op.Answer.Objects[0].Key.Name + "\x00"
	op.Answer = readLedger(h).answer(&req, contentRevision(op), op.Answer.Revision)
	op.Answer.Count++ // the count is right
	return true
}

func pageFromStart(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	req := op.Request
	req.Start = ""
	a := readLedger(h).answer(&req, contentRevision(op), op.Answer.Revision)
	changed := differ(a, op.Answer)
	op.Answer = a
	return changed
}
