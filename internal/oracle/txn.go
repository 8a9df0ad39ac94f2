package oracle

import (
	"math"
	"slices"
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
)

// deed is what a transaction does in a store.
type deed struct {
	succeeded bool
	changes   []change
	results   []histories.Answer
	// fails is why it does nothing at all, empty if it does not fail.
	fails histories.ErrorClass
}

// transact carries out a transaction whose changes have a revision (ETCD-03). The
// conditions look at the store before it, each operation at what those before it left.
func (s *store) transact(txn *histories.Txn, revision histories.Revision) deed {
	d := deed{succeeded: true}
	ops := txn.Then
	for i := range txn.Compares {
		if !s.holds(&txn.Compares[i]) {
			d.succeeded, ops = false, txn.Else
		}
	}
	for i := range ops {
		if at := ops[i].Revision; at > s.newest && d.fails == "" {
			d.fails = histories.Future
		} else if at > 0 && at < s.point && d.fails == "" {
			d.fails = histories.Compacted
		}
	}
	inside := *s
	for i := range ops {
		result := histories.Answer{}
		changes := []change(nil)
		if req := &ops[i]; req.Kind.IsRead() {
			result = inside.view(req, max(req.Revision, 0))
		} else if changes = inside.effects(req, revision); req.Kind != histories.Put {
			result.Deleted = int64(len(changes))
		}
		if d.changes = append(d.changes, changes...); len(changes) > 0 {
			inside.changes, inside.newest = append(slices.Clip(inside.changes), changes...), revision
		}
		result.Revision = inside.newest
		d.results = append(d.results, result)
	}
	return d
}

// view is what a read shows of a revision, zero for the newest (ETCD-05 to ETCD-07).
func (s *store) view(req *histories.Request, revision histories.Revision) histories.Answer {
	if revision == 0 {
		revision = s.newest
	}
	wanted, limit := func(key string) bool { return key == req.Key.Name }, int64(1)
	if req.Kind != histories.Get {
		wanted = func(key string) bool { return inScope(req.Scope, key) && (!req.HasStart || key >= req.Start) }
		limit = req.Limit
	}
	a := histories.Answer{Objects: s.snapshot(revision, wanted)}
	if a.Count = int64(len(a.Objects)); limit > 0 && a.Count > limit {
		a.Objects, a.More = a.Objects[:limit], true
	}
	return a
}

// holds reports whether a condition holds. Of an absent key every number is zero, and
// there is no value.
func (s *store) holds(c *histories.Compare) bool {
	o, present := s.now(c.Key.Name)
	if c.Target == "value" {
		equal := string(histories.EncodeValue(o.Write, o.Labels, o.Size)) ==
			string(histories.EncodeValue(histories.WriteID(c.Value), c.Labels, c.Size))
		return present && equal == (c.Op == "=")
	}
	has := map[string]int64{"version": o.Version, "create": int64(o.CreateRevision), "mod": int64(o.RV), "lease": o.Lease}[c.Target]
	wanted, err := strconv.ParseInt(c.Value, 10, 64)
	if err != nil {
		return false
	}
	return map[string]bool{"=": has == wanted, "!=": has != wanted, "<": has < wanted, ">": has > wanted}[c.Op]
}

// transaction returns the stores in which a transaction may leave a store.
func (s *search) transaction(at *store, op *histories.Operation) []*store {
	switch a := &op.Answer; a.Outcome {
	case histories.Unknown:
		return s.transactionUnknown(at, op)
	case histories.Fail:
		return s.transactionFailed(at, op)
	default:
		if a.Revision < at.newest {
			return s.transactionOld(at, op)
		}
		// Others may have moved the store up to there, and just before a change.
		for _, newest := range []histories.Revision{a.Revision, max(at.newest, a.Revision-1)} {
			before := s.raised(at, newest, 0)
			if before == nil {
				continue
			}
			d := before.transact(op.Request.Txn, a.Revision)
			if d.fails != "" || d.succeeded != a.Succeeded || !d.shows(a) {
				continue
			}
			switch {
			case len(d.changes) == 0 && newest == a.Revision:
				return []*store{before}
			case len(d.changes) > 0 && newest < a.Revision:
				return list(s.applied(before, d.changes...))
			}
		}
		return nil
	}
}

// transactionOld: a transaction without any operation asks for nothing that would
// make a member look whether it lags (ETCD-23).
func (s *search) transactionOld(at *store, op *histories.Operation) []*store {
	old := *at
	old.newest = op.Answer.Revision
	if txn := op.Request.Txn; len(txn.Then)+len(txn.Else) > 0 || old.newest <= 0 || old.transact(txn, old.newest).succeeded != op.Answer.Succeeded {
		return nil
	}
	return []*store{at}
}

// transactionFailed: which of its reads fails first depends on how far others have
// moved the store.
func (s *search) transactionFailed(at *store, op *histories.Operation) []*store {
	moved := []histories.Revision{at.newest}
	for _, r := range slices.Concat(op.Request.Txn.Then, op.Request.Txn.Else) {
		moved = append(moved, max(at.newest, r.Revision))
	}
	slices.Sort(moved)
	for _, newest := range slices.Compact(moved) {
		before := s.raised(at, newest, 0)
		if before != nil && before.transact(op.Request.Txn, histories.Revision(math.MaxInt64)).fails == op.Answer.Error.Class {
			return []*store{before}
		}
	}
	return nil
}

// shows compares the results, and their headers: each tells the revision of the
// transaction once something has changed, before that none above what was.
func (d *deed) shows(a *histories.Answer) bool {
	return slices.EqualFunc(d.results, a.Results, func(mine, told histories.Answer) bool {
		after := mine.Revision == a.Revision
		return sameResult(mine, told) && (after && told.Revision == a.Revision || !after && told.Revision < a.Revision)
	})
}

func sameResult(a, b histories.Answer) bool {
	return a.Deleted == b.Deleted && a.Count == b.Count && a.More == b.More && slices.EqualFunc(a.Objects, b.Objects, same)
}

// transactionUnknown: as of any unknown write its revision may be any that makes a
// difference. Where others move the store its reads may be in the future here and not
// when it takes effect.
func (s *search) transactionUnknown(at *store, op *histories.Operation) []*store {
	seen, wasSeen := histories.Revision(0), false
	for _, put := range slices.Concat(op.Request.Txn.Then, op.Request.Txn.Else) {
		if r, found := s.evidence.revisionOf(put.Write); found {
			seen, wasSeen = r, true
		}
	}
	var next []*store
	if !wasSeen {
		next = append(next, at)
	}
	for _, r := range s.revisions(at, seen, wasSeen) {
		raised := s.raised(at, r-1, 0)
		if raised == nil {
			continue
		}
		if d := raised.transact(op.Request.Txn, r); d.fails == "" && len(d.changes) > 0 {
			next = append(next, s.applied(raised, d.changes...))
		}
	}
	return list(next...)
}

// transaction notes what a transaction names and shows.
func (e *evidence) transaction(op *histories.Operation) {
	if op.Request.Txn == nil {
		return
	}
	for _, c := range op.Request.Txn.Compares {
		if n, err := strconv.ParseInt(c.Value, 10, 64); err == nil {
			e.name(histories.Revision(n))
		}
	}
	for _, r := range slices.Concat(op.Request.Txn.Then, op.Request.Txn.Else) {
		e.name(r.Revision)
	}
	for _, result := range op.Answer.Results {
		for _, o := range result.Objects {
			e.object(o)
		}
	}
}
