package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// initialMutants are about the events with which a watch says what was there.
var initialMutants = []Mutant{
	{
		ID: "unset-watch-from-lagging-cache", Family: 9, Primary: models.WatchInitial,
		Sentence: "A watch without a resource version begins with what the cache knows, as if it were 0.",
		Source:   "kubernetes commit db00da87d",
		make: always(fault{opened: func(m moment, w *kube.Opened) {
			if options := w.Request().Options(); w.Initial == nil || options.ResourceVersion != "" || m.stale.Newest() <= 1 {
				return
			}
			honest := *w
			old, answer := m.stale.Watch(honest.Request(), m.stale.Newest())
			if answer.Outcome == histories.OK && old.Refused == nil {
				*w = old
			}
		}}),
	},
	{
		ID: "initial-without-last", Family: 9, Primary: models.WatchInitial,
		Sentence: "The initial events of a watch lack the last object.",
		Source:   "kubernetes commit 45b7f2117; cozystack PR 1860",
		make: always(fault{opened: func(_ moment, w *kube.Opened) {
			for i := len(w.Initial) - 1; i >= 0; i-- {
				if w.Initial[i].Type == histories.AddedEvent {
					w.Initial = append(w.Initial[:i:i], w.Initial[i+1:]...)
					return
				}
			}
		}}),
	},
	{
		ID: "initial-repeats-first", Family: 9, Primary: models.WatchInitial,
		Sentence: "The initial events of a watch have the first object twice.",
		Source:   "kubernetes commit 93c815ca9",
		make: always(fault{opened: func(_ moment, w *kube.Opened) {
			if len(w.Initial) > 0 && w.Initial[0].Type == histories.AddedEvent {
				w.Initial = append([]histories.Event{w.Initial[0]}, w.Initial...)
			}
		}}),
	},
	{
		ID: "back-in-time-after-initial", Family: 9, Primary: models.WatchStart,
		Sentence: "After the bookmark that ends the initial events a watch tells of changes that they hold already.",
		Source:   "kubernetes commit 6cab3e1a4, PR 73845",
		make: always(fault{opened: func(_ moment, w *kube.Opened) {
			if w.Initial != nil {
				w.After = max(1, w.After-3)
			}
		}}),
	},
	{
		ID: "initial-end-early", Family: 9, Primary: models.WatchStart,
		Sentence: "The bookmark that ends the initial events comes before the last of them.",
		Source:   "kubernetes commit 76172aaa1, PR 116302",
		make: always(fault{opened: func(_ moment, w *kube.Opened) {
			if n := len(w.Initial); n > 1 && w.Initial[n-1].Details().InitialEventsEnd {
				swapped := append([]histories.Event{}, w.Initial...)
				swapped[n-2], swapped[n-1] = swapped[n-1], swapped[n-2]
				w.Initial = swapped
			}
		}}),
	},
	{
		ID: "initial-end-missing", Family: 9, Primary: models.WatchInitialEnd,
		Sentence: "The bookmark that ends the initial events does not say that it does.",
		Source:   "kubernetes issue 126958, commit f7eddd4bd; kcp issue 3871",
		make: always(fault{opened: func(_ moment, w *kube.Opened) {
			if n := len(w.Initial); n > 0 && w.Initial[n-1].Details().InitialEventsEnd {
				w.Initial = append(w.Initial[:n-1:n-1], kube.Bookmark(w.Initial[n-1].Header))
			}
		}}),
	},
	{
		ID: "initial-of-older-than-asked", Family: 9, Primary: models.WatchInitial,
		Sentence: "The initial events of a watch do not wait for the resource version that was asked for.",
		Source:   "kubernetes commit 0df626818",
		make: always(fault{opened: func(m moment, w *kube.Opened) {
			rv, ok := kube.ParseRV(w.Request().Options().ResourceVersion)
			if w.Initial == nil || !ok || rv.Revision < 3 || rv.Revision > m.state.Newest() {
				return
			}
			r := *w.Request()
			r.Kube = with(r, func(o *histories.KubeOptions) { o.ResourceVersion = "0" })
			if old, answer := m.state.Watch(&r, rv.Revision-1); answer.Outcome == histories.OK {
				*w = old
			}
		}}),
	},
}
