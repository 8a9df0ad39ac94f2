// Package intervals holds sets of revisions as disjoint intervals.
package intervals

import (
	"cmp"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// Interval is the revisions in (After, UpTo].
type Interval struct{ After, UpTo histories.Revision }

// Set is disjoint intervals, ascending.
type Set []Interval

// Of returns the union of intervals.
func Of(all []Interval) Set {
	slices.SortFunc(all, func(a, b Interval) int { return cmp.Compare(a.After, b.After) })
	var set Set
	for _, i := range all {
		if last := len(set) - 1; last >= 0 && i.After <= set[last].UpTo {
			set[last].UpTo = max(set[last].UpTo, i.UpTo)
			continue
		}
		set = append(set, i)
	}
	return set
}

// Covers reports whether every revision in (after, upTo] is in the set.
func (s Set) Covers(after, upTo histories.Revision) bool {
	if after >= upTo {
		return true
	}
	at, _ := slices.BinarySearchFunc(s, after, func(i Interval, r histories.Revision) int {
		if i.UpTo <= r {
			return -1
		}
		return 1
	})
	return at < len(s) && s[at].After <= after && upTo <= s[at].UpTo
}

// Reach returns the last revision up to which everything above one is in the set: that
// revision itself where nothing is.
func (s Set) Reach(after histories.Revision) histories.Revision {
	for _, i := range s {
		if i.After <= after && after < i.UpTo {
			return i.UpTo
		}
	}
	return after
}
