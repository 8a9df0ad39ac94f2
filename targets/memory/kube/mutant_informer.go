package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// informerMutants are about what a client's library makes of a store that is right.
var informerMutants = []Mutant{
	{
		ID: "informer-goes-back", Family: 14, Primary: models.InformerOrder,
		Sentence: "An informer's handler is told of an update, of the state before it again, and then of the update again.",
		Source:   "kubernetes issue 59848, PR 83520 (an informer that lists an older state)",
		make: always(fault{calls: func(_ moment, calls []histories.Event) []histories.Event {
			if call := calls[0]; call.Type == histories.ModifiedEvent {
				now, before := call.Object, *call.Prev
				back := histories.Event{Type: histories.ModifiedEvent, Last: true, Object: before, Prev: &now}
				return []histories.Event{call, back, call}
			}
			return calls
		}}),
	},
	{
		ID: "informer-keeps-deleted", Family: 14, Primary: models.InformerComplete,
		Sentence: "An informer loses deletions: what was deleted stays in its store, and its handler is told nothing.",
		Source:   "kubernetes commits 2ded6b6eb and 8279635aa (a deletion lost while an informer lists again)",
		make: always(fault{
			keeps: func(_ moment, e kube.Effect) bool { return e.After != nil },
			calls: without(histories.DeleteEvent),
		}),
	},
	{
		ID: "informer-delete-untold", Family: 14, Primary: models.InformerTold,
		Sentence: "An informer takes what was deleted out of its store, but does not tell its handler.",
		Source:   "kubernetes commits 2ded6b6eb and 8279635aa (a deletion lost while an informer lists again)",
		make:     always(fault{calls: without(histories.DeleteEvent)}),
	},
	{
		ID: "informer-update-untold", Family: 14, Primary: models.InformerHandlers,
		Sentence: "An informer takes updates into its store, but tells its handler of every second one only.",
		Source:   "kubernetes commit b775e00fe (an update taken for a resync)",
		make: func() fault {
			count := 0
			return fault{calls: func(_ moment, calls []histories.Event) []histories.Event {
				if calls[0].Type != histories.ModifiedEvent {
					return calls
				}
				if count++; count%2 == 1 {
					return nil
				}
				return calls
			}}
		},
	},
	{
		ID: "informer-adds-twice", Family: 14, Primary: models.InformerHandlers,
		Sentence: "An informer's handler is told twice that an object was added.",
		Source:   "kubernetes issue 59848 (an informer that takes what it knows for new)",
		make: always(fault{calls: func(_ moment, calls []histories.Event) []histories.Event {
			if calls[0].Type == histories.AddedEvent && !calls[0].Details().Initial {
				return append(calls, calls[0])
			}
			return calls
		}}),
	},
	{
		ID: "informer-update-unadded", Family: 14, Primary: models.InformerHandlers,
		Sentence: "An informer's handler is told of a new object as of an update.",
		Source:   "k8s.io/client-go, tools/cache, notes on the order of notifications",
		make: always(fault{calls: func(_ moment, calls []histories.Event) []histories.Event {
			if call := calls[0]; call.Type == histories.AddedEvent && !call.Details().Initial {
				before := call.Object
				return []histories.Event{{Type: histories.ModifiedEvent, Last: true, Object: call.Object, Prev: &before}}
			}
			return calls
		}}),
	},
	{
		ID: "informer-changes-object", Family: 14, Primary: models.InformerStates,
		Sentence: "What an informer's handler is shown of an update has the labels of another object, put there by somebody who shares it.",
		Source:   "k8s.io/client-go, tools/cache, mutation detector",
		make: always(fault{calls: func(_ moment, calls []histories.Event) []histories.Event {
			if calls[0].Type == histories.ModifiedEvent {
				calls[0].Object.Labels = map[string]string{"shared": "true"}
			}
			return calls
		}}),
	},
	{
		ID: "informer-synced-early", Family: 14, Primary: models.InformerInitial,
		Sentence: "An informer says that its handler is synced before that was told of the last object of the first list.",
		Source:   "k8s.io/client-go, tools/cache, what the registration of a handler promises",
		make: always(fault{calls: func(_ moment, calls []histories.Event) []histories.Event {
			if last := len(calls) - 1; last > 0 && calls[last].Type == histories.SyncedEvent {
				calls[last-1], calls[last] = calls[last], calls[last-1]
			}
			return calls
		}}),
	},
	{
		ID: "informer-initial-incomplete", Family: 14, Primary: models.InformerInitial,
		Sentence: "An informer tells its handler of the first object of its first list after it said that the handler is synced, as of one that was added since.",
		Source:   "k8s.io/client-go, tools/cache, what the registration of a handler promises",
		make: always(fault{calls: func(_ moment, calls []histories.Event) []histories.Event {
			if last := len(calls) - 1; last > 1 && calls[last].Type == histories.SyncedEvent {
				late := calls[0]
				late.Kube = nil
				return append(calls[1:], late)
			}
			return calls
		}}),
	},
	{
		ID: "pager-skips", Family: 14, Primary: models.PagerSnapshot,
		Sentence: "A pager leaves out the first object of the second page.",
		Source:   "k8s.io/client-go, tools/pager",
		make: always(fault{paged: func(_ moment, size int64, objects []histories.Object) []histories.Object {
			if int64(len(objects)) <= size {
				return objects
			}
			return append(objects[:size:size], objects[size+1:]...)
		}}),
	},
}

// without leaves out what a handler would be told of one type.
func without(left histories.EventType) func(m moment, calls []histories.Event) []histories.Event {
	return func(_ moment, calls []histories.Event) []histories.Event {
		if calls[0].Type == left {
			return nil
		}
		return calls
	}
}
