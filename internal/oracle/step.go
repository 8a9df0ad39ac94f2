package oracle

import (
	"maps"
	"math"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// after returns the stores in which an operation may leave a store, none if its
// answer is impossible here.
func (s *search) after(at *store, op *histories.Operation) []*store {
	newest, point := s.evidence.floor(op.Call, s.uncertainty)
	at = s.raised(at, newest, point)
	if at == nil {
		return nil
	}
	switch op.Request.Kind {
	case histories.Create, histories.Update, histories.Put, histories.Delete:
		return s.write(at, op)
	case histories.Get, histories.List, histories.Next:
		return s.read(at, op)
	case histories.Compact:
		return s.compact(at, op)
	default:
		return s.register(at, op)
	}
}

// raised lets other tenants raise the revision, and a foreign compaction the
// compaction point where the store is not exclusive. It is nil if that would jump
// over a change that is known to exist.
func (s *search) raised(at *store, newest, point histories.Revision) *store {
	if newest <= at.newest && point <= at.point {
		return at
	}
	if newest > at.newest {
		for _, c := range s.evidence.claims {
			if at.newest < c.revision && c.revision <= newest {
				return nil
			}
		}
	}
	next := *at
	next.newest = max(at.newest, newest)
	if point > at.point {
		if s.exclusive || point > next.newest {
			return nil
		}
		next.compacted(point)
	}
	return &next
}

func (s *store) compacted(point histories.Revision) {
	s.point = point
	s.points = append(slices.Clip(s.points), point)
}

// applied makes a change, unless another one is known to be at or before its revision.
func (s *search) applied(at *store, c change) *store {
	if c.revision <= at.newest {
		return nil
	}
	for _, known := range s.evidence.claims {
		if known.revision == c.revision && (known.key != c.key || known.deleted != c.deleted || known.write != c.object.Write) {
			return nil
		}
	}
	if at = s.raised(at, c.revision-1, 0); at == nil {
		return nil
	}
	next := *at
	next.newest = c.revision
	next.changes = append(slices.Clip(at.changes), c)
	return &next
}

func list(stores ...*store) []*store {
	return slices.DeleteFunc(stores, func(s *store) bool { return s == nil })
}

func (s *search) write(at *store, op *histories.Operation) []*store {
	holds := true
	key := op.Request.Key.Name
	switch {
	case op.Request.Kind == histories.Create:
		holds = at.modified(key) == 0
	case op.Request.Kind == histories.Update, op.Request.Conditional:
		holds = at.modified(key) == op.Request.Expect
	}
	switch op.Answer.Outcome {
	case histories.Unknown:
		return s.writeUnknown(at, op, holds)
	case histories.OK:
		if !holds {
			return nil
		}
		return s.writeDone(at, op)
	default:
		if holds {
			return nil
		}
		return s.writeRefused(at, op)
	}
}

func (s *search) writeDone(at *store, op *histories.Operation) []*store {
	header := op.Answer.Revision
	if op.Request.Kind != histories.Delete {
		return list(s.applied(at, at.put(&op.Request, header)))
	}
	if at.modified(op.Request.Key.Name) == 0 {
		if op.Answer.Deleted != 0 || header < at.newest {
			return nil
		}
		return list(s.raised(at, header, 0))
	}
	if op.Answer.Deleted != 1 {
		return nil
	}
	return list(s.applied(at, change{revision: header, key: op.Request.Key.Name, deleted: true}))
}

// writeRefused: the failure branch shows the object at the header (ETCD-04).
func (s *search) writeRefused(at *store, op *histories.Operation) []*store {
	header := op.Answer.Revision
	if header < at.newest {
		return nil
	}
	var shown []histories.Object
	if o, present := at.now(op.Request.Key.Name); present && op.Request.Kind != histories.Create {
		shown = append(shown, o)
	}
	if !slices.EqualFunc(shown, op.Answer.Objects, same) {
		return nil
	}
	return list(s.raised(at, header, 0))
}

// writeUnknown: an effect that nobody saw may be at any revision; one
// representative of those that make no difference is enough.
func (s *search) writeUnknown(at *store, op *histories.Operation, holds bool) []*store {
	key := op.Request.Key.Name
	seen, wasSeen := s.evidence.revisionOf(op.Request.Write)
	if !holds || op.Request.Kind == histories.Delete && at.modified(key) == 0 {
		if wasSeen {
			return nil
		}
		return []*store{at}
	}
	revisions := []histories.Revision{at.newest + 1}
	if wasSeen {
		revisions = []histories.Revision{seen}
	} else {
		for _, n := range s.evidence.named {
			revisions = append(revisions, n, n+1)
		}
	}
	slices.Sort(revisions)
	var next []*store
	for _, r := range slices.Compact(revisions) {
		c := change{revision: r, key: key, deleted: true}
		if op.Request.Kind != histories.Delete {
			c = at.put(&op.Request, r)
		}
		next = append(next, s.applied(at, c))
	}
	return list(next...)
}

func (s *search) read(at *store, op *histories.Operation) []*store {
	asked := op.Request.Revision
	if op.Answer.Outcome != histories.OK {
		switch op.Answer.Error.Class {
		case histories.Compacted:
			if asked <= 0 || asked > at.newest || asked == math.MaxInt64 {
				return nil
			}
			if asked >= at.point {
				return list(s.raised(at, 0, asked+1))
			}
			return []*store{at}
		default: // future
			if asked <= at.newest {
				return nil
			}
			return []*store{at}
		}
	}
	header := op.Answer.Revision
	if header < at.newest || asked > header || asked > 0 && asked < at.point {
		return nil
	}
	if asked <= 0 {
		asked = header
	}
	if !s.shows(at, op, asked) {
		return nil
	}
	return list(s.raised(at, header, 0))
}

// shows compares a read's answer with the snapshot at a revision (ETCD-05 to ETCD-07).
func (s *search) shows(at *store, op *histories.Operation, revision histories.Revision) bool {
	req := &op.Request
	wanted := func(key string) bool { return key == req.Key.Name }
	limit := int64(1)
	if req.Kind != histories.Get {
		wanted = func(key string) bool { return inScope(req.Scope, key) && (!req.HasStart || key >= req.Start) }
		limit = req.Limit
	}
	expected := at.snapshot(revision, wanted)
	count, more := int64(len(expected)), false
	if limit > 0 && count > limit {
		expected, more = expected[:limit], true
	}
	return count == op.Answer.Count && more == op.Answer.More &&
		slices.EqualFunc(expected, op.Answer.Objects, same)
}

func (s *search) compact(at *store, op *histories.Operation) []*store {
	to, header := op.Request.Revision, op.Answer.Revision
	if op.Answer.Outcome == histories.Fail {
		if op.Answer.Error.Class == histories.Compacted && to > at.point {
			return list(s.raised(at, to, to)) // somebody else's compaction
		}
		if op.Answer.Error.Class == histories.Future && to <= at.newest {
			return nil
		}
		return []*store{at}
	}
	if op.Answer.Outcome == histories.OK && header != 0 && header < max(at.newest, to) {
		return nil // the header was read later
	}
	if to <= at.point {
		if op.Answer.Outcome == histories.OK {
			return nil
		}
		return []*store{at}
	}
	if at = s.raised(at, to, 0); at == nil {
		return nil
	}
	next := *at
	next.compacted(to)
	return []*store{&next}
}

// register is the instant from which a watch sees what happens.
func (s *search) register(at *store, op *histories.Operation) []*store {
	if op.Answer.Revision < at.newest {
		return nil
	}
	start := op.Request.StartRevision
	if start == 0 {
		start = at.newest + 1
	}
	if s.served[op.ID] && start < at.point {
		return nil
	}
	next := *at
	if s.expired[op.ID] {
		next.told = maps.Clone(at.told)
		if next.told == nil {
			next.told = map[int]histories.Revision{}
		}
		next.told[op.ID] = at.point
	}
	if op.Request.StartRevision != 0 {
		return []*store{&next}
	}
	next.starts = maps.Clone(at.starts)
	if next.starts == nil {
		next.starts = map[int]histories.Revision{}
	}
	next.starts[op.ID] = start
	return []*store{&next}
}
