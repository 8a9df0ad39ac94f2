package models

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// shows compares the answer of a read with a content, cut as the read asks.
func (g *glance) shows(r *histories.Request, a *histories.Answer, content *node) sighting {
	in := reads(r)
	total := in.count(content)
	if a.Count != int64(total) {
		return sighting{}
	}
	if !r.CountOnly && (filtered(r) || sorted(r)) {
		return g.showsRanked(r, a, content)
	}
	wanted := cut(r, total)
	if len(a.Objects) != wanted || a.More != more(r, total) {
		return sighting{}
	}
	seen, i := sighting{same: true}, 0
	content.ascend(in.from, func(o *histories.Object) bool {
		if i == wanted {
			return false
		}
		seen = sees(seen.bound, o, &a.Objects[i], r.KeysOnly)
		i++
		return seen.same
	})
	return seen
}

// showsRanked is shows for a read that filters or sorts. Of objects that the sort
// finds equal, any may come first. Where the read names no order of its sort, the
// limit may have come before the sort or after it.
func (g *glance) showsRanked(r *histories.Request, a *histories.Answer, content *node) sighting {
	found := g.chosen(r, content)
	wanted := cut(r, len(found))
	if len(a.Objects) != wanted || a.More != more(r, len(found)) {
		return sighting{}
	}
	if sorted(r) {
		slices.SortStableFunc(found, func(x, y *histories.Object) int { return g.order(r, x, y) })
	}
	seen, used := sighting{same: true}, make(map[histories.Key]bool, wanted)
	var before *histories.Object
	for i := 0; i < wanted && seen.same; i++ {
		told := &a.Objects[i]
		stored, ok := g.pick(r, found, i, told.Key)
		if !ok || used[told.Key] || before != nil && g.order(r, before, stored) > 0 {
			return sighting{}
		}
		before, used[told.Key] = stored, true
		seen = sees(seen.bound, stored, told, r.KeysOnly)
	}
	return seen
}

// pick returns the object with the key if it may stand in place i of what was
// found.
func (g *glance) pick(r *histories.Request, found []*histories.Object, i int, key histories.Key) (*histories.Object, bool) {
	if found[i].Key == key {
		return found[i], true
	}
	at := slices.IndexFunc(found, func(o *histories.Object) bool { return o.Key == key })
	if at < 0 || !sorted(r) {
		return nil, false
	}
	return found[at], cutFirst(r) && len(found) > int(r.Limit) || g.order(r, found[at], found[i]) == 0
}
