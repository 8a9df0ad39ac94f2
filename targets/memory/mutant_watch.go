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
	{
		ID: "revision-split", Family: 9, Primary: models.WatchAtomic,
		Sentence: "The events of one revision arrive in several responses.",
		Source:   "t4 (a revision in two responses); python-etcd3 issue 729",
		make: func() fault {
			return fault{cut: func(_ moment, _ *watch, batch []histories.Event) (now, later []histories.Event) {
				for i := 1; i < len(batch); i++ {
					if batch[i].Object.RV == batch[i-1].Object.RV {
						return batch[:i:i], batch[i:]
					}
				}
				return batch, nil
			}}
		},
	},
	{
		ID: "revision-cut-short", Family: 9, Primary: models.WatchNoGap,
		Sentence: "Where several keys change at one revision a watch that may get fragments delivers the first only.",
		Source:   "python-etcd3 issue 729",
		make: func() fault {
			return fault{cut: func(_ moment, w *watch, batch []histories.Event) (now, later []histories.Event) {
				if !w.request.Fragment {
					return batch, nil
				}
				return slices.CompactFunc(batch, func(a, b histories.Event) bool { return a.Object.RV == b.Object.RV }), nil
			}}
		},
	},
	{
		ID: "watch-starts-late", Family: 9, Primary: models.WatchNoGap,
		Sentence: "A watch from a past revision begins with the one after.",
		Source:   "kubernetes issue 49956, PR 49992",
		make: func() fault {
			return fault{request: func(m moment, r *histories.Request) {
				if r.Kind == histories.Watch && r.StartRevision > 0 && r.StartRevision <= m.state.Newest() {
					r.StartRevision++
				}
			}}
		},
	},
	{
		ID: "watch-starts-early", Family: 9, Primary: models.WatchStart,
		Sentence: "A watch that begins behind the newest revision delivers that one again.",
		Source:   "etcd PRs 15248 and 15274",
		make: func() fault {
			return fault{request: func(m moment, r *histories.Request) {
				if r.Kind == histories.Watch && r.StartRevision > m.state.Compacted()+1 {
					r.StartRevision--
				}
			}}
		},
	},
	{
		ID: "watch-goes-back-in-race", Family: 9, Primary: models.WatchUnique, ConcurrencyOnly: true,
		Sentence: "When two writes overlap the watches hear of the write before again.",
		Source:   "etcd issue 15271, PR 15515",
		make:     func() fault { return fault{live: (&echo{}).live} },
	},
	{
		ID: "watch-opens-late-in-race", Family: 9, Primary: models.WatchNoGap, ConcurrencyOnly: true,
		Sentence: "A watch from now that is opened while calls of other clients overlap misses the first write after its creation.",
		Source:   "kubernetes issue 116122, PR 116172",
		make: func() fault {
			return fault{request: func(m moment, r *histories.Request) {
				if r.Kind == histories.Watch && r.StartRevision == 0 && m.races() {
					r.StartRevision = m.state.Newest() + 2
				}
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

// echo repeats the effects of the write before while another one is coming.
type echo struct{ last []models.Effect }

func (e *echo) live(m moment, effects []models.Effect) []models.Effect {
	if len(effects) == 0 {
		return nil
	}
	out := effects
	if m.acts && m.coming > 0 {
		out = slices.Concat(e.last, effects)
	}
	e.last = effects
	return out
}
