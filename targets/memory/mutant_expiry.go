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
}
