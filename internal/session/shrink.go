package session

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/files"
	"github.com/rvcheck/rvcheck/internal/reducer"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// Shrinking says how the plans that failed are reduced once a session has run.
type Shrinking struct {
	// Budget is the time for each property, zero: no such bound.
	Budget time.Duration
	// Attempts bounds the runs for each property, zero: the reducer's own bound. Where it
	// and Budget are zero nothing is reduced.
	Attempts int
	// Quick is the deadline of the trials, but for those whose outcome is reported, zero:
	// DefaultQuick. Patient is that of those, zero: that of the session.
	Quick   time.Duration
	Patient time.Duration
	// Property is the only one whose plan is reduced, empty: all that were violated.
	Property string
	// Most is for how many properties plans are reduced, zero: for all.
	Most int
	// Reopen opens the target anew where the run starts its server: how often a reduced plan
	// fails is then measured on a server that has run nothing else. Nil: it is not.
	Reopen Reopen
	// Observe is told of each plan that is smaller than all before; nil: nobody is.
	Observe func(reducer.Result)
}

// wanted reports whether anything is reduced.
func (s Shrinking) wanted() bool { return s.Budget > 0 || s.Attempts > 0 }

// failure is the plan with the fewest operations that violated a property.
type failure struct {
	plan   plans.Plan
	judged *Judged
}

// failed remembers a plan for the properties that it violates in a way that is not
// known, where it is the shortest so far.
func (r *run) failed(plan plans.Plan, judged *Judged) {
	broken, _ := r.tally.shown(judged)
	for _, id := range broken {
		if best, found := r.failures[id]; !found || judged.Operations < best.judged.Operations {
			r.failures[id] = failure{plan: plan, judged: judged}
		}
	}
}

// shrink reduces one plan for each property that was violated. What an interruption
// leaves is kept all the same.
func (r *run) shrink(ctx context.Context) {
	if !r.Shrinking.wanted() || r.Repeats {
		return
	}
	trier := r.trier()
	defer trier.Close(ctx)
	var smaller []plans.Plan
	for _, p := range r.shrinkable() {
		if ctx.Err() != nil {
			break
		}
		f := r.failures[p]
		options := r.reduction(f, p, smaller)
		options.Fresh, _ = trier.Fresh()
		result, err := reducer.Plan(ctx, f.plan, p, trier.Try, options)
		if err != nil {
			r.tally.Fail(fmt.Errorf("shrinking the plan that violates %s: %w", p, err))
		}
		if result.Outcome.History == nil || !result.Reduced() {
			continue
		}
		smaller = append(smaller, result.Plan)
		if err := r.replace(f, result); err != nil {
			r.tally.Fail(err)
		}
	}
	if _, err := trier.Fresh(); err != nil {
		r.tally.Note("not all plans were measured on a server that had run nothing else: %v", err)
	}
	if ctx.Err() != nil && len(r.shrinkable()) > 0 {
		r.tally.Note("shrinking was interrupted; %s", r.goOn())
	}
}

func (r *run) trier() *Trier {
	t := &Trier{
		Target: r.target, Run: r.id, Deadline: cmp.Or(r.Shrinking.Patient, r.Deadline), Quick: r.Shrinking.Quick,
		Known: func(o reducer.Outcome, f models.Finding) bool { return r.tally.Knows(o.History, f) },
	}
	t.Reopen = r.Shrinking.Reopen.Profiled(r.Profile)
	return t
}

// Profiled opens the target with another profile than its own, if that is not empty. It
// is nil for nil.
func (open Reopen) Profiled(profile string) Reopen {
	if open == nil || profile == "" {
		return open
	}
	return func(ctx context.Context) (targets.Target, error) {
		target, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return Profiled(target, profile), nil
	}
}

func (r *run) goOn() string {
	if r.folder == nil {
		return "the best plans so far are shown"
	}
	return "go on with: checker shrink " + r.folder.Path()
}

// shrinkable are the properties whose plans are reduced, in the order of the catalogue.
func (r *run) shrinkable() []string {
	var ids []string
	for _, p := range r.tally.properties {
		_, failed := r.failures[p.ID]
		if failed && (r.Shrinking.Property == "" || r.Shrinking.Property == p.ID) {
			ids = append(ids, p.ID)
		}
	}
	if r.Shrinking.Most > 0 {
		ids = ids[:min(len(ids), r.Shrinking.Most)]
	}
	return ids
}

