package linear

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// explain says which operation cannot follow the longest order, and why: the one
// among the rest that ended first, since every order has to take it next or
// after others that do not help.
func explain(best *node, moves []porcupine.Operation) *models.Finding {
	done := make(map[*move]bool)
	for _, m := range best.Way() {
		done[m] = true
	}
	blocked := firstLeft(moves, done)
	if blocked == nil {
		panic("linear: internal fault: the search found no order, but nothing is left to put into it")
	}
	_, refusal := blocked.over(best.Place)
	return finding(best, blocked, refusal)
}

func firstLeft(moves []porcupine.Operation, done map[*move]bool) *move {
	var first *move
	for i := range moves {
		m := moves[i].Input.(*move)
		if done[m] || m.unknown || m.role == end {
			continue
		}
		if first == nil || m.returned < first.returned {
			first = m
		}
	}
	return first
}

func finding(best *node, blocked *move, refusal models.Refusal) *models.Finding {
	call := blocked.call
	f := &models.Finding{
		Property:   refusal.Property,
		Operations: involved(best, call),
		Culprit:    call.Operation,
		Revision:   call.Answer.Revision,
		Observed:   refusal.String(),
	}
	if property, found := models.Lookup(refusal.Property); found {
		f.Allowed = property.Statement
	}
	if call.Request.Key != (histories.Key{}) {
		key := call.Request.Key
		f.Key = &key
	}
	f.Explanation = NoOrder(orderOf(best), call.Operation, refusal.String())
	return f
}

// NoOrder words that an operation cannot follow the longest order of operations that
// was found, and why.
func NoOrder(order []int, operation int, why string) string {
	return fmt.Sprintf("No order of the calls explains all answers: %s operation %d does not fit: %s.", summary(order), operation, why)
}

// involved are the operation that cannot follow and the last write of what it is
// about.
func involved(best *node, call *models.Call) []int {
	ids := []int{call.Operation}
	for _, m := range slices.Backward(best.Way()) {
		if m.role == step && concerns(call.Request, m.call) {
			ids = append(ids, m.call.Operation)
			break
		}
	}
	slices.Sort(ids)
	return ids
}

// concerns reports whether an operation may have changed what the request is
// about.
func concerns(r *histories.Request, earlier *models.Call) bool {
	if earlier.Answer.Outcome == histories.Fail {
		return false
	}
	if r.Kind == histories.Compact || earlier.Request.Kind == histories.Compact {
		return r.Revision > 0 && earlier.Request.Kind == histories.Compact
	}
	if r.Lease != 0 && r.Lease == earlier.Request.Lease {
		return true
	}
	return slices.ContainsFunc(scopes(r, false), func(about histories.Scope) bool {
		return slices.ContainsFunc(scopes(earlier.Request, true), func(s histories.Scope) bool {
			return models.Contains(about, s.Key) || models.Contains(s, about.Key)
		})
	})
}

// scopes are the parts of the key space that a request is about, or only those
// that it writes. Inside a transaction its conditions count as well.
func scopes(r *histories.Request, written bool) []histories.Scope {
	var all []histories.Scope
	switch {
	case r.Kind == histories.Transact:
		for _, nested := range operations(r.Txn) {
			all = append(all, scopes(nested, written)...)
		}
		for i := range r.Txn.Compares {
			if !written {
				all = append(all, histories.Scope{Shape: histories.Single, Key: r.Txn.Compares[i].Key})
			}
		}
	case r.Kind == histories.DeleteRange, !written && (r.Kind == histories.List || r.Kind == histories.Next):
		all = append(all, r.Scope)
	case r.Kind.IsWrite() && r.Kind != histories.LeaseRevoke, !written && r.Kind == histories.Get:
		all = append(all, histories.Scope{Shape: histories.Single, Key: r.Key})
	}
	return all
}

// shown is how many operations of an order an explanation names.
const shown = 4

func summary(order []int) string {
	if len(order) == 0 {
		return "even at the beginning"
	}
	var names []string
	for _, id := range order[max(0, len(order)-shown):] {
		names = append(names, fmt.Sprintf("operation %d", id))
	}
	last := names[len(names)-1]
	if before := names[:len(names)-1]; len(before) > 0 {
		last = strings.Join(before, ", ") + " and " + last
	}
	if len(order) > shown {
		last = fmt.Sprintf("others, the last of them %s", last)
	}
	return "after " + last + ","
}
