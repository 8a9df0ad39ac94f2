// Package report is the document that a run ends with, and its writers.
//
// A Report computes nothing but its verdict: the numbers were counted by the
// session, the findings made by the judges. Everything that is shown anywhere,
// on a terminal, in JSON, in a subtest, derives from its records.
package report

import (
	"github.com/rvcheck/rvcheck/internal/evidence"
	"github.com/rvcheck/rvcheck/models"
)

// Format is the version of the document. Fields may be added to it.
const Format = 1

// Verdict is what a run says in one word.
type Verdict string

// The verdicts.
const (
	Conformant   Verdict = "conformant"
	Violated     Verdict = "violated"
	Inconclusive Verdict = "inconclusive"
	Error        Verdict = "error"
)

// Status is what a run says of one property.
type Status string

// The statuses. A property that was not exercised has not passed.
const (
	Passed       Status = "passed"
	Broken       Status = "violated"
	Undecided    Status = "inconclusive"
	Unsupported  Status = "unsupported"
	NotExercised Status = "not exercised"
	Waived       Status = "waived"
)

// Report is the document, report.json of a run folder.
type Report struct {
	Format  int     `json:"format"`
	Verdict Verdict `json:"verdict"`
	Target  Target  `json:"target"`
	Seed    uint64  `json:"seed"`
	Plans   int     `json:"plans"`
	// Operations counts the calls that went out, those of the run itself included.
	Operations int `json:"operations"`
	// Skipped counts the operations of the plans that were not called, because the
	// target does not offer them or what they refer to did not happen.
	Skipped int     `json:"skipped"`
	Seconds float64 `json:"seconds"`
	// Failed counts the plans that violated a property.
	Failed int `json:"failed"`
	// FailedAsKnown counts the plans that violated properties only in ways that the
	// known-failing file waives.
	FailedAsKnown int `json:"failedAsKnown,omitempty"`

	Properties []Property  `json:"properties"`
	Violations []Violation `json:"violations"`
	Waivers    []Waiver    `json:"waivers"`
	Coverage   Coverage    `json:"coverage"`

	// KnownFailing is the file that the waivers are the lines of.
	KnownFailing string `json:"knownFailing,omitempty"`
	// Folder is the run folder, empty when the run kept none.
	Folder string `json:"folder,omitempty"`
	// Options are the options of the run.
	Options map[string]string `json:"options,omitempty"`
	// Interrupted: the run was stopped before it had done all it was asked for.
	Interrupted bool `json:"interrupted,omitempty"`
	// Completed is how many of the plans an interrupted run carried out whole, Planned
	// how many it was asked for, zero where there was no such number.
	Completed int `json:"completed,omitempty"`
	Planned   int `json:"planned,omitempty"`
	// Replayed: all plans were the same one.
	Replayed bool `json:"replayed,omitempty"`
	// Skips are the operations that were skipped, each with the reason, where all
	// that ran was one plan.
	Skips []string `json:"skips,omitempty"`
	// Unmet are the properties that the plan says it is meant to show and that it
	// neither violated nor exercised.
	Unmet []string `json:"unmet,omitempty"`
	// Strict: a MUST that the target supports has to be exercised.
	Strict bool `json:"strict,omitempty"`
	// Inconclusive says why the judges could not decide everything, by plan.
	Inconclusive []string `json:"inconclusive,omitempty"`
	// Errors are failures to reach or set up the target and faults of the checker.
	Errors []string `json:"errors,omitempty"`
	// Notes are remarks for the reader, such as a truncated file.
	Notes []string `json:"notes,omitempty"`
}

// Target is what the run talked to.
type Target struct {
	URL string `json:"url"`
	// Command is what the run started the server with, nil where it started none.
	Command []string `json:"command,omitempty"`
	Layer   string   `json:"layer"`
	Server  string   `json:"server"`
	Profile string   `json:"profile"`
	World   string   `json:"world"`
	// Without are the features that the store is not held to, each with the reason.
	Without map[string]string `json:"without,omitempty"`
}

// Property is the record of one property.
type Property struct {
	ID         string          `json:"id"`
	Strength   models.Strength `json:"strength"`
	Status     Status          `json:"status"`
	Exercised  int             `json:"exercised"`
	Violations int             `json:"violations"`
	// FailedPlans counts the plans in which it was violated in a way that is not known.
	FailedPlans int `json:"failedPlans,omitempty"`
	// ExamplesCut is how many plans that violated it are counted but not among the
	// violations of the report.
	ExamplesCut int `json:"examplesCut,omitempty"`
	// Waived is how many of the violations are known.
	Waived int `json:"waived,omitempty"`
	// Reason says what is missing of an unsupported property, or by which lines of
	// the known-failing file it is waived and why.
	Reason string `json:"reason,omitempty"`
}

