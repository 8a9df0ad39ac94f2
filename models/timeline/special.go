package timeline

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// The calls with many forms, transactions, range deletes and reads with the
// options of etcd's ranges, are held against the sequential specification, which
// follows the sweep from effect to effect. Histories without them do not pay for it.

// isSpecial reports whether the specification judges the answer of a call.
func isSpecial(op *histories.Operation) bool {
	if op.Answer.Outcome != histories.OK || op.Answer.Revision <= 0 {
		return false
	}
	switch r := &op.Request; r.Kind {
	case histories.Transact, histories.DeleteRange:
		return true
	case histories.Get, histories.List, histories.Next:
		return r.CountOnly || r.KeysOnly || r.SortTarget != "" || r.SortOrder != "" ||
			r.MinModRevision != 0 || r.MaxModRevision != 0 || r.MinCreateRevision != 0 || r.MaxCreateRevision != 0
	default:
		return false
	}
}

// specialRevision is the revision after whose effects a special call is judged:
// just before its own effect, if it has one. What shows only later it cannot have
// meant by its answer.
func (j *judge) specialRevision(op *histories.Operation) histories.Revision {
	if at, changed := j.effectOfWrite(op); changed && at <= op.Answer.Revision {
		return op.Answer.Revision - 1
	}
	return op.Answer.Revision
}

// advance takes the specification over the effects of one revision.
func (j *judge) advance(group []effect) {
	if j.specification == nil {
		return
	}
	var changes []histories.Request
	for i := range group {
		e := &group[i]
		if e.lost {
			continue
		}
		change := histories.Request{Kind: histories.Delete, Key: j.keys[e.rank]}
		if !e.deleted {
			d, known := j.authors[e.write]
			if !known {
				j.specification = nil // a foreign value: nothing is certain any more
				return
			}
			change = *d.request
			change.Kind = histories.Put
		}
		changes = append(changes, change)
	}
	if len(changes) > 0 {
		j.specification = j.specification.Replay(group[0].revision, changes...)
	}
}

// judgeSpecial holds a special call against the specification.
func (j *judge) judgeSpecial(v visit) {
	op := v.op
	for _, property := range specialProperties(op) {
		j.exercise(property)
	}
	if j.specification == nil || j.mayDiffer(op, v.revision) {
		return
	}
	_, refusal := j.specification.Branches(models.NewCall(op.ID, &op.Request, &op.Answer))
	if !refusal.Refused() {
		return
	}
	property := refusal.Property
	if op.Request.Serializable {
		property = models.ReadSerializable
	}
	rule, _ := models.Lookup(property)
	j.report(models.Finding{
		Property: property, Operations: []int{op.ID}, Revision: op.Answer.Revision,
		Allowed: rule.Statement, Observed: refusal.String(),
		Explanation: fmt.Sprintf("%s was answered at revision %d, and that does not follow from what the store held then: %s.", j.name(op.ID), op.Answer.Revision, refusal),
	})
}

// mayDiffer reports whether an effect that nobody saw may explain the answer.
func (j *judge) mayDiffer(op *histories.Operation, revision histories.Revision) bool {
	if j.history.Header.World == histories.Open {
		return true
	}
	for rank := range j.keys {
		if len(j.unseen[rank]) > 0 && j.mayHide(rank, 0, revision, op.Return) {
			return true
		}
		if last := j.before(rank, revision+1); last != nil && last.lease != 0 && j.mayHide(rank, last.revision, revision, op.Return) {
			return true
		}
	}
	return false
}

// specialProperties are the properties that a special call puts to the test.
func specialProperties(op *histories.Operation) []string {
	r := &op.Request
	var list []string
	when := func(condition bool, property string) {
		if condition {
			list = append(list, property)
		}
	}
	isRead := r.Kind.IsRead()
	when(r.Kind == histories.Transact, models.TxnCompare)
	when(r.Kind == histories.Transact, models.TxnResult)
	when(r.Kind == histories.Transact, models.TxnAtomic)
	when(isRangeDelete(op), models.DeleteRange)
	when(isRead && r.CountOnly, models.RangeCountOnly)
	when(isRead && r.KeysOnly, models.RangeKeysOnly)
	when(isRead && (r.SortTarget != "" || r.SortOrder != ""), models.RangeSorted)
	when(isRead && (r.MinModRevision != 0 || r.MaxModRevision != 0 || r.MinCreateRevision != 0 || r.MaxCreateRevision != 0), models.RangeFiltered)
	when(isRead && r.Serializable, models.ReadSerializable)
	return list
}

// nestedRevisions returns the revisions that the reads of a transaction ask for.
func nestedRevisions(op *histories.Operation) []histories.Revision {
	var list []histories.Revision
	if op.Request.Kind != histories.Transact {
		return nil
	}
	for _, d := range deeds(op) {
		if d.request.Kind.IsRead() && d.request.Revision != 0 {
			list = append(list, d.request.Revision)
		}
	}
	slices.Sort(list)
	return list
}
