package damaged

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// requestDamages change what reaches the store, which then answers another question
// than the one that was asked.
var requestDamages = []Damage{
	{
		ID: "scope-widened", Family: 5, Primary: models.WatchScope,
		Sentence: "A watch of a key, a prefix or a range delivers everything.",
		Source:   "kine commit fd1c6ca; t4 v0.17.5",
		make: request(func(_ moment, r *histories.Request) {
			if r.Kind == histories.Watch {
				r.Scope = histories.Scope{}
			}
		}),
	},
	{
		ID: "filters-dropped", Family: 5, Primary: models.WatchFilters,
		Sentence: "A watch that filters out puts or deletes delivers them all the same.",
		Source:   "kine commits 5827b22 and 36e2db8",
		make:     request(func(_ moment, r *histories.Request) { r.Filters = nil }),
	},
	{
		ID: "start-skipped", Family: 9, Primary: models.WatchNoGap,
		Sentence: "A watch from a past revision begins with the one after.",
		Source:   "kubernetes issue 49956, PR 49992",
		make: request(func(m moment, r *histories.Request) {
			if r.Kind == histories.Watch && r.StartRevision > 0 && r.StartRevision <= m.newest {
				r.StartRevision++
			}
		}),
	},
	{
		ID: "start-early", Family: 9, Primary: models.WatchStart,
		Sentence: "A watch delivers the revision before its start too.",
		Source:   "etcd PRs 15248 and 15274",
		make: request(func(m moment, r *histories.Request) {
			if r.Kind == histories.Watch && r.StartRevision-1 > max(m.compacting(), 1) {
				r.StartRevision--
			}
		}),
	},
	{
		ID: "pin-forgotten", Family: 8, Primary: models.PagePinned,
		Sentence: "A following page shows the newest state, not the snapshot of the first page.",
		Source:   "kubernetes PR 94002",
		make: request(func(_ moment, r *histories.Request) {
			if r.Kind == histories.Next {
				r.Revision = 0
			}
		}),
	},
	{
		ID: "revision-ignored", Family: 8, Primary: models.ListExact,
		Sentence: "A list at a past revision shows the newest state.",
		Source:   "etcd commit 4f081fb1a",
		make: request(func(m moment, r *histories.Request) {
			if r.Kind == histories.List && r.Revision > m.compacting() && r.Revision <= m.newest {
				r.Revision = 0
			}
		}),
	},
	{
		ID: "update-unconditional", Family: 6, Primary: models.WriteUpdateCAS,
		Sentence: "An update writes whatever revision the object has.",
		Source:   "kine commit 22fe42d",
		make: request(func(_ moment, r *histories.Request) {
			if r.Kind == histories.Update {
				r.Kind, r.Expect, r.Conditional = histories.Put, 0, false
			}
		}),
	},
	{
		ID: "create-unconditional", Family: 6, Primary: models.WriteCreateExclusive,
		Sentence: "A create overwrites what is there.",
		Source:   "kine issue 504, commit 9c22137",
		make: request(func(_ moment, r *histories.Request) {
			if r.Kind == histories.Create {
				r.Kind = histories.Put
			}
		}),
	},
	{
		ID: "delete-unconditional", Family: 6, Primary: models.WriteDeleteCAS,
		Sentence: "A conditional delete removes the key whatever its revision.",
		Source:   "kine commit 22fe42d",
		make: request(func(_ moment, r *histories.Request) {
			if r.Kind == histories.Delete {
				r.Expect, r.Conditional = 0, false
			}
		}),
	},
}

// request makes a fault of a changed request.
func request(change func(moment, *histories.Request)) func() fault {
	return func() fault { return fault{request: change} }
}
