package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// A store may refuse a write as malformed: a key that it cannot hold, a value that is
// too long, a condition that it does not know. It must not do so where the condition
// fails, since a conflict, with the object that is there, is owed then. Nobody needs to
// know what a store takes: where it took the kind of condition, the key, and a value as
// long, all in the same history, the form is not what it refused.

// conditionForm is what a store can tell of a condition without looking at what it holds.
type conditionForm struct {
	kind   histories.Kind
	absent bool // the key must be absent
}

func formOf(r *histories.Request) conditionForm {
	return conditionForm{r.Kind, r.Expect == 0}
}

// taken is what a store is known to take.
type taken struct {
	forms  map[conditionForm]*histories.Operation
	keys   map[histories.Key]bool
	size   int
	newest histories.Revision
}

// judgeMalformed reports the conditional writes that were refused as malformed though
// the store takes their form.
func (j *judge) judgeMalformed() {
	var known taken
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if !isConditional(&op.Request) || !isError(op, histories.Invalid) {
			continue
		}
		if known.forms == nil {
			known = j.whatIsTaken()
		}
		like := known.forms[formOf(&op.Request)]
		if like == nil || !known.covers(&op.Request) {
			continue
		}
		j.exercise(models.WriteFailureBranch)
		j.report(models.Finding{
			Property: models.WriteFailureBranch, Operations: []int{op.ID, like.ID}, Key: &op.Request.Key,
			Allowed: "success, or a conflict", Observed: "a refusal of the request as malformed",
			Explanation: fmt.Sprintf("%s was refused as malformed, but it has the form of %s, which the store took: where the condition fails the answer is a conflict.",
				j.name(op.ID), j.name(like.ID)),
		})
	}
}

// isConditional reports whether a request is a create, or an update or a delete with a
// condition, and names no lease, which may be a reason of its own to refuse it.
func isConditional(r *histories.Request) bool {
	switch r.Kind {
	case histories.Create:
		return r.Lease == 0
	case histories.Update, histories.Delete:
		return r.Conditional && r.Lease == 0
	default:
		return false
	}
}

// whatIsTaken collects what the store answered as one that understood it.
func (j *judge) whatIsTaken() taken {
	t := taken{forms: map[conditionForm]*histories.Operation{}, keys: map[histories.Key]bool{}}
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		r, done := &op.Request, op.Answer.Outcome == histories.OK
		t.newest = max(t.newest, op.Answer.Revision)
		if !isConditional(r) || !done && !isError(op, histories.Conflict) {
			continue
		}
		if form := formOf(r); t.forms[form] == nil {
			t.forms[form] = op
		}
		t.keys[r.Key] = true
		if done {
			t.size = max(t.size, r.Size)
		}
	}
	return t
}

// covers reports whether all but the form of the condition is known to be taken.
func (t *taken) covers(r *histories.Request) bool {
	return t.keys[r.Key] && r.Size <= t.size && 0 <= r.Expect && r.Expect <= t.newest
}
