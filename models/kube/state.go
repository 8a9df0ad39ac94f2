package kube

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// State is a store of objects as a value: its newest revision, its content at every
// revision, and its compaction point. A State never changes; a step returns another
// one that shares almost everything with it.
//
// One write is one revision, and only writes of the run make any. Real stores count
// others' writes too (RV-08), which a judge has to reckon with.
type State struct {
	profile   Profile
	newest    histories.Revision
	compacted histories.Revision
	tip       *version
}

// Effect is one change of one object.
type Effect struct {
	Revision histories.Revision
	// Before and After are the object's states around the revision, nil where there is
	// none.
	Before, After *histories.Object
}

// Key is that of the object.
func (e *Effect) Key() histories.Key {
	if e.After != nil {
		return e.After.Key
	}
	return e.Before.Key
}

// version is the store after one effect, linked to the versions before.
type version struct {
	effect  Effect
	content *models.Snapshot
	prev    *version
}

// Empty is a store without objects, at the revision 1, whose answers are those of the
// profile.
func Empty(profile Profile) *State { return &State{profile: profile, newest: 1} }

// Profile is what the store's answers follow.
func (s *State) Profile() Profile { return s.profile }

// Newest is the store's current revision.
func (s *State) Newest() histories.Revision { return s.newest }

// Compacted is the oldest revision that can be read, zero before the first compaction.
func (s *State) Compacted() histories.Revision { return s.compacted }

// Now is the current content.
func (s *State) Now() *models.Snapshot { return s.At(s.newest) }

// At is the content at a revision, whether it is compacted or not.
func (s *State) At(revision histories.Revision) *models.Snapshot {
	v := s.tip
	for v != nil && v.effect.Revision > revision {
		v = v.prev
	}
	if v == nil {
		return &models.Snapshot{}
	}
	return v.content
}

// Effects are the changes after a revision, in order.
func (s *State) Effects(after histories.Revision) []Effect {
	var found []Effect
	for v := s.tip; v != nil && v.effect.Revision > after; v = v.prev {
		found = append(found, v.effect)
	}
	slices.Reverse(found)
	return found
}

// WithNewest returns the store at a later revision, as others' writes leave it.
func (s *State) WithNewest(revision histories.Revision) *State {
	if revision < s.newest {
		panic("models/kube: fault of this program: WithNewest goes back")
	}
	next := *s
	next.newest = revision
	return &next
}

// push returns the store after a change at the next revision.
func (s *State) push(before, after *histories.Object) *State {
	next := *s
	next.newest++
	effect := Effect{Revision: next.newest, Before: before, After: after}
	content := s.Now()
	if after != nil {
		content = content.With(after)
	} else {
		content = content.Without(before.Key)
	}
	next.tip = &version{effect: effect, content: content, prev: s.tip}
	return &next
}

// object is what is stored of a key now, nil for nothing.
func (s *State) object(key histories.Key) *histories.Object {
	if o, there := s.Now().Get(key); there {
		return &o
	}
	return nil
}

// Put returns the store after a write has stored an object at the next revision,
// whatever was there. It is for stores that go wrong.
func (s *State) Put(o histories.Object) *State {
	o.RV = s.newest + 1
	return s.push(s.object(o.Key), identified(&o))
}

// Remove returns the store after an object that is there was removed at the next
// revision. It is for stores that go wrong.
func (s *State) Remove(key histories.Key) *State { return s.push(s.object(key), nil) }
