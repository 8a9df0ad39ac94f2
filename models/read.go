package models

import (
	"math"

	"github.com/rvcheck/rvcheck/histories"
)

// read takes an answered read. Its header is its position; what it returns is
// the content at the revision that it asked for, or at its position.
func (s *State) read(c *Call) ([]*State, Refusal) {
	header, asked := c.Answer.Revision, c.Request.Revision
	if asked > header {
		return no(Refusal{
			Property: ReadFuture, a: asked, b: header,
			form: "a read at revision {a} was answered when the store was at {b}",
		})
	}
	if c.Request.Serializable && header < s.newest {
		return s.readOld(c)
	}
	if header < s.newest {
		return no(s.older(freshness(c.Request), header))
	}
	next := s.raise(header)
	if asked <= 0 {
		return next.readAt(c, header)
	}
	return next.readPast(c, asked)
}

// readOld takes a serializable read of a member that lags. Any state that was is
// right.
func (s *State) readOld(c *Call) ([]*State, Refusal) {
	if c.Answer.Revision <= 0 {
		return no(s.older(freshness(c.Request), c.Answer.Revision))
	}
	if asked := c.Request.Revision; asked > 0 {
		return s.readPast(c, asked)
	}
	return s.readAt(c, c.Answer.Revision)
}

// readPast takes a read at a revision that it names.
func (s *State) readPast(c *Call, asked histories.Revision) ([]*State, Refusal) {
	switch {
	case c.Request.Serializable && s.lagging:
		return s.readAt(c, asked)
	case asked < s.compacted:
		return no(Refusal{
			Property: ExpiryOwed, a: asked, b: s.compacted,
			form: "a read at revision {a} was answered, but the store was compacted at {b}",
		})
	default:
		return s.readable(asked).readAt(c, asked)
	}
}

// readable returns the state in which nothing before the history compacted above
// the revision.
func (s *State) readable(revision histories.Revision) *State {
	if s.prior <= revision {
		return s
	}
	next := s.clone()
	next.prior = revision
	return next
}

// readAt compares an answer with the content at a revision. Where open writes
// may lie on either side of it, every run of versions that explain the answer is
// a branch.
func (s *State) readAt(c *Call, revision histories.Revision) ([]*State, Refusal) {
	if len(s.open) > 0 && filtered(c.Request) {
		return s.settled(func(g *glance) ([]*State, Refusal) { return g.read(c, g.content(revision)) })
	}
	g, candidates := &glance{state: s}, s.candidates(revision)
	if len(candidates) == 1 {
		return g.read(c, candidates[0].version.root())
	}
	if branches := g.runs(c, candidates, revision); len(branches) > 0 {
		return branches, allowed
	}
	return no(g.differs(c.Request, c.Answer, candidates[0].version.root()))
}

// read compares an answer with a content.
func (g *glance) read(c *Call, content *node) ([]*State, Refusal) {
	next, ok := g.state.binding(g.shows(c.Request, c.Answer, content))
	if !ok {
		return no(g.differs(c.Request, c.Answer, content))
	}
	return one(next)
}

// runs returns a state for each longest run of candidates that explain the
// answer without telling a revision, and one for each that tells some.
func (g *glance) runs(c *Call, candidates []candidate, revision histories.Revision) []*State {
	shows := func(i int) sighting { return g.shows(c.Request, c.Answer, candidates[i].version.root()) }
	var branches []*State
	for i := 0; i < len(candidates); {
		seen, end := shows(i), i+1
		if plain(seen) {
			for end < len(candidates) && plain(shows(end)) {
				end++
			}
		}
		if next, ok := g.state.choose(candidates[i], candidates[end-1], revision); ok && seen.same {
			if next, ok = next.binding(seen); ok {
				branches = append(branches, next)
			}
		}
		i = end
	}
	return branches
}

func plain(seen sighting) bool { return seen.same && len(seen.bound) == 0 }

// readCompacted takes a read that was refused because its revision is compacted.
func (s *State) readCompacted(c *Call) ([]*State, Refusal) {
	asked := c.Request.Revision
	if asked <= 0 {
		return no(Refusal{Property: ExpiryJustified, form: "a read of the newest revision was refused as compacted"})
	}
	refusal := Refusal{
		Property: ExpiryJustified, a: asked, b: s.Compacted(),
		form: "a read at revision {a} was refused as compacted, but the compaction point was {b}",
	}
	if asked == math.MaxInt64 {
		return no(refusal) // nothing is above
	}
	return s.expired(asked+1, refusal)
}

// readFuture takes a read that was refused because its revision does not exist.
func (s *State) readFuture(c *Call) ([]*State, Refusal) {
	asked := c.Request.Revision
	if c.Request.Serializable && asked > 1 {
		return one(s) // a member that lags, but no store is below its first revision
	}
	return s.ahead(asked, Refusal{
		Property: ReadFuture, a: asked, b: s.newest,
		form: "a read at revision {a} was refused as in the future, but the store was at {b}",
	})
}

// ahead takes that the store was below a revision.
func (s *State) ahead(revision histories.Revision, refusal Refusal) ([]*State, Refusal) {
	if revision <= s.newest {
		return no(refusal)
	}
	if s.bounded(revision - 1) {
		return one(s)
	}
	next := s.clone()
	next.open = s.below(revision - 1)
	return one(next)
}

// freshness is the property of a read's position.
func freshness(r *histories.Request) string {
	if r.Kind == histories.Get {
		return GetFresh
	}
	return ListFresh
}
