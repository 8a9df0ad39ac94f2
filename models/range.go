package models

import (
	"bytes"
	"cmp"
	"sort"

	"github.com/rvcheck/rvcheck/histories"
)

// What a read returns is decided in the order of etcd's server: the keys of the
// range at a revision, filtered by their revisions, sorted, cut at the limit, and
// stripped of what was not asked for.

// filtered reports whether a read leaves out objects by their revisions.
func filtered(r *histories.Request) bool {
	return r.MinModRevision != 0 || r.MaxModRevision != 0 || r.MinCreateRevision != 0 || r.MaxCreateRevision != 0
}

// sorted reports whether a read returns another order than that of the keys.
func sorted(r *histories.Request) bool {
	if r.SortTarget == "" || r.SortTarget == histories.SortByKey {
		return r.SortOrder == histories.Descend
	}
	return true
}

// cutFirst reports whether the limit acts before the sort: where an order is not
// named, etcd reads no more keys than the limit, and one to know whether there are
// more.
func cutFirst(r *histories.Request) bool {
	return sorted(r) && r.SortOrder == "" && !filtered(r) && r.Limit > 0
}

// passes reports whether the revision filters let an object through.
func (g *glance) passes(r *histories.Request, o *histories.Object) bool {
	return (r.MaxModRevision == 0 || g.compare(o.RV, r.MaxModRevision) <= 0) &&
		(r.MinModRevision == 0 || g.compare(o.RV, r.MinModRevision) >= 0) &&
		(r.MaxCreateRevision == 0 || g.compare(o.CreateRevision, r.MaxCreateRevision) <= 0) &&
		(r.MinCreateRevision == 0 || g.compare(o.CreateRevision, r.MinCreateRevision) >= 0)
}

// chosen returns the objects of a read's range that its filters let through, in
// the order of the keys.
func (g *glance) chosen(r *histories.Request, content *node) []*histories.Object {
	in := reads(r)
	var found []*histories.Object
	content.ascend(in.from, func(o *histories.Object) bool {
		if !in.open && o.Key.Compare(in.to) >= 0 {
			return false
		}
		if g.passes(r, o) {
			found = append(found, o)
		}
		return true
	})
	return found
}

// order compares two objects by what a read sorts by. Objects that compare equal
// may come in any order.
func (g *glance) order(r *histories.Request, a, b *histories.Object) int {
	c := g.ascending(r.SortTarget, a, b)
	if r.SortOrder == histories.Descend {
		return -c
	}
	return c
}

func (g *glance) ascending(target histories.SortTarget, a, b *histories.Object) int {
	switch target {
	case histories.SortByVersion:
		return cmp.Compare(a.Version, b.Version)
	case histories.SortByCreate:
		return cmp.Compare(g.place(a.CreateRevision), g.place(b.CreateRevision))
	case histories.SortByMod:
		return cmp.Compare(g.place(a.RV), g.place(b.RV))
	case histories.SortByValue:
		return bytes.Compare(valueOf(a), valueOf(b))
	default:
		return a.Key.Compare(b.Key)
	}
}

// valueOf returns the bytes that the store holds.
func valueOf(o *histories.Object) []byte { return histories.EncodeValue(o.Write, o.Labels, o.Size) }

// ranking sorts objects as etcd does, by the sort package's own algorithm, so that
// even those that compare equal come in the same order.
type ranking struct {
	glance  *glance
	request *histories.Request
	objects []*histories.Object
}

func (k *ranking) Len() int      { return len(k.objects) }
func (k *ranking) Swap(i, j int) { k.objects[i], k.objects[j] = k.objects[j], k.objects[i] }
func (k *ranking) Less(i, j int) bool {
	return k.glance.ascending(k.request.SortTarget, k.objects[i], k.objects[j]) < 0
}

func (g *glance) sort(r *histories.Request, objects []*histories.Object) {
	var by sort.Interface = &ranking{glance: g, request: r, objects: objects}
	if r.SortOrder == histories.Descend {
		by = sort.Reverse(by)
	}
	sort.Sort(by)
}

// answer is what a read of a content is answered, but for the header.
func (g *glance) answer(r *histories.Request, content *node) histories.Answer {
	total := reads(r).count(content)
	a := histories.Answer{Outcome: histories.OK, Count: int64(total)}
	switch {
	case r.CountOnly:
	case filtered(r) || sorted(r):
		a.Objects, a.More = g.ranked(r, content)
	default:
		a.Objects, a.More = collect(content, reads(r), r, cut(r, total)), more(r, total)
	}
	return a
}

// ranked returns the objects of a read that filters or sorts, and whether the
// limit cut them.
func (g *glance) ranked(r *histories.Request, content *node) ([]histories.Object, bool) {
	found := g.chosen(r, content)
	if cutFirst(r) && r.Limit < int64(len(found)) {
		found = found[:r.Limit+1]
	}
	if sorted(r) {
		g.sort(r, found)
	}
	wanted := cut(r, len(found))
	if wanted == 0 {
		return nil, more(r, len(found))
	}
	objects := make([]histories.Object, wanted)
	for i := range objects {
		objects[i] = shown(found[i], r)
	}
	return objects, more(r, len(found))
}

// collect returns the first objects of a span.
func collect(content *node, in span, r *histories.Request, wanted int) []histories.Object {
	if wanted == 0 {
		return nil
	}
	objects := make([]histories.Object, 0, wanted)
	content.ascend(in.from, func(o *histories.Object) bool {
		objects = append(objects, shown(o, r))
		return len(objects) < wanted
	})
	return objects
}

// shown is an object as a read returns it. Of a key alone etcd knows the lease only
// where it has read the value all the same, to sort by it.
func shown(stored *histories.Object, r *histories.Request) histories.Object {
	o := *stored
	if !r.KeysOnly {
		return o
	}
	o.Write, o.Labels, o.Size = "", nil, 0
	if r.SortTarget != histories.SortByValue {
		o.Lease = 0
	}
	return o
}

// cut is the number of objects that a read returns of those that it could.
func cut(r *histories.Request, total int) int {
	switch {
	case r.CountOnly:
		return 0
	case r.Limit > 0 && r.Limit < int64(total):
		return int(r.Limit)
	default:
		return total
	}
}

// more reports whether the limit cut the result.
func more(r *histories.Request, total int) bool {
	return !r.CountOnly && r.Limit > 0 && r.Limit < int64(total)
}
