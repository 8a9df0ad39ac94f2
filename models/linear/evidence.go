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
	// revoked: some lease may have ended, with the keys that it had by then.
	revoked bool
	// expiries are the ends of leases that nobody asked for.
	expiries []histories.Operation
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
	e.expiries = expiries(h)
	e.open, e.revoked = len(e.expiries) > 0, len(e.expiries) > 0
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
		e.told(&h.Operations[i].Answer)
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

// told looks at the objects of an answer and of its results.
func (e *evidence) told(a *histories.Answer) {
	for i := range a.Objects {
		e.saw(&a.Objects[i])
	}
	for i := range a.Results {
		e.told(&a.Results[i])
	}
}

func (e *evidence) saw(o *histories.Object) {
	if _, found := e.seen[o.Write]; o.Write != "" && !found && o.RV > 0 {
		e.seen[o.Write] = o.RV
	}
}

// revision returns where a write was seen. Of a transaction one of its writes is
// enough.
func (e *evidence) revision(op *histories.Operation) (histories.Revision, bool) {
	for _, r := range stored(&op.Request) {
		if revision, found := e.seen[r.Write]; found {
			return revision, true
		}
	}
	return 0, false
}

// stored returns the requests that store a value: the request itself, or those in
// the branches of a transaction.
func stored(r *histories.Request) []*histories.Request {
	if r.Kind != histories.Transact {
		if r.Write == "" || !r.Kind.IsWrite() {
			return nil
		}
		return []*histories.Request{r}
	}
	var all []*histories.Request
	for _, nested := range operations(r.Txn) {
		all = append(all, stored(nested)...)
	}
	return all
}

// operations are those of both branches of a transaction.
func operations(txn *histories.Txn) []*histories.Request {
	if txn == nil {
		return nil
	}
	var all []*histories.Request
	for i := range txn.Then {
		all = append(all, &txn.Then[i])
	}
	for i := range txn.Else {
		all = append(all, &txn.Else[i])
	}
	return all
}

// record notes the revisions of a write, where they are known.
func (e *evidence) record(op *histories.Operation) {
	switch a := &op.Answer; {
	case a.Outcome == histories.Fail:
	case a.Outcome == histories.Unknown:
		for _, r := range stored(&op.Request) {
			e.knows(r, e.seen[r.Write])
		}
	case op.Request.Kind == histories.Transact:
		e.recordBranch(op.Request.Txn, a, a.Revision)
	default:
		for _, r := range stored(&op.Request) {
			e.knows(r, a.Revision)
		}
	}
}

// recordBranch notes the writes of the branch that a transaction took.
func (e *evidence) recordBranch(txn *histories.Txn, a *histories.Answer, revision histories.Revision) {
	taken := branch(txn, a)
	for i := range min(len(taken), len(a.Results)) {
		r := &taken[i]
		if r.Kind == histories.Transact {
			e.recordBranch(r.Txn, &a.Results[i], revision)
		} else if r.Write != "" {
			e.knows(r, revision)
		}
	}
}

// branch is what a transaction says it carried out.
func branch(txn *histories.Txn, a *histories.Answer) []histories.Request {
	switch {
	case txn == nil:
		return nil
	case a.Succeeded:
		return txn.Then
	default:
		return txn.Else
	}
}

func (e *evidence) knows(r *histories.Request, revision histories.Revision) {
	if revision > 0 {
		e.known[r.Key] = append(e.known[r.Key], revision)
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
	a := &op.Answer
	e.expired = e.expired || a.Outcome == histories.Fail && a.Error != nil && a.Error.Class == histories.Compacted
	e.revoked = e.revoked || a.Outcome != histories.Fail && op.Request.Kind == histories.LeaseRevoke
	e.touchOne(&op.Request, a)
}

func (e *evidence) touchOne(r *histories.Request, a *histories.Answer) {
	switch {
	case r.Kind == histories.Transact:
		e.touchTxn(r.Txn, a)
	case a.Outcome == histories.Fail && a.Error != nil && a.Error.Class == histories.Conflict && r.Kind == histories.Create,
		a.Outcome == histories.OK && r.Kind == histories.Delete && !r.Conditional && a.Deleted > 0,
		a.Outcome != histories.Fail && e.guesses(r):
		e.touched[r.Key] = true
	case a.Outcome == histories.OK && r.Kind == histories.DeleteRange && a.Deleted > 0:
		e.counted = append(e.counted, r.Scope)
	case r.Kind.IsRead() && a.Outcome == histories.OK && (r.KeysOnly || a.Count != int64(len(a.Objects))):
		e.counted = append(e.counted, readScope(r))
	}
	for i := range a.Objects {
		if o := &a.Objects[i]; !e.explains(o) {
			e.touched[o.Key] = true
		}
	}
}

// touchTxn notes what a transaction looked at: whatever became of it, its branch
// may have been chosen by a write that nobody saw.
func (e *evidence) touchTxn(txn *histories.Txn, a *histories.Answer) {
	if txn == nil {
		return
	}
	for i := range txn.Compares {
		e.touched[txn.Compares[i].Key] = true
	}
	for _, r := range operations(txn) {
		if r.Kind == histories.Transact {
			e.touchTxn(r.Txn, &histories.Answer{})
		}
	}
	taken := branch(txn, a)
	for i := range min(len(taken), len(a.Results)) {
		e.touchOne(&taken[i], &a.Results[i])
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
	return found && (int64(last-first) == o.Version || o.Version == histories.NoVersion)
}

// matters reports whether an operation of unknown outcome, which nobody saw,
// could explain an answer.
func (e *evidence) matters(op *histories.Operation) bool {
	r := &op.Request
	switch r.Kind {
	case histories.Compact:
		return e.expired
	case histories.LeaseGrant, histories.LeaseRevoke:
		return true
	case histories.Transact:
		return slices.ContainsFunc(operations(r.Txn), e.couldExplain)
	default:
		return e.couldExplain(r)
	}
}

// couldExplain reports whether a write that nobody saw could explain an answer. A
// put that binds a key to a lease, or takes it from one, also decides what goes
// when the lease is revoked.
func (e *evidence) couldExplain(r *histories.Request) bool {
	switch r.Kind {
	case histories.Delete:
		return !r.Conditional || r.Expect > 0
	case histories.DeleteRange:
		return true
	case histories.Transact:
		return slices.ContainsFunc(operations(r.Txn), e.couldExplain)
	default:
		return r.Kind.IsWrite() && (e.revoked || e.touched[r.Key] || slices.ContainsFunc(e.counted, func(s histories.Scope) bool {
			return models.Contains(s, r.Key)
		}))
	}
}

func readScope(r *histories.Request) histories.Scope {
	if r.Kind == histories.Get {
		return histories.Scope{Shape: histories.Single, Key: r.Key}
	}
	return r.Scope
}
