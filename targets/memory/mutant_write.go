package memory

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var writeMutants = []Mutant{
	{
		ID: "delete-stale-succeeds", Family: 6, Primary: models.WriteDeleteCAS,
		Sentence: "A delete conditional on an outdated revision deletes the key all the same.",
		Source:   "kine commit 22fe42d",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if r.Kind != histories.Delete || r.Expect <= 0 || met(m.state, r) {
					return nil, histories.Answer{}
				}
				if _, there := m.state.Now().Get(r.Key); !there {
					return nil, histories.Answer{}
				}
				return force(m.state, r)
			}}
		},
	},
	{
		ID: "put-not-applied", Family: 6, Primary: models.WriteDurable,
		Sentence: "A put over a key that is not the store's newest is acknowledged and not applied.",
		Source:   "kine commit 4aee2a2, release sources v0.16.4 to v0.16.5",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				old, there := m.state.Now().Get(r.Key)
				if r.Kind != histories.Put || !there || old.RV == m.state.Newest() {
					return nil, histories.Answer{}
				}
				return lose(m.state)
			}}
		},
	},
	{
		ID: "failure-branch-empty", Family: 6, Primary: models.WriteFailureBranch,
		Sentence: "An update or a delete that is refused does not return the current object.",
		Source:   "kine commits 20c4783, aade545 and 49a6cc3",
		make: func() fault {
			return fault{answer: func(_ moment, _ histories.Request, a *histories.Answer) {
				if refused(a) {
					a.Objects, a.Count = nil, 0
				}
			}}
		},
	},
	{
		ID: "create-race", Family: 6, Primary: models.WriteCreateExclusive, ConcurrencyOnly: true,
		Sentence: "Of two creates of one key that overlap both succeed: each looked before the other wrote.",
		Source:   "kine issue 504, commit 9c22137; k8s-dqlite PR 150",
		make:     func() fault { return fault{step: checkedEarly(histories.Create)} },
	},
	{
		ID: "update-race", Family: 6, Primary: models.WriteUpdateCAS, ConcurrencyOnly: true,
		Sentence: "Of two updates of one revision that overlap both succeed, and one is lost.",
		Source:   "Xline commits cd6a54b3 and c5e525d5",
		make:     func() fault { return fault{step: checkedEarly(histories.Update)} },
	},
	{
		ID: "delete-race", Family: 6, Primary: models.WriteDeleteCAS, ConcurrencyOnly: true,
		Sentence: "A conditional delete that overlaps an update of its key removes the updated object: it looked before the update.",
		Source:   "kine issue 504, commit 9c22137 (the same check before the write)",
		make:     func() fault { return fault{step: checkedEarly(histories.Delete)} },
	},
	{
		ID: "refused-but-applied", Family: 6, Primary: models.WriteNoEffect, ConcurrencyOnly: true,
		Sentence: "A write that overlaps another client's call is applied, repeated by the store itself, and refused for its own first attempt.",
		Source:   "Oxia issue 1223 (an internal retry is not idempotent)",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if r.Kind != histories.Create && r.Kind != histories.Update || !m.races() || !met(m.state, r) {
					return nil, histories.Answer{}
				}
				next, _ := m.state.Apply(r, m.state.Newest()+1)
				return next.Apply(r, next.Newest()+1)
			}}
		},
	},
	{
		ID: "conflict-unowed-in-race", Family: 6, Primary: models.WriteConflictOwed, ConcurrencyOnly: true,
		Sentence: "A write that overlaps another client's call, of whatever key, is refused as if its condition had not held.",
		Source:   "kine commits 08c19a7 and eaa8c6f (a busy database becomes a definite failure)",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if !conditional(r) || !m.races() || !met(m.state, r) {
					return nil, histories.Answer{}
				}
				return m.state, unowed(m.state, r)
			}}
		},
	},
	{
		ID: "write-lost-in-race", Family: 6, Primary: models.WriteDurable, ConcurrencyOnly: true,
		Sentence: "An update or put that overlaps another client's write is acknowledged, and reordered before an older one: it is lost.",
		Source:   "Oxia issue 834",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if r.Kind != histories.Update && r.Kind != histories.Put || m.coming == 0 || !met(m.state, r) {
					return nil, histories.Answer{}
				}
				return lose(m.state)
			}}
		},
	},
	{
		ID: "tombstone-compares-equal", Family: 6, Primary: models.WriteUpdateCAS,
		Sentence: "An update conditional on the last revision of a key that was deleted since succeeds.",
		Source:   "kine commits 22fe42d and 20c4783 (the condition is checked against the last row)",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if r.Kind != histories.Update || r.Expect <= 0 || lastLife(m.state, r.Key) != r.Expect {
					return nil, histories.Answer{}
				}
				return force(m.state, r)
			}}
		},
	},
	{
		ID: "delete-twice-in-race", Family: 6, Primary: models.WriteDeleteCAS, ConcurrencyOnly: true,
		Sentence: "Of two deletes of one revision that overlap both succeed, and say that they removed the object.",
		Source:   "kine issue 504, commit 9c22137 and commit 22fe42d",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				_, there := m.state.Now().Get(r.Key)
				if r.Kind != histories.Delete || r.Expect <= 0 || there || !met(m.began, r) {
					return nil, histories.Answer{}
				}
				next, answer := lose(m.state)
				answer.Deleted = 1
				return next, answer
			}}
		},
	},
	{
		ID: "failure-branch-late-in-race", Family: 6, Primary: models.WriteFailureBranch, ConcurrencyOnly: true,
		Sentence: "An update or a delete that is refused returns the object as another client's later write has left it, with the revision from before.",
		Source:   "kine commits 20c4783 and 3e3686d (two reads in one transaction)",
		make: func() fault {
			return fault{late: func(m moment, r histories.Request, a *histories.Answer) {
				if !refused(a) {
					return
				}
				for i := range a.Objects {
					a.Objects[i] = again(m.state, a.Objects[i])
				}
			}}
		},
	},
}

