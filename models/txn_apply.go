package models

import "github.com/rvcheck/rvcheck/histories"

// applyTransaction performs a transaction: all of its branch, or nothing.
func (s *State) applyTransaction(r *histories.Request, revision histories.Revision) (*State, histories.Answer) {
	if tooMany(r.Txn, maxTxnOps) || writesTwice(r.Txn) {
		return s, refused(histories.Invalid, "InvalidArgument")
	}
	t := (&glance{state: s}).begin(s.tip.root(), revision)
	for _, op := range t.path(r.Txn) {
		if class, code := s.refuses(op); class != "" {
			return s, refused(class, code)
		}
	}
	answer := t.perform(r.Txn)
	answer.Revision = t.header()
	if len(t.effects) == 0 {
		return s, answer
	}
	return s.push(t.effects...), answer
}

// refuses says why an operation makes its transaction fail as a whole. Unlike a
// read of its own, one at a negative revision is compacted once anything is.
func (s *State) refuses(r *histories.Request) (histories.ErrorClass, string) {
	switch {
	case s.missing(r.Lease):
		return histories.NoLease, "NotFound"
	case !r.Kind.IsRead() || r.Revision == 0:
		return "", ""
	case r.Revision > s.newest:
		return histories.Future, "OutOfRange"
	case r.Revision < s.compacted:
		return histories.Compacted, "OutOfRange"
	default:
		return "", ""
	}
}

// perform carries out a transaction. The answer of one inside another tells no
// revision.
func (t *transaction) perform(txn *histories.Txn) histories.Answer {
	ops, succeeded := t.branch(txn)
	answer := histories.Answer{Outcome: histories.OK, Succeeded: succeeded}
	for i := range ops {
		answer.Results = append(answer.Results, t.operate(&ops[i]))
	}
	return answer
}

func (t *transaction) operate(r *histories.Request) histories.Answer {
	answer := histories.Answer{Outcome: histories.OK}
	switch r.Kind {
	case histories.Transact:
		return t.perform(r.Txn)
	case histories.Put:
		t.put(r)
	case histories.Delete, histories.DeleteRange:
		tellRemoved(&answer, r, t.remove(r))
	default:
		answer = t.answer(r, t.reads(r))
	}
	answer.Revision = t.header()
	return answer
}

// header is the revision that the store has reached inside the transaction.
func (t *transaction) header() histories.Revision {
	if len(t.effects) > 0 {
		return t.revision
	}
	return t.state.newest
}
