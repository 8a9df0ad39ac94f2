package simulation

import (
	"slices"
	"sort"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// effect is one change of the store.
type effect struct {
	revision histories.Revision
	time     int64
	object   histories.Object  // of a deletion: key and RV only
	previous *histories.Object // nil if the key was absent
	deleted  bool
}

func (e *effect) name() string { return e.object.Key.Name }

// store is an etcd-like store: a log of effects, an index by key, a compaction
// point. It forgets nothing; compaction only moves the point.
type store struct {
	newest, compacted histories.Revision
	log               []effect // by ascending revision
	names             []string // ever used, sorted
	chains            map[string][]int
}

func newStore(start, compacted histories.Revision) *store {
	return &store{newest: start, compacted: compacted, chains: map[string][]int{}}
}

// at returns the object of a key at a revision, nil if it was absent.
func (s *store) at(name string, revision histories.Revision) *histories.Object {
	chain := s.chains[name]
	i := sort.Search(len(chain), func(i int) bool { return s.log[chain[i]].revision > revision })
	if i == 0 || s.log[chain[i-1]].deleted {
		return nil
	}
	return &s.log[chain[i-1]].object
}

func (s *store) current(name string) *histories.Object { return s.at(name, s.newest) }

func (s *store) write(time int64, req histories.Request) {
	s.writeAt(time, req, s.newest+1)
	s.newest++
}

// writeAt stores a value at a revision beyond the newest.
func (s *store) writeAt(time int64, req histories.Request, at histories.Revision) {
	before := s.at(req.Key.Name, at)
	object := histories.Object{
		Key: req.Key, Write: req.Write, RV: at, CreateRevision: at, Version: 1,
		Labels: req.Labels, Size: len(histories.EncodeValue(req.Write, req.Labels, req.Size)),
	}
	if before != nil {
		object.CreateRevision, object.Version = before.CreateRevision, before.Version+1
	}
	s.append(effect{revision: at, time: time, object: object, previous: before})
}

// remove deletes keys that are there, all at one revision.
func (s *store) remove(time int64, names ...string) {
	for _, name := range names {
		s.removeAt(time, s.newest+1, name)
	}
	s.newest++
}

func (s *store) removeAt(time int64, at histories.Revision, name string) {
	s.append(effect{
		revision: at, time: time, deleted: true, previous: s.at(name, at),
		object: histories.Object{Key: histories.Key{Name: name}, RV: at},
	})
}

func (s *store) append(e effect) {
	name := e.name()
	if _, ok := s.chains[name]; !ok {
		i, _ := slices.BinarySearch(s.names, name)
		s.names = slices.Insert(s.names, i, name)
	}
	s.chains[name] = append(s.chains[name], len(s.log))
	s.log = append(s.log, e)
}

// scan returns the objects of a scope from a start key on, at a revision.
func (s *store) scan(scope histories.Scope, start string, revision histories.Revision) []histories.Object {
	var found []histories.Object
	for i, _ := slices.BinarySearch(s.names, max(start, first(scope))); i < len(s.names); i++ {
		if !contains(scope, s.names[i]) {
			break // scopes are intervals
		}
		if o := s.at(s.names[i], revision); o != nil {
			found = append(found, *o)
		}
	}
	return found
}

// since returns the index of the first effect at or above a revision.
func (s *store) since(revision histories.Revision) int {
	return sort.Search(len(s.log), func(i int) bool { return s.log[i].revision >= revision })
}

// first returns the smallest key that a scope can hold.
func first(scope histories.Scope) string {
	if scope.Shape == histories.All {
		return ""
	}
	return scope.Key.Name
}

// contains reports whether a scope holds a key.
func contains(scope histories.Scope, name string) bool {
	switch scope.Shape {
	case histories.All:
		return true
	case histories.Single:
		return name == scope.Key.Name
	case histories.Prefix:
		return strings.HasPrefix(name, scope.Key.Name)
	case histories.Range:
		return scope.Key.Name <= name && name < scope.End
	default:
		panic("simulation: fault of this program: scope " + string(scope.Shape) + " is not of the etcd layer")
	}
}
