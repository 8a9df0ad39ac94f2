package simulation

import (
	"maps"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// ledger is what a history itself tells of the store: enough for a damage to make
// up answers that look right.
type ledger struct {
	entries map[string][]entry // by ascending revision
	used    map[histories.Revision]bool
	newest  histories.Revision
}

// entry is what a key is from a revision on.
type entry struct {
	revision histories.Revision
	deleted  bool
	object   histories.Object
}

func readLedger(h *histories.History) *ledger {
	l := &ledger{entries: map[string][]entry{}, used: map[histories.Revision]bool{}}
	for i := range h.Streams {
		for _, e := range h.Streams[i].Events {
			l.event(&e)
		}
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		l.newest = max(l.newest, op.Answer.Revision)
		for _, part := range parts(op) {
			for _, o := range part.Answer.Objects {
				l.add(o.Key.Name, entry{revision: o.RV, object: o})
			}
		}
	}
	for _, record := range []func(*histories.Operation){l.write, l.sweep} {
		for i := range h.Operations {
			for _, part := range parts(&h.Operations[i]) {
				record(&part)
			}
		}
	}
	return l
}

func (l *ledger) event(e *histories.Event) {
	l.newest = max(l.newest, e.Header)
	if e.Type != histories.ProgressEvent {
		l.add(e.Object.Key.Name, entry{revision: e.Object.RV, deleted: e.Type == histories.DeleteEvent, object: e.Object})
	}
	if e.Prev != nil {
		l.add(e.Prev.Key.Name, entry{revision: e.Prev.RV, object: *e.Prev})
	}
}

// write adds an acknowledged write that nothing else has shown.
func (l *ledger) write(op *histories.Operation) {
	a, name := &op.Answer, op.Request.Key.Name
	if a.Outcome != histories.OK || !op.Request.Kind.IsWrite() || op.Request.Kind == histories.DeleteRange {
		return
	}
	if op.Request.Kind == histories.Delete {
		if a.Deleted > 0 {
			l.add(name, entry{revision: a.Revision, deleted: true, object: histories.Object{Key: op.Request.Key, RV: a.Revision}})
		}
		return
	}
	object := histories.Object{
		Key: op.Request.Key, Write: op.Request.Write, RV: a.Revision, CreateRevision: a.Revision, Version: 1,
		Labels: op.Request.Labels, Size: len(histories.EncodeValue(op.Request.Write, op.Request.Labels, op.Request.Size)),
	}
	if before := l.at(name, a.Revision-1); before != nil {
		object.CreateRevision, object.Version = before.CreateRevision, before.Version+1
	}
	l.add(name, entry{revision: a.Revision, object: object})
}

// sweep adds what an acknowledged delete of a scope must have removed.
func (l *ledger) sweep(op *histories.Operation) {
	a := &op.Answer
	if a.Outcome != histories.OK || op.Request.Kind != histories.DeleteRange || a.Deleted == 0 {
		return
	}
	for name := range l.entries {
		if contains(op.Request.Scope, name) && l.at(name, a.Revision-1) != nil {
			l.add(name, entry{revision: a.Revision, deleted: true, object: histories.Object{Key: histories.Key{Name: name}, RV: a.Revision}})
		}
	}
}

func (l *ledger) add(name string, e entry) {
	l.used[e.revision] = true
	l.newest = max(l.newest, e.revision)
	all := l.entries[name]
	i, found := slices.BinarySearchFunc(all, e.revision, func(x entry, r histories.Revision) int { return int(x.revision - r) })
	if !found {
		l.entries[name] = slices.Insert(all, i, e)
	}
}

// at returns the object of a key at a revision, nil if it is absent.
func (l *ledger) at(name string, revision histories.Revision) *histories.Object {
	all := l.entries[name]
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].revision <= revision {
			if all[i].deleted {
				return nil
			}
			return &all[i].object
		}
	}
	return nil
}

// before returns the version of a key before a revision, deletions passed over.
func (l *ledger) before(name string, revision histories.Revision) *histories.Object {
	all := l.entries[name]
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].revision < revision && !all[i].deleted {
			return &all[i].object
		}
	}
	return nil
}

// answer makes up the answer to a read at a revision.
func (l *ledger) answer(req *histories.Request, at, header histories.Revision) histories.Answer {
	a := histories.Answer{Outcome: histories.OK, Revision: header}
	limit := req.Limit
	if req.Kind == histories.Get {
		limit = 1
	}
	for _, name := range slices.Sorted(maps.Keys(l.entries)) {
		if o := l.at(name, at); o != nil && asks(req, name) {
			a.Count++
			if limit > 0 && a.Count > limit {
				a.More = true
				continue
			}
			a.Objects = append(a.Objects, *o)
		}
	}
	return a
}

// asks reports whether a read asks for a key.
func asks(req *histories.Request, name string) bool {
	if req.Kind == histories.Get {
		return name == req.Key.Name
	}
	return contains(req.Scope, name) && name >= req.Start
}

// known returns the newest revision that anybody had learned before a time.
func known(h *histories.History, time int64) histories.Revision {
	var newest histories.Revision
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Return < time {
			newest = max(newest, op.Answer.Revision)
		}
	}
	for i := range h.Streams {
		for _, e := range h.Streams[i].Events {
			if e.Time < time {
				newest = max(newest, e.Header)
			}
		}
	}
	return newest
}

// ceiling returns a revision below which a position at a time must lie: the
// smallest of the writes called later, or beyond everything.
func (l *ledger) ceiling(h *histories.History, time int64) histories.Revision {
	least := l.newest + 1
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Call > time && op.Answer.Outcome == histories.OK && op.Request.Kind.IsWrite() {
			least = min(least, op.Answer.Revision)
		}
	}
	return least
}

// unused returns a revision in [from, end) at which nothing is known to have
// happened, zero if there is none.
func (l *ledger) unused(from, end histories.Revision) histories.Revision {
	for r := max(2, from); r < end; r++ {
		if !l.used[r] {
			return r
		}
	}
	return 0
}

// parts are the calls that a call consists of: what a transaction has done, or the
// call itself.
func parts(op *histories.Operation) []histories.Operation {
	if op.Request.Kind != histories.Transact {
		return []histories.Operation{*op}
	}
	ops := op.Request.Txn.Else
	if op.Answer.Succeeded {
		ops = op.Request.Txn.Then
	}
	var found []histories.Operation
	for i := range min(len(ops), len(op.Answer.Results)) {
		part := *op
		part.Request, part.Answer = ops[i], op.Answer.Results[i]
		part.Answer.Revision = op.Answer.Revision
		found = append(found, part)
	}
	return found
}
