package reducer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
)

// Trial is one plan to be run once.
type Trial struct {
	Plan plans.Plan
	// Patient: with the full deadlines of the liveness properties. Others may be run
	// with shorter ones, since what comes out is run patiently in the end.
	Patient bool
	// Series counts the runs of a plan that tell how often it fails, from 1; zero: it is
	// none of them. The first of a series should find a store on which nothing else has
	// run, where that can be had, and the others find what those before it left: so does
	// who replays the plan.
	Series int
}

// Outcome is what one run of a plan showed.
type Outcome struct {
	History *histories.History
	// Findings are those that count.
	Findings []models.Finding
}

// violates reports whether the property is among those that were broken.
func (o Outcome) violates(property string) bool {
	return slices.ContainsFunc(o.Findings, func(f models.Finding) bool { return f.Property == property })
}

// Try runs a plan once, in an empty space of its own. An error ends the reduction:
// the target is gone, or the checker itself failed.
type Try func(context.Context, Trial) (Outcome, error)

// Options bound a reduction. The zero value is usable.
type Options struct {
	// Attempts is how many runs there may be, zero: DefaultAttempts. The runs that
	// measure the rate of what comes out are among them.
	Attempts int
	// Budget is how long it may take, zero: no such end. Measuring the rate may exceed
	// it by a fifth.
	Budget time.Duration
	// First is a run of the plan that broke the property, nil if there is none at hand.
	First *Outcome
	// Measure is how often the plan that comes out is run to see how often it fails,
	// zero: DefaultMeasure; at most half of the attempts.
	Measure int
	// Fresh: each series begins on a store of its own.
	Fresh bool
	// Hints are plans that may well show the same, to be tried before all others.
	Hints []plans.Plan
	// Improved is told of each plan that is better than all before, so that whatever
	// happens the best is kept. Its error ends the reduction. Nil: nobody is told.
	Improved func(Result) error
}

const (
	// DefaultAttempts bounds a reduction that is not told how long it may take.
	DefaultAttempts = 1000
	// DefaultMeasure is how often the result is run.
	DefaultMeasure = 20
	// firstTries is how often the plan is run that is to be reduced, before it is given
	// up because it never failed.
	firstTries = 40
)

// Ending says why a reduction ended.
type Ending string

// The endings.
const (
	Complete    Ending = "nothing more can be left out"
	OutOfRuns   Ending = "out of attempts"
	OutOfTime   Ending = "out of time"
	Interrupted Ending = "interrupted"
	NeverFailed Ending = "the plan never failed"
)

// Result is the best plan that was found.
type Result struct {
	Property string
	// Plan is the plan, and Operations is how many it has; From is how many the plan
	// had that was to be reduced.
	Plan       plans.Plan
	Operations int
	From       int
	// Outcome is a run of the plan that broke the property.
	Outcome Outcome
	// Failed of Runs is how often it did when it was measured; no runs: it was not.
	Failed, Runs int
	// UsedFailed of UsedRuns is how often it did on the store of the search, which holds what
	// other plans left; no runs: it fails as well on a fresh store, or there is none.
	UsedFailed, UsedRuns int
	// OriginalFailed of OriginalRuns is how often the plan did that was to be reduced.
	OriginalFailed, OriginalRuns int
	// Executions is how many runs all this took.
	Executions int
	Ending     Ending
}

// Reduced reports whether there is a plan that fails and that is not the one to be
// reduced.
func (r Result) Reduced() bool { return r.Ending != NeverFailed && r.Operations < r.From }

// Reproduced words how often the plan failed when it was measured, empty if it was
// not.
func (r Result) Reproduced() string {
	if r.Runs == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", r.Failed, r.Runs)
}

// Used words how often the plan failed on the store of the search, empty if there is no
// need to tell.
func (r Result) Used() string {
	if r.UsedRuns == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", r.UsedFailed, r.UsedRuns)
}

