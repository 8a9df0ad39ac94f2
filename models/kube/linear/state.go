package linear

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// state is a store of objects as far as an order of calls tells: what it holds, and
// what it held at every revision. It never changes.
//
// Other than in kube.State the revisions need not be known: a delete does not tell its
// own, and a write whose answer was lost tells none.
type state struct {
	// floor is a revision that the store has certainly reached. What is written next has
	// a higher one.
	floor histories.Revision
	tip   *version
}

// version is the content of a store after one change.
type version struct {
	// at is the revision of the change, or the lowest that it can have had.
	at    histories.Revision
	known bool
	// objects are sorted by key. An RV that is not above zero is not known: it is higher
	// than the number without its sign.
	objects []*histories.Object
	prev    *version
	digest  uint64
}

// beginning is a store without objects. What it held at older revisions is not known.
func beginning() *state { return &state{tip: newVersion(nil, 0, true, nil)} }

func newVersion(prev *version, at histories.Revision, known bool, objects []*histories.Object) *version {
	v := &version{at: at, known: known, objects: objects, prev: prev}
	h := mix(uint64(at))
	if prev != nil {
		h = mix(h ^ prev.digest)
	}
	for _, o := range objects {
		h = text(text(text(h, o.Key.Namespace), o.Key.Name), string(o.Write))
		h = mix(text(h, o.UID) ^ uint64(o.RV))
	}
	v.digest = h
	return v
}

func (s *state) hash() uint64 { return mix(uint64(s.floor)) ^ s.tip.digest }

func (s *state) equal(other *state) bool {
	return s.floor == other.floor && s.tip.equal(other.tip)
}

func (v *version) equal(other *version) bool {
	for v != other {
		if v == nil || other == nil || v.digest != other.digest || v.at != other.at || v.known != other.known ||
			!slices.EqualFunc(v.objects, other.objects, same) {
			return false
		}
		v, other = v.prev, other.prev
	}
	return true
}

// same compares what the judge looks at. The labels of a version follow from the
// writes, of which each has its own id, or its revision.
func same(a, b *histories.Object) bool {
	return a == b || a.Key == b.Key && a.Write == b.Write && a.RV == b.RV && a.UID == b.UID &&
		a.Meta().Status == b.Meta().Status && a.Generation == b.Generation && sameLabels(a.Labels, b.Labels)
}

func sameLabels(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, value := range a {
		if other, found := b[name]; !found || other != value {
			return false
		}
	}
	return true
}

func (v *version) find(key histories.Key) (int, bool) {
	return slices.BinarySearchFunc(v.objects, key, func(o *histories.Object, key histories.Key) int { return o.Key.Compare(key) })
}

// object is what is stored of a key, nil for nothing.
func (v *version) object(key histories.Key) *histories.Object {
	if i, found := v.find(key); found {
		return v.objects[i]
	}
	return nil
}

// with returns the objects with another one under a key, or with none.
func (v *version) with(key histories.Key, o *histories.Object) []*histories.Object {
	i, found := v.find(key)
	objects := slices.Clone(v.objects)
	switch {
	case found && o == nil:
		return slices.Delete(objects, i, i+1)
	case found:
		objects[i] = o
	case o != nil:
		return slices.Insert(objects, i, o)
	}
	return objects
}

// push returns the store after a change at a revision, zero for one that is not known.
// It is nil where the store has passed the revision. The object, nil where it is
// removed, belongs to the state afterwards.
func (s *state) push(at histories.Revision, key histories.Key, o *histories.Object) *state {
	known := at > 0
	switch {
	case !known:
		at = s.floor + 1
	case at <= s.floor:
		return nil
	}
	if o != nil {
		if o.RV = at; !known {
			o.RV = -s.floor
		}
	}
	return &state{floor: at, tip: newVersion(s.tip, at, known, s.tip.with(key, o))}
}

// learn returns the store of which it is known that a revision exists, and what the
// revision and the uid of the objects are that an answer has shown.
func (s *state) learn(reached histories.Revision, shown []histories.Object) *state {
	next := state{floor: max(s.floor, reached), tip: s.tip}
	for i := range shown {
		o := s.tip.object(shown[i].Key)
		if o == nil || (o.RV > 0 || shown[i].RV <= 0) && (o.UID != "" || shown[i].UID == "") {
			continue
		}
		told := *o
		if told.RV <= 0 && shown[i].RV > 0 {
			told.RV = shown[i].RV
			next.floor = max(next.floor, told.RV)
		}
		if told.UID == "" {
			told.UID = shown[i].UID
		}
		next.tip = newVersion(next.tip.prev, next.tip.at, next.tip.known, next.tip.with(told.Key, &told))
	}
	if next == *s {
		return s
	}
	return &next
}

// someAt reports whether a content that the store may have had at a revision between
// two fits, both included. What it held before the history began fits always.
func (s *state) someAt(from, to histories.Revision, fits func(*version) bool) bool {
	ends := unbounded // the lowest revision at which the next change can be, or higher
	for v := s.tip; v != nil && ends > from; v = v.prev {
		if v.at <= to && (v.prev == nil || fits(v)) {
			return true
		}
		if ends--; v.known {
			ends = v.at
		}
	}
	return false
}

const unbounded = histories.Revision(histories.Never)

// text and mix make digests.
func text(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h ^ 0xff)
}

func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	return h ^ h>>33
}
