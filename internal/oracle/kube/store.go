package kube

import (
	"maps"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// change is one effect: what an object is from a revision on, nil for nothing, and what
// it was before. By is the operation that made it.
type change struct {
	revision      histories.Revision
	key           histories.Key
	before, after *histories.Object
	by            int
}

// store is a store at one point of an order. Values are never altered in place.
type store struct {
	newest  histories.Revision
	changes []change
	// pending are the calls that have looked and not acted yet.
	pending map[int]pending
}

// pending is what a call in several steps has seen: an object, or the keys that a
// deletion of a collection still has to delete.
type pending struct {
	seen *histories.Object
	keys []histories.Key
}

// at returns the object of a key at a revision, nil for none.
func (s *store) at(key histories.Key, revision histories.Revision) *histories.Object {
	for i := len(s.changes) - 1; i >= 0; i-- {
		if c := &s.changes[i]; c.key == key && c.revision <= revision {
			return c.after
		}
	}
	return nil
}

func (s *store) now(key histories.Key) *histories.Object { return s.at(key, s.newest) }

// snapshot returns the objects at a revision that are wanted, in the order of lists
// (LIST-11).
func (s *store) snapshot(revision histories.Revision, wanted func(*histories.Object) bool) []*histories.Object {
	there := map[histories.Key]*histories.Object{}
	for _, c := range s.changes {
		if c.revision <= revision {
			there[c.key] = c.after
		}
	}
	found := slices.Collect(maps.Values(there))
	found = slices.DeleteFunc(found, func(o *histories.Object) bool { return o == nil || !wanted(o) })
	slices.SortFunc(found, func(a, b *histories.Object) int { return strings.Compare(path(a.Key), path(b.Key)) })
	return found
}

// path is a key as the order of lists knows it.
func path(k histories.Key) string { return k.Namespace + "/" + k.Name }

// used reports whether some object has had a uid.
func (s *store) used(uid string) bool {
	return slices.ContainsFunc(s.changes, func(c change) bool {
		return c.after != nil && c.after.UID == uid || c.before != nil && c.before.UID == uid
	})
}

// with is the store in which a call has come to a step, nil for its end.
func (s *store) with(op int, p *pending) *store {
	next := *s
	next.pending = maps.Clone(s.pending)
	if p == nil {
		delete(next.pending, op)
		return &next
	}
	if next.pending == nil {
		next.pending = map[int]pending{}
	}
	next.pending[op] = *p
	return &next
}

// same reports whether what is stored is what was shown, as far as the answer shows it.
func same(stored, shown *histories.Object, partial bool) bool {
	if stored.RV != shown.RV || stored.UID != shown.UID && stored.UID != "" || stored.Key != shown.Key ||
		stored.Deleting != shown.Deleting || !maps.Equal(stored.Labels, shown.Labels) || !sameFinalizers(stored, shown) {
		return false
	}
	return partial || stored.Write == shown.Write && stored.Size == shown.Size && stored.Foreign == shown.Foreign && stored.Meta().Status == shown.Meta().Status
}

func sameFinalizers(a, b *histories.Object) bool {
	return slices.Equal(a.Meta().Finalizers, b.Meta().Finalizers)
}

func isPartial(r *histories.Request) bool {
	e := r.Options().Encoding
	return e == histories.Table || e == histories.MetadataOnly
}

// filter is what a list or a watch takes: its scope and its selectors.
func filter(r *histories.Request) func(*histories.Object) bool {
	o := r.Options()
	return func(of *histories.Object) bool {
		switch r.Scope.Shape {
		case histories.Namespace:
			if of.Key.Namespace != r.Scope.Key.Namespace {
				return false
			}
		case histories.Single:
			if of.Key != r.Scope.Key {
				return false
			}
		default: // everything
		}
		fields := map[string]string{"metadata.name": of.Key.Name, "metadata.namespace": of.Key.Namespace}
		return selects(o.LabelSelector, of.Labels) && selects(o.FieldSelector, fields)
	}
}

// selects reports whether a selector takes a set of labels, or of fields. It knows the
// forms that the simulation uses.
func selects(selector string, labels map[string]string) bool {
	if selector == "" {
		return true
	}
	if name, list, ok := strings.Cut(selector, " notin ("); ok {
		return !slices.Contains(strings.Split(strings.TrimSuffix(list, ")"), ","), labels[name])
	}
	if name, list, ok := strings.Cut(selector, " in ("); ok {
		return slices.Contains(strings.Split(strings.TrimSuffix(list, ")"), ","), labels[name])
	}
	for term := range strings.SplitSeq(selector, ",") {
		if !selectsTerm(term, labels) {
			return false
		}
	}
	return true
}

func selectsTerm(term string, labels map[string]string) bool {
	if name, value, ok := strings.Cut(term, "!="); ok {
		return labels[name] != value
	}
	if name, value, ok := strings.Cut(term, "="); ok {
		return labels[name] == value
	}
	name, not := strings.CutPrefix(term, "!")
	_, there := labels[name]
	return there != not
}
