package oracle

import (
	"math"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// stream compares a stream with everything that happened in the store and
// returns the rule that it breaks, empty if none.
func (s *search) stream(at *store, stream *histories.Stream) string {
	op := s.history.Operation(stream.Op)
	if op.Answer.Revision <= 0 {
		return "the creation has no header (ETCD-01)"
	}
	if id := op.Request.WatchID; id != 0 && op.Answer.WatchID != id {
		return "the watch has another id than was asked for"
	}
	rule := ""
	for _, start := range s.starts(at, op) {
		if rule = s.streamFrom(at, stream, start); rule == "" {
			return ""
		}
	}
	return rule
}

// starts returns where a watch may have begun. One from now begins at its place in
// the order, or, on a member that lags, anywhere below its header.
func (s *search) starts(at *store, op *histories.Operation) []histories.Revision {
	if op.Request.StartRevision != 0 {
		return []histories.Revision{op.Request.StartRevision}
	}
	if known, ok := at.starts[op.ID]; ok {
		return []histories.Revision{known}
	}
	var all []histories.Revision
	for start := histories.Revision(1); start <= op.Answer.Revision+1; start++ {
		all = append(all, start)
	}
	return all
}

func (s *search) streamFrom(at *store, stream *histories.Stream, start histories.Revision) string {
	op := s.history.Operation(stream.Op)
	reader := reader{search: s, store: at, op: op, next: start, least: s.least(op)}
	for i := range stream.Events {
		if rule := reader.event(&stream.Events[i]); rule != "" {
			return rule
		}
	}
	if stream.End != nil {
		return reader.end(stream.End)
	}
	return ""
}

// least is the revision below which progress on a watch of its own stream makes no
// sense: it began there, and that revision was known to exist.
func (s *search) least(op *histories.Operation) histories.Revision {
	start := op.Request.StartRevision
	if !s.oneEndpoint || op.Request.Transport != "" || start <= 0 {
		return 0
	}
	known, _ := s.evidence.floor(op.Call, s.Uncertainty)
	for i := range s.history.Operations {
		if other := &s.history.Operations[i]; other.Return+s.Uncertainty < op.Call {
			known = max(known, other.Answer.Revision)
		}
	}
	if start-1 > known {
		return 0
	}
	return start - 1
}

// wrote reports whether an acknowledged call has certainly made the revision in its
// answer.
func wrote(op *histories.Operation) bool {
	switch op.Request.Kind {
	case histories.Create, histories.Update, histories.Put:
		return true
	case histories.Transact:
		ops := op.Request.Txn.Else
		if op.Answer.Succeeded {
			ops = op.Request.Txn.Then
		}
		return slices.ContainsFunc(ops, func(r histories.Request) bool { return r.Kind == histories.Put })
	default:
		return op.Answer.Deleted > 0
	}
}

// reader goes through a stream: next is the first revision that is still owed,
// batch the response that the last event came in.
type reader struct {
	search *search
	store  *store
	op     *histories.Operation
	next   histories.Revision
	last   histories.Revision // of the last event
	batch  int
	keys   []string // delivered at the last event's revision
	header histories.Revision
	least  histories.Revision // of progress
}

func (r *reader) event(e *histories.Event) string {
	if e.Header < r.header || e.Header <= 0 {
		return "header goes back (ETCD-01)"
	}
	r.header = e.Header
	if e.Type == histories.ProgressEvent {
		return r.progress(e)
	}
	revision := e.Object.RV
	sibling := revision == r.last && e.Batch == r.batch && !slices.Contains(r.keys, e.Object.Key.Name)
	switch {
	case revision > e.Header:
		return "an event is above its header (ETCD-01)"
	case !inScope(r.op.Request.Scope, e.Object.Key.Name):
		return "an event is out of scope (WATCH-10)"
	case r.filters(e.Type == histories.DeleteEvent):
		return "an event is of a type that was filtered out"
	case revision < r.next && !sibling:
		return "an event is repeated, out of order, below the start or below progress (ETCD-09, ETCD-13)"
	case r.owes(revision - 1):
		return "an event is missing (ETCD-09)"
	}
	if !sibling {
		if r.owed(r.last, r.last) > len(r.keys) {
			return "a part of a revision is missing (ETCD-12)"
		}
		r.keys = nil
	}
	r.next, r.last, r.batch, r.keys = revision+1, revision, e.Batch, append(r.keys, e.Object.Key.Name)
	if e.Last && r.owed(revision, revision) > len(r.keys) {
		return "a part of a revision is missing (ETCD-12)"
	}
	return r.content(e)
}

// owes reports whether a change from next up to a revision was not delivered.
func (r *reader) owes(until histories.Revision) bool { return r.owed(r.next, until) > 0 }

// owed counts the changes between two revisions, both included, that the watch is to
// deliver.
func (r *reader) owed(from, until histories.Revision) (n int) {
	for _, c := range r.store.changes {
		if from <= c.revision && c.revision <= until && inScope(r.op.Request.Scope, c.key) && !r.filters(c.deleted) {
			n++
		}
	}
	return n
}

func (r *reader) filters(deleted bool) bool {
	if deleted {
		return slices.Contains(r.op.Request.Filters, histories.NoDelete)
	}
	return slices.Contains(r.op.Request.Filters, histories.NoPut)
}

func (r *reader) progress(e *histories.Event) string {
	if e.Header < r.least {
		return "progress is below the start (ETCD-13)"
	}
	if r.owes(e.Header) {
		return "progress overtakes an event (ETCD-13)"
	}
	r.next = max(r.next, e.Header+1)
	return ""
}

func (r *reader) content(e *histories.Event) string {
	for _, c := range r.store.changes {
		if c.revision != e.Object.RV || c.key != e.Object.Key.Name {
			continue
		}
		expected := c.object
		if c.deleted {
			expected = histories.Object{Key: histories.Key{Name: c.key}, RV: c.revision}
		}
		if c.deleted != (e.Type == histories.DeleteEvent) || !same(expected, e.Object) {
			return "an event differs from the change (ETCD-09, ETCD-11)"
		}
		return r.previous(e)
	}
	return "an event tells of no change"
}

// previous: the object just before, withheld only if that revision may have been
// compacted by then (ETCD-10).
func (r *reader) previous(e *histories.Event) string {
	before, present := r.store.at(e.Object.Key.Name, e.Object.RV-1)
	switch {
	case e.Prev != nil && (!present || !same(before, *e.Prev)):
		return "wrong previous value (ETCD-10)"
	case e.Prev == nil && present && r.op.Request.PrevKV && !r.search.gone(e.Object.RV-1, e.Time):
		return "missing previous value (ETCD-10)"
	default:
		return ""
	}
}

// gone reports whether a compaction may have passed a revision by a time. None can
// have passed what the store had not reached by then.
func (s *search) gone(revision histories.Revision, time int64) bool {
	if !s.exclusive {
		return true
	}
	for _, op := range s.history.Operations {
		if op.Request.Kind == histories.Compact && op.Answer.Outcome != histories.Fail &&
			op.Request.Revision > revision && op.Request.Revision <= s.ceiling(time) && op.Call <= time+s.Uncertainty {
			return true
		}
	}
	return false
}

// ceiling is the lowest revision that a call found that began after a time.
func (s *search) ceiling(time int64) histories.Revision {
	lowest := histories.Revision(math.MaxInt64)
	for _, op := range s.Calls {
		if op.Call <= time+s.Uncertainty || op.Answer.Outcome != histories.OK || op.Request.Serializable || op.Request.Kind == histories.Watch {
			continue
		}
		if found := op.Answer.Revision; wrote(op) {
			lowest = min(lowest, found-1)
		} else if found > 0 {
			lowest = min(lowest, found)
		}
	}
	return lowest
}

func (r *reader) end(end *histories.End) string {
	if end.Header != 0 && end.Header < r.header {
		return "the header of the end goes back (ETCD-01)"
	}
	if end.Reason != histories.EndCompacted {
		return ""
	}
	// Several compactions may have happened before the history began.
	point := end.CompactRevision
	known := slices.Contains(r.store.points, point) || point > 0 && point <= r.store.earlier
	if known && r.next < point && point >= r.store.told[r.op.ID] {
		return ""
	}
	return "cancelled as compacted without a compaction above what it needs (ETCD-16)"
}
