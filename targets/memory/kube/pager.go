package kube

import (
	"context"

	"github.com/rvcheck/rvcheck/histories"
)

// page lists by pages as a client's pager does: what it puts together has the resource version
// of the first page, and where the token of a later one has expired it lists all at once. Like
// an informer it reads the store as it is.
func (c *client) page(ctx context.Context, r *histories.Request) histories.Answer {
	next := histories.Request{Kind: histories.List, Scope: r.Scope, Limit: r.Limit}
	var all histories.Answer
	for {
		if ctx.Err() != nil || c.ctx.Err() != nil {
			return ended()
		}
		c.pace.Dwell()
		page := c.store.read(&next)
		switch {
		case page.Outcome != histories.OK && next.Kind == histories.Next:
			return c.store.read(&histories.Request{Kind: histories.List, Scope: r.Scope})
		case page.Outcome != histories.OK:
			return page
		case all.Outcome == "":
			all = page
		default:
			all.Objects = append(all.Objects, page.Objects...)
		}
		if page.Continue == "" {
			all.More, all.Continue, all.Kube = false, "", nil
			c.store.paged(c, r.Limit, &all)
			return all
		}
		next.Kind, next.Kube = histories.Next, &histories.KubeOptions{Continue: page.Continue}
	}
}

// read answers a read as a store without a fault does.
func (s *Store) read(r *histories.Request) histories.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, answer := s.state.Apply(r, s.cache)
	return answer
}

// paged lets the fault change what a pager puts together.
func (s *Store) paged(c *client, size int64, a *histories.Answer) {
	acts := c.pace.Chance(s.options.Probability)
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.now(acts); s.fault.paged != nil && m.acts {
		a.Objects = s.fault.paged(m, size, a.Objects)
	}
}
