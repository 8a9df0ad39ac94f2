package damaged

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// answerDamages change what is answered.
var answerDamages = []Damage{
	{
		ID: "write-revision-before", Family: 3, Primary: models.WriteOwnRevision,
		Sentence: "A write is answered with the revision before its own.",
		Source:   "Xline commits cd6a54b3 and c5e525d5",
		make: answer(func(_ moment, r histories.Request, a *histories.Answer) {
			if stores(r.Kind) && a.Outcome == histories.OK {
				a.Revision--
			}
		}),
	},
	{
		ID: "refusal-ahead", Family: 3, Primary: models.HeaderNotAhead,
		Sentence: "A refused write is answered with a revision that the store has not reached.",
		Source:   "t4 v0.15.0",
		make: answer(func(_ moment, _ histories.Request, a *histories.Answer) {
			if refused(a) {
				a.Revision++
			}
		}),
	},
	{
		ID: "created-header-behind", Family: 3, Primary: models.WatchCreated,
		Sentence: "The answer to the creation of a watch names a revision from before what its client knew.",
		Source:   "Grafana PR 105786",
		make: answer(func(m moment, r histories.Request, a *histories.Answer) {
			if r.Kind == histories.Watch && m.newest > 1 {
				a.Revision = m.newest - 1
			}
		}),
	},
	{
		ID: "applied-but-refused", Family: 6, Primary: models.WriteNoEffect,
		Sentence: "An update that was applied is refused.",
		Source:   "Oxia issue 1223",
		make: answer(func(_ moment, r histories.Request, a *histories.Answer) {
			if r.Kind == histories.Update && a.Outcome == histories.OK {
				a.Outcome, a.Error = histories.Fail, &histories.Error{Class: histories.Conflict}
			}
		}),
	},
	{
		ID: "refused-but-acknowledged", Family: 6, Primary: models.WriteUpdateCAS,
		Sentence: "An update that was refused is acknowledged.",
		Source:   "kine commit 4aee2a2",
		make: answer(func(_ moment, r histories.Request, a *histories.Answer) {
			if r.Kind == histories.Update && refused(a) {
				*a = histories.Answer{Outcome: histories.OK, Revision: a.Revision + 1}
			}
		}),
	},
	{
		ID: "refusal-without-object", Family: 6, Primary: models.WriteFailureBranch,
		Sentence: "An update or a delete that is refused does not return the current object.",
		Source:   "kine commits 20c4783, aade545 and 49a6cc3",
		make: answer(func(_ moment, _ histories.Request, a *histories.Answer) {
			if refused(a) {
				a.Objects, a.Count = nil, 0
			}
		}),
	},
	{
		ID: "deleted-none", Family: 12, Primary: models.WriteDeletedCount,
		Sentence: "A conditional delete that removed its key reports that it removed none.",
		Source:   "kine commit 49a6cc3",
		make: answer(func(_ moment, r histories.Request, a *histories.Answer) {
			if r.Kind == histories.Delete && r.Conditional {
				a.Deleted = 0
			}
		}),
	},
	{
		ID: "txn-deleted-none", Family: 7, Primary: models.TxnResult,
		Sentence: "A delete inside a transaction reports that it removed nothing.",
		Source:   "kine commit 49a6cc3",
		make: answer(func(_ moment, _ histories.Request, a *histories.Answer) {
			a.Results = slices.Clone(a.Results)
			for i := range a.Results {
				a.Results[i].Deleted = 0
			}
		}),
	},
	{
		ID: "lease-forgotten", Family: 11, Primary: models.LeaseKnown,
		Sentence: "A lease that is kept alive is said to be gone.",
		Source:   "etcd PR 13932; Xline commit 136f615d",
		make: answer(func(_ moment, r histories.Request, a *histories.Answer) {
			if r.Kind == histories.LeaseKeepAlive && a.Outcome == histories.OK {
				a.TTL = 0
			}
		}),
	},
}

// answer makes a fault of a changed answer.
func answer(change func(moment, histories.Request, *histories.Answer)) func() fault {
	return func() fault { return fault{answer: change} }
}

// stores reports whether the kind of call stores a value.
func stores(kind histories.Kind) bool {
	switch kind {
	case histories.Create, histories.Update, histories.Put, histories.LeaseAttach:
		return true
	default:
		return false
	}
}

// refused reports whether a conditional write was refused.
func refused(a *histories.Answer) bool {
	return a.Outcome == histories.Fail && a.Error != nil && a.Error.Class == histories.Conflict
}
