package models

import "github.com/rvcheck/rvcheck/histories"

// compact takes an acknowledged compaction. Its header was read after it took
// effect: the store was not above it, and Learn is how a judge may take it.
func (s *State) compact(c *Call) ([]*State, Refusal) {
	to, header := c.Request.Revision, c.Answer.Revision
	if header != 0 && header < s.newest {
		return no(s.older(HeaderMonotone, header))
	}
	if header != 0 && header < to {
		return no(Refusal{
			Property: ExpiryCompactRefused, a: to, b: header,
			form: "a compaction at revision {a} was acknowledged, but the store was at {b}",
		})
	}
	states, refusal := s.compactUnseen(c)
	if refusal.Refused() || header == 0 || states[0].bounded(header) {
		return states, refusal
	}
	states[0].open = states[0].below(header)
	return states, allowed
}

// compactUnseen takes a compaction of which no answer tells where the store was.
// It can only be at a revision that the store had reached.
func (s *State) compactUnseen(c *Call) ([]*State, Refusal) {
	to := c.Request.Revision
	if to <= s.compacted {
		return no(Refusal{
			Property: ExpiryCompactRefused, a: to, b: s.compacted,
			form: "a compaction at revision {a} was acknowledged, but the compaction point was {b}",
		})
	}
	next := s.clone()
	next.compacted, next.prior = to, min(s.prior, to-1)
	next.newest = max(s.newest, to)
	return one(next)
}

// compactCompacted takes a compaction that was refused as done before.
func (s *State) compactCompacted(c *Call) ([]*State, Refusal) {
	to := c.Request.Revision
	if to <= 0 {
		return one(s)
	}
	return s.expired(to, Refusal{
		Property: ExpiryCompactRefused, a: to, b: s.Compacted(),
		form: "a compaction at revision {a} was refused as done, but the compaction point was {b}",
	})
}

// compactFuture takes a compaction that was refused because its revision does
// not exist.
func (s *State) compactFuture(c *Call) ([]*State, Refusal) {
	to := c.Request.Revision
	return s.ahead(to, Refusal{
		Property: ExpiryCompactRefused, a: to, b: s.newest,
		form: "a compaction at revision {a} was refused as in the future, but the store was at {b}",
	})
}

// expired takes that the compaction point was at least this revision. Where
// neither a known compaction nor an earlier one nor one of others explains it,
// it is refused.
func (s *State) expired(point histories.Revision, refusal Refusal) ([]*State, Refusal) {
	if point <= s.compacted {
		return one(s)
	}
	if !s.foreign && point > s.prior {
		return no(refusal)
	}
	next := s.clone()
	next.compacted, next.newest = point, max(s.newest, point)
	return one(next)
}
