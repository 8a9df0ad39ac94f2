package session

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/internal/judging"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/waivers"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// Options say what a session does and when it stops.
type Options struct {
	// Source gives plan number n, counted from 1. It must not depend on what
	// happened before: the same number gives the same plan.
	Source func(n int) plans.Plan
	// Seed is what the plans were drawn from, for the report.
	Seed uint64
	// Plans ends the session after so many plans, Duration after so much time,
	// whichever comes first; zero: no such end. With neither it runs until ctx ends.
	Plans    int
	Duration time.Duration
	// Properties are those to report, nil: the whole catalogue.
	Properties []models.Property
	// FailFast ends the session after the first plan that violates a property.
	FailFast bool
	// Until ends the session after a judgement of which it says true.
	Until func(models.Judgement) bool
	// Strict is reported and makes a MUST that was not exercised count.
	Strict bool
	// Profile replaces the target's own, if not empty.
	Profile string
	// Out is where the run folder is made, empty: nothing is kept.
	Out string
	// Keep keeps the histories of all plans, not only of those that failed.
	Keep bool
	// Budget is the porcupine judge's time for one history.
	Budget time.Duration
	// Deadline is how long a call may take, and how long the end of a plan waits
	// for what the liveness properties promise; zero: the engine's own deadlines.
	Deadline time.Duration
	// Repeats: every plan of the source is the same, and the report says how
	// often it failed.
	Repeats bool
	// Expected are properties, ids or patterns, that the plans are meant to show: one
	// that is neither violated nor exercised makes the verdict inconclusive.
	Expected []string
	// Known are the failures that are known, nil: none. The plans of those that must
	// fail are run before all others.
	Known *waivers.File
	// Shrinking reduces the plans that failed.
	Shrinking Shrinking
	// Commands makes the commands to go on with for a failed plan; nil: none.
	Commands func(planFile, historyFile string) []string
	// Observe is told after each plan, in the order of the plans.
	Observe func(Progress)
	// Verdicts is told the same; it is for results where Observe is for progress.
	Verdicts func(Progress)
	// Expanded are the options as text, for the report and the histories.
	Expanded map[string]string
}

// Progress is where a session stands after a plan.
type Progress struct {
	// Plan is the number of the plan that was just judged.
	Plan       int
	Operations int
	// Broken are the properties that this plan violated, Known those that it violated
	// as the known-failing file says; Violated counts the properties that were
	// violated so far and are not known.
	Broken   []string
	Known    []string
	Violated int
	// Skipped are the operations of the plan that were not called, with the reasons.
	Skipped []string
	// Undecided says why the plan could not be judged, empty if it was.
	Undecided string
	Elapsed   time.Duration
	Took      time.Duration
}

// Run runs a session. Trouble with the target and faults of the checker are in
// the report; the error is only of a run folder that could not be written.
//
// When ctx ends, the plan that is running is cut short, what was recorded of it
// is judged, and the report says that it was interrupted.
func Run(ctx context.Context, target targets.Target, opts Options) (*report.Report, error) {
	r, err := newRun(target, opts)
	if err != nil {
		return nil, err
	}
	on := r.rehearse(ctx)
	for n := 1; on && r.wants(ctx, n); n++ {
		on = r.plan(ctx, n)
	}
	if !on || ctx.Err() != nil {
		r.tally.CutShort()
	}
	r.interrupted, r.took = ctx.Err() != nil, time.Since(r.start)
	r.shrink(ctx)
	return r.finish()
}

// run is a session under way.
type run struct {
	Options
	target targets.Target
	tally  *Tally
	folder *Folder // nil when nothing is kept
	id     string
	start  time.Time
	// completed counts the plans of the source that were carried out whole.
	completed int
	// unheard is how many plans showed that the store tells no progress.
	unheard int
	// failures are by property.
	failures map[string]failure
	// interrupted: not all plans were run. Whoever interrupts the shrinking has those.
	interrupted bool
	// took is the time without the shrinking.
	took time.Duration
}

func newRun(target targets.Target, opts Options) (*run, error) {
	if opts.Properties == nil {
		opts.Properties = models.Catalogue()
	}
	logged := target
	if opts.Profile != "" {
		target = Profiled(target, opts.Profile)
	}
	r := &run{Options: opts, target: target, tally: NewTally(opts.Properties), start: time.Now(), failures: map[string]failure{}}
	r.id = runID(r.start, opts.Seed)
	r.tally.Describe(target.Describe())
	if opts.Known != nil {
		r.tally.Waive(opts.Known, r.start)
	}
	if opts.Out == "" {
		return r, nil
	}
	folder, err := NewFolder(opts.Out, r.start, opts.Seed)
	if err != nil {
		return nil, err
	}
	r.folder = folder
	return r, keepLog(logged, folder)
}

