package models

import (
	"maps"

	"github.com/rvcheck/rvcheck/histories"
)

// sighting is what a comparison of objects says: whether they are the same, and
// which revisions of open writes they tell if they are.
type sighting struct {
	same  bool
	bound []binding
}

// binding is the revision of an open write that an answer told.
type binding struct{ stored, seen histories.Revision }

// sees adds the comparison of a stored object with one that an answer showed.
func sees(bound []binding, stored, seen *histories.Object, keysOnly bool) sighting {
	if stored.Key != seen.Key || !sameVersion(stored, seen) || seen.Foreign != "" {
		return sighting{}
	}
	if !keysOnly && !sameValue(stored, seen) {
		return sighting{}
	}
	if keysOnly && (valued(seen) || seen.Lease != 0 && seen.Lease != stored.Lease) {
		return sighting{}
	}
	bound, sameRV := unify(bound, stored.RV, seen.RV)
	bound, sameCreate := unify(bound, stored.CreateRevision, seen.CreateRevision)
	return sighting{same: sameRV && sameCreate, bound: bound}
}

// sameVersion compares how often the object was written, where the store tells.
func sameVersion(stored, seen *histories.Object) bool {
	return stored.Version == seen.Version || seen.Version == histories.NoVersion
}

// valued reports whether an object shows anything of its value.
func valued(o *histories.Object) bool {
	return o.Write != "" || o.Size != 0 || o.Foreign != "" || len(o.Labels) > 0
}

func unify(bound []binding, stored, seen histories.Revision) ([]binding, bool) {
	if isSymbol(stored) {
		return append(bound, binding{stored, seen}), true
	}
	return bound, stored == seen
}

func sameValue(a, b *histories.Object) bool {
	return a.Write == b.Write && a.Size == b.Size && a.Lease == b.Lease &&
		(len(a.Labels) == 0 && len(b.Labels) == 0 || maps.Equal(a.Labels, b.Labels))
}

// sameObject reports whether two stored objects are the same.
func sameObject(a, b *histories.Object) bool {
	return a.Key == b.Key && a.Version == b.Version && a.RV == b.RV &&
		a.CreateRevision == b.CreateRevision && sameValue(a, b)
}

// binding returns the state in which the sighting is true, false if it cannot be.
func (s *State) binding(seen sighting) (*State, bool) {
	next, ok := s, seen.same
	for _, b := range seen.bound {
		if !ok {
			break
		}
		next, ok = next.bind(b.stored, b.seen)
	}
	return next, ok
}
