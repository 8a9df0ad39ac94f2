package damaged

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// readDamages change what reads return.
var readDamages = []Damage{
	{
		ID: "list-stale", Family: 3, Primary: models.ListFresh,
		Sentence: "A list is answered from before the newest revision that was known, with that revision.",
		Source:   "kubernetes commits 67b6245fc and 483da2032",
		make:     func() fault { return fault{call: older(histories.List, true)} },
	},
	{
		ID: "get-stale", Family: 3, Primary: models.GetFresh,
		Sentence: "A get is answered from before the newest revision that was known, with that revision.",
		Source:   "etcd PRs 21378 and 21387",
		make:     func() fault { return fault{call: older(histories.Get, true)} },
	},
	{
		ID: "list-of-before", Family: 8, Primary: models.ListSnapshot,
		Sentence: "A list shows the state before the newest revision that was known, with the store's revision.",
		Source:   "kine commit 3e3686d",
		make:     func() fault { return fault{call: older(histories.List, false)} },
	},
	{
		ID: "get-of-before", Family: 8, Primary: models.GetSnapshot,
		Sentence: "A get shows the state before the newest revision that was known, with the store's revision.",
		Source:   "kine commit 3e3686d",
		make:     func() fault { return fault{call: older(histories.Get, false)} },
	},
	{
		ID: "list-torn", Family: 8, Primary: models.ListSnapshot, ConcurrencyOnly: true,
		Sentence: "A list reads the second half of its rows a moment later.",
		Source:   "kine commit 3e3686d",
		make:     func() fault { return fault{call: torn} },
	},
	{
		ID: "rows-reversed", Family: 8, Primary: models.ListOrder,
		Sentence: "A list is in the wrong order.",
		Source:   "kine commits 19618f9 and b56c1e0",
		make: read(func(r histories.Request, a *histories.Answer) {
			if r.SortTarget == "" && r.SortOrder == "" {
				slices.Reverse(a.Objects)
			}
		}),
	},
	{
		ID: "count-off-by-one", Family: 8, Primary: models.ListCount,
		Sentence: "The count of a list is one too large.",
		Source:   "kine PR 271, commits ab4df41 and 3773672",
		make:     read(func(_ histories.Request, a *histories.Answer) { a.Count++ }),
	},
	{
		ID: "more-untold", Family: 8, Primary: models.ListMore,
		Sentence: "A list that the limit cut does not say that there is more.",
		Source:   "kine commit e4469f1",
		make:     read(func(_ histories.Request, a *histories.Answer) { a.More = false }),
	},
	{
		ID: "version-off-by-one", Family: 12, Primary: models.ObjectMetadata,
		Sentence: "Reads show versions that are one too large.",
		Source:   "kine commits 41dd99b and 78f4c34",
		make: read(func(_ histories.Request, a *histories.Answer) {
			for i := range a.Objects {
				a.Objects[i].Version++
			}
		}),
	},
	{
		ID: "expired-unowed", Family: 10, Primary: models.ExpiryJustified,
		Sentence: "A read at a past revision that nobody has compacted is refused as compacted.",
		Source:   "kubernetes issue 54878, commit d3536986d; Grafana PR 130440",
		make: answer(func(m moment, r histories.Request, a *histories.Answer) {
			if r.Kind.IsRead() && a.Outcome == histories.OK && r.Revision >= max(m.compacting(), 1) {
				*a = histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: histories.Compacted, Code: "OutOfRange"}}
			}
		}),
	},
	{
		ID: "expired-unsaid", Family: 10, Primary: models.ExpiryOwed,
		Sentence: "A read below the compaction point is answered with the newest state.",
		Source:   "Xline commits f14b88fd and f4b42e88",
		make:     func() fault { return fault{call: unsaid} },
	},
}

// read makes a fault of what a read returns: change gets a copy of the objects.
func read(change func(histories.Request, *histories.Answer)) func() fault {
	return answer(func(_ moment, r histories.Request, a *histories.Answer) {
		if r.Kind.IsRead() && a.Outcome == histories.OK {
			a.Objects = slices.Clone(a.Objects)
			change(r, a)
		}
	})
}

// older reads the newest state just before the newest revision that was known when
// the call came in, and says so or not. What is compacted there is read honestly.
func older(kind histories.Kind, said bool) func(moment, histories.Request, send) (histories.Answer, error) {
	return func(m moment, r histories.Request, send send) (histories.Answer, error) {
		if r.Kind != kind || r.Revision > 0 || r.Serializable || m.newest < 2 {
			return send(r)
		}
		past := r
		past.Revision = m.newest - 1
		a, err := send(past)
		if err != nil || a.Outcome != histories.OK {
			return send(r)
		}
		if said {
			a.Revision = past.Revision
		}
		return a, nil
	}
}

// torn reads twice, and puts the second half of the second answer below the first
// half of the first.
func torn(_ moment, r histories.Request, send send) (histories.Answer, error) {
	first, err := send(r)
	if err != nil || r.Kind != histories.List || first.Outcome != histories.OK || r.Revision > 0 || r.Serializable {
		return first, err
	}
	second, err := send(r)
	if err != nil || second.Outcome != histories.OK {
		return first, nil
	}
	first.Objects = slices.Clone(first.Objects)
	for i := len(first.Objects) / 2; i < len(first.Objects); i++ {
		key := first.Objects[i].Key
		if k := slices.IndexFunc(second.Objects, func(o histories.Object) bool { return o.Key == key }); k >= 0 {
			first.Objects[i] = second.Objects[k]
		}
	}
	return first, nil
}

// unsaid reads the newest state where the store says that the revision is compacted.
func unsaid(_ moment, r histories.Request, send send) (histories.Answer, error) {
	a, err := send(r)
	if err != nil || !r.Kind.IsRead() || a.Error == nil || a.Error.Class != histories.Compacted {
		return a, err
	}
	r.Revision = 0
	return send(r)
}
