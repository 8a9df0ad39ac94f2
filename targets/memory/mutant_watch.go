package memory

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var watchMutants = []Mutant{
	{
		ID: "watch-repeats-last-of-past", Family: 9, Primary: models.WatchUnique,
		Sentence: "A watch that has caught up with the store delivers the newest event of the past twice.",
		Source:   "kine commits f5381b2, 040ec69 and 1f97184",
		make: func() fault {
			return fault{past: func(m moment, effects []models.Effect) []models.Effect {
				last := len(effects) - 1
				if last < 0 || effects[last].Revision != m.state.Newest() {
					return effects
				}
				return append(slices.Clone(effects), effects[last])
			}}
		},
	},
	{
		ID: "future-watch-starts-now", Family: 9, Primary: models.WatchStart,
		Sentence: "A watch from a future revision delivers what happens before that revision.",
		Source:   "etcd issue 20221",
		make: func() fault {
			return fault{request: func(m moment, r *histories.Request) {
				if r.Kind == histories.Watch && r.StartRevision > m.state.Newest() {
					r.StartRevision = 0
				}
			}}
		},
	},
	{
		ID: "watch-shows-newest", Family: 9, Primary: models.WatchContent,
		Sentence: "A watch that catches up delivers old events with the newest value of their key.",
		Source:   "kubernetes commit 50f153f22",
		make: func() fault {
			return fault{past: func(m moment, effects []models.Effect) []models.Effect {
				shown := slices.Clone(effects)
				for i, e := range shown {
					if now, there := m.state.Now().Get(e.Key); there && !e.Deleted {
						shown[i].Object = now
						shown[i].Object.RV = e.Revision
					}
				}
				return shown
			}}
		},
	},
	{
		ID: "watch-swaps-in-race", Family: 9, Primary: models.WatchOrdered, ConcurrencyOnly: true,
		Sentence: "Of two writes that overlap the watches hear of the later one first.",
		Source:   "k8s-dqlite PR 264; kine issues 71 and 82",
		make:     func() fault { return fault{live: (&swap{}).live} },
	},
	{
		ID: "watch-loses-in-race", Family: 9, Primary: models.WatchNoGap, ConcurrencyOnly: true,
		Sentence: "When two writes overlap the watches do not hear of the first.",
		Source:   "kubernetes PR 39078 (non-blocking send); k8s-dqlite PR 264",
		make: func() fault {
			return fault{live: func(m moment, effects []models.Effect) []models.Effect {
				if m.acts && m.coming > 0 {
					return nil
				}
				return effects
			}}
		},
	},
}

// swap holds back the effects of a write while another one is coming, and lets
// that one go first.
type swap struct{ held []models.Effect }

func (s *swap) live(m moment, effects []models.Effect) []models.Effect {
	if len(s.held) == 0 && m.acts && m.coming > 0 {
		s.held = effects
		return nil
	}
	out := slices.Concat(effects, s.held)
	s.held = nil
	return out
}
