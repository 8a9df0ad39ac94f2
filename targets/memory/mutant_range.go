package memory

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var rangeMutants = []Mutant{
	{
		ID: "keys-only-ignored", Family: 8, Primary: models.RangeKeysOnly,
		Sentence: "A keys-only read returns the values too.",
		Source:   "kine commits adbb708 and c95d54e",
		make: func() fault {
			return fault{request: func(_ moment, r *histories.Request) { r.KeysOnly = false }}
		},
	},
	{
		ID: "count-only-ignored", Family: 8, Primary: models.RangeCountOnly,
		Sentence: "A count-only read returns the objects too.",
		Source:   "kine commit 5827b22 (an option that is not known is ignored)",
		make: func() fault {
			return fault{request: func(_ moment, r *histories.Request) { r.CountOnly = false }}
		},
	},
	{
		ID: "limit-plus-one", Family: 8, Primary: models.ListLimit,
		Sentence: "A list with a limit returns the object more that the store reads to know whether there are more.",
		Source:   "kine PR 271, commits ab4df41 and 3773672",
		make: func() fault {
			return fault{request: func(_ moment, r *histories.Request) {
				if r.Kind.IsRead() && r.Limit > 0 && r.Limit+1 > 0 {
					r.Limit++
				}
			}}
		},
	},
	{
		ID: "start-key-must-exist", Family: 8, Primary: models.PageNoGap,
		Sentence: "A following page whose start key is no object's is empty.",
		Source:   "kine commits 19618f9 and b56c1e0",
		make: func() fault {
			return fault{answer: func(m moment, r histories.Request, a *histories.Answer) {
				if r.Kind != histories.Next || a.Outcome != histories.OK {
					return
				}
				if len(a.Objects) > 0 && a.Objects[0].Key.Name != r.Start {
					a.Objects, a.More = nil, false
				}
			}}
		},
	},
	{
		ID: "list-exact-shows-newest", Family: 8, Primary: models.ListExact,
		Sentence: "A list at a past revision shows the newest state.",
		Source:   "etcd commit 4f081fb1a (a cached snapshot newer than its revision)",
		make: func() fault {
			return fault{request: func(m moment, r *histories.Request) {
				if r.Kind == histories.List && r.Revision >= max(m.state.Compacted(), 1) && r.Revision <= m.state.Newest() {
					r.Revision = 0
				}
			}}
		},
	},
	{
		ID: "list-stale-in-race", Family: 8, Primary: models.ListFresh, ConcurrencyOnly: true,
		Sentence: "While another client's call is in flight, a list that is not serializable is answered as if it were, from before the last acknowledged write.",
		Source:   "kubernetes commits 67b6245fc and 483da2032 (consistent lists from a cache that lags)",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if r.Kind != histories.List || !newest(r) || !m.races() {
					return nil, histories.Answer{}
				}
				_, answer := m.stale.Apply(r, m.stale.Newest()+1)
				return m.state, answer
			}}
		},
	},
	{
		ID: "serializable-torn-in-race", Family: 8, Primary: models.ReadSerializable, ConcurrencyOnly: true,
		Sentence: "A serializable list reads the second half of its rows after another client's write, with the revision from before.",
		Source:   "kine commit 3e3686d",
		make: func() fault {
			return fault{late: func(m moment, r histories.Request, a *histories.Answer) {
				if !r.Kind.IsRead() || !r.Serializable || !newest(r) || r.KeysOnly {
					return
				}
				for i := len(a.Objects) / 2; i < len(a.Objects); i++ {
					a.Objects[i] = again(m.state, a.Objects[i])
				}
			}}
		},
	},
	{
		ID: "sort-ignored", Family: 8, Primary: models.RangeSorted,
		Sentence: "A read that asks for another order is in the order of keys.",
		Source:   "kine commits 19618f9 and 5827b22 (one order for all; an option that is not known is ignored)",
		make: func() fault {
			return fault{request: func(_ moment, r *histories.Request) { r.SortTarget, r.SortOrder = "", "" }}
		},
	},
	{
		ID: "filter-ignored", Family: 8, Primary: models.RangeFiltered,
		Sentence: "A read with bounds on revisions returns what lies outside of them too.",
		Source:   "kine commit 5827b22 (an option that is not known is ignored)",
		make: func() fault {
			return fault{request: func(_ moment, r *histories.Request) {
				r.MinModRevision, r.MaxModRevision, r.MinCreateRevision, r.MaxCreateRevision = 0, 0, 0, 0
			}}
		},
	},
	{
		ID: "more-late-in-race", Family: 8, Primary: models.ListMore, ConcurrencyOnly: true,
		Sentence: "A list with a limit says whether there is more after another client's write, and shows rows and revision from before.",
		Source:   "kine commits e4469f1 and 3e3686d",
		make: func() fault {
			return fault{late: func(m moment, r histories.Request, a *histories.Answer) {
				if r.Kind == histories.List && newest(r) && r.Limit > 0 {
					_, now := m.state.Apply(r, m.state.Newest()+1)
					a.More = now.More
				}
			}}
		},
	},
}
