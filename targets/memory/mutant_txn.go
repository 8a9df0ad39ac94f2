package memory

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var txnMutants = []Mutant{
	{
		ID: "txn-failed-half-applied", Family: 7, Primary: models.TxnAtomic,
		Sentence: "A transaction that fails, because it reads at a revision that is not there, keeps the write before that.",
		Source:   "etcd issue 18667, PR 21432",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				_, answer := m.state.Apply(r, m.state.Newest()+1)
				if r.Kind != histories.Transact || answer.Outcome != histories.Fail || answer.Error.Class == histories.Invalid {
					return nil, histories.Answer{}
				}
				ops := branch(m.state, r.Txn)
				if len(ops) == 0 || !ops[0].Kind.IsWrite() || ops[0].Kind == histories.Transact {
					return nil, histories.Answer{}
				}
				next, _ := m.state.Apply(ops[0], m.state.Newest()+1)
				return next, answer
			}}
		},
	},
	{
		ID: "txn-last-write-skipped", Family: 7, Primary: models.TxnAtomic,
		Sentence: "Of several writes in a transaction the last one is acknowledged and left out.",
		Source:   "etcd PR 18799, commit 8a0fd66db",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if r.Kind != histories.Transact {
					return nil, histories.Answer{}
				}
				ops := branch(m.state, r.Txn)
				last := lastWrite(ops)
				rest := slices.Concat(ops[:max(last, 0)], ops[last+1:])
				whole, answer := m.state.Apply(r, m.state.Newest()+1)
				if last < 1 || lastWrite(rest) < 0 || answer.Outcome != histories.OK || whole == m.state {
					return nil, histories.Answer{}
				}
				next, _ := m.state.Apply(transaction(rest...), m.state.Newest()+1)
				return next, answer
			}}
		},
	},
	{
		ID: "txn-compares-creation", Family: 7, Primary: models.TxnCompare,
		Sentence: "A transaction that compares a mod revision compares the create revision.",
		Source:   "t4 v0.17.4 and v0.15.0 (compares look at another revision, or at another version, than reads show)",
		make: func() fault {
			return fault{request: func(_ moment, r *histories.Request) {
				if r.Kind != histories.Transact {
					return
				}
				txn := *r.Txn
				txn.Compares = slices.Clone(txn.Compares)
				for i := range txn.Compares {
					if c := &txn.Compares[i]; c.Target == "mod" {
						c.Target = "create"
					}
				}
				r.Txn = &txn
			}}
		},
	},
	{
		ID: "txn-deleted-count-zero", Family: 7, Primary: models.TxnResult,
		Sentence: "A delete inside a transaction reports that it removed nothing.",
		Source:   "kine commit 49a6cc3",
		make: func() fault {
			return fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
				for i := range a.Results {
					a.Results[i].Deleted = 0
				}
			}}
		},
	},
	{
		ID: "txn-compare-race", Family: 7, Primary: models.TxnCompare, ConcurrencyOnly: true,
		Sentence: "A transaction takes the branch that was right when it came in, though another client's write has changed that.",
		Source:   "kine issue 504, commit 9c22137 (the same check before the write)",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if r.Kind != histories.Transact || succeeds(m.began, r.Txn) == succeeds(m.state, r.Txn) {
					return nil, histories.Answer{}
				}
				next, answer := m.state.Apply(transaction(branch(m.began, r.Txn)...), m.state.Newest()+1)
				answer.Succeeded = succeeds(m.began, r.Txn)
				return next, answer
			}}
		},
	},
	{
		ID: "txn-reads-torn-in-race", Family: 7, Primary: models.TxnResult, ConcurrencyOnly: true,
		Sentence: "The second read of a transaction that only reads sees another client's later write.",
		Source:   "kine commit 3e3686d",
		make: func() fault {
			return fault{late: func(m moment, r histories.Request, a *histories.Answer) {
				if r.Kind != histories.Transact || lastWrite(r.Txn.Then) >= 0 || lastWrite(r.Txn.Else) >= 0 {
					return
				}
				ops := r.Txn.Else
				if a.Succeeded {
					ops = r.Txn.Then
				}
				for i := 1; i < len(a.Results); i++ {
					if ops[i].Kind.IsRead() && newest(ops[i]) {
						_, a.Results[i] = m.state.Apply(ops[i], m.state.Newest()+1)
						a.Results[i].Revision = a.Revision
					}
				}
			}}
		},
	},
	{
		ID: "txn-split-in-race", Family: 7, Primary: models.TxnAtomic, ConcurrencyOnly: true,
		Sentence: "While another client's call is in flight, the writes of a transaction happen one by one, each at a revision of its own.",
		Source:   "Xline commits cd6a54b3 and c5e525d5 (a revision is not assigned atomically)",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if r.Kind != histories.Transact || !m.races() {
					return nil, histories.Answer{}
				}
				next, answer := m.state.Apply(r, m.state.Newest()+1)
				if answer.Outcome != histories.OK || len(next.Effects(m.state.Newest()+1)) < 2 {
					return nil, histories.Answer{}
				}
				next = oneByOne(m.state, branch(m.state, r.Txn))
				answer.Revision = next.Newest()
				return next, answer
			}}
		},
	},
	{
		ID: "deleterange-misses-last", Family: 7, Primary: models.DeleteRange,
		Sentence: "A range delete leaves the last key of its range and says that it removed all.",
		Source:   "t4 v0.17.5 (the end of an interval); kine commit fd1c6ca",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				keys := within(m.state, r.Scope)
				if r.Kind != histories.DeleteRange || len(keys) < 2 {
					return nil, histories.Answer{}
				}
				_, answer := m.state.Apply(r, m.state.Newest()+1)
				next, _ := m.state.Apply(transaction(deletes(keys[:len(keys)-1])...), m.state.Newest()+1)
				return next, answer
			}}
		},
	},
	{
		ID: "deleterange-race", Family: 7, Primary: models.WriteDeletedCount, ConcurrencyOnly: true,
		Sentence: "A range delete does not remove a key that another client creates after the call has come in.",
		Source:   "kine issue 504, commit 9c22137 (the same look before the write)",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				keys := within(m.state, r.Scope)
				seen := slices.DeleteFunc(slices.Clone(keys), func(k histories.Key) bool {
					_, there := m.began.Now().Get(k)
					return !there
				})
				if r.Kind != histories.DeleteRange || len(seen) == len(keys) {
					return nil, histories.Answer{}
				}
				next, _ := m.state.Apply(transaction(deletes(seen)...), m.state.Newest()+1)
				return next, histories.Answer{Outcome: histories.OK, Revision: next.Newest(), Deleted: int64(len(seen))}
			}}
		},
	},
}

