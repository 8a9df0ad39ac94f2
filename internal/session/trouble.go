package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
	"github.com/rvcheck/rvcheck/internal/report"
)

// trouble counts the calls that the store did not serve: they were lost, or refused
// for a reason that is no matter of the contract. A run that met much of it has tried
// less than its number of operations says, and one none of whose writes took effect
// has tried next to nothing.
type trouble struct {
	calls int
	// order has the kinds of trouble as they came first: classes, and codes of what has none.
	order []string
	times map[string]int
	// example is the first message of each kind. Others differ in ports and names.
	example map[string]string
	// writes were called, took of them took effect.
	writes, took int
}

func newTrouble() trouble {
	return trouble{times: make(map[string]int), example: make(map[string]string)}
}

func (t *trouble) add(h *histories.History) {
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Kind.IsWrite() {
			t.writes++
			if op.Answer.Outcome == histories.OK {
				t.took++
			}
		}
		if failure := op.Answer.Error; failure != nil && isServed(op.Request.Kind) && isTrouble(failure) {
			t.count(failure)
		}
	}
}

// isServed reports whether the store answers the kind. The others wait for what comes on
// streams, or show what a library made of answers.
func isServed(kind histories.Kind) bool {
	return kind != histories.Await && kind != histories.Stop && !kind.IsDerived()
}

func (t *trouble) count(failure *histories.Error) {
	kind := string(failure.Class)
	if failure.Class == histories.Other && failure.Code != "" {
		kind = failure.Code
	}
	if t.times[kind] == 0 {
		t.order = append(t.order, kind)
		t.example[kind] = failure.Message
	}
	t.times[kind]++
	t.calls++
}

// isTrouble tells what no promise is about from the refusals that the judges look at.
func isTrouble(failure *histories.Error) bool {
	switch failure.Class {
	case histories.Busy, histories.Timeout, histories.Unavailable, histories.Other:
		return failure.Code != engine.NotSent
	case histories.Conflict, histories.NotFound, histories.Exists, histories.Compacted, histories.Future,
		histories.Invalid, histories.TooLarge, histories.NoLease:
		return false
	}
	return false
}

// words are empty where there was none. Kinds that came often stand first.
func (t *trouble) words(operations int) string {
	if t.calls == 0 {
		return ""
	}
	kinds := slices.Clone(t.order)
	slices.SortStableFunc(kinds, func(a, b string) int { return t.times[b] - t.times[a] })
	var words []string
	for _, kind := range kinds {
		words = append(words, fmt.Sprintf("%d %s (such as %q)", t.times[kind], kind, t.example[kind]))
	}
	return fmt.Sprintf("%d of %s were not served: %s",
		t.calls, report.Plural(operations, "operation"), strings.Join(words, ", "))
}

// nothingTook says so where there were writes and none of them is known to have taken effect.
func (t *trouble) nothingTook() string {
	if t.writes == 0 || t.took > 0 {
		return ""
	}
	return fmt.Sprintf("none of %s is known to have taken effect", report.Plural(t.writes, "write"))
}
