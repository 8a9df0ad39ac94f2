package damaged

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// streamDamages change what watches deliver.
var streamDamages = []Damage{
	{
		ID: "event-dropped", Family: 9, Primary: models.WatchNoGap,
		Sentence: "A watch loses its first event, once a later one has come.",
		Source:   "kubernetes PR 39078; k8s-dqlite PR 264",
		make:     edit(func() editor { return &first{then: dropped} }),
	},
	{
		ID: "events-swapped", Family: 9, Primary: models.WatchOrdered,
		Sentence: "A watch delivers its second response before its first.",
		Source:   "k8s-dqlite PR 264; kine issues 71 and 82",
		make:     edit(func() editor { return &first{then: swapped} }),
	},
	{
		ID: "event-doubled", Family: 9, Primary: models.WatchUnique,
		Sentence: "A watch delivers its first response once more when the second has come.",
		Source:   "etcd issue 15271, PR 15515",
		make:     edit(func() editor { return &first{then: doubled} }),
	},
	{
		ID: "event-late", Family: 1, Primary: models.ProgressNoOvertaking,
		Sentence: "Events wait until the next progress notification has gone out.",
		Source:   "etcd issue 15220, PRs 15237 and 15695",
		make:     edit(func() editor { return &late{} }),
	},
	{
		ID: "event-invented", Family: 9, Primary: models.WatchAuthentic,
		Sentence: "A watch of everything is told of a write that nobody asked for.",
		Source:   "kine, release sources v0.16.4 to v0.16.5",
		make: func() fault {
			return fault{stream: func(r histories.Request) editor {
				if r.Scope.Shape != histories.All || len(r.Filters) > 0 {
					return honest{}
				}
				return each(invented)
			}}
		},
	},
	{
		ID: "value-of-before", Family: 9, Primary: models.WatchContent,
		Sentence: "The event of a put carries the value that the one before it had stored.",
		Source:   "kubernetes commit 50f153f22",
		make:     edit(func() editor { return each(valuesOfBefore()) }),
	},
	{
		ID: "delete-with-value", Family: 12, Primary: models.WatchDeleteBare,
		Sentence: "The event of a deletion carries the old value.",
		Source:   "kine commit f60f259",
		make:     edit(func() editor { return each(withValue) }),
	},
	{
		ID: "prev-is-new", Family: 12, Primary: models.WatchPrev,
		Sentence: "The previous value in the event of an update is the new one.",
		Source:   "Xline commit 09413733",
		make:     edit(func() editor { return each(prevIsNew) }),
	},
	{
		ID: "header-behind", Family: 3, Primary: models.WatchHeader,
		Sentence: "The header of a response is below its events.",
		Source:   "etcd PR 4360",
		make:     edit(func() editor { return each(headerBehind) }),
	},
	{
		ID: "response-split", Family: 9, Primary: models.WatchAtomic,
		Sentence: "The events of one revision arrive in several responses.",
		Source:   "t4; python-etcd3 issue 729",
		make:     edit(func() editor { return split{} }),
	},
	{
		ID: "watch-silent", Family: 5, Primary: models.WatchDelivers,
		Sentence: "A watch falls silent after its first response.",
		Source:   "etcd PRs 14296 and 14563; kubebrain PRs 23 and 28",
		make:     edit(func() editor { return &silent{} }),
	},
	{
		ID: "progress-of-zero", Family: 2, Primary: models.ProgressMonotone,
		Sentence: "A progress notification names revision 0.",
		Source:   "kine issue 568",
		make:     edit(func() editor { return notified(func(e *histories.Event) bool { e.Header = 0; return true }) }),
	},
	{
		ID: "progress-far-ahead", Family: 1, Primary: models.ProgressNotAhead,
		Sentence: "A progress notification names a revision that the store has not reached.",
		Source:   "kine commit b71c7b0, PR 602; k8s-dqlite PR 263",
		make:     edit(func() editor { return notified(func(e *histories.Event) bool { e.Header += far; return true }) }),
	},
	{
		ID: "progress-unanswered", Family: 2, Primary: models.ProgressAnswered,
		Sentence: "Requests for progress are not answered.",
		Source:   "etcd commit 6103504d4, PRs 17566 and 17567",
		make:     edit(func() editor { return notified(func(*histories.Event) bool { return false }) }),
	},
	{
		ID: "compaction-untold", Family: 4, Primary: models.ExpiryWatchTold,
		Sentence: "A watch from below the compaction point stays open and silent.",
		Source:   "kine commit c1da9bf, PR 238; kubernetes issue 137089",
		make:     edit(func() editor { return untold{} }),
	},
	{
		ID: "compaction-unnamed", Family: 4, Primary: models.ExpiryCompactRevision,
		Sentence: "A watch that is cancelled as compacted is not told the compaction revision.",
		Source:   "kine commit ffc8345, PR 373",
		make:     edit(func() editor { return unnamed{} }),
	},
}

// far is more revisions than a plan makes.
const far = 1 << 40

// edit makes a fault of an editor for each watch.
func edit(make func() editor) func() fault {
	return func() fault { return fault{stream: func(histories.Request) editor { return make() }} }
}
