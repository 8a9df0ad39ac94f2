package memory

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var progressMutants = []Mutant{
	{
		ID: "progress-overtakes-backlog", Family: 1, Primary: models.ProgressNoOvertaking,
		Sentence: "A requested progress notification goes out at once, though the watch still delivers its history.",
		Source:   "etcd issue 15220, PRs 15237 and 15695",
		make: func() fault {
			return fault{overtakes: func(m moment, w *watch) bool { return w.behind(m.state) }}
		},
	},
	{
		ID: "progress-overtakes-in-race", Family: 1, Primary: models.ProgressNoOvertaking, ConcurrencyOnly: true,
		Sentence: "While calls overlap, a progress notification counts writes whose events are not delivered yet.",
		Source:   "kine commit b71c7b0, PR 602, issue 731; k8s-dqlite PR 263",
		make: func() fault {
			return fault{overtakes: func(m moment, w *watch) bool { return m.races() && w.behind(m.state) }}
		},
	},
	{
		ID: "progress-zero", Family: 2, Primary: models.ProgressMonotone,
		Sentence: "A progress notification names revision 0.",
		Source:   "kine issue 568",
		make: func() fault {
			return fault{progress: func(_ moment, _ *watch, e *histories.Event) bool {
				e.Header = 0
				return true
			}}
		},
	},
	{
		ID: "progress-unanswered-when-idle", Family: 2, Primary: models.ProgressAnswered,
		Sentence: "A watch that never had an event never answers a request for progress.",
		Source:   "etcd commit 6103504d4, PRs 17566 and 17567; kine commit 0dc5b17",
		make: func() fault {
			return fault{progress: func(_ moment, w *watch, _ *histories.Event) bool { return w.delivered > 0 }}
		},
	},
	{
		ID: "progress-ahead", Family: 1, Primary: models.ProgressNotAhead,
		Sentence: "A progress notification names a revision that the store has handed out and not yet used.",
		Source:   "kine commit b71c7b0, PR 602; k8s-dqlite PR 263 (progress from the revision of the database)",
		make: func() fault {
			return fault{progress: func(_ moment, _ *watch, e *histories.Event) bool {
				e.Header += 2
				return true
			}}
		},
	},
	{
		ID: "progress-of-one-for-all", Family: 1, Primary: models.ProgressNoOvertaking,
		Sentence: "A progress notification for all watches of a transport stream goes out as soon as one of them has delivered everything.",
		Source:   "etcd issue 15220, PRs 15237 and 15695",
		make: func() fault {
			return fault{overtakes: func(m moment, w *watch) bool {
				return w.transport.asked && w.synced(m.state) && slices.ContainsFunc(w.transport.watches, func(o *watch) bool { return o.behind(m.state) })
			}}
		},
	},
	{
		ID: "progress-of-start", Family: 2, Primary: models.ProgressMonotone,
		Sentence: "A progress notification names the revision at which the watch began, whatever it has delivered since.",
		Source:   "kine issue 568; etcd PR 15248 (progress and resumption)",
		make: func() fault {
			return fault{progress: func(_ moment, w *watch, e *histories.Event) bool {
				if start := w.request.StartRevision; start > 0 {
					e.Header = min(start, e.Header)
				}
				return true
			}}
		},
	},
	{
		ID: "progress-stale-in-race", Family: 2, Primary: models.ProgressMonotone, ConcurrencyOnly: true,
		Sentence: "While calls overlap, a progress notification names a revision from before the last acknowledged write, though the watch has delivered that.",
		Source:   "kine issue 568, commits 3d4e697 and 8002c42",
		make: func() fault {
			return fault{progress: func(m moment, _ *watch, e *histories.Event) bool {
				if m.races() {
					e.Header = m.stale.Newest()
				}
				return true
			}}
		},
	},
}

// behind reports whether the watch has started and has not delivered everything.
func (w *watch) behind(s *models.State) bool {
	return len(w.queue) > 0 || !w.live && w.next >= max(s.Compacted(), 1)
}
