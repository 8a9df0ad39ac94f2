package models

import (
	"iter"

	"github.com/rvcheck/rvcheck/histories"
)

// Snapshot is the content of the store at one revision. It never changes. The zero
// value is empty.
type Snapshot struct {
	root *node
}

// Len is the number of objects.
func (s *Snapshot) Len() int { return s.root.count() }

// Get returns the object of a key, false if there is none.
func (s *Snapshot) Get(key histories.Key) (histories.Object, bool) {
	if o := s.root.get(key); o != nil {
		return *o, true
	}
	return histories.Object{}, false
}

// With returns the snapshot in which the object's key has this object.
func (s *Snapshot) With(o *histories.Object) *Snapshot { return &Snapshot{s.root.put(o)} }

// Without returns the snapshot without an object of the key.
func (s *Snapshot) Without(key histories.Key) *Snapshot { return &Snapshot{s.root.remove(key)} }

// All yields the objects in the order of their keys.
func (s *Snapshot) All() iter.Seq[histories.Object] {
	return s.In(histories.Scope{})
}

// In yields the objects of a scope in the order of their keys.
func (s *Snapshot) In(scope histories.Scope) iter.Seq[histories.Object] {
	in := spanOf(scope)
	return func(yield func(histories.Object) bool) {
		s.root.ascend(in.from, func(o *histories.Object) bool {
			return (in.open || o.Key.Compare(in.to) < 0) && yield(*o)
		})
	}
}

// Digest is equal for equal snapshots and, but for accidents of one in 2^64,
// different for different ones.
func (s *Snapshot) Digest() uint64 { return s.root.sumDigest() }
