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
