package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// watchMutants are about the changes that a watch tells of.
var watchMutants = []Mutant{
	{
		ID: "watch-loses-in-race", Family: 9, Primary: models.WatchNoGap, ConcurrencyOnly: true,
		Sentence: "A watch drops an event while calls of several clients are in flight.",
		Source:   "kubernetes PR 39078 (non-blocking send); k8s-dqlite PR 264",
		make: always(fault{event: func(m moment, _ *watch, _ kube.Effect, _ *histories.Event) bool {
			return !m.races()
		}}),
	},
	{
		ID: "watch-coalesces", Family: 9, Primary: models.WatchNoGap,
		Sentence: "Of changes of one object that wait to be delivered, a watch tells the last one only.",
		Source:   "kubernetes issue 116122, PR 116172 (the state in place of the changes)",
		make: always(fault{effects: func(_ moment, _ *watch, effects []kube.Effect) []kube.Effect {
			for len(effects) > 1 && effects[0].Key() == effects[1].Key() && effects[0].Before != nil && effects[1].After != nil {
				effects = effects[1:]
			}
			return effects
		}}),
	},
	{
		ID: "watch-starts-late", Family: 9, Primary: models.WatchNoGap,
		Sentence: "A watch from a resource version does not tell of the first change after it.",
		Source:   "kubernetes issue 49956, PR 49992",
		make: always(fault{opened: func(m moment, w *kube.Opened) {
			if rv, ok := kube.ParseRV(w.Request().Options().ResourceVersion); ok && rv.Revision > 0 && rv.Revision < m.state.Newest() {
				w.After++
			}
		}}),
	},
	{
		ID: "watch-starts-early", Family: 9, Primary: models.WatchStart,
		Sentence: "A watch from a resource version tells of the change at that resource version too.",
		Source:   "etcd PRs 15248 and 15274 (an inclusive start taken for an exclusive one)",
		make: always(fault{opened: func(m moment, w *kube.Opened) {
			if rv, ok := kube.ParseRV(w.Request().Options().ResourceVersion); ok && rv.Revision > 1 && rv.Revision == w.After && w.Initial == nil {
				w.After--
			}
		}}),
	},
	{
		ID: "future-watch-starts-now", Family: 9, Primary: models.WatchStart,
		Sentence: "A watch from a resource version that does not exist yet tells of what is written from now on.",
		Source:   "etcd issue 20221",
		make: always(fault{opened: func(m moment, w *kube.Opened) {
			w.After = min(w.After, m.state.Newest())
		}}),
	},
	{
		ID: "watch-repeats-in-race", Family: 9, Primary: models.WatchUnique, ConcurrencyOnly: true,
		Sentence: "A watch tells of a change twice while calls of several clients are in flight.",
		Source:   "kubernetes commit 93c815ca9; kine commits f5381b2 and 040ec69",
		make: always(fault{event: func(m moment, w *watch, _ kube.Effect, event *histories.Event) bool {
			if m.races() {
				w.queue = append(w.queue, *event)
			}
			return true
		}}),
	},
	{
		ID: "watch-swaps", Family: 9, Primary: models.WatchOrdered,
		Sentence: "A watch tells of two changes of two objects that wait to be delivered the other way round.",
		Source:   "k8s-dqlite PR 264; kine issues 71 and 82",
		make: always(fault{effects: func(_ moment, w *watch, effects []kube.Effect) []kube.Effect {
			if len(effects) < 2 || effects[0].Key() == effects[1].Key() {
				return effects
			}
			for _, e := range []kube.Effect{effects[1], effects[0]} {
				if event, tells := w.opened.Event(e); tells {
					w.queue = append(w.queue, event)
				}
			}
			w.after = effects[1].Revision
			return nil
		}}),
	},
	{
		ID: "watch-shows-newest", Family: 9, Primary: models.WatchContent,
		Sentence: "An event that is late carries the object as it is by now, with the resource version of its change.",
		Source:   "kubernetes commit 50f153f22",
		make: always(fault{event: func(m moment, _ *watch, e kube.Effect, event *histories.Event) bool {
			if now := stored(m.state.Now(), e.Key()); now != nil && e.After != nil && event.Type != histories.DeleteEvent && now.UID == e.After.UID {
				revision := event.Object.RV
				event.Object = *now
				event.Object.RV = revision
			}
			return true
		}}),
	},
	{
		ID: "delete-with-old-version", Family: 12, Primary: models.WatchContent,
		Sentence: "The event of a deletion carries the resource version of the last write, not of the deletion.",
		Source:   "kubernetes issue 58545, PR 58547; commit 07db92af4",
		make: always(fault{event: func(_ moment, _ *watch, e kube.Effect, event *histories.Event) bool {
			if e.After == nil {
				event.Object.RV = e.Before.RV
			}
			return true
		}}),
	},
	{
		ID: "delete-of-older-state", Family: 12, Primary: models.WatchContent,
		Sentence: "The event of a deletion carries the object as it was before its last change.",
		Source:   "kine commits of DELETE events that carry an old value; Xline commit 09413733",
		make: always(fault{event: func(m moment, _ *watch, e kube.Effect, event *histories.Event) bool {
			if e.After != nil {
				return true
			}
			if old := stored(m.state.At(e.Before.RV-1), e.Key()); old != nil && old.UID == e.Before.UID {
				event.Object = *old
				event.Object.RV = e.Revision
			}
			return true
		}}),
	},
	{
		ID: "watch-crosses-namespace", Family: 5, Primary: models.WatchScope,
		Sentence: "A watch of a namespace tells of all namespaces.",
		Source:   "kubernetes PRs 25342 and 28966",
		make: always(fault{request: func(_ moment, r *histories.Request) {
			if r.Kind == histories.Watch && r.Scope.Shape == histories.Namespace {
				r.Scope = histories.Scope{}
			}
		}}),
	},
	{
		ID: "namespace-watch-silent", Family: 5, Primary: models.WatchDelivers,
		Sentence: "A watch of one namespace hears of no change, and stays open.",
		Source:   "kubernetes issue 125133",
		make:     always(deaf(ofNamespace)),
	},
	{
		ID: "selector-watch-silent", Family: 9, Primary: models.WatchDelivers,
		Sentence: "A watch with a label selector hears of no change, and stays open.",
		Source:   "kubernetes, dispatch of the watch cache by indexed values (a watch under the wrong value)",
		make:     always(deaf(ofLabels)),
	},
	{
		ID: "leaving-not-told", Family: 9, Primary: models.WatchSelector,
		Sentence: "A watch with a selector does not tell that an object has ceased to match.",
		Source:   "kubernetes conformance tests, deletion when the selector stops matching",
		make: always(fault{event: func(_ moment, _ *watch, e kube.Effect, event *histories.Event) bool {
			return e.After == nil || event.Type != histories.DeleteEvent
		}}),
	},
	{
		ID: "leaving-shows-new-state", Family: 9, Primary: models.WatchSelector,
		Sentence: "When an object ceases to match, the event of its deletion carries the state that does not match.",
		Source:   "kubernetes, transform in storage/etcd3/watcher.go (the wrong of two objects)",
		make: always(fault{event: func(_ moment, w *watch, e kube.Effect, event *histories.Event) bool {
			if e.After != nil && event.Type == histories.DeleteEvent {
				event.Object = kube.Shown(&w.request, *e.After)
			}
			return true
		}}),
	},
	{
		ID: "joining-is-modified", Family: 9, Primary: models.WatchSelector,
		Sentence: "An object that begins to match a selector is told of as modified.",
		Source:   "kubernetes conformance tests, watchers with label selectors",
		make: always(fault{event: func(_ moment, _ *watch, e kube.Effect, event *histories.Event) bool {
			if e.Before != nil && event.Type == histories.AddedEvent {
				event.Type = histories.ModifiedEvent
			}
			return true
		}}),
	},
	{
		ID: "selector-on-new-state-only", Family: 9, Primary: models.WatchSelector,
		Sentence: "A watch with a selector tells of objects that never matched that they were deleted.",
		Source:   "kubernetes, convertToWatchEvent in storage/cacher (the state before left out)",
		make: always(fault{effects: func(_ moment, w *watch, effects []kube.Effect) []kube.Effect {
			if len(effects) == 0 || w.opened.Selector().Empty() {
				return effects
			}
			e := effects[0]
			if e.Before != nil && e.After == nil && w.request.Scope.Contains(e.Key()) && !w.opened.Takes(e.Before) {
				gone := *e.Before
				gone.RV = e.Revision
				w.queue = append(w.queue, histories.Event{Type: histories.DeleteEvent, Object: kube.Shown(&w.request, gone), Last: true})
				w.after = e.Revision
				return nil
			}
			return effects
		}}),
	},
}

// deaf keeps everything from some watches.
func deaf(is func(*watch) bool) fault {
	return fault{
		effects: func(_ moment, w *watch, effects []kube.Effect) []kube.Effect {
			if is(w) {
				return nil
			}
			return effects
		},
		bookmark: func(_ moment, w *watch, _ *histories.Event) bool { return !is(w) },
	}
}

func ofLabels(w *watch) bool { return w.opened.Request().Options().LabelSelector != "" }

func ofNamespace(w *watch) bool { return w.opened.Request().Scope.Shape == histories.Namespace }
