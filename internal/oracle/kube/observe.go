package kube

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// claim says that there is a certain change: an object as somebody showed it, nil for a
// removal. Leaving: it may also be that the object has ceased to match a selector.
type claim struct {
	revision histories.Revision
	key      histories.Key
	object   *histories.Object
	partial  bool
	uid      string
	leaving  bool
}

// observation is a revision that a stream told at a time.
type observation struct {
	time     int64
	revision histories.Revision
}

// gather lists what a history says beside the order of its calls.
func (s *search) gather() {
	for i := range s.history.Operations {
		op := &s.history.Operations[i]
		s.mention(op.Answer.Revision, op.Request.Expect, number(op.Request.Options().ResourceVersion))
		s.finalizers = s.finalizers || op.Request.Options().Finalizers != nil
		for k := range op.Answer.Objects {
			o := &op.Answer.Objects[k]
			s.mention(o.RV)
			dying := o.Deleting && len(o.Meta().Finalizers) == 0
			if !op.Request.Options().DryRun && op.Request.Kind != histories.DeleteCollection && !dying {
				s.claims = append(s.claims, claim{revision: o.RV, key: o.Key, object: o, partial: isPartial(&op.Request)})
			}
		}
	}
	for i := range s.history.Streams {
		s.gatherStream(&s.history.Streams[i])
	}
	slices.Sort(s.revisionsNamed)
	s.revisionsNamed = slices.Compact(s.revisionsNamed)
}

func (s *search) gatherStream(stream *histories.Stream) {
	r := &s.history.Operation(stream.Op).Request
	o := r.Options()
	for k := range stream.Events {
		e := &stream.Events[k]
		s.mention(e.Header, e.Object.RV)
		s.observations = append(s.observations, observation{e.Time, max(e.Header, e.Object.RV)})
		switch e.Type {
		case histories.AddedEvent, histories.ModifiedEvent:
			s.claims = append(s.claims, claim{revision: e.Object.RV, key: e.Object.Key, object: &e.Object, partial: isPartial(r)})
		case histories.DeleteEvent:
			s.claims = append(s.claims, claim{
				revision: e.Object.RV, key: e.Object.Key, uid: e.Object.UID, leaving: o.LabelSelector != "" || o.FieldSelector != "",
			})
		default:
		}
	}
}

func (s *search) mention(revisions ...histories.Revision) {
	for _, r := range revisions {
		if r > 0 {
			s.revisionsNamed = append(s.revisionsNamed, r, r+1)
		}
	}
}

// number is a resource version of a request, zero where it is none.
func number(text string) histories.Revision {
	n := histories.Revision(0)
	for _, c := range text {
		if c < '0' || c > '9' || n > 1<<40 {
			return 0
		}
		n = 10*n + histories.Revision(c-'0')
	}
	return n
}

// tells reports whether a claim can be about a change.
func (c *claim) tells(of *change) bool {
	switch {
	case c.key != of.key:
		return false
	case c.object != nil:
		return of.after != nil && same(of.after, c.object, c.partial)
	case c.leaving:
		return of.before != nil && (of.before.UID == "" || of.before.UID == c.uid)
	default:
		return of.after == nil && of.before != nil && (of.before.UID == "" || of.before.UID == c.uid)
	}
}

// raised lets others raise the revision; nil if that would jump over a change that is
// known.
func (s *search) raised(at *store, to histories.Revision) *store {
	if to <= at.newest {
		return at
	}
	for i := range s.claims {
		if r := s.claims[i].revision; at.newest < r && r <= to {
			return nil
		}
	}
	next := *at
	next.newest = to
	return &next
}

// applied makes a change, unless another one is known to be at or before it, or a watch
// that passed it does not tell.
func (s *search) applied(at *store, c change, loose bool) *store {
	if c.revision <= at.newest {
		return nil
	}
	if at = s.raised(at, c.revision-1); at == nil {
		return nil
	}
	for i := range s.claims {
		known := &s.claims[i]
		if known.revision != c.revision {
			continue
		}
		if known.object != nil && known.key == c.key && c.after != nil {
			if adopted := adopt(c.after, known.object, loose); adopted != nil {
				c.after = adopted
			}
		}
		if !known.tells(&c) {
			return nil
		}
	}
	if !s.told(&c) {
		return nil
	}
	next := *at
	next.newest = c.revision
	next.changes = append(slices.Clip(at.changes), c)
	return &next
}

// adopt takes from what was shown of an object what the write did not determine: its uid,
// and where fields have owners what they left.
func adopt(made, shown *histories.Object, loose bool) *histories.Object {
	next := *made
	if next.UID == "" {
		next.UID = shown.UID
	}
	if loose {
		next.Labels = shown.Labels
		next.Kube = &histories.KubeMeta{Finalizers: shown.Meta().Finalizers, Status: made.Meta().Status}
	}
	return &next
}

// revisions are those that an effect may have of which no answer tells.
func (s *search) revisions(at *store) []histories.Revision {
	limit := histories.Revision(1 << 62)
	for i := range s.claims {
		if r := s.claims[i].revision; r > at.newest {
			limit = min(limit, r)
		}
	}
	all := []histories.Revision{at.newest + 1}
	for _, r := range s.revisionsNamed {
		if r > at.newest+1 && r <= limit {
			all = append(all, r)
		}
	}
	return all
}

// floor is what streams had told before a time.
func (s *search) floor(time int64) histories.Revision {
	highest := histories.Revision(0)
	for _, o := range s.observations {
		if o.time < time {
			highest = max(highest, o.revision)
		}
	}
	return highest
}
