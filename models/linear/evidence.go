package linear

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// evidence is what a history tells about its operations of unknown outcome.
type evidence struct {
	// seen is the revision of each write that a read or an event showed.
	seen map[histories.WriteID]histories.Revision
	// known are the revisions at which each key is known to have been written,
	// ascending.
	known map[histories.Key][]histories.Revision
	// touched are the keys of which some answer could be due to a write that
	// nobody saw, counted the scopes of which a count could be.
	touched map[histories.Key]bool
	counted []histories.Scope
	// expired: some answer says "compacted".
	expired bool
	// open: some operation of unknown outcome could explain an answer.
	open bool
}

// gather reads the evidence of a history.
func gather(h *histories.History) *evidence {
	e := &evidence{
		seen:    make(map[histories.WriteID]histories.Revision),
		known:   make(map[histories.Key][]histories.Revision),
		touched: make(map[histories.Key]bool),
	}
	e.look(h)
	for i := range h.Operations {
		e.record(&h.Operations[i])
	}
	for key := range e.known {
		slices.Sort(e.known[key])
	}
	for i := range h.Operations {
		e.touch(&h.Operations[i])
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		_, seen := e.revision(op)
		e.open = e.open || op.Answer.Outcome == histories.Unknown && telling(op) && !seen && e.matters(op)
	}
	return e
}

// look collects the revisions of the writes that were seen, those that reads
// returned first.
func (e *evidence) look(h *histories.History) {
	for i := range h.Operations {
		for j := range h.Operations[i].Answer.Objects {
			e.saw(&h.Operations[i].Answer.Objects[j])
		}
	}
	for i := range h.Streams {
		for j := range h.Streams[i].Events {
			event := &h.Streams[i].Events[j]
			if event.Type == histories.PutEvent {
				e.saw(&event.Object)
			}
			if event.Prev != nil {
				e.saw(event.Prev)
			}
		}
	}
}

func (e *evidence) saw(o *histories.Object) {
	if _, found := e.seen[o.Write]; o.Write != "" && !found && o.RV > 0 {
		e.seen[o.Write] = o.RV
	}
}

// revision returns where a write was seen.
func (e *evidence) revision(op *histories.Operation) (histories.Revision, bool) {
	if op.Request.Write == "" || !op.Request.Kind.IsWrite() {
		return 0, false
	}
	revision, found := e.seen[op.Request.Write]
	return revision, found
}

// record notes the revision of a write, where it is known.
func (e *evidence) record(op *histories.Operation) {
	if op.Request.Write == "" || !op.Request.Kind.IsWrite() {
		return
	}
	revision := op.Answer.Revision
	switch op.Answer.Outcome {
	case histories.Fail:
		return
	case histories.Unknown:
		revision, _ = e.revision(op)
	case histories.OK:
	}
	if revision > 0 {
		e.known[op.Request.Key] = append(e.known[op.Request.Key], revision)
	}
}

// touch notes what of an answer could be due to a write that nobody saw.
//
// An unseen write hides well: no read returned what it wrote. What it can have
// left are a refused create, a delete that found something, a condition on a
// revision that no known write has, versions that known writes do not explain,
// and counts of more than was returned. Where there is nothing of it, leaving
// the write out of an order leaves the other answers allowed, so that it need
// not be tried.
func (e *evidence) touch(op *histories.Operation) {
	r, a := &op.Request, &op.Answer
	switch {
	case a.Outcome == histories.Fail && a.Error != nil && a.Error.Class == histories.Compacted:
		e.expired = true
	case a.Outcome == histories.Fail && a.Error != nil && a.Error.Class == histories.Conflict && r.Kind == histories.Create,
		a.Outcome == histories.OK && r.Kind == histories.Delete && !r.Conditional && a.Deleted > 0,
		a.Outcome != histories.Fail && e.guesses(r):
		e.touched[r.Key] = true
	case r.Kind.IsRead() && a.Outcome == histories.OK && (r.KeysOnly || a.Count != int64(len(a.Objects))):
		e.counted = append(e.counted, readScope(r))
	}
	for i := range a.Objects {
		if o := &a.Objects[i]; !e.explains(o) {
			e.touched[o.Key] = true
		}
	}
}

// guesses reports whether a write is conditional on a revision at which its key
// is not known to have been written.
func (e *evidence) guesses(r *histories.Request) bool {
	conditional := r.Kind == histories.Update || r.Kind == histories.Delete && r.Conditional
	return conditional && r.Expect > 0 && !slices.Contains(e.known[r.Key], r.Expect)
}

// explains reports whether known writes account for the version of an object.
func (e *evidence) explains(o *histories.Object) bool {
	known := e.known[o.Key]
	first, found := slices.BinarySearch(known, o.CreateRevision)
	last, _ := slices.BinarySearch(known, o.RV+1)
	return found && int64(last-first) == o.Version
}

// matters reports whether an operation of unknown outcome, which nobody saw,
// could explain an answer.
func (e *evidence) matters(op *histories.Operation) bool {
	r := &op.Request
	switch {
	case r.Kind == histories.Compact:
		return e.expired
	case r.Kind == histories.Delete:
		return !r.Conditional || r.Expect > 0
	default:
		return e.touched[r.Key] || slices.ContainsFunc(e.counted, func(s histories.Scope) bool {
			return models.Contains(s, r.Key)
		})
	}
}

func readScope(r *histories.Request) histories.Scope {
	if r.Kind == histories.Get {
		return histories.Scope{Shape: histories.Single, Key: r.Key}
	}
	return r.Scope
}