// Plan reduces a plan that breaks a property. It returns the best plan so far
// together with an error of Try or of Improved; an end of ctx is none.
func Plan(ctx context.Context, plan plans.Plan, property string, try Try, options Options) (Result, error) {
	if options.Attempts <= 0 {
		options.Attempts = DefaultAttempts
	}
	if options.Measure <= 0 {
		options.Measure = DefaultMeasure
	}
	options.Measure = max(min(options.Measure, options.Attempts/2), 1)
	r := &reduction{
		ctx: ctx, try: try, options: options, property: property,
		original: plan, best: tidy(plan), tried: map[string]*tries{}, began: time.Now(),
	}
	r.result = Result{Property: property, Plan: plan, Operations: plan.Operations(), From: plan.Operations()}
	r.run()
	r.result.Executions = r.executions
	return r.result, r.err
}

// reduction is one under way.
type reduction struct {
	ctx      context.Context
	try      Try
	options  Options
	property string
	original plans.Plan
	began    time.Time

	// best is the best plan so far; the result holds it with the property that it is
	// meant to show.
	best       plans.Plan
	result     Result
	rate       rate
	tried      map[string]*tries // by the text of the plan
	executions int
	patient    bool
	err        error

	// trail are the plans that were the best, one after the other, not measured. final: the
	// first search is over, whose part of the attempts and of the time is limited.
	trail []Result
	final bool

	// anew: candidates are run on fresh stores too, since what the search came to needs
	// what other plans left. last is the text of the plan that was run so, nth how often.
	anew bool
	last string
	nth  int
}

// run reduces impatiently, and once more with patience if what came out does not
// fail when it is given time.
func (r *reduction) run() {
	if !r.begin() {
		return
	}
	r.reduce()
	if r.steady(); r.result.Failed+r.result.UsedFailed > 0 || r.patient || r.over() {
		return
	}
	r.patient, r.tried, r.rate, r.trail = true, map[string]*tries{}, rate{}, nil
	r.options.First, r.options.Hints = nil, nil
	r.best = tidy(r.original)
	r.result.Plan, r.result.Operations = r.original, r.original.Operations()
	if r.begin() {
		r.reduce()
		r.steady()
	}
}

// begin makes sure that the plan to be reduced fails, and learns how often.
func (r *reduction) begin() bool {
	r.result.Ending = NeverFailed
	var seen tries
	if first := r.options.First; first != nil && first.violates(r.property) {
		r.result.Outcome, r.result.Ending = *first, Complete
	}
	for n := 0; n < r.firstRuns(seen); n++ {
		outcome, ok := r.execute(r.original)
		if !ok {
			break
		}
		seen.count(outcome.violates(r.property))
		if outcome.violates(r.property) {
			r.result.Outcome, r.result.Ending = outcome, Complete
		}
	}
	if seen.failed == 0 && r.result.Ending == Complete {
		r.rate.learn(tries{failed: 1, passed: seen.passed})
	}
	r.rate.learn(seen)
	r.result.OriginalFailed, r.result.OriginalRuns = seen.failed, seen.runs()
	r.trail = append(r.trail, r.result)
	if r.result.Ending == NeverFailed && !r.patient && r.err == nil && !r.over() {
		r.patient = true
		return r.begin()
	}
	return r.result.Ending != NeverFailed
}

// firstRuns is how often the plan to be reduced should be run: three times, and where
// it does not fail each time until it has failed three times. Learning how often it does may
// take a quarter of the time.
func (r *reduction) firstRuns(seen tries) int {
	const settled, part = 3, 4
	switch {
	case r.options.Budget > 0 && r.result.Ending != NeverFailed && time.Since(r.began) > r.options.Budget/part:
		return 0
	case seen.failed >= settled || seen.runs() < settled:
		return settled
	case seen.failed > 0 || r.result.Ending == NeverFailed:
		return firstTries
	default: // it failed when it was found; less than one in twenty is too rare to wait for
		return firstTries / 2
	}
}

