package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// bookmarkMutants are about what a watch says of its progress.
var bookmarkMutants = []Mutant{
	{
		ID: "bookmark-overtakes", Family: 1, Primary: models.ProgressNoOvertaking,
		Sentence: "A bookmark is sent before the events up to it.",
		Source:   "kubernetes PR 122830; etcd issue 15220",
		make: always(fault{early: func(m moment, w *watch) bool {
			return len(w.queue) == 0 && w.after < m.state.Newest() && w.told < m.state.Newest()
		}}),
	},
	{
		ID: "bookmark-overtakes-in-race", Family: 1, Primary: models.ProgressNoOvertaking, ConcurrencyOnly: true,
		Sentence: "While calls of several clients are in flight, a bookmark is sent before the events up to it.",
		Source:   "kine commit b71c7b0, PR 602, issue 731; k8s-dqlite PR 263",
		make: always(fault{early: func(m moment, w *watch) bool {
			return m.races() && len(w.queue) == 0 && w.after < m.state.Newest() && w.told < m.state.Newest()
		}}),
	},
	{
		ID: "bookmark-ahead", Family: 1, Primary: models.ProgressNotAhead,
		Sentence: "A bookmark has the resource version of the next write.",
		Source:   "kine commit b71c7b0, PR 602 (progress from the revision of the database)",
		make: always(fault{bookmark: func(m moment, _ *watch, event *histories.Event) bool {
			if event.Header == m.state.Newest() {
				event.Header++
			}
			return true
		}}),
	},
	{
		ID: "bookmark-goes-back", Family: 2, Primary: models.ProgressMonotone,
		Sentence: "Every second bookmark has the resource version at which the watch began.",
		Source:   "kine issue 568; etcd PR 15248",
		make: func() fault {
			told := map[*watch]int{}
			return fault{bookmark: func(_ moment, w *watch, event *histories.Event) bool {
				if told[w]++; told[w]%2 == 0 {
					event.Header = max(1, w.opened.After)
				}
				return true
			}}
		},
	},
	{
		ID: "bookmark-stale-in-race", Family: 2, Primary: models.ProgressMonotone, ConcurrencyOnly: true,
		Sentence: "While calls of several clients are in flight, a bookmark is below what the watch has told of.",
		Source:   "kine issue 568, commits 3d4e697 and 8002c42",
		make: always(fault{bookmark: func(m moment, w *watch, event *histories.Event) bool {
			if m.races() && w.delivered > 0 {
				event.Header = max(1, event.Header-2)
			}
			return true
		}}),
	},
	{
		ID: "bookmark-unasked", Family: 13, Primary: models.BookmarkAsked,
		Sentence: "A watch that did not allow bookmarks gets them.",
		Source:   "KEP-956 (clients that do not know bookmarks take them for objects)",
		make:     always(fault{unasked: true}),
	},
	{
		ID: "bookmark-with-object", Family: 13, Primary: models.BookmarkBare,
		Sentence: "A bookmark has the labels of the last object.",
		Source:   "KEP-956, KEP-3157 (what a bookmark is made of)",
		make: always(fault{bookmark: func(_ moment, _ *watch, event *histories.Event) bool {
			event.Kube = &histories.KubeEvent{Form: []string{"the bookmark has labels"}}
			return true
		}}),
	},
}
