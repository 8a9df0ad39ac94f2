package memory

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var pageMutants = []Mutant{
	{
		ID: "page-unpinned", Family: 8, Primary: models.PagePinned,
		Sentence: "A following page shows the newest state, not the snapshot of the first page.",
		Source:   "kubernetes PR 94002",
		make: func() fault {
			return fault{request: func(_ moment, r *histories.Request) {
				if r.Kind == histories.Next {
					r.Revision = 0
				}
			}}
		},
	},
	{
		ID: "page-start-ignored", Family: 8, Primary: models.PageNoGap,
		Sentence: "A following page ignores its start key and begins again at the first key of the scope.",
		Source:   "kine commits 19618f9 and b56c1e0",
		make: func() fault {
			return fault{request: func(_ moment, r *histories.Request) {
				if r.Kind == histories.Next {
					r.Start, r.HasStart = "", false
				}
			}}
		},
	},
	{
		ID: "list-by-revision", Family: 8, Primary: models.ListOrder,
		Sentence: "A list is ordered by revision instead of key.",
		Source:   "kine commits 19618f9 and b56c1e0",
		make: func() fault {
			return fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
				if r.Kind.IsRead() {
					slices.SortFunc(a.Objects, func(x, y histories.Object) int { return int(x.RV - y.RV) })
				}
			}}
		},
	},
	{
		ID: "count-is-limit-plus-one", Family: 8, Primary: models.ListCount,
		Sentence: "The count of a list with a limit is at most one more than the limit.",
		Source:   "kine PR 271, commits ab4df41 and 3773672",
		make: func() fault {
			return fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
				if r.Kind.IsRead() && r.Limit > 0 {
					a.Count = min(a.Count, r.Limit+1)
				}
			}}
		},
	},
	{
		ID: "more-never", Family: 8, Primary: models.ListMore,
		Sentence: "A list that the limit cut does not say that there is more.",
		Source:   "kine commit e4469f1",
		make: func() fault {
			return fault{answer: func(_ moment, _ histories.Request, a *histories.Answer) { a.More = false }}
		},
	},
	{
		ID: "page-unpinned-in-race", Family: 8, Primary: models.PagePinned, ConcurrencyOnly: true,
		Sentence: "While another client's call is in flight, a following page shows the newest state, not the snapshot of the first page.",
		Source:   "kubernetes PR 94002 (more than one fetch while others write)",
		make: func() fault {
			return fault{request: func(m moment, r *histories.Request) {
				if r.Kind == histories.Next && m.races() {
					r.Revision = 0
				}
			}}
		},
	},
	{
		ID: "list-torn-in-race", Family: 8, Primary: models.ListSnapshot, ConcurrencyOnly: true,
		Sentence: "A list reads the second half of its rows after another client's write, with the revision from before.",
		Source:   "kine commit 3e3686d",
		make: func() fault {
			return fault{late: func(m moment, r histories.Request, a *histories.Answer) {
				if r.Kind != histories.List || !newest(r) || r.KeysOnly {
					return
				}
				for i := len(a.Objects) / 2; i < len(a.Objects); i++ {
					a.Objects[i] = again(m.state, a.Objects[i])
				}
			}}
		},
	},
	{
		ID: "count-late-in-race", Family: 8, Primary: models.ListCount, ConcurrencyOnly: true,
		Sentence: "A list counts its scope after another client's write, and shows rows and revision from before.",
		Source:   "kine commit 3e3686d",
		make: func() fault {
			return fault{late: func(m moment, r histories.Request, a *histories.Answer) {
				if r.Kind == histories.List && newest(r) {
					_, now := m.state.Apply(r, m.state.Newest()+1)
					a.Count = now.Count
				}
			}}
		},
	},
	{
		ID: "get-exact-late-in-race", Family: 8, Primary: models.GetExact, ConcurrencyOnly: true,
		Sentence: "A get at a revision that is just the newest shows the object as another client's later write has left it.",
		Source:   "etcd commit 4f081fb1a (a cached snapshot newer than its revision)",
		make: func() fault {
			return fault{late: func(m moment, r histories.Request, a *histories.Answer) {
				if r.Kind != histories.Get || r.Revision != m.began.Newest() || r.KeysOnly {
					return
				}
				for i := range a.Objects {
					a.Objects[i] = again(m.state, a.Objects[i])
				}
			}}
		},
	},
}

// again is an object as a state has it, or as it was if that has none.
func again(s *models.State, o histories.Object) histories.Object {
	if now, there := s.Now().Get(o.Key); there {
		return now
	}
	return o
}