func (r *run) reduction(f failure, property string, hints []plans.Plan) reducer.Options {
	first := reducer.Outcome{History: f.judged.History, Findings: f.judged.Judgement.Findings}
	return reducer.Options{
		Budget: r.Shrinking.Budget, Attempts: r.Shrinking.Attempts, First: &first,
		Hints: slices.Clone(hints),
		Improved: func(best reducer.Result) error {
			if r.Shrinking.Observe != nil {
				r.Shrinking.Observe(best)
			}
			if r.folder == nil {
				return nil
			}
			_, err := r.folder.WriteShrunk(property, plans.Format(best.Plan))
			return err
		},
	}
}

// replace shows the reduced plan in place of the one that it was made of.
func (r *run) replace(f failure, result reducer.Result) error {
	judged := Judged{
		History: result.Outcome.History, Plan: f.judged.Plan, Operations: result.Operations,
	}
	if r.folder != nil {
		var err error
		if judged.PlanFile, err = r.folder.WriteShrunk(result.Property, plans.Format(result.Plan)); err != nil {
			return err
		}
		if judged.HistoryFile, err = r.folder.writeHistory(ShrunkName(result.Property), result.Outcome.History); err != nil {
			return err
		}
		if r.Commands != nil {
			judged.Commands = r.Commands(judged.PlanFile, judged.HistoryFile)
		}
	}
	findings := slices.DeleteFunc(slices.Clone(result.Outcome.Findings), func(found models.Finding) bool {
		return found.Property != result.Property
	})
	v := r.tally.violation(judged, findings)
	v.PlanText = plans.Format(result.Plan)
	v.Reproduced = result.Reproduced()
	v.Reduced = &report.Reduced{
		Plan: f.judged.PlanFile, Operations: result.From, Executions: result.Executions, Ending: string(result.Ending),
	}
	if v.Reduced.Used = result.Used(); v.Reduced.Used != "" {
		v.Reduced.After = r.before(f.judged.Plan)
	}
	r.tally.records[result.Property].open.exchange(v)
	return nil
}

// before names what the store had run when a plan of the run failed.
func (r *run) before(n int) string {
	switch n {
	case 0, 1:
		return "other runs of it"
	case 2:
		return fmt.Sprintf("plan 1 of seed %d", r.Seed)
	default:
		return fmt.Sprintf("plans 1 to %d of seed %d", n-1, r.Seed)
	}
}

// exchange drops the example of the same plan and puts a violation before all others.
func (s *sample) exchange(v report.Violation) {
	s.examples = slices.DeleteFunc(s.examples, func(old report.Violation) bool { return old.PlanNumber == v.PlanNumber })
	s.examples = append([]report.Violation{v}, s.examples...)
}

const shrunkPrefix = "shrunk-"

// ShrunkName is what the files of a reduced plan are called by.
func ShrunkName(property string) string {
	return shrunkPrefix + strings.ReplaceAll(property, "/", "-")
}

// IsShrunk reports whether a file is called like those of a reduced plan.
func IsShrunk(name string) bool { return strings.HasPrefix(name, shrunkPrefix) }

// WriteShrunk keeps the best plan so far that violates a property, in one step, and
// returns its file.
func (f *Folder) WriteShrunk(property, text string) (string, error) {
	file := strings.TrimSuffix(f.History(ShrunkName(property)), ".history.jsonl") + ".plan"
	if err := files.Replace(file, text); err != nil {
		return "", fmt.Errorf("keeping the plan: %w", err)
	}
	return file, nil
}

// writeHistory keeps a history, compressed, and returns its file.
func (f *Folder) writeHistory(name string, h *histories.History) (string, error) {
	file := f.History(name) + ".zst"
	return file, WriteHistory(file, h)
}

// WriteHistory writes a compressed history in one step.
func WriteHistory(file string, h *histories.History) error {
	var compressed bytes.Buffer
	w, err := histories.Compress(&compressed)
	if err == nil {
		err = histories.Write(w, h)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = files.Replace(file, compressed.String())
	}
	if err != nil {
		return fmt.Errorf("keeping the history: %w", err)
	}
	return nil
}
