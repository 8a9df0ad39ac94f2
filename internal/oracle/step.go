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
	newest, point := s.evidence.floor(op.Call, s.Uncertainty)
	at = s.raised(at, newest, point)
	if at == nil {
		return nil
	}
	switch op.Request.Kind {
	case histories.Create, histories.Update, histories.Put, histories.Delete, histories.DeleteRange:
		return s.write(at, op)
	case histories.Transact:
		return s.transaction(at, op)
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

// applied makes changes at one revision, unless another one is known to be at or
// before it.
func (s *search) applied(at *store, changes ...change) *store {
	revision := changes[0].revision
	if revision <= at.newest {
		return nil
	}
	for _, known := range s.evidence.claims {
		if known.revision == revision && !slices.ContainsFunc(changes, known.tells) {
			return nil
		}
	}
	if at = s.raised(at, revision-1, 0); at == nil {
		return nil
	}
	next := *at
	next.newest = revision
	next.changes = append(slices.Clip(at.changes), changes...)
	return &next
}

// tells reports whether the claim is about this change.
func (c claim) tells(of change) bool {
	return c.key == of.key && c.deleted == of.deleted && c.write == of.object.Write
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

// effects are the changes that a write makes at a revision, none if there is nothing
// to delete.
func (s *store) effects(req *histories.Request, revision histories.Revision) []change {
	removed := func(key string) bool { return key == req.Key.Name }
	switch req.Kind {
	case histories.Delete:
	case histories.DeleteRange:
		removed = func(key string) bool { return inScope(req.Scope, key) }
	default:
		return []change{s.put(req, revision)}
	}
	var gone []change
	for _, o := range s.snapshot(s.newest, removed) {
		gone = append(gone, change{revision: revision, key: o.Key.Name, deleted: true})
	}
	return gone
}

// writeDone: a delete says how many keys it removed, and where asked what they were.
func (s *search) writeDone(at *store, op *histories.Operation) []*store {
	header := op.Answer.Revision
	effects := at.effects(&op.Request, header)
	if len(effects) == 0 {
		if op.Answer.Deleted != 0 || len(op.Answer.Objects) > 0 || header < at.newest {
			return nil
		}
		return list(s.raised(at, header, 0))
	}
	if effects[0].deleted && op.Answer.Deleted != int64(len(effects)) {
		return nil
	}
	if op.Request.Kind == histories.DeleteRange && op.Request.PrevKV {
		shown := at.snapshot(at.newest, func(key string) bool { return inScope(op.Request.Scope, key) })
		if !slices.EqualFunc(shown, op.Answer.Objects, same) {
			return nil
		}
	}
	return list(s.applied(at, effects...))
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
	seen, wasSeen := s.evidence.revisionOf(op.Request.Write)
	if !holds || len(at.effects(&op.Request, 0)) == 0 {
		if wasSeen {
			return nil
		}
		return []*store{at}
	}
	var next []*store
	for _, r := range s.revisions(at, seen, wasSeen) {
		next = append(next, s.applied(at, at.effects(&op.Request, r)...))
	}
	return list(next...)
}

// revisions are those that an effect of which no answer told may have.
func (s *search) revisions(at *store, seen histories.Revision, wasSeen bool) []histories.Revision {
	if wasSeen {
		return []histories.Revision{seen}
	}
	all := []histories.Revision{at.newest + 1}
	for _, n := range s.evidence.named {
		if all = append(all, n); n < math.MaxInt64 {
			all = append(all, n+1)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (s *search) read(at *store, op *histories.Operation) []*store {
	asked := op.Request.Revision
	if op.Request.Serializable && op.Answer.Outcome == histories.OK {
		return s.readOld(at, op)
	}
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
		default: // future; of a member that lags everything beyond the first revision may be
			if asked <= at.newest && (!op.Request.Serializable || asked <= 1) {
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

// readOld: a serializable read shows what the store was at its header, or at the
// revision that it asks for, also where the newest is beyond that, or the compaction
// point, if its endpoint may not have known that (ETCD-23).
func (s *search) readOld(at *store, op *histories.Operation) []*store {
	asked, header := op.Request.Revision, op.Answer.Revision
	if header <= 0 || asked > header || asked > 0 && (asked < s.toldBefore(op, at.earlier) || s.oneEndpoint && asked < at.point) {
		return nil
	}
	if asked <= 0 {
		asked = header
	}
	if header > at.newest {
		if at = s.raised(at, header, 0); at == nil {
			return nil
		}
	}
	if !s.shows(at, op, asked) {
		return nil
	}
	return []*store{at}
}

// shows compares a read's answer with the snapshot at a revision.
func (s *search) shows(at *store, op *histories.Operation, revision histories.Revision) bool {
	shown := op.Answer
	shown.Deleted = 0
	return sameResult(at.view(&op.Request, revision), shown)
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