// conditional reports whether the kind of write depends on what is stored.
func conditional(r histories.Request) bool {
	return r.Kind == histories.Create || r.Kind == histories.Update || r.Kind == histories.Delete && r.Conditional
}

// met reports whether the condition of a write holds in a state.
func met(s *models.State, r histories.Request) bool {
	old, there := s.Now().Get(r.Key)
	switch {
	case !conditional(r):
		return true
	case r.Kind == histories.Create || r.Expect == 0:
		return !there
	default:
		return there && old.RV == r.Expect
	}
}

// force applies a write without its condition.
func force(s *models.State, r histories.Request) (*models.State, histories.Answer) {
	if r.Kind != histories.Delete {
		r.Kind = histories.Put
	}
	r.Expect, r.Conditional = 0, false
	return s.Apply(r, s.Newest()+1)
}

// lose acknowledges a write that takes a revision and changes nothing.
func lose(s *models.State) (*models.State, histories.Answer) {
	next, revision := raise(s)
	return next, histories.Answer{Outcome: histories.OK, Revision: revision}
}

// checkedEarly is a write whose condition was checked when the call came in, and
// which is applied later whatever has happened since to the key's object. Only an
// object that is gone it does not touch again.
func checkedEarly(kind histories.Kind) func(moment, histories.Request) (*models.State, histories.Answer) {
	return func(m moment, r histories.Request) (*models.State, histories.Answer) {
		_, there := m.state.Now().Get(r.Key)
		if r.Kind != kind || !there || met(m.state, r) || !met(m.began, r) {
			return nil, histories.Answer{}
		}
		return force(m.state, r)
	}
}

// unowed is the refusal of a write whose condition holds.
func unowed(s *models.State, r histories.Request) histories.Answer {
	impossible := r
	impossible.Kind, impossible.Conditional, impossible.Expect = histories.Update, true, s.Newest()+1
	_, answer := s.Apply(impossible, s.Newest()+1)
	if r.Kind == histories.Create {
		answer.Objects = nil
	}
	return answer
}

// lastLife returns the last revision of a key before it was deleted, zero if it is
// there or never was.
func lastLife(s *models.State, key histories.Key) (last histories.Revision) {
	for _, e := range s.Effects(1) {
		if e.Key != key {
			continue
		}
		last = 0
		if e.Deleted && e.Prev != nil {
			last = e.Prev.RV
		}
	}
	return last
}
