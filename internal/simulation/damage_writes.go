package simulation

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// writeDamages are what a store answers that compares, writes or counts wrongly.
var writeDamages = []Damage{
	{ID: "create-twice", Property: "write/create-exclusive", Apply: alter(refusedAs(histories.Conflict, histories.Create), succeedAnyway)},
	{ID: "update-stale", Property: "write/update-cas", Apply: alter(refusedAs(histories.Conflict, histories.Update), succeedAnyway)},
	{ID: "delete-stale", Property: "write/delete-cas", Apply: alter(refusedAs(histories.Conflict, histories.Delete), succeedAnyway)},
	{ID: "conflict-uncaused", Property: "write/conflict-owed", Apply: refuseAtEnd},
	{ID: "branch-older", Property: "write/failure-branch", Apply: alter(Both(refusedAs(histories.Conflict, histories.Update, histories.Delete), shows), olderObject)},
	{ID: "branch-missing", Property: "write/failure-branch", Apply: alter(Both(refusedAs(histories.Conflict, histories.Update, histories.Delete), shows), branchMissing)},
	{ID: "refused-applied", Property: "write/no-effect", Apply: applyRefused},
	{ID: "write-lost", Property: "write/durable", Apply: loseWrite},
	{ID: "write-unapplied", Property: "write/durable", Apply: alter(neverSeen, acknowledge)},
	{ID: "revision-low", Property: "write/revision-order", Apply: alter(succeeded(histories.Create, histories.Update, histories.Put), revisionLow)},
	{ID: "revision-shared", Property: "write/own-revision", Apply: alter(succeeded(histories.Create, histories.Update, histories.Put), revisionShared)},
	{ID: "revision-off", Property: "write/own-revision", Apply: alter(succeeded(histories.Create, histories.Update, histories.Put), revisionOff)},
	{ID: "deleted-none", Property: "write/deleted-count", Apply: alter(Both(succeeded(histories.Delete), removed), deletedCount(0))},
	{ID: "deleted-two", Property: "write/deleted-count", Apply: alter(Both(succeeded(histories.Delete), removed), deletedCount(2))},
	{ID: "deleted-absent", Property: "write/deleted-count", Apply: alter(succeeded(histories.Delete), deletedAbsent)},
	{ID: "sweep-fewer", Property: "write/deleted-count", Apply: alter(Both(succeeded(histories.DeleteRange), removed), deletedBy(-1))},
	{ID: "sweep-more", Property: "write/deleted-count", Apply: alter(Both(succeeded(histories.DeleteRange), removed), deletedBy(1))},
	{ID: "sweep-other-object", Property: "delete/range", Apply: alter(Both(succeeded(histories.DeleteRange), shows), otherRemoved)},
	{ID: "refused-header-back", Property: "header/monotone", Apply: alter(refusedAs(histories.Conflict, histories.Create, histories.Update, histories.Delete), headerBack)},
	{ID: "refused-header-zero", Property: "header/monotone", Apply: alter(refusedAs(histories.Conflict, histories.Create, histories.Update, histories.Delete), headerZero)},
	{ID: "refused-header-ahead", Property: "header/not-ahead", Apply: alter(refusedAs(histories.Conflict, histories.Create, histories.Update, histories.Delete), ahead)},
}

func removed(op *histories.Operation) bool { return op.Answer.Deleted > 0 }

func neverSeen(op *histories.Operation) bool {
	return op.Answer.Outcome == histories.Unknown && op.Request.Kind.IsWrite() && op.Return != histories.Never &&
		op.Request.Kind != histories.DeleteRange && op.Request.Kind != histories.Transact
}

// succeedAnyway acknowledges a refused write, at a revision where nothing else is known.
func succeedAnyway(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	l := readLedger(h)
	at := l.unused(known(h, op.Call)+1, l.ceiling(h, op.Return)+1)
	if at == 0 {
		return false
	}
	op.Answer = histories.Answer{Outcome: histories.OK, Revision: at}
	if op.Request.Kind == histories.Delete {
		op.Answer.Deleted = 1
	}
	return true
}

// acknowledge says that a write of which nothing came is done.
func acknowledge(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	for i := range h.Streams {
		for _, e := range h.Streams[i].Events {
			if e.Object.Write == op.Request.Write {
				return false
			}
		}
	}
	return succeedAnyway(nil, h, op)
}