// Violation is one property broken in one plan.
type Violation struct {
	Property string `json:"property"`
	// Waived is the line of the known-failing file that covers it, zero if it is not
	// known and counts.
	Waived int `json:"waived,omitempty"`
	// Plan is the file of the plan, empty when the run kept none; Operations is
	// how many operations that plan has.
	Plan       string `json:"plan"`
	Operations int    `json:"operations"`
	// Reproduced is "18/20": how often the plan broke the property, of how many
	// runs; empty if it ran once.
	Reproduced  string `json:"reproduced,omitempty"`
	Explanation string `json:"explanation"`
	// Layer says which layer the violation points to, where the run watched the store
	// below the API servers; empty where it did not.
	Layer string `json:"layer,omitempty"`
	// Reduced says what the plan was made of, nil: it is one that the run has drawn.
	Reduced *Reduced `json:"reduced,omitempty"`

	Strength  models.Strength `json:"strength"`
	Statement string          `json:"statement"`
	Source    string          `json:"source"`
	Rules     []string        `json:"rules,omitempty"`
	Revision  string          `json:"revision,omitempty"`
	Key       string          `json:"key,omitempty"`
	Allowed   string          `json:"allowed"`
	Observed  string          `json:"observed"`
	// Involved are the operations that show it.
	Involved []evidence.Line `json:"involved"`
	// Occurrences counts the findings of this property in the plan;
	// Consequences counts disagreements that follow from this one.
	Occurrences  int `json:"occurrences"`
	Consequences int `json:"consequences,omitempty"`
	// History is the file of the recorded history.
	History string `json:"history,omitempty"`
	// PlanNumber counts the plans of the run that recorded it from 1.
	PlanNumber int `json:"planNumber,omitempty"`
	// PlanText is the plan itself where no file was kept, or where it was reduced.
	PlanText string `json:"planText,omitempty"`
	// Commands are the commands to go on with.
	Commands []string `json:"commands,omitempty"`
}

// Reduced says how a plan was made smaller.
type Reduced struct {
	// Plan is the file of the plan that was reduced, empty when the run kept none;
	// Operations is how many it has.
	Plan       string `json:"plan,omitempty"`
	Operations int    `json:"operations"`
	// Used is "18/20" where the plan fails less often on a server that has run nothing else,
	// of which Reproduced tells, than on that of the run: how often it failed there. After
	// names the plans that it had run before.
	Used  string `json:"used,omitempty"`
	After string `json:"after,omitempty"`
	// Executions is how many runs it took, Ending why there were no more.
	Executions int    `json:"executions"`
	Ending     string `json:"ending"`
}

// Waiver is one line of a known-failing file and what became of it.
type Waiver struct {
	Line int `json:"line"`
	// Property is the pattern that the line has.
	Property string       `json:"property"`
	Status   WaiverStatus `json:"status"`
	// Mode is "fails" or "flaky".
	Mode   string `json:"mode"`
	Reason string `json:"reason"`
	Link   string `json:"link,omitempty"`
	Until  string `json:"until,omitempty"`
	Plan   string `json:"plan,omitempty"`
	// Failures counts the findings that the line covers, Replays how often its plan
	// was run.
	Failures int `json:"failures"`
	Replays  int `json:"replays,omitempty"`
	// Advice says what to do with a line that does not hold; such a line makes the
	// verdict violated. It is empty for all others.
	Advice string `json:"advice,omitempty"`
}

// WaiverStatus is what became of a waiver.
type WaiverStatus string

// The statuses of waivers.
const (
	WaiverFailed    WaiverStatus = "failed"    // it says fails, and it did
	WaiverFlaked    WaiverStatus = "flaked"    // it says flaky, and it failed
	WaiverPassed    WaiverStatus = "passed"    // it did not fail
	WaiverExpired   WaiverStatus = "expired"   // its last day is over
	WaiverUnmatched WaiverStatus = "unmatched" // it names no property
	WaiverUntested  WaiverStatus = "untested"  // the run could not tell
)

// Coverage says which shapes of operations the run has tried, of those that the
// target supports.
type Coverage struct {
	Covered int      `json:"covered"`
	Of      int      `json:"of"`
	Missing []string `json:"missing"`
}
