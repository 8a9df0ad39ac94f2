package models

import "github.com/rvcheck/rvcheck/histories"

// shows compares the answer of a read with a content, cut as the read asks.
func shows(c *Call, content *node) sighting {
	in := reads(c.Request)
	total := in.count(content)
	wanted := cut(c.Request, total)
	a := c.Answer
	if len(a.Objects) != wanted || a.Count != int64(total) || a.More != more(c.Request, total) {
		return sighting{}
	}
	seen, i := sighting{same: true}, 0
	content.ascend(in.from, func(o *histories.Object) bool {
		if i == wanted {
			return false
		}
		seen = sees(seen.bound, o, &a.Objects[i], c.Request.KeysOnly)
		i++
		return seen.same
	})
	return seen
}

// cut is the number of objects that a read returns of those in its range.
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

// differs says what is wrong with the answer of a read, the most telling first:
// what no content could explain, then the content, then the counts.
func differs(c *Call, content *node) Refusal {
	if refusal := malformed(c); refusal.Refused() {
		return refusal
	}
	if refusal := strays(c, content); refusal.Refused() {
		return refusal
	}
	in := reads(c.Request)
	total := in.count(content)
	if c.Answer.Count != int64(total) {
		return Refusal{
			Property: ListCount, a: histories.Revision(c.Answer.Count), b: histories.Revision(total),
			form: "the answer counts {a} keys in the range, but there were {b}",
		}
	}
	if c.Answer.More != more(c.Request, total) {
		return Refusal{Property: ListMore, form: "the answer is wrong about whether the limit cut it"}
	}
	return Refusal{Property: truth(c.Request), form: "the answer is not what the store held"}
}

// malformed refuses what is wrong with an answer whatever the content.
func malformed(c *Call) Refusal {
	in, objects := reads(c.Request), c.Answer.Objects
	for i := range objects {
		key := objects[i].Key
		if i > 0 && objects[i-1].Key.Compare(key) >= 0 {
			return Refusal{Property: ListOrder, key: key, form: "{key} is not above the key before it"}
		}
		if in.from.Compare(key) > 0 || !in.open && key.Compare(in.to) >= 0 {
			return Refusal{Property: outside(c.Request), key: key, form: "{key} is not in the range that was asked for"}
		}
	}
	if limit := c.Request.Limit; limit > 0 && int64(len(objects)) > limit {
		return Refusal{
			Property: ListLimit, a: histories.Revision(len(objects)), b: histories.Revision(limit),
			form: "{a} objects were returned within a limit of {b}",
		}
	}
	return allowed
}

// strays refuses the first object that is missing, too much or not the same.
func strays(c *Call, content *node) Refusal {
	in, objects := reads(c.Request), c.Answer.Objects
	wanted := cut(c.Request, in.count(content))
	refusal, i := allowed, 0
	content.ascend(in.from, func(o *histories.Object) bool {
		if i < wanted && !refusal.Refused() {
			refusal = stray(c, o, i)
			i++
			return true
		}
		return false
	})
	if !refusal.Refused() && len(objects) > wanted {
		return Refusal{
			Property: truth(c.Request), key: objects[wanted].Key,
			form: "{key} was returned, but was not there",
		}
	}
	return refusal
}

// stray compares the object that the answer has in place i with the stored one.
func stray(c *Call, stored *histories.Object, i int) Refusal {
	refusal := Refusal{Property: truth(c.Request), key: stored.Key, a: stored.RV}
	if i >= len(c.Answer.Objects) {
		refusal.form = "{key}, last changed at {a}, is missing"
		return refusal
	}
	seen := &c.Answer.Objects[i]
	refusal.b = seen.RV
	switch order := stored.Key.Compare(seen.Key); {
	case order < 0:
		refusal.form = "{key}, last changed at {a}, is missing"
	case order > 0:
		refusal.key, refusal.form = seen.Key, "{key} was returned, but was not there"
	case sees(nil, stored, seen, c.Request.KeysOnly).same:
		return allowed
	case stored.Write == seen.Write && stored.RV == seen.RV && seen.Foreign == "":
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
