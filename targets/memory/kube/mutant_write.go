package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// writeMutants are about who may write.
var writeMutants = []Mutant{
	{
		ID: "create-race", Family: 6, Primary: models.WriteCreateExclusive, ConcurrencyOnly: true,
		Sentence: "A create looks whether the object is there when the call comes in, and stores it later.",
		Source:   "kine issue 504, commit 9c22137; k8s-dqlite PR 150",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			o := stored(m.state.Now(), r.Key)
			if r.Kind != histories.Create || r.Options().DryRun || r.Options().GenerateName || o == nil || stored(m.began.Now(), r.Key) != nil {
				return nil, histories.Answer{}
			}
			return storing(m.state, *kube.Write(nil, &r).Object)
		}}),
	},
	{
		ID: "update-race", Family: 6, Primary: models.WriteUpdateCAS, ConcurrencyOnly: true,
		Sentence: "An update compares the resource version when the call comes in, and stores the object later.",
		Source:   "Xline commits cd6a54b3 and c5e525d5",
		make:     always(fault{request: compareEarly(histories.Update)}),
	},
	{
		ID: "delete-race", Family: 6, Primary: models.WriteDeleteCAS, ConcurrencyOnly: true,
		Sentence: "A delete compares the resource version when the call comes in, and removes the object later.",
		Source:   "kine issue 504, commit 9c22137 (the same check before the write)",
		make:     always(fault{request: compareEarly(histories.Delete)}),
	},
	{
		ID: "patch-version-ignored", Family: 6, Primary: models.WriteUpdateCAS,
		Sentence: "A patch that names a resource version is applied to whatever version there is.",
		Source:   "kine commit 22fe42d (the condition is checked against another row)",
		make: always(fault{request: func(_ moment, r *histories.Request) {
			if r.Kind == histories.Patch && r.Expect > 0 {
				r.Conditional, r.Expect = false, 0
			}
		}}),
	},
	{
		ID: "delete-uid-ignored", Family: 6, Primary: models.WriteDeleteCAS,
		Sentence: "A delete removes the object whatever uid it names.",
		Source:   "kine commits 5827b22 and 36e2db8 (an option that is not known is ignored)",
		make: always(fault{request: func(_ moment, r *histories.Request) {
			if r.Kind == histories.Delete {
				r.ExpectUID = ""
			}
		}}),
	},
	{
		ID: "write-lost-in-race", Family: 6, Primary: models.WriteDurable, ConcurrencyOnly: true,
		Sentence: "A create is acknowledged and lost when another client's write is in flight.",
		Source:   "Oxia issue 834",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			if r.Kind != histories.Create || m.coming == 0 {
				return nil, histories.Answer{}
			}
			next, answer := m.state.Apply(&r, m.cache)
			if next == m.state {
				return nil, histories.Answer{}
			}
			return m.state.WithNewest(next.Newest()), answer
		}}),
	},
	{
		ID: "conflict-unowed-in-race", Family: 6, Primary: models.WriteConflictOwed, ConcurrencyOnly: true,
		Sentence: "An update whose resource version is right is refused as a conflict while another client's write is in flight.",
		Source:   "kine commits 08c19a7 and eaa8c6f (a busy database becomes a definite failure)",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			if r.Kind != histories.Update || !conditional(r) || m.coming == 0 {
				return nil, histories.Answer{}
			}
			return m.state, refused(histories.Conflict, "409", "Conflict")
		}}),
	},
	{
		ID: "conflict-but-applied", Family: 6, Primary: models.WriteNoEffect, ConcurrencyOnly: true,
		Sentence: "An update that takes effect is refused as a conflict while another client's call is in flight.",
		Source:   "Oxia issue 1223 (an internal retry is not idempotent)",
		make: always(fault{answer: func(m moment, r histories.Request, a *histories.Answer) {
			if r.Kind == histories.Update && m.races() && a.Outcome == histories.OK && !r.Options().DryRun {
				*a = refused(histories.Conflict, "409", "Conflict")
			}
		}}),
	},
	{
		ID: "create-refused-after-delete", Family: 6, Primary: models.WriteConflictOwed,
		Sentence: "A create of a name whose object was deleted is refused, as if it were still there.",
		Source:   "kine commits 22fe42d and 20c4783 (the condition is checked against the last row)",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			if r.Kind != histories.Create || stored(m.state.Now(), r.Key) != nil || !wasThere(m.state, r.Key) {
				return nil, histories.Answer{}
			}
			return m.state, refused(histories.Exists, "409", "AlreadyExists")
		}}),
	},
	{
		ID: "patch-of-old-state", Family: 6, Primary: models.WritePatch, ConcurrencyOnly: true,
		Sentence: "A patch is made of the object as it was when the call came in, and replaces what another client has stored since.",
		Source:   "Oxia issue 834 (the final value is lost)",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			old, now := stored(m.began.Now(), r.Key), stored(m.state.Now(), r.Key)
			if r.Kind != histories.Patch || old == nil || now == nil || old.RV == now.RV || old.UID != now.UID {
				return nil, histories.Answer{}
			}
			out := kube.Write(old, &r)
			if out.Refused() || out.Change != kube.Stored || r.Options().DryRun {
				return nil, histories.Answer{}
			}
			return storing(m.state, *out.Object)
		}}),
	},
}

// compareEarly takes the version that a write names for that of the object now, where
// it was that of the object when the call came in.
func compareEarly(kind histories.Kind) func(m moment, r *histories.Request) {
	return func(m moment, r *histories.Request) {
		old, now := stored(m.began.Now(), r.Key), stored(m.state.Now(), r.Key)
		if r.Kind == kind && conditional(*r) && old != nil && now != nil && old.RV == r.Expect {
			r.Expect = now.RV
		}
	}
}

// wasThere reports whether an object of the key was ever removed.
func wasThere(s *kube.State, key histories.Key) bool {
	for _, e := range s.Effects(0) {
		if e.After == nil && e.Key() == key {
			return true
		}
	}
	return false
}
