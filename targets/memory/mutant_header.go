package memory

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var headerMutants = []Mutant{
	{
		ID: "created-revision-zero", Family: 3, Primary: models.WatchCreated,
		Sentence: "The answer to the creation of a watch names revision 0 instead of the store's.",
		Source:   "kine, release sources v0.16.4 to v0.16.5",
		make: func() fault {
			return fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
				if r.Kind == histories.Watch {
					a.Revision = 0
				}
			}}
		},
	},
	{
		ID: "conflict-header-ahead", Family: 3, Primary: models.HeaderNotAhead,
		Sentence: "A refused write answers with the revision that it would have got.",
		Source:   "t4 v0.15.0 (revision of an uncommitted write in a transaction without effect)",
		make: func() fault {
			return fault{answer: func(_ moment, _ histories.Request, a *histories.Answer) {
				if refused(a) {
					a.Revision++
				}
			}}
		},
	},
	{
		ID: "list-header-of-objects", Family: 3, Primary: models.ListFresh,
		Sentence: "A list answers with the newest revision among its objects, 1 if it is empty, not with the store's.",
		Source:   "kubernetes issue 64147, PR 64150; kine issues 274 and 275",
		make: func() fault {
			return fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
				if r.Kind == histories.List && a.Outcome == histories.OK {
					a.Revision = newestOf(a.Objects)
				}
			}}
		},
	},
	{
		ID: "write-header-late", Family: 3, Primary: models.WriteOwnRevision, ConcurrencyOnly: true,
		Sentence: "A write answers with the store's revision when the answer leaves, that of another client's later write.",
		Source:   "t4 v0.18.0 (put header differs from the stored mod revision under concurrency)",
		make: func() fault {
			return fault{late: func(m moment, r histories.Request, a *histories.Answer) {
				if r.Kind.IsWrite() && a.Outcome == histories.OK {
					a.Revision = m.state.Newest()
				}
			}}
		},
	},
	{
		ID: "get-header-late", Family: 3, Primary: models.GetSnapshot, ConcurrencyOnly: true,
		Sentence: "A get returns the object as it found it, with the revision to which another client has meanwhile moved the store.",
		Source:   "kine commit 3e3686d",
		make: func() fault {
			return fault{late: func(m moment, r histories.Request, a *histories.Answer) {
				if r.Kind == histories.Get && newest(r) {
					a.Revision = m.state.Newest()
				}
			}}
		},
	},
	{
		ID: "get-stale-in-race", Family: 3, Primary: models.GetFresh, ConcurrencyOnly: true,
		Sentence: "While another client's call is in flight, a get shares a read index from before the last acknowledged write.",
		Source:   "etcd PRs 21378 and 21387",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if r.Kind != histories.Get || !newest(r) || !m.races() {
					return nil, histories.Answer{}
				}
				_, answer := m.stale.Apply(r, m.stale.Newest()+1)
				return m.state, answer
			}}
		},
	},
	{
		ID: "conflict-header-stale-in-race", Family: 3, Primary: models.HeaderMonotone, ConcurrencyOnly: true,
		Sentence: "While another client's call is in flight, a refused create answers with a revision from before the last acknowledged write.",
		Source:   "t4 v0.10.0 (a fenced leader answers from a stale state)",
		make: func() fault {
			return fault{answer: func(m moment, r histories.Request, a *histories.Answer) {
				if r.Kind == histories.Create && refused(a) && m.races() && !met(m.stale, r) {
					a.Revision = m.stale.Newest()
				}
			}}
		},
	},
	{
		ID: "read-header-as-asked", Family: 3, Primary: models.ListFresh,
		Sentence: "A list at a past revision answers with that revision, not with the store's.",
		Source:   "kine commits 3773672 and 3e3686d",
		make: func() fault {
			return fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
				if r.Kind == histories.List && r.Revision > 0 && a.Outcome == histories.OK {
					a.Revision = r.Revision
				}
			}}
		},
	},
	{
		ID: "event-header-of-first", Family: 3, Primary: models.WatchHeader,
		Sentence: "The header of a watch's response is the revision of its first event, not the store's.",
		Source:   "etcd PR 4360",
		make: func() fault {
			return fault{cut: func(_ moment, _ *watch, batch []histories.Event) (now, later []histories.Event) {
				for i := range batch {
					batch[i].Header = batch[0].Object.RV
				}
				return batch, nil
			}}
		},
	},
	{
		ID: "created-header-stale-in-race", Family: 3, Primary: models.WatchCreated, ConcurrencyOnly: true,
		Sentence: "While calls of other clients overlap, the answer to the creation of a watch names a revision from before the last acknowledged write.",
		Source:   "Grafana PR 105786 (a start taken from a broadcaster that lags)",
		make: func() fault {
			return fault{answer: func(m moment, r histories.Request, a *histories.Answer) {
				if r.Kind == histories.Watch && m.races() {
					a.Revision = m.stale.Newest()
				}
			}}
		},
	},
	{
		ID: "write-revision-shared-in-race", Family: 3, Primary: models.WriteOwnRevision, ConcurrencyOnly: true,
		Sentence: "Of two writes that overlap the first is answered with the revision before its own, which another write has.",
		Source:   "Xline commits cd6a54b3 and c5e525d5 (a revision is not assigned atomically)",
		make: func() fault {
			return fault{answer: func(m moment, r histories.Request, a *histories.Answer) {
				if stored(&r) && a.Outcome == histories.OK && m.coming > 0 && a.Revision > 2 {
					a.Revision--
				}
			}}
		},
	},
}

// refused reports whether a conditional write was refused.
func refused(a *histories.Answer) bool {
	return a.Outcome == histories.Fail && a.Error != nil && a.Error.Class == histories.Conflict
}

// newest reports whether a read asks for the newest state.
func newest(r histories.Request) bool { return r.Revision <= 0 }

// newestOf returns the largest RV, 1 if there is no object.
func newestOf(objects []histories.Object) histories.Revision {
	largest := histories.Revision(1)
	for _, o := range objects {
		largest = max(largest, o.RV)
	}
	return largest
}
