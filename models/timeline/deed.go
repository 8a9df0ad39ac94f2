package timeline

import "github.com/rvcheck/rvcheck/histories"

// deed is one elementary call: an operation of its own, or one inside a
// transaction, whose answer is then one of the transaction's results.
type deed struct {
	op      *histories.Operation
	request *histories.Request
	// answer is nil where the branch that holds the deed was not taken, or nobody
	// knows whether it was.
	answer *histories.Answer
}

// deeds returns the elementary calls of an operation, those of both branches of
// a transaction.
func deeds(op *histories.Operation) []deed {
	if op.Request.Kind != histories.Transact || op.Request.Txn == nil {
		return []deed{{op, &op.Request, &op.Answer}}
	}
	var answer *histories.Answer
	if op.Answer.Outcome == histories.OK {
		answer = &op.Answer
	}
	return append([]deed(nil), inside(op, op.Request.Txn, answer)...)
}

func inside(op *histories.Operation, txn *histories.Txn, answer *histories.Answer) []deed {
	var list []deed
	for _, branch := range []struct {
		requests []histories.Request
		taken    bool
	}{{txn.Then, answer != nil && answer.Succeeded}, {txn.Else, answer != nil && !answer.Succeeded}} {
		for i := range branch.requests {
			r := &branch.requests[i]
			var result *histories.Answer
			if branch.taken && i < len(answer.Results) {
				result = &answer.Results[i]
			}
			if r.Kind == histories.Transact && r.Txn != nil {
				list = append(list, inside(op, r.Txn, result)...)
				continue
			}
			list = append(list, deed{op, r, result})
		}
	}
	return list
}

// stores reports whether a request, if it has an effect, stores a value.
func stores(r *histories.Request) bool {
	switch r.Kind {
	case histories.Create, histories.Update, histories.Put, histories.LeaseAttach:
		return true
	default:
		return false
	}
}

// removes reports whether a request can remove a key by name or by range. The
// end of a lease is another matter.
func removes(r *histories.Request, key histories.Key) bool {
	switch r.Kind {
	case histories.Delete:
		return r.Key == key
	case histories.DeleteRange:
		return r.Scope.Contains(key)
	default:
		return false
	}
}

// isRangeDelete reports whether an operation may remove keys that it does not name.
func isRangeDelete(op *histories.Operation) bool {
	for _, d := range deeds(op) {
		if d.request.Kind == histories.DeleteRange {
			return true
		}
	}
	return false
}
