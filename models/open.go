package models

import (
	"math"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// interval holds the revisions that an open write can have: a write of unknown
// outcome that took effect, but whose revision no answer told. Its objects carry
// the negative id of the operation in place of the revision until an answer
// tells it.
type interval struct {
	operation int
	low, high histories.Revision
}

const unbounded = histories.Revision(math.MaxInt64)

// far is above every revision that a store can reach: whoever names a higher one
// does not tell the revision of an open write.
const far = unbounded - 1<<32

// symbol stands for the revision of an open write.
func symbol(operation int) histories.Revision { return histories.Revision(-operation) }

// isSymbol reports whether a stored revision stands for one that is not known.
func isSymbol(revision histories.Revision) bool { return revision < 0 }

func (s *State) intervalOf(operation int) interval {
	for _, i := range s.open {
		if i.operation == operation {
			return i
		}
	}
	panic("models: internal fault: an open write without an interval")
}

// bounded reports whether no open write can lie above the revision.
func (s *State) bounded(revision histories.Revision) bool {
	return len(s.open) == 0 || s.open[len(s.open)-1].high <= revision
}

// below returns the intervals cut at a revision that is not below the newest.
func (s *State) below(revision histories.Revision) []interval {
	if s.bounded(revision) {
		return s.open
	}
	open := slices.Clone(s.open)
	open[len(open)-1].high = revision
	if !settle(open) {
		panic("models: internal fault: an open write lies above the newest revision")
	}
	return open
}

// narrow returns the state in which the open write lies within low and high,
// false if it cannot. The store has then reached what the last one has at least.
func (s *State) narrow(operation int, low, high histories.Revision) (*State, bool) {
	next := s.clone()
	next.open = slices.Clone(s.open)
	for i := range next.open {
		if o := &next.open[i]; o.operation == operation {
			o.low, o.high = max(o.low, low), min(o.high, high)
			ok := settle(next.open)
			next.newest = max(next.newest, next.open[len(next.open)-1].low)
			return next, ok
		}
	}
	panic("models: internal fault: an open write without an interval")
}

// settle makes the intervals follow from each other: open writes ascend along
// the chain. It is false if they cannot. Since every condition is a bound of one
// revision or the order of two, bounds that settle have a solution.
func settle(open []interval) bool {
	for i := 1; i < len(open); i++ {
		open[i].low = max(open[i].low, open[i-1].low+1)
	}
	for i := len(open) - 2; i >= 0; i-- {
		open[i].high = min(open[i].high, open[i+1].high-1)
	}
	return !slices.ContainsFunc(open, func(i interval) bool { return i.low > i.high })
}

// bind returns the state in which a stored revision is the one that was seen,
// false if it cannot be.
func (s *State) bind(stored, seen histories.Revision) (*State, bool) {
	if !isSymbol(stored) {
		return s, stored == seen
	}
	if seen > far {
		return s, false
	}
	return s.narrow(int(-stored), seen, seen)
}

// candidate is a version that may be the newest at or below some revision.
type candidate struct {
	version *version // nil: before the first effect
	// next is the open write that follows it and must then lie above the revision.
	next int
}

// candidates returns the versions that can be the content at a revision, the
// newest first. There are several where open writes may lie on either side.
func (s *State) candidates(revision histories.Revision) []candidate {
	var found []candidate
	next := 0
	for v := s.tip.find(revision); ; v = v.prev {
		low, high := s.bounds(v)
		if low > revision {
			next = v.open
			continue
		}
		found = append(found, candidate{version: v, next: next})
		if high <= revision {
			return found
		}
		next = v.open
	}
}

// bounds returns the revisions that a version can have.
func (s *State) bounds(v *version) (low, high histories.Revision) {
	if v == nil {
		return 0, 0
	}
	if v.open == 0 {
		return v.low, v.low
	}
	i := s.intervalOf(v.open)
	return i.low, i.high
}

// choose returns the state in which, at the revision, the content was that of
// one of the candidates from newest to oldest, a run without a gap.
func (s *State) choose(newest, oldest candidate, revision histories.Revision) (*State, bool) {
	next, ok := s, true
	if newest.next != 0 {
		next, ok = next.narrow(newest.next, revision+1, unbounded)
	}
	if v := oldest.version; ok && v != nil && v.open != 0 {
		next, ok = next.narrow(v.open, 0, revision)
	}
	return next, ok
}
