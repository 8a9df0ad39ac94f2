// Package judging runs the judges over one history and merges what they say.
//
// The timeline judge goes first: it is exact, fast, and knows streams. What it
// had to leave open goes to the porcupine judge, within a budget of time. A
// budget that is spent makes the judgement inconclusive, never wrong; a judge
// that panics is a fault of this program and comes back as a *Fault, so that a
// run goes on and the history is kept.
package judging

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/linear"
	"github.com/rvcheck/rvcheck/models/timeline"
)

// DefaultBudget is the time that the porcupine judge gets for one history.
const DefaultBudget = 10 * time.Second

// Options are the budgets of the judges.
type Options struct {
	// Budget is the time that the porcupine judge may take, zero: DefaultBudget. The
	// deadline of the context shortens it.
	Budget time.Duration
	// Memory is what the porcupine judge may remember, roughly and in bytes; zero: its default.
	Memory int64
	// Known tells which findings are waived, nil: none. A finding ends the search for
	// others in what the timeline judge left open, since it may be their cause; a
	// known one about streams does not, because the porcupine judge knows no streams.
	Known func(models.Finding) bool
	// TimelineOnly leaves undecided what the timeline judge leaves open: for whoever
	// looks for a finding that it has made before.
	TimelineOnly bool
}

// Fault is a judge's panic: a fault of this program, not of the store.
type Fault struct {
	Judge string
	Cause any
	Stack string
}

func (f *Fault) Error() string {
	return fmt.Sprintf("internal fault of the checker: the %s judge failed: %v", f.Judge, f.Cause)
}

// Judge judges a history with both judges. The error is nil or a *Fault; the
// judgement that comes with a fault holds what the other judge found.
func Judge(ctx context.Context, h *histories.History, opts Options) (models.Judgement, error) {
	if h.Header.Layer == histories.KubeLayer {
		return judgeKube(ctx, h, opts)
	}
	result, err := guarded("timeline", func() timeline.Result { return timeline.Judge(h) })
	if err != nil {
		return unfinished(result.Judgement, err)
	}
	return opts.judgeRest(result.Judgement, result.Open, func() linearResult {
		return resultOf(linear.Judge(h, linear.Options{Timeout: within(ctx, opts.budget()), Memory: opts.Memory}))
	})
}

// unfinished is what comes of a judge that failed.
func unfinished(j models.Judgement, err error) (models.Judgement, error) {
	j.Inconclusive = err.Error()
	j.Undecided = everything
	return j, err
}

// judgeRest lets the porcupine judge decide what the timeline judge left open.
func (o Options) judgeRest(j models.Judgement, open string, porcupine func() linearResult) (models.Judgement, error) {
	if open == "" || o.TimelineOnly || slices.ContainsFunc(j.Findings, o.final) {
		return j, nil
	}
	rest, err := guarded("porcupine", porcupine)
	if err != nil {
		rest = linearResult{undecided: err.Error()}
	}
	return merge(j, open, rest), err
}

// final reports whether a finding ends the search.
func (o Options) final(f models.Finding) bool {
	return o.Known == nil || slices.Contains(everythingButStreams, f.Property) || !o.Known(f)
}

func (o Options) budget() time.Duration {
	if o.Budget > 0 {
		return o.Budget
	}
	return DefaultBudget
}

// guarded turns a panic of a judge into a Fault.
func guarded[T any](judge string, run func() T) (result T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &Fault{Judge: judge, Cause: cause, Stack: string(debug.Stack())}
		}
	}()
	return run(), nil
}

// merge adds what the porcupine judge said of the open rest.
func merge(j models.Judgement, open string, rest linearResult) models.Judgement {
	j.Findings = append(j.Findings, rest.findings...)
	if len(rest.findings) > 0 {
		j.Unordered = rest.findings[0].Property
	}
	if rest.undecided == "" {
		return j
	}
	reason := open + ": " + rest.undecided
	if j.Inconclusive != "" {
		reason = j.Inconclusive + "; " + reason
	}
	j.Inconclusive = reason
	j.Undecided = everythingButStreams
	return j
}
