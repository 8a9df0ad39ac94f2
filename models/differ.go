package models

import "github.com/rvcheck/rvcheck/histories"

// differs says what is wrong with the answer of a read, the most telling first:
// what no content could explain, then the content, then the counts.
func (g *glance) differs(r *histories.Request, a *histories.Answer, content *node) Refusal {
	if refusal := malformed(r, a); refusal.Refused() {
		return refusal
	}
	ranked := filtered(r) || sorted(r)
	if !ranked {
		if refusal := strays(r, a, content); refusal.Refused() {
			return refusal
		}
	}
	total := reads(r).count(content)
	if a.Count != int64(total) {
		return Refusal{
			Property: ListCount, a: histories.Revision(a.Count), b: histories.Revision(total),
			form: "the answer counts {a} keys in the range, but there were {b}",
		}
	}
	if ranked {
		total = len(g.chosen(r, content))
	}
	switch {
	case a.More != more(r, total):
		return Refusal{Property: ListMore, form: "the answer is wrong about whether the limit cut it"}
	case filtered(r):
		return Refusal{Property: RangeFiltered, form: "the answer is not what the revision filters let through"}
	case sorted(r):
		return Refusal{Property: RangeSorted, form: "the answer is not what the store held, in the order that was asked for"}
	}
	return Refusal{Property: truth(r), form: "the answer is not what the store held"}
}

// malformed refuses what is wrong with an answer whatever the content.
func malformed(r *histories.Request, a *histories.Answer) Refusal {
	in, objects := reads(r), a.Objects
	if r.CountOnly && len(objects) > 0 {
		return Refusal{Property: RangeCountOnly, a: histories.Revision(len(objects)), form: "objects were returned, {a} of them, where only their number was asked for"}
	}
	for i := range objects {
		o := &objects[i]
		switch {
		case i > 0 && !sorted(r) && objects[i-1].Key.Compare(o.Key) >= 0:
			return Refusal{Property: ListOrder, key: o.Key, form: "{key} is not above the key before it"}
		case in.from.Compare(o.Key) > 0 || !in.open && o.Key.Compare(in.to) >= 0:
			return Refusal{Property: outside(r), key: o.Key, form: "{key} is not in the range that was asked for"}
		case r.KeysOnly && valued(o):
			return Refusal{Property: RangeKeysOnly, key: o.Key, form: "{key} was returned with its value where only keys were asked for"}
		}
	}
	if limit := r.Limit; limit > 0 && int64(len(objects)) > limit {
		return Refusal{
			Property: ListLimit, a: histories.Revision(len(objects)), b: histories.Revision(limit),
			form: "{a} objects were returned within a limit of {b}",
		}
	}
	return allowed
}

// strays refuses the first object that is missing, too much or not the same.
func strays(r *histories.Request, a *histories.Answer, content *node) Refusal {
	in := reads(r)
	wanted := cut(r, in.count(content))
	refusal, i := allowed, 0
	content.ascend(in.from, func(o *histories.Object) bool {
		if i < wanted && !refusal.Refused() {
			refusal = stray(r, a, o, i)
			i++
			return true
		}
		return false
	})
	if !refusal.Refused() && len(a.Objects) > wanted {
		return Refusal{
			Property: truth(r), key: a.Objects[wanted].Key,
			form: "{key} was returned, but was not there",
		}
	}
	return refusal
}

// stray compares the object that the answer has in place i with the stored one.
func stray(r *histories.Request, a *histories.Answer, stored *histories.Object, i int) Refusal {
	refusal := Refusal{Property: truth(r), key: stored.Key, a: stored.RV}
	if i >= len(a.Objects) {
		refusal.form = "{key}, last changed at {a}, is missing"
		return refusal
	}
	seen := &a.Objects[i]
	refusal.b = seen.RV
	switch order := stored.Key.Compare(seen.Key); {
	case order < 0:
		refusal.form = "{key}, last changed at {a}, is missing"
	case order > 0:
		refusal.key, refusal.form = seen.Key, "{key} was returned, but was not there"
	case sees(nil, stored, seen, r.KeysOnly).same:
		return allowed
	case (r.KeysOnly || stored.Write == seen.Write) && stored.RV == seen.RV && seen.Foreign == "":
		refusal.Property = ObjectMetadata
		refusal.form = "{key}, last changed at {a}, was returned with metadata that its writes do not explain"
	case stored.RV == seen.RV:
		refusal.form = "{key}, last changed at {a}, was returned with another value"
	default:
		refusal.form = "{key}, last changed at {a}, was returned as last changed at {b}"
	}
	return refusal
}

// truth is the property of what a read returns.
func truth(r *histories.Request) string {
	switch {
	case r.Kind == histories.Next:
		return PagePinned
	case r.Kind == histories.Get && r.Revision > 0:
		return GetExact
	case r.Kind == histories.Get:
		return GetSnapshot
	case r.Revision > 0:
		return ListExact
	default:
		return ListSnapshot
	}
}

func outside(r *histories.Request) string {
	if r.Kind == histories.Get {
		return truth(r)
	}
	return ListScope
}
