package models

import "github.com/rvcheck/rvcheck/histories"

// Finding is one violation: a property and where it was broken. It is data; the
// message that people read is the property's statement, constant for all its
// violations, and the details are fields.
type Finding struct {
	// Property is the primary property's id.
	Property string
	// Operations are the ids of the operations involved, by ascending id; streams
	// appear as the watch that opened them.
	Operations []int
	// Culprit is the operation of them whose answer or stream is wrong.
	Culprit int
	// Revision is the place in the store's history, zero if none.
	Revision histories.Revision
	// Key is the object concerned, if it is one.
	Key *histories.Key
	// Allowed and Observed are short texts: what the contract permits here, and
	// what came back.
	Allowed  string
	Observed string
	// Explanation says in one or two sentences what happened.
	Explanation string
	// Consequences counts the later disagreements that follow from this one and
	// are not reported on their own.
	Consequences int
}

// Judgement is what a judge says of one history.
type Judgement struct {
	Findings []Finding
	// Exercised counts, for each property, how often the history put it to the test.
	Exercised map[string]int
	// Inconclusive says why the judge could not decide everything, empty if it did.
	Inconclusive string
	// Undecided are the properties that Inconclusive is about.
	Undecided []string
	// Unordered is the property of the finding that no order of the calls explains the
	// history, which the porcupine judge made; empty: it made none.
	Unordered string
}
