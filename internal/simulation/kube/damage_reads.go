package kube

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

var readDamages = []Damage{
	{ID: "get-stale", Property: models.GetFresh, Calls: true, Apply: calls(simulation.Both(succeeded(histories.Get), inMode(kube.MostRecent), shows), olderObject)},
	{ID: "get-returns-removed", Property: models.GetFresh, Calls: true, Apply: calls(simulation.Both(refusedAs(histories.NotFound, histories.Get), inMode(kube.MostRecent)), returned)},
	{ID: "get-misses", Property: models.GetFresh, Calls: true, Apply: calls(simulation.Both(succeeded(histories.Get), inMode(kube.MostRecent)), missed)},
	{ID: "get-older-than-asked", Property: models.ReadNotOlder, Calls: true, Apply: calls(simulation.Both(succeeded(histories.Get), inMode(kube.NotOlderThan)), olderThanAsked)},
	{ID: "list-older-than-asked", Property: models.ReadNotOlder, Calls: true, Apply: calls(simulation.Both(succeeded(histories.List), inMode(kube.NotOlderThan)), belowAsked)},
	{ID: "list-stale", Property: models.ListFresh, Calls: true, Apply: calls(simulation.Both(succeeded(histories.List), inMode(kube.MostRecent)), lowered)},
	{ID: "list-ahead", Property: models.HeaderNotAhead, Calls: true, Apply: calls(simulation.Both(succeeded(histories.List), inMode(kube.Any, kube.NotOlderThan)), raisedFar)},
	{ID: "exact-is-another", Property: models.ListExact, Calls: true, Apply: calls(simulation.Both(succeeded(histories.List), inMode(kube.Exact)), raisedBy(1))},
	{ID: "future-get-answered", Property: models.ReadFuture, Apply: calls(refusedAs(histories.Future, histories.Get), answeredMissing)},
	{ID: "future-list-answered", Property: models.ReadFuture, Apply: calls(refusedAs(histories.Future, histories.List), answeredEmpty)},
	{ID: "options-accepted", Property: models.ErrorStatus, Apply: calls(simulation.Both(refusedAs(histories.Invalid, histories.List), inMode(kube.Refused)), answeredEmpty)},
}

// olderObject shows an older version of the object.
func olderObject(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	o := &op.Answer.Objects[0]
	older, there := readLedger(h).before(o.Key, o.RV)
	if there {
		*o = kube.Shown(&op.Request, older)
	}
	return there
}

// returned shows an object where there was none.
func returned(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	o, there := readLedger(h).before(op.Request.Key, 1<<40)
	if there {
		op.Answer = histories.Answer{Outcome: histories.OK, Objects: []histories.Object{kube.Shown(&op.Request, o)}}
	}
	return there
}

func missed(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer = refusal(histories.NotFound, "404", "NotFound")
	return true
}

// olderThanAsked shows a version that another one had followed by what was asked for.
func olderThanAsked(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	_, asked := kube.ReadMode(&op.Request)
	l := readLedger(h)
	chain := l.chains[op.Request.Key]
	for i := range chain[:max(0, len(chain)-1)] {
		if o, there := l.objects[version{op.Request.Key, chain[i]}]; there && chain[i+1] <= asked {
			op.Answer.Objects = []histories.Object{kube.Shown(&op.Request, o)}
			return true
		}
	}
	return false
}

// belowAsked answers at a revision below what was asked for.
func belowAsked(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	_, asked := kube.ReadMode(&op.Request)
	op.Answer.Revision = asked - 1
	op.Answer.Objects = slices.DeleteFunc(op.Answer.Objects, func(o histories.Object) bool { return o.RV >= asked })
	return asked > 1
}

// lowered takes a list back to before its last change, or an empty one by one.
func lowered(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	a := &op.Answer
	last := slices.MaxFunc(append([]histories.Object{{RV: a.Revision}}, a.Objects...), func(x, y histories.Object) int {
		if x.RV == a.Revision {
			return -1
		}
		return int(x.RV - y.RV)
	})
	a.Revision = min(a.Revision, last.RV) - 1
	a.Objects = slices.DeleteFunc(a.Objects, func(o histories.Object) bool { return o.RV > a.Revision })
	return a.Revision > 0
}

func raisedFar(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	op.Answer.Revision = readLedger(h).newest + 5
	return true
}

func raisedBy(n histories.Revision) func(*rand.Rand, *histories.History, *histories.Operation) bool {
	return func(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
		op.Answer.Revision += n
		return true
	}
}

func answeredMissing(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer = refusal(histories.NotFound, "404", "NotFound")
	return true
}

// answeredEmpty answers a list with nothing, at the revision that was asked for.
func answeredEmpty(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	rv, _ := kube.ParseRV(op.Request.Options().ResourceVersion)
	if rv.Revision == 0 {
		rv.Revision = readLedger(h).newest
	}
	op.Answer = histories.Answer{Outcome: histories.OK, Revision: rv.Revision}
	return true
}
