package memory

import (
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var leaseMutants = []Mutant{
	{
		ID: "lease-never-ends", Family: 11, Primary: models.LeaseExpires,
		Sentence: "A lease whose time is over stays, with its keys.",
		Source:   "kine issues 311 and 289, PR 312",
		make: func() fault {
			return fault{ends: func(m moment, _ int64) *models.State { return m.state }}
		},
	},
	{
		ID: "lease-ends-early", Family: 11, Primary: models.LeaseNotEarly,
		Sentence: "The seconds of a lease's time to live are taken for milliseconds.",
		Source:   "etcd issue 9935, PR 13508 (the remaining time is lost)",
		make: func() fault {
			return fault{lives: func(_ moment, _ int64, ttl time.Duration) time.Duration { return ttl / 1000 }}
		},
	},
	{
		ID: "revoke-leaves-keys", Family: 11, Primary: models.LeaseRevoked,
		Sentence: "A revocation is acknowledged and tried once, in vain: the keys of the lease stay.",
		Source:   "k8s-dqlite PR 298; kine commits 5fd1780 and 9d199a7",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if r.Kind != histories.LeaseRevoke || len(m.state.Attached(r.Lease)) == 0 {
					return nil, histories.Answer{}
				}
				return m.state, histories.Answer{Outcome: histories.OK, Revision: m.state.Newest(), Lease: r.Lease}
			}}
		},
	},
	{
		ID: "lease-keys-one-by-one", Family: 11, Primary: models.LeaseOneRevision,
		Sentence: "The keys of a lease that is revoked are deleted one by one, each at a revision of its own.",
		Source:   "kine, release sources v0.17.2 to v0.17.3 (keys have their time to live each for itself)",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				keys := m.state.Attached(r.Lease)
				if r.Kind != histories.LeaseRevoke || len(keys) < 2 {
					return nil, histories.Answer{}
				}
				next := oneByOne(m.state, deletes(keys[1:]))
				return next.Apply(r, next.Newest()+1)
			}}
		},
	},
	{
		ID: "unknown-lease-accepted", Family: 11, Primary: models.LeaseKnown,
		Sentence: "A write with a lease that does not exist is accepted, and has none.",
		Source:   "Xline commit b97ad0a5; t4 v0.15.0 (phantom lease)",
		make: func() fault {
			return fault{request: func(m moment, r *histories.Request) {
				if _, lives := m.state.Lease(r.Lease); !lives && stored(r) {
					r.Lease = 0
				}
			}}
		},
	},
	{
		ID: "rewrite-keeps-lease", Family: 11, Primary: models.LeaseAttached,
		Sentence: "A write without a lease leaves the key bound to the lease that it had.",
		Source:   "kine commit 5fd1780, release sources v0.17.2 to v0.17.3 (the older deadline of a key that is written again)",
		make: func() fault {
			return fault{request: func(m moment, r *histories.Request) {
				old, there := m.state.Now().Get(r.Key)
				if _, lives := m.state.Lease(old.Lease); there && lives && stored(r) && r.Lease == 0 {
					r.Lease = old.Lease
				}
			}}
		},
	},
	{
		ID: "lease-id-is-ttl", Family: 11, Primary: models.LeaseDistinct,
		Sentence: "The id of a lease that the store may choose is its time to live: two of the same length are one.",
		Source:   "kine, all versions (the id of a lease is its TTL)",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if r.Kind != histories.LeaseGrant || r.Lease != 0 || r.TTL <= 0 {
					return nil, histories.Answer{}
				}
				r.Lease = r.TTL
				if next, answer := m.state.Apply(r, m.state.Newest()+1); answer.Outcome == histories.OK {
					return next, answer
				}
				return m.state, histories.Answer{Outcome: histories.OK, Revision: m.state.Newest(), Lease: r.Lease, TTL: r.TTL}
			}}
		},
	},
	{
		ID: "keepalive-unknown-in-race", Family: 11, Primary: models.LeaseKnown, ConcurrencyOnly: true,
		Sentence: "While another client's call is in flight, a lease that was granted is not found by whoever keeps it alive or asks for it.",
		Source:   "etcd PR 13932; Xline commit 136f615d",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if !asksForLease(r) || !m.races() {
					return nil, histories.Answer{}
				}
				_, answer := models.Empty().WithNewest(m.state.Newest()).Apply(r, m.state.Newest()+1)
				return m.state, answer
			}}
		},
	},
	{
		ID: "keepalive-after-revoke-in-race", Family: 11, Primary: models.LeaseKnown, ConcurrencyOnly: true,
		Sentence: "While another client's call is in flight, a lease is still found that the last acknowledged write revoked.",
		Source:   "etcd PRs 20615, 20616 and 20813",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				_, lives := m.state.Lease(r.Lease)
				_, lived := m.stale.Lease(r.Lease)
				if !asksForLease(r) || !m.races() || lives || !lived {
					return nil, histories.Answer{}
				}
				_, answer := m.stale.Apply(r, m.stale.Newest()+1)
				answer.Revision = m.state.Newest()
				return m.state, answer
			}}
		},
	},
	{
		ID: "revoke-misses-key-in-race", Family: 11, Primary: models.LeaseRevoked, ConcurrencyOnly: true,
		Sentence: "While another client's call is in flight, a revocation leaves the key that the last acknowledged write has bound to the lease.",
		Source:   "etcd PR 14087 (what is deleted is collected before it is deleted)",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				seen, all := m.stale.Attached(r.Lease), m.state.Attached(r.Lease)
				if r.Kind != histories.LeaseRevoke || !m.races() || len(seen) >= len(all) {
					return nil, histories.Answer{}
				}
				next, _ := m.state.Apply(transaction(deletes(seen)...), m.state.Newest()+1)
				return next, histories.Answer{Outcome: histories.OK, Revision: next.Newest(), Lease: r.Lease}
			}}
		},
	},
}

// stored reports whether a request stores a value by a call of its own.
func stored(r *histories.Request) bool {
	switch r.Kind {
	case histories.Create, histories.Update, histories.Put, histories.LeaseAttach:
		return true
	default:
		return false
	}
}

// asksForLease reports whether a call looks whether a lease lives.
func asksForLease(r histories.Request) bool {
	return r.Kind == histories.LeaseKeepAlive || r.Kind == histories.LeaseTimeToLive
}