func (t *tries) count(failed bool) {
	if failed {
		t.failed++
	} else {
		t.passed++
	}
}

// execute runs a plan once; false if the reduction is over.
func (r *reduction) execute(plan plans.Plan) (Outcome, bool) {
	trial := Trial{Plan: plan, Patient: r.patient}
	if r.anew {
		if text := plans.Format(plan); text != r.last {
			r.last, r.nth = text, 0
		}
		r.nth++
		trial.Series = r.nth
	}
	return r.once(trial)
}

// once makes a trial; false if the reduction is over.
func (r *reduction) once(trial Trial) (Outcome, bool) {
	if r.over() {
		return Outcome{}, false
	}
	r.executions++
	outcome, err := r.try(r.ctx, trial)
	if r.ctx.Err() != nil {
		r.end(Interrupted) // what was cut short proves nothing
		return Outcome{}, false
	}
	if err != nil {
		r.err = err
		return Outcome{}, false
	}
	return outcome, true
}

// over reports whether no more runs are allowed, but for the last that measure. It
// leaves the reason in the result.
func (r *reduction) over() bool {
	attempts, budget := r.options.Attempts-r.options.Measure, r.options.Budget
	if !r.final && r.rate.estimate() < often { // what the search comes to may fail too rarely, see steady
		attempts -= min(r.options.Attempts/8, 2*r.options.Measure)
		budget -= budget / 6
	}
	switch {
	case r.err != nil:
	case r.ctx.Err() != nil:
		r.end(Interrupted)
	case r.executions >= attempts:
		r.end(OutOfRuns)
	case budget > 0 && time.Since(r.began) >= budget:
		r.end(OutOfTime)
	default:
		return false
	}
	return true
}

func (r *reduction) end(why Ending) {
	if r.result.Ending != NeverFailed {
		r.result.Ending = why
	}
}

// accept makes a candidate the best plan if it still breaks the property. What
// cannot be a plan, what was given up before and what is the best plan already is no
// candidate.
func (r *reduction) accept(candidate plans.Plan, e effort) bool {
	candidate = tidy(candidate.Prune())
	text := plans.Format(candidate)
	if text == plans.Format(r.best) || candidate.Validate() != nil {
		return false
	}
	known := r.tried[text]
	if known == nil {
		known = &tries{}
		r.tried[text] = known
	}
	var failing Outcome
	for {
		switch known.decide(r.demanded(candidate, e), e) {
		case rejected:
			return false
		case accepted:
			if failing.History != nil {
				r.rate.learn(*known)
				return r.keep(candidate, failing)
			}
			return false // it was the best plan before
		case undecided:
		}
		outcome, ok := r.execute(candidate)
		if !ok {
			return false
		}
		known.count(outcome.violates(r.property))
		if outcome.violates(r.property) {
			failing = outcome
		}
	}
}

// demanded is the rate that a candidate is held against. One that is much shorter, or a leap
// to half the length, comes to a failure sooner even if it fails less often.
func (r *reduction) demanded(candidate plans.Plan, e effort) float64 {
	const much, half, occasional = 8, 2, 0.4
	times := much
	if e == hopeful {
		times = half
	}
	if times*candidate.Operations() > r.best.Operations() {
		return r.rate.demanded()
	}
	return min(r.rate.demanded(), occasional)
}

// keep makes a plan the best so far and tells who wants to know.
func (r *reduction) keep(plan plans.Plan, outcome Outcome) bool {
	r.best = plan
	r.result.Plan, r.result.Operations, r.result.Outcome = meant(plan, r.property), plan.Operations(), outcome
	r.result.Executions = r.executions
	r.trail = append(r.trail, r.result)
	if r.options.Improved != nil {
		r.err = r.options.Improved(r.result)
	}
	return r.err == nil
}
