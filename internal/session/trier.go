package session

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
	"github.com/rvcheck/rvcheck/internal/judging"
	"github.com/rvcheck/rvcheck/internal/reducer"
	"github.com/rvcheck/rvcheck/internal/waivers"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets"
)

// Trier runs single plans for a reduction and judges them. Nothing is kept of them.
type Trier struct {
	Target targets.Target
	// Run identifies the run that the plans belong to.
	Run string
	// Deadline is that of patient trials, Quick that of the others; zero: the engine's
	// own and DefaultQuick.
	Deadline time.Duration
	Quick    time.Duration
	// Known tells which findings do not count, nil: none.
	Known func(reducer.Outcome, models.Finding) bool
	// Reopen opens the target anew, with an empty store that nothing else has used, for
	// the trials that say how often a plan fails. Nil: all run on Target.
	Reopen Reopen

	tried atomic.Int64
	// fresh is the store of the last series of trials, nil if there is none; unopened is why
	// no other is opened.
	fresh    targets.Target
	unopened error
}

// Reopen opens a target anew. Whoever asks closes it.
type Reopen func(context.Context) (targets.Target, error)

const (
	// DefaultQuick is how long a trial waits for what the liveness properties promise,
	// as long as nobody reports what it shows.
	DefaultQuick = 2 * time.Second
	// quickBudget is the porcupine judge's time for one trial.
	quickBudget = 2 * time.Second
	// firstTrial keeps the numbers of trials apart from those of plans and replays.
	firstTrial = 2_000_000
)

// NewTrier runs plans for which only some properties count, and of those no failure
// that is known; known may be nil.
func NewTrier(target targets.Target, properties []models.Property, known *waivers.File) *Trier {
	tally := counting(properties, known)
	return &Trier{
		Target: target, Run: runID(time.Now(), 0),
		Known: func(o reducer.Outcome, f models.Finding) bool { return !tally.counts(o.History, f) },
	}
}

// Counted is what a judgement says of some properties, without failures that are
// known; known may be nil.
func Counted(h *histories.History, j models.Judgement, properties []models.Property, known *waivers.File) reducer.Outcome {
	tally, outcome := counting(properties, known), reducer.Outcome{History: h}
	for _, f := range j.Findings {
		if tally.counts(h, f) {
			outcome.Findings = append(outcome.Findings, f)
		}
	}
	return outcome
}

func counting(properties []models.Property, known *waivers.File) *Tally {
	tally := NewTally(properties)
	if known != nil {
		tally.Waive(known, time.Now())
	}
	return tally
}

// counts reports whether a finding is one of the tally's properties and is not known.
func (t *Tally) counts(h *histories.History, f models.Finding) bool {
	return t.records[f.Property] != nil && !t.Knows(h, f)
}

// Broken are the properties that a run of a plan broke, in the order of the catalogue.
func Broken(o reducer.Outcome) []string {
	var broken []string
	for _, p := range models.Catalogue() {
		if slices.ContainsFunc(o.Findings, func(f models.Finding) bool { return f.Property == p.ID }) {
			broken = append(broken, p.ID)
		}
	}
	return broken
}

// Try runs a plan once.
func (t *Trier) Try(ctx context.Context, trial reducer.Trial) (reducer.Outcome, error) {
	deadline := t.Deadline
	if !trial.Patient {
		deadline = t.quick()
	}
	number := firstTrial + int(t.tried.Add(1))
	history, err := engine.Execute(ctx, t.store(ctx, trial), trial.Plan, engine.Options{
		Run: t.Run, Number: number, CallTimeout: deadline, StopTimeout: deadline,
	})
	if err != nil || history == nil {
		return reducer.Outcome{}, err
	}
	judgement, fault := judging.Judge(ctx, history, judging.Options{Budget: quickBudget})
	if fault != nil {
		return reducer.Outcome{}, fault
	}
	outcome := reducer.Outcome{History: history}
	for _, f := range judgement.Findings {
		if t.Known == nil || !t.Known(outcome, f) {
			outcome.Findings = append(outcome.Findings, f)
		}
	}
	return outcome, nil
}

// store is where a trial is run: for one of a series a store that nothing but the series
// has used. Where none can be opened it is the target all the same.
func (t *Trier) store(ctx context.Context, trial reducer.Trial) targets.Target {
	if trial.Series == 0 || t.Reopen == nil || t.unopened != nil {
		return t.Target
	}
	if trial.Series > 1 && t.fresh != nil {
		return t.fresh
	}
	t.Close(ctx)
	fresh, err := t.Reopen(ctx)
	if err != nil {
		if ctx.Err() == nil {
			t.unopened = err
		}
		return t.Target
	}
	t.fresh = fresh
	return fresh
}

// Fresh says that there is a store of its own for each series; else the error, if there
// is one, says why there was none.
func (t *Trier) Fresh() (bool, error) { return t.Reopen != nil && t.unopened == nil, t.unopened }

// closingFresh is how long a store may take to end.
const closingFresh = 30 * time.Second

// Close ends the store of the last series, if there is one; the target stays open.
func (t *Trier) Close(ctx context.Context) {
	if t.fresh == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingFresh)
	defer cancel()
	if err := t.fresh.Close(ctx); err != nil {
		t.unopened = fmt.Errorf("ending the store of a series: %w", err)
	}
	t.fresh = nil
}

func (t *Trier) quick() time.Duration {
	switch {
	case t.Quick > 0:
		return t.Quick
	case t.Deadline > 0:
		return min(t.Deadline, DefaultQuick)
	default:
		return DefaultQuick
	}
}
