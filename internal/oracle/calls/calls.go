// Package calls keeps the books of a brute-force search for an order of calls: which
// come next, which places were searched before, and what stood in the way at the best one.
package calls

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// Book is about one search.
type Book struct {
	// Calls are those that have a place in the order.
	Calls []*histories.Operation
	// Uncertainty is the clock's.
	Uncertainty int64
	// Limit is the number of places after which the search gives up. Spent says that it has.
	Limit int
	Spent bool
	// Reason is what stood in the way where most calls were placed.
	Reason string

	seen     map[string]bool
	furthest int
}

// Optional reports whether a call may have had no effect.
func Optional(op *histories.Operation) bool { return op.Answer.Outcome == histories.Unknown }

// New reports whether a place, by its fingerprint, is still to be searched.
func (b *Book) New(fingerprint string) bool {
	if b.Spent || b.seen[fingerprint] {
		return false
	}
	if b.seen == nil {
		b.seen = map[string]bool{}
	}
	b.seen[fingerprint] = true
	b.Spent = len(b.seen) > b.Limit
	return !b.Spent
}

// Candidates are the calls that no other open call had to precede. done says for each
// call whether it is placed.
func (b *Book) Candidates(done []bool) []int {
	var found []int
	for i, op := range b.Calls {
		if done[i] {
			continue
		}
		free := true
		for j, other := range b.Calls {
			free = free && (done[j] || Optional(other) || other.Return+b.Uncertainty >= op.Call)
		}
		if free {
			found = append(found, i)
		}
	}
	return found
}

// Complete reports whether all calls are placed that have to be.
func (b *Book) Complete(done []bool) bool {
	for i, op := range b.Calls {
		if !done[i] && !Optional(op) {
			return false
		}
	}
	return true
}

// Stuck notes that none of the candidates can come next.
func (b *Book) Stuck(placed int, candidates []int) {
	var ids []string
	for _, i := range candidates {
		ids = append(ids, fmt.Sprintf("%d %s", b.Calls[i].ID, b.Calls[i].Request.Kind))
	}
	b.Note(placed, "no order explains one of: "+strings.Join(ids, ", "))
}

// Note keeps the reason for which a search went no further, if it was further than others.
func (b *Book) Note(placed int, reason string) {
	if placed > b.furthest || b.Reason == "" {
		b.furthest, b.Reason = placed, reason
	}
}

// With is done with one more call placed.
func With(done []bool, i int) []bool {
	next := slices.Clone(done)
	next[i] = true
	return next
}
