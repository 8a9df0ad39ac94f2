package memory

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var expiryMutants = []Mutant{
	{
		ID: "future-read-answered", Family: 10, Primary: models.ReadFuture,
		Sentence: "A read at a revision that does not exist yet is answered with the newest state.",
		Source:   "Xline commit f4b42e88 (the check of a range's revision)",
		make: func() fault {
			return fault{request: func(m moment, r *histories.Request) {
				if r.Kind.IsRead() && r.Revision > m.state.Newest() {
					r.Revision = 0
				}
			}}
		},
	},
	{
		ID: "compacted-read-answered", Family: 10, Primary: models.ExpiryOwed,
		Sentence: "A read below the compaction point is answered from what the compaction has left.",
		Source:   "Xline commits f14b88fd and f4b42e88",
		make: func() fault {
			return fault{request: func(m moment, r *histories.Request) {
				if r.Kind.IsRead() && r.Revision > 0 {
					r.Revision = max(r.Revision, m.state.Compacted())
				}
			}}
		},
	},
	{
		ID: "compacted-read-future", Family: 10, Primary: models.ReadFuture,
		Sentence: "A read below the compaction point is refused as if its revision did not exist yet.",
		Source:   "FoundationDB issue 3090; Xline commit f4b42e88 (which of the two errors)",
		make: func() fault {
			return fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
				if r.Kind.IsRead() && a.Outcome == histories.Fail && a.Error.Class == histories.Compacted {
					a.Error = &histories.Error{Class: histories.Future, Code: a.Error.Code}
				}
			}}
		},
	},
	{
		ID: "negative-read-refused", Family: 10, Primary: models.ExpiryJustified,
		Sentence: "A read at a negative revision, which means the newest, is refused as compacted.",
		Source:   "etcd issue 13871 (inside a transaction); Xline commit f4b42e88",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if !r.Kind.IsRead() || r.Revision >= 0 {
					return nil, histories.Answer{}
				}
				return m.state, histories.Answer{
					Outcome: histories.Fail, Error: &histories.Error{Class: histories.Compacted, Code: "OutOfRange"},
				}
			}}
		},
	},
	{
		ID: "past-read-refused-in-race", Family: 10, Primary: models.ExpiryJustified, ConcurrencyOnly: true,
		Sentence: "While another client's call is in flight, a read at a past revision that is still there is refused as compacted.",
		Source:   "kubernetes issue 54878, commit d3536986d; Grafana PR 130440",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if !r.Kind.IsRead() || r.Revision <= 0 || r.Revision > m.state.Newest() || !m.races() {
					return nil, histories.Answer{}
				}
				return m.state, histories.Answer{
					Outcome: histories.Fail, Error: &histories.Error{Class: histories.Compacted, Code: "OutOfRange"},
				}
			}}
		},
	},
}
