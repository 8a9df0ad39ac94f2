package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets"
)

// kill is what became of one mutant: the first plan that violates its primary
// property kills it.
type kill struct {
	ID     string `json:"id"`
	Family int    `json:"family"`
	// Killed: some property was violated within the budget. Property is the
	// primary one if that was among them.
	Killed     bool    `json:"killed"`
	Property   string  `json:"property"`
	Primary    string  `json:"primary"`
	Plans      int     `json:"plans"`
	Operations int     `json:"operations"`
	Seconds    float64 `json:"seconds"`
	// ConcurrencyOnly: the same budget with one client never violates the primary
	// property; KilledAlone is the number of plans after which it did.
	ConcurrencyOnly bool `json:"concurrencyOnly"`
	KilledAlone     int  `json:"killedAlone,omitempty"`
	// Shortest is the number of operations of the shortest plan known to show the
	// fault, nil where none is known.
	Shortest *int `json:"shortest,omitempty"`
	// Reduced is how many operations are left of the plan that kills it, Executions how
	// many runs the reduction took, Reproduced how often its result failed. Executions
	// is zero where nothing was reduced.
	Reduced    int      `json:"reduced"`
	Executions int      `json:"executions"`
	Reproduced string   `json:"reproduced,omitempty"`
	Errors     []string `json:"errors,omitempty"`
}

const (
	// reductionAttempts bounds the reduction for one mutant, so that a machine with other
	// work gives the same table. reductionBudget does so where the user limits the time, and
	// reductionLimit elsewhere: far more than so many runs need, but where each of them waits
	// for a lease to end.
	reductionAttempts = 300
	reductionBudget   = time.Minute
	reductionLimit    = 3 * time.Minute
	// reductionDeadline is that of the trials, and reductionPatience that of those whose
	// outcome is reported: a store in memory answers soon or never.
	reductionDeadline = 500 * time.Millisecond
	reductionPatience = 2 * time.Second
	// near is how many operations more than the shortest plan a reduced one may have.
	near = 2
)

// short reports whether the plan that kills the mutant was reduced to hardly more
// than the shortest.
func (k kill) short() bool {
	return k.Executions > 0 && (k.Shortest == nil || k.Reduced <= *k.Shortest+near)
}

// right reports whether the mutant was killed by its primary property.
func (k kill) right() bool { return k.Killed && k.Property == k.Primary }

// hunter runs faulty stores.
type hunter struct {
	*flags
	// on is the URL of the target that damages are run on, empty for mutants.
	on string
	// target is that target, once it is open.
	target targets.Target
}

func runMutants(cmd *cobra.Command, f hunter, mutants []faulty) error {
	if err := f.complete(cmd); err != nil {
		return err
	}
	var kills []kill
	err := f.withTarget(cmd.Context(), func(h hunter) (err error) {
		kills, err = h.hunts(cmd, mutants)
		return err
	})
	if err != nil {
		return err
	}
	if err := f.printKills(cmd.OutOrStdout(), kills); err != nil {
		return err
	}
	if len(kills) < len(mutants) {
		fmt.Fprintf(cmd.ErrOrStderr(), "interrupted after %d of %s\n", len(kills), report.Plural(len(mutants), f.kind()))
	}
	return f.killed(kills, len(mutants))
}

// kind is what the faulty stores are called.
func (f hunter) kind() string {
	if f.on != "" {
		return "damage"
	}
	return "mutant"
}

// withTarget hunts with the target of the damages open.
func (f hunter) withTarget(ctx context.Context, hunt func(hunter) error) error {
	if f.on == "" {
		return hunt(f)
	}
	var (
		err   error
		wrong *usageError
	)
	f.target, err = held.open(ctx, func(ctx context.Context) (targets.Target, error) { return openTarget(ctx, f.on) })
	if errors.As(err, &wrong) {
		return usage("--on: %s", strings.TrimPrefix(err.Error(), "--target: "))
	}
	if err != nil {
		return err
	}
	err = hunt(f)
	if closed := held.close(ctx, f.target); err == nil {
		err = closed
	}
	return err
}

