package oracle

import (
	"maps"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// change is one effect: what a key is from a revision on.
type change struct {
	revision histories.Revision
	key      string
	deleted  bool
	object   histories.Object // zero for a deletion
}

// store is a store at one point of an order. Values are never altered in place.
type store struct {
	newest  histories.Revision
	point   histories.Revision   // compaction point
	points  []histories.Revision // all compaction points so far
	earlier histories.Revision   // compaction point when the history began
	changes []change
	starts  map[int]histories.Revision // watch to its first revision
	told    map[int]histories.Revision // watch to the compaction point when it began
}

// at returns the object of a key at a revision.
func (s *store) at(key string, revision histories.Revision) (histories.Object, bool) {
	for i := len(s.changes) - 1; i >= 0; i-- {
		if c := s.changes[i]; c.key == key && c.revision <= revision {
			return c.object, !c.deleted
		}
	}
	return histories.Object{}, false
}

func (s *store) now(key string) (histories.Object, bool) { return s.at(key, s.newest) }

// modified is the mod revision of a key, zero for an absent one.
func (s *store) modified(key string) histories.Revision {
	o, _ := s.now(key)
	return o.RV
}

// snapshot returns the objects at a revision that pass a filter, by key.
func (s *store) snapshot(revision histories.Revision, wanted func(string) bool) []histories.Object {
	present := map[string]histories.Object{}
	for _, c := range s.changes {
		if c.revision > revision || !wanted(c.key) {
			continue
		}
		if present[c.key] = c.object; c.deleted {
			delete(present, c.key)
		}
	}
	var found []histories.Object
	for _, key := range slices.Sorted(maps.Keys(present)) {
		found = append(found, present[key])
	}
	return found
}

// put is the change that a write makes at a revision (ETCD-08).
func (s *store) put(req *histories.Request, revision histories.Revision) change {
	object := histories.Object{
		Key: req.Key, Write: req.Write, RV: revision, CreateRevision: revision, Version: 1, Labels: req.Labels,
		Size: len(histories.EncodeValue(req.Write, req.Labels, req.Size)),
	}
	if old, present := s.now(req.Key.Name); present {
		object.CreateRevision, object.Version = old.CreateRevision, old.Version+1
	}
	return change{revision: revision, key: req.Key.Name, object: object}
}

// inScope reports whether a scope holds a key.
func inScope(scope histories.Scope, key string) bool {
	switch scope.Shape {
	case histories.All:
		return true
	case histories.Single:
		return key == scope.Key.Name
	case histories.Prefix:
		return strings.HasPrefix(key, scope.Key.Name)
	case histories.Range:
		return key >= scope.Key.Name && key < scope.End
	default:
		return false
	}
}

// same compares what two sightings of an object tell.
func same(a, b histories.Object) bool {
	return a.Key == b.Key && a.Write == b.Write && a.RV == b.RV && a.CreateRevision == b.CreateRevision &&
		a.Version == b.Version && a.Lease == b.Lease && a.Size == b.Size && a.Foreign == b.Foreign &&
		maps.Equal(a.Labels, b.Labels)
}
