package memory

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var compactionMutants = []Mutant{
	{
		ID: "tombstone-lost-at-compaction", Family: 4, Primary: models.WatchNoGap,
		Sentence: "A compaction also removes the deletion at the compaction revision: a watch from there misses it.",
		Source:   "etcd issue 18089, PRs 18274, 18474 and 18475",
		make: func() fault {
			return fault{past: func(m moment, effects []models.Effect) []models.Effect {
				return slices.DeleteFunc(slices.Clone(effects), func(e models.Effect) bool {
					return e.Deleted && e.Revision == m.state.Compacted()
				})
			}}
		},
	},
	{
		ID: "compact-revision-refused", Family: 4, Primary: models.ExpiryJustified,
		Sentence: "A read at the compaction revision itself is refused as compacted.",
		Source:   "kubernetes commit d3536986d, issue 25151",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if at := m.state.Compacted(); !r.Kind.IsRead() || at == 0 || r.Revision != at {
					return nil, histories.Answer{}
				}
				r.Revision--
				return m.state.Apply(r, m.state.Newest()+1)
			}}
		},
	},
	{
		ID: "compacted-watch-silent", Family: 4, Primary: models.ExpiryWatchTold,
		Sentence: "A watch from below the compaction point is neither refused nor served, it stays open and silent.",
		Source:   "kine commit c1da9bf, PR 238; kubernetes issue 137089",
		make: func() fault {
			return fault{expired: func(moment, *store, *histories.End) bool { return false }}
		},
	},
	{
		ID: "compacted-watch-accepted", Family: 4, Primary: models.ExpiryOwed,
		Sentence: "A watch from below the compaction point is not refused, it begins at the compaction point.",
		Source:   "t4 v0.7.1; kine commit c1da9bf, PR 238",
		make: func() fault {
			return fault{request: func(m moment, r *histories.Request) {
				if r.Kind == histories.Watch && r.StartRevision > 0 {
					r.StartRevision = max(r.StartRevision, m.state.Compacted())
				}
			}}
		},
	},
	{
		ID: "compacted-cancel-unnamed", Family: 4, Primary: models.ExpiryCompactRevision,
		Sentence: "A watch that is cancelled as compacted is not told the compaction revision.",
		Source:   "kine commit ffc8345, PR 373",
		make: func() fault {
			return fault{expired: func(_ moment, _ *store, end *histories.End) bool {
				end.CompactRevision = 0
				return true
			}}
		},
	},
}
