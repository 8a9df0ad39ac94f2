package session

import (
	"context"
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

	tried atomic.Int64
}

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
	history, err := engine.Execute(ctx, t.Target, trial.Plan, engine.Options{
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