// refuseAtEnd adds a conditional write after everything else, refused although its
// condition holds.
func refuseAtEnd(rng *rand.Rand, h *histories.History) bool {
	last := pick(rng, h, Both(succeeded(histories.Create, histories.Update, histories.Put, histories.List), func(op *histories.Operation) bool {
		return op.Answer.Revision > 0
	}))
	if last == nil || h.Truncated {
		return false
	}
	end := lastTime(h)
	l := readLedger(h)
	header := max(l.newest, known(h, end+1))
	req := histories.Request{Kind: histories.Delete, Key: last.Request.Key, Conditional: true}
	a := conflict(header, l.at(req.Key.Name, header))
	if len(a.Objects) > 0 {
		req.Expect = a.Objects[0].RV
	}
	h.Operations = append(h.Operations, histories.Operation{
		ID: len(h.Operations) + 1, Client: "late", Endpoint: 1, Call: end + 1, Return: end + 2, Request: req, Answer: a,
	})
	return true
}

func lastTime(h *histories.History) int64 {
	var last int64
	for i := range h.Operations {
		last = max(last, h.Operations[i].Call)
		if h.Operations[i].Return != histories.Never {
			last = max(last, h.Operations[i].Return)
		}
	}
	for i := range h.Streams {
		if n := len(h.Streams[i].Events); n > 0 {
			last = max(last, h.Streams[i].Events[n-1].Time)
		}
		if end := h.Streams[i].End; end != nil {
			last = max(last, end.Time)
		}
	}
	return last
}

func branchMissing(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer.Objects = nil
	return true
}

// applyRefused lets a later read show what a refused write would have written.
func applyRefused(rng *rand.Rand, h *histories.History) bool {
	refused := pick(rng, h, refusedAs(histories.Conflict, histories.Create, histories.Update))
	if refused == nil {
		return false
	}
	read := pick(rng, h, func(op *histories.Operation) bool {
		return op.Request.Kind.IsRead() && op.Call > refused.Return && slices.ContainsFunc(op.Answer.Objects, func(o histories.Object) bool {
			return o.Key == refused.Request.Key
		})
	})
	if read == nil {
		return false
	}
	at := readLedger(h).unused(known(h, refused.Call)+1, contentRevision(read)+1)
	if at == 0 {
		return false
	}
	for i := range read.Answer.Objects {
		if o := &read.Answer.Objects[i]; o.Key == refused.Request.Key {
			o.RV, o.CreateRevision, o.Version = at, at, 1
			o.Write, o.Labels = refused.Request.Write, refused.Request.Labels
			o.Size = len(histories.EncodeValue(o.Write, o.Labels, refused.Request.Size))
		}
	}
	return true
}

// loseWrite takes an acknowledged write out of everything that showed it.
func loseWrite(rng *rand.Rand, h *histories.History) bool {
	write := pick(rng, h, succeeded(histories.Create, histories.Update, histories.Put))
	if write == nil {
		return false
	}
	l := readLedger(h)
	before := l.at(write.Request.Key.Name, write.Answer.Revision-1)
	hit := false
	for i := range h.Operations {
		hit = forget(&h.Operations[i].Answer, write.Request.Write, before) || hit
	}
	for i := range h.Streams {
		s := &h.Streams[i]
		n := len(s.Events)
		s.Events = slices.DeleteFunc(s.Events, func(e histories.Event) bool { return e.Object.Write == write.Request.Write })
		remark(s)
		hit = hit || len(s.Events) < n
	}
	return hit
}

// forget puts what was there before in the place of an object.
func forget(a *histories.Answer, write histories.WriteID, before *histories.Object) bool {
	for i := range a.Objects {
		if a.Objects[i].Write != write {
			continue
		}
		if before != nil {
			a.Objects[i] = *before
			return true
		}
		a.Objects = slices.Delete(a.Objects, i, i+1)
		a.Count = max(0, a.Count-1)
		return true
	}
	return false
}

func revisionLow(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	at := readLedger(h).unused(2, known(h, op.Call))
	if at == 0 {
		return false
	}
	op.Answer.Revision = at
	return true
}

func revisionShared(rng *rand.Rand, h *histories.History, op *histories.Operation) bool {
	other := pick(rng, h, func(o *histories.Operation) bool {
		return o.ID != op.ID && o.Answer.Outcome == histories.OK && o.Request.Kind.IsWrite() && o.Answer.Revision != op.Answer.Revision
	})
	if other == nil {
		return false
	}
	op.Answer.Revision = other.Answer.Revision
	return true
}

func revisionOff(rng *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer.Revision += histories.Revision(1 + rng.IntN(2))
	return true
}

func deletedCount(n int64) func(*rand.Rand, *histories.History, *histories.Operation) bool {
	return func(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
		op.Answer.Deleted = n
		return true
	}
}

func deletedAbsent(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer.Deleted = 1 - op.Answer.Deleted
	return true
}

func headerBack(rng *rand.Rand, h *histories.History, op *histories.Operation) bool {
	low := known(h, op.Call)
	if low <= 1 {
		return false
	}
	op.Answer.Revision = max(1, low-1-histories.Revision(rng.IntN(3)))
	return true
}