// parallel is how many are run at the same time: their runs mostly wait. On one target
// it is one, since plans that compact must have a store to themselves.
func (f hunter) parallel(most int) int {
	if f.target != nil {
		return 1
	}
	return most
}

// hunts runs the mutants and returns what became of each, in their order; after
// an interruption only of those that were done.
func (f hunter) hunts(cmd *cobra.Command, mutants []faulty) ([]kill, error) {
	var (
		group errgroup.Group
		mu    sync.Mutex
		done  = make(map[string]kill, len(mutants))
	)
	// Several a processor: reductions mostly wait for what a store owes.
	group.SetLimit(f.parallel(4 * runtime.GOMAXPROCS(0)))
	for _, m := range mutants {
		group.Go(func() error {
			k, err := f.hunt(cmd.Context(), m)
			if err != nil || cmd.Context().Err() != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done[m.ID] = k
			if !f.quiet {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s %d of %d: %s %s\n", f.kind(), len(done), len(mutants), m.ID, k.fate())
			}
			return nil
		})
	}
	err := group.Wait()
	var kills []kill
	for _, m := range mutants {
		if k, found := done[m.ID]; found {
			kills = append(kills, k)
		}
	}
	return kills, err
}

// hunt runs a mutant with the clients that were asked for, and then with one.
func (f hunter) hunt(ctx context.Context, m faulty) (kill, error) {
	r, err := f.until(ctx, m, f.clients, f.reduction(m))
	if err != nil {
		return kill{}, err
	}
	k := kill{
		ID: m.ID, Family: m.Family, Primary: m.Primary, Plans: r.Plans, Operations: r.Operations,
		Seconds: r.Seconds, Errors: r.Errors, Shortest: m.shortest(),
	}
	violated := violatedBy(r)
	k.Killed = len(violated) > 0
	switch {
	case slices.Contains(violated, m.Primary):
		k.Property = m.Primary
	case k.Killed:
		k.Property = violated[0]
	}
	k.reduction(r)
	alone, err := f.until(ctx, m, 1, session.Shrinking{})
	if err != nil {
		return kill{}, err
	}
	k.ConcurrencyOnly = !slices.Contains(violatedBy(alone), m.Primary)
	if !k.ConcurrencyOnly {
		k.KilledAlone = alone.Plans
	}
	return k, nil
}

// reduction says how the plan that kills a faulty store is reduced.
func (f hunter) reduction(m faulty) session.Shrinking {
	if f.noShrink {
		return session.Shrinking{}
	}
	s := session.Shrinking{Budget: reductionLimit, Attempts: reductionAttempts, Property: m.Primary}
	if f.duration > 0 {
		s.Budget = reductionBudget
	}
	if !m.damage {
		s.Quick, s.Patient = reductionDeadline, reductionPatience
	}
	return s
}

// reduction reads off the report what became of the plan that kills it.
func (k *kill) reduction(r *report.Report) {
	for _, v := range r.Violations {
		if v.Property == k.Primary && v.Reduced != nil {
			k.Reduced, k.Executions, k.Reproduced = v.Operations, v.Reduced.Executions, v.Reproduced
		}
	}
}

// until runs a mutant until its primary property is violated or the budget is spent.
func (f hunter) until(ctx context.Context, m faulty, clients int, shrinking session.Shrinking) (*report.Report, error) {
	how := chase{seed: f.seed, plans: f.plans, mix: session.Mix{Clients: clients, Steps: f.steps}, shrinking: shrinking}
	if m.damage {
		how.deadline = measuringDeadline
	}
	return f.chase(ctx, m, how)
}

// chase says how a mutant is run.
type chase struct {
	seed     uint64
	plans    int
	mix      session.Mix
	deadline time.Duration
	// shrinking is what happens to the plan that kills the mutant.
	shrinking session.Shrinking
}

// chase runs a mutant until its primary property is violated or the budget is spent.
func (f hunter) chase(ctx context.Context, m faulty, how chase) (*report.Report, error) {
	target, err := m.open(how.seed, f.target)
	if err != nil {
		return nil, err
	}
	r, err := session.Run(ctx, target, session.Options{
		Source: session.Drawn(how.seed, how.mix, target.Describe()),
		Seed:   how.seed, Plans: how.plans, Duration: f.duration, Deadline: how.deadline, Shrinking: how.shrinking,
		Until: func(j models.Judgement) bool {
			return slices.ContainsFunc(j.Findings, func(f models.Finding) bool { return f.Property == m.Primary })
		},
	})
	if closed := closeTarget(ctx, target); err == nil {
		err = closed
	}
	return r, err
}

