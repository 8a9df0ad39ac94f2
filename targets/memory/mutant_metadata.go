package memory

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var metadataMutants = []Mutant{
	{
		ID: "deleted-count-zero", Family: 12, Primary: models.WriteDeletedCount,
		Sentence: "A conditional delete that removed its key reports that it removed none.",
		Source:   "kine commit 49a6cc3",
		make: func() fault {
			return fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
				if r.Kind == histories.Delete && r.Conditional {
					a.Deleted = 0
				}
			}}
		},
	},
	{
		ID: "prev-kv-wrong", Family: 12, Primary: models.WatchPrev,
		Sentence: "The previous value in the event of an update is the new one.",
		Source:   "Xline commit 09413733",
		make: func() fault {
			return fault{event: func(_ moment, _ models.Effect, e *histories.Event) {
				if e.Prev != nil && e.Type == histories.PutEvent {
					*e.Prev = e.Object
				}
			}}
		},
	},
	{
		ID: "delete-event-with-value", Family: 12, Primary: models.WatchDeleteBare,
		Sentence: "The event of a deletion carries the old value.",
		Source:   "kine commit f60f259",
		make: func() fault {
			return fault{event: func(_ moment, effect models.Effect, e *histories.Event) {
				if effect.Deleted && effect.Prev != nil {
					e.Object = *effect.Prev
					e.Object.RV = effect.Revision
				}
			}}
		},
	},
	{
		ID: "version-not-reset", Family: 12, Primary: models.ObjectMetadata,
		Sentence: "The version of a key goes on counting when the key is deleted and created again.",
		Source:   "kine commits 41dd99b and 78f4c34; t4 v0.15.0 (version of the compact key, compare on version)",
		make: func() fault {
			l := lives{puts: map[histories.Key]int64{}, before: map[life]int64{}}
			return fault{live: l.live, shown: l.shown}
		},
	},
	{
		ID: "lease-lost-on-update", Family: 12, Primary: models.LeaseAttached,
		Sentence: "An update with a lease leaves the object without one.",
		Source:   "kubernetes, etcd3 store, GuaranteedUpdate (the lease of an object that is written again)",
		make: func() fault {
			return fault{request: func(m moment, r *histories.Request) {
				if _, there := m.state.Now().Get(r.Key); there && (r.Kind == histories.Update || r.Kind == histories.Put || r.Kind == histories.LeaseAttach) {
					if _, lives := m.state.Lease(r.Lease); lives {
						r.Lease = 0
					}
				}
			}}
		},
	},
	{
		ID: "delete-event-old-revision", Family: 12, Primary: models.WatchContent,
		Sentence: "The event of a deletion has the revision of what was deleted.",
		Source:   "kubernetes issue 58545, PR 58547; commit 07db92af4",
		make: func() fault {
			return fault{event: func(_ moment, effect models.Effect, e *histories.Event) {
				if effect.Deleted && effect.Prev != nil {
					e.Object.RV = effect.Prev.RV
				}
			}}
		},
	},
	{
		ID: "status-version-empty", Family: 12, Primary: models.StatusVersion,
		Sentence: "The status of a member names no version.",
		Source:   "kine issue 315, PR 316",
		make: func() fault {
			return fault{answer: func(_ moment, _ histories.Request, a *histories.Answer) { a.Version = "" }}
		},
	},
	{
		ID: "prev-missing-in-race", Family: 12, Primary: models.WatchPrev, ConcurrencyOnly: true,
		Sentence: "When two writes overlap the first one's event is without the previous value, which was not read in time.",
		Source:   "Grafana PR 130278; etcd issue 10681",
		make: func() fault {
			return fault{event: func(m moment, _ models.Effect, e *histories.Event) {
				if m.coming > 0 {
					e.Prev = nil
				}
			}}
		},
	},
	{
		ID: "value-of-later-in-race", Family: 12, Primary: models.ObjectOneTruth, ConcurrencyOnly: true,
		Sentence: "A get reads the revision of the object first and its value after another client's write.",
		Source:   "kine commit 3e3686d",
		make: func() fault {
			return fault{late: func(m moment, r histories.Request, a *histories.Answer) {
				if r.Kind != histories.Get || !newest(r) || r.KeysOnly || r.CountOnly {
					return
				}
				for i := range a.Objects {
					now := again(m.state, a.Objects[i])
					a.Objects[i].Write, a.Objects[i].Labels, a.Objects[i].Size = now.Write, now.Labels, now.Size
				}
			}}
		},
	},
}

// lives counts the puts of each key over all its lives.
type lives struct {
	puts   map[histories.Key]int64
	before map[life]int64
}

// life is a key from one creation to its deletion.
type life struct {
	key     histories.Key
	created histories.Revision
}

func (l lives) live(_ moment, effects []models.Effect) []models.Effect {
	for _, e := range effects {
		if e.Deleted {
			continue
		}
		if e.Object.Version == 1 {
			l.before[life{e.Key, e.Revision}] = l.puts[e.Key]
		}
		l.puts[e.Key]++
	}
	return effects
}

func (l lives) shown(o *histories.Object) {
	o.Version += l.before[life{o.Key, o.CreateRevision}]
}
