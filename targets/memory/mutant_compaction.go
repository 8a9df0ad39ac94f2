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
	{
		ID: "compact-twice", Family: 4, Primary: models.ExpiryCompactRefused,
		Sentence: "A compaction to a revision that is compacted already is accepted.",
		Source:   "kine PR 414, issue 489",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if at := m.state.Compacted(); r.Kind != histories.Compact || at == 0 || r.Revision > at || r.Revision < 0 {
					return nil, histories.Answer{}
				}
				return m.state, histories.Answer{Outcome: histories.OK, Revision: m.state.Newest()}
			}}
		},
	},
	{
		ID: "compaction-takes-the-living", Family: 4, Primary: models.ListSnapshot,
		Sentence: "A compaction also removes objects that were last written before its revision: lists do not show them any more.",
		Source:   "kine commit 31fbd94",
		make: func() fault {
			return fault{answer: func(m moment, r histories.Request, a *histories.Answer) {
				if r.Kind == histories.List && newest(r) {
					a.Objects = slices.DeleteFunc(a.Objects, func(o histories.Object) bool { return o.RV < m.state.Compacted() })
				}
			}}
		},
	},
	{
		ID: "compaction-overruns-watch", Family: 4, Primary: models.WatchNoGap,
		Sentence: "A watch that a compaction overtakes while it delivers its history goes on behind it, and says nothing.",
		Source:   "etcd issue 17529, PRs 17612 and 17610",
		make: func() fault {
			return fault{overrun: func(_ moment, w *watch) bool { return w.next > w.request.StartRevision }}
		},
	},
	{
		ID: "negative-watch-starts-now", Family: 4, Primary: models.ExpiryOwed,
		Sentence: "A watch from a negative revision begins now.",
		Source:   "t4 v1.0.3 and v1.1.10",
		make: func() fault {
			return fault{request: func(_ moment, r *histories.Request) {
				if r.Kind == histories.Watch {
					r.StartRevision = max(r.StartRevision, 0)
				}
			}}
		},
	},
}