func violatedBy(r *report.Report) []string {
	var ids []string
	for _, p := range r.Properties {
		if p.Status == report.Broken {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// killed is the result of the command: 1 if a mutant survives or only another
// property found it, 4 and 3 for trouble and interruption.
func (f *flags) killed(kills []kill, wanted int) error {
	failed := func(k kill) bool { return len(k.Errors) > 0 }
	wrong := func(k kill) bool { return !k.right() && !failed(k) }
	switch {
	case slices.ContainsFunc(kills, wrong):
		return exitCode(report.ExitViolated)
	case slices.ContainsFunc(kills, failed):
		return exitCode(report.ExitError)
	case len(kills) < wanted:
		return exitCode(report.ExitInconclusive)
	default:
		return nil
	}
}

func (f hunter) printKills(w io.Writer, kills []kill) error {
	if f.json {
		return printJSON(w, map[string]any{"mutants": kills})
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.ToUpper(f.kind())+"\tFAMILY\tKILLED\tPROPERTY\tPRIMARY\tPLANS\tOPERATIONS\tREDUCED\tSHORTEST\tRUNS\tREPRODUCED\tSECONDS\tCONCURRENCY-ONLY")
	for _, k := range kills {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%.1f\t%s\n", k.ID, k.Family, k.how(), orDash(k.Property),
			k.Primary, k.Plans, k.Operations, k.reduced(k.Reduced), k.shortest(), k.reduced(k.Executions), orDash(k.Reproduced), k.Seconds, k.alone())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return f.printSurvivors(w, kills)
}

func (f hunter) printSurvivors(w io.Writer, kills []kill) error {
	right := 0
	for _, k := range kills {
		if k.right() {
			right++
			continue
		}
		fmt.Fprintf(w, "%s: %s\n", k.ID, k.fate())
	}
	_, err := fmt.Fprintf(w, "\n%d of %s killed by the primary property, seed %d\n", right, report.Plural(len(kills), f.kind()), f.seed)
	if f.noShrink || err != nil {
		return err
	}
	return printReductions(w, kills)
}

// printReductions says how many plans became short, and which did not.
func printReductions(w io.Writer, kills []kill) error {
	short, most := 0, 0
	for _, k := range kills {
		most = max(most, k.Executions)
		switch {
		case k.short():
			short++
		case k.right():
			fmt.Fprintf(w, "%s: reduced to %s operations, the shortest plan has %s\n", k.ID, k.reduced(k.Reduced), k.shortest())
		}
	}
	_, err := fmt.Fprintf(w, "%d reduced to at most %d operations more than the shortest plan known, in at most %s each\n",
		short, near, report.Plural(most, "run"))
	return err
}

// reduced words a number that only a reduction gives.
func (k kill) reduced(n int) string {
	if k.Executions == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// how words whether the mutant was killed.
func (k kill) how() string {
	if k.Killed && !k.right() {
		return "by another"
	}
	return yes(k.Killed)
}

// fate words what became of the mutant.
func (k kill) fate() string {
	switch {
	case k.right():
		return fmt.Sprintf("killed by %s after %s", k.Property, report.Plural(k.Plans, "plan"))
	case len(k.Errors) > 0:
		return "could not be run: " + k.Errors[0]
	case k.Killed:
		return fmt.Sprintf("killed by %s only, not by its primary property %s, in %s", k.Property, k.Primary, report.Plural(k.Plans, "plan"))
	default:
		return "survives " + report.Plural(k.Plans, "plan")
	}
}

func (k kill) alone() string {
	if k.ConcurrencyOnly {
		return "yes"
	}
	return fmt.Sprintf("no, killed with one client in %s", report.Plural(k.KilledAlone, "plan"))
}

func (k kill) shortest() string {
	if k.Shortest == nil {
		return "-"
	}
	return strconv.Itoa(*k.Shortest)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
