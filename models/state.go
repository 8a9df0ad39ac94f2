package models

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// State is the etcd layer's store as a value: its newest revision, its content
// at every revision, and its compaction point. A State never changes; a step
// returns another one that shares almost everything with it.
//
// What is known of a real store is less than what the store knows. Other tenants
// may move its revision, so Newest is a lower bound; a write of unknown outcome
// may sit at any of several revisions, so the state keeps an interval for it
// (see Branches); and what was compacted before the history began is known only
// by its upper bound (see WithPriorCompaction).
type State struct {
	newest histories.Revision
	// compacted is -1 until a compaction, as in etcd, where revision 0 can be
	// compacted once.
	compacted histories.Revision
	// prior is how far an earlier compaction may have gone.
	prior histories.Revision
	// foreign: others may compact at any time.
	foreign bool
	// lagging: a member that answers from what it has may not know of a compaction.
	lagging bool
	tip     *version
	// leases are those that live, by id.
	leases []Lease
	// picked counts the ids of leases that Apply picked, so that none comes twice. It
	// says nothing of the store, and Equal does not look at it.
	picked int64
	// open are the writes whose revision is not known, in the order of the chain.
	open []interval
}

// Empty is a store without objects, at etcd's first revision.
func Empty() *State {
	return &State{newest: 1, compacted: -1, prior: -1}
}

// Newest is the store's current revision.
func (s *State) Newest() histories.Revision { return s.newest }

// Compacted is the compaction point, the oldest revision that can be read; zero
// before the first compaction.
func (s *State) Compacted() histories.Revision { return max(0, s.compacted) }

// WithNewest returns the store at a later revision, as other tenants' writes
// leave it.
func (s *State) WithNewest(revision histories.Revision) *State {
	if revision < s.newest {
		panic("models: internal fault: WithNewest goes back")
	}
	return s.raise(revision)
}

// WithPriorCompaction returns a store that, before the history began, may have
// been compacted at any revision up to this one. The first answers tell.
func (s *State) WithPriorCompaction(upTo histories.Revision) *State {
	next := s.clone()
	next.prior = upTo
	return next
}

// WithForeignCompactions returns a store that others may compact at any time, so
// that no "compacted" answer can be refused. What it says is still learned.
func (s *State) WithForeignCompactions() *State {
	next := s.clone()
	next.foreign = true
	return next
}

// WithLaggingMembers returns a store of several members, which may serve a
// serializable read from below a compaction that others know of.
func (s *State) WithLaggingMembers() *State {
	next := s.clone()
	next.lagging = true
	return next
}

// Now is the current content.
func (s *State) Now() *Snapshot { return &Snapshot{root: s.tip.root()} }

// At is the content at a revision, false if it is compacted or in the future.
func (s *State) At(revision histories.Revision) (*Snapshot, bool) {
	if revision < s.compacted || revision > s.newest {
		return nil, false
	}
	return &Snapshot{root: s.tip.find(revision).root()}, true
}

// Effects returns the changes from a revision on, that one included, in the
// order of their revisions; those of one revision in the order in which they were
// made. Compaction does not shorten them: what a watch may still see is the
// caller's matter.
func (s *State) Effects(from histories.Revision) []Effect {
	var found []Effect
	for v := s.tip; v != nil && v.low >= from; v = v.prev {
		for i := len(v.effects) - 1; i >= 0; i-- {
			found = append(found, v.effects[i])
		}
	}
	slices.Reverse(found)
	return found
}

// Equal reports whether two states that the same operations led to are the same:
// newest revision, compaction, content, leases, and intervals of open writes. Where these
// agree the older snapshots do, for the known writes of both have the same
// revisions.
func (s *State) Equal(other *State) bool {
	return s.newest == other.newest && s.compacted == other.compacted && s.prior == other.prior &&
		s.foreign == other.foreign && slices.Equal(s.open, other.open) && slices.Equal(s.leases, other.leases) &&
		s.tip.root().sumDigest() == other.tip.root().sumDigest() && sameContent(s.tip, other.tip)
}

// sameContent compares what digests say is equal.
func sameContent(a, b *version) bool {
	if a == b || a.root() == b.root() {
		return true
	}
	if a.root().count() != b.root().count() {
		return false
	}
	var objects []*histories.Object
	a.root().ascend(histories.Key{}, func(o *histories.Object) bool {
		objects = append(objects, o)
		return true
	})
	i := 0
	return b.root().ascend(histories.Key{}, func(o *histories.Object) bool {
		i++
		return o == objects[i-1] || sameObject(o, objects[i-1])
	})
}

// Hash is equal for equal states.
func (s *State) Hash() uint64 {
	h := s.tip.root().sumDigest()
	h = mix(h ^ uint64(s.newest))
	h = mix(h ^ uint64(s.compacted))
	h = mix(h ^ uint64(s.prior))
	for _, i := range s.open {
		h = mix(h ^ uint64(i.operation))
		h = mix(h ^ uint64(i.low))
		h = mix(h ^ uint64(i.high))
	}
	for _, l := range s.leases {
		h = mix(h ^ uint64(l.ID))
	}
	return h
}

func (s *State) clone() *State {
	next := *s
	return &next
}

// raise returns the state at a revision that is not below the newest: a header
// told it. Open writes that took effect before lie at or below it.
func (s *State) raise(revision histories.Revision) *State {
	if revision == s.newest && s.bounded(revision) {
		return s
	}
	next := s.clone()
	next.newest = revision
	next.open = next.below(revision)
	return next
}

// push returns the state after effects at one revision above the newest.
func (s *State) push(effects ...Effect) *State {
	revision := effects[0].Revision
	next := s.clone()
	next.open = next.below(revision - 1)
	next.newest = revision
	next.tip = newVersion(revision, s.tip.root(), effects).follow(s.tip)
	return next
}

func (e *Effect) apply(content *node) *node {
	if e.Deleted {
		return content.remove(e.Key)
	}
	return content.put(&e.Object)
}