// keepLog keeps what the target's server prints, if it is there to be kept.
func keepLog(target targets.Target, folder *Folder) error {
	if server, ok := target.(targets.Logged); ok {
		return server.LogTo(folder.Path())
	}
	return nil
}

// wants reports whether plan n should be run.
func (r *run) wants(ctx context.Context, n int) bool {
	return ctx.Err() == nil &&
		(r.Plans == 0 || n <= r.Plans) &&
		(r.Duration == 0 || time.Since(r.start) < r.Duration)
}

// plan runs and judges one plan and reports whether to go on.
func (r *run) plan(ctx context.Context, n int) bool {
	began := time.Now()
	judged, ok := r.try(ctx, r.numbered(n))
	if judged == nil {
		return false
	}
	shown := r.observe(judged, began)
	done := len(shown.Broken) > 0 && r.FailFast || r.Until != nil && r.Until(judged.Judgement)
	return ok && !done
}

// try runs and judges one plan and counts what it showed. It gives nothing if the
// plan could not be run, and false if no other should be.
func (r *run) try(ctx context.Context, one trial) (*Judged, bool) {
	history, err := r.execute(ctx, one)
	if err != nil {
		r.tally.Fail(err)
	}
	if history == nil {
		return nil, false
	}
	if ctx.Err() == nil && !one.replay {
		r.completed++
	}
	known := func(f models.Finding) bool { return r.tally.Knows(history, f) }
	// An interrupted run still gets its verdict.
	judgement, fault := judging.Judge(context.WithoutCancel(ctx), history, judging.Options{Budget: r.Budget, Known: known})
	if fault != nil {
		r.tally.Fail(fault)
	}
	judged := &Judged{History: history, Judgement: judgement, Operations: one.plan.Operations(), Name: one.name}
	if !one.replay {
		judged.Plan = one.number
	}
	if err := r.keep(judged, fault != nil); err != nil {
		r.tally.Fail(err)
	}
	r.tally.Add(*judged)
	if slices.ContainsFunc(judgement.Findings, func(f models.Finding) bool { return f.Property == models.ProgressAnswered }) {
		r.hearsNothing(one)
	}
	if !one.replay {
		r.failed(one.plan, judged)
	}
	return judged, err == nil
}

func (r *run) observe(j *Judged, began time.Time) Progress {
	p := Progress{
		Plan: j.Plan, Operations: len(j.History.Operations), Undecided: j.Judgement.Inconclusive,
		Skipped:  Skipped(j.History),
		Violated: len(r.tally.Violated()), Elapsed: time.Since(r.start), Took: time.Since(began),
	}
	p.Broken, p.Known = r.tally.shown(j)
	for _, tell := range []func(Progress){r.Observe, r.Verdicts} {
		if tell != nil {
			tell(p)
		}
	}
	return p
}

// Verdict words what the plan showed.
func (p Progress) Verdict() string {
	switch {
	case len(p.Broken) > 0:
		return "violated: " + strings.Join(p.Broken, ", ")
	case len(p.Known) > 0:
		return "failed as known: " + strings.Join(p.Known, ", ")
	case p.Undecided != "":
		return "inconclusive: " + p.Undecided
	default:
		return "no violation"
	}
}

func (r *run) finish() (*report.Report, error) {
	out := r.tally.Report()
	out.Seed, out.Strict, out.Options = r.Seed, r.Strict, r.Expanded
	out.Seconds = r.took.Seconds()
	if out.Interrupted = r.interrupted; out.Interrupted {
		out.Completed, out.Planned = r.completed, r.Plans
	}
	if r.Repeats {
		out.Replayed = true
		r.tally.reproduced(out)
		r.tally.SinglePlan(out)
	}
	out.Unmet = r.tally.unmet(r.Expected)
	out.Verdict = out.Decide()
	if r.folder == nil {
		return out, nil
	}
	out.Folder = r.folder.Path()
	return out, r.folder.Finish(out)
}

// Profiled is the target with another profile than its own.
func Profiled(target targets.Target, profile string) targets.Target {
	return profiled{Target: target, profile: profile}
}

// profiled is a target whose profile was overridden: it is held to what that
// promises, as far as the target can do it at all.
type profiled struct {
	targets.Target
	profile string
}

func (p profiled) Describe() targets.Description {
	d := p.Target.Describe()
	d.Profile = p.profile
	without, _ := targets.ProfileWithout(p.profile)
	maps.Copy(without, d.Unsupported)
	d.Unsupported = without
	return d
}