// transaction is a transaction without a condition.
func transaction(ops ...histories.Request) histories.Request {
	return histories.Request{Kind: histories.Transact, Txn: &histories.Txn{Then: ops}}
}

// succeeds reports whether the compares of a transaction hold.
func succeeds(s *models.State, t *histories.Txn) bool {
	_, answer := s.Apply(histories.Request{Kind: histories.Transact, Txn: &histories.Txn{Compares: t.Compares}}, s.Newest()+1)
	return answer.Succeeded
}

// branch is what a transaction does in a state.
func branch(s *models.State, t *histories.Txn) []histories.Request {
	if succeeds(s, t) {
		return t.Then
	}
	return t.Else
}

// lastWrite is the place of the last operation that writes, -1 if none does.
func lastWrite(ops []histories.Request) int {
	for i := len(ops) - 1; i >= 0; i-- {
		if ops[i].Kind.IsWrite() {
			return i
		}
	}
	return -1
}

// oneByOne carries out operations as calls of their own.
func oneByOne(s *models.State, ops []histories.Request) *models.State {
	for _, op := range ops {
		s, _ = s.Apply(op, s.Newest()+1)
	}
	return s
}

// within returns the keys that a scope holds now.
func within(s *models.State, scope histories.Scope) []histories.Key {
	var keys []histories.Key
	for o := range s.Now().In(scope) {
		keys = append(keys, o.Key)
	}
	return keys
}

// deletes returns a delete of each key.
func deletes(keys []histories.Key) []histories.Request {
	var ops []histories.Request
	for _, k := range keys {
		ops = append(ops, histories.Request{Kind: histories.Delete, Key: k})
	}
	return ops
}
