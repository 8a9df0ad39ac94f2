package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets/memory"
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
	ConcurrencyOnly bool     `json:"concurrencyOnly"`
	KilledAlone     int      `json:"killedAlone,omitempty"`
	Errors          []string `json:"errors,omitempty"`
}

// right reports whether the mutant was killed by its primary property.
func (k kill) right() bool { return k.Killed && k.Property == k.Primary }

func runMutants(cmd *cobra.Command, f *flags, mutants []memory.Mutant) error {
	if err := f.complete(cmd); err != nil {
		return err
	}
	kills, err := f.hunts(cmd, mutants)
	if err != nil {
		return err
	}
	if err := f.printKills(cmd.OutOrStdout(), kills); err != nil {
		return err
	}
	return f.killed(kills, len(mutants))
}

// parallel is how many mutants are run at the same time: their runs mostly wait.
const parallel = 4

// hunts runs the mutants and returns what became of each, in their order; after
// an interruption only of those that were done.
func (f *flags) hunts(cmd *cobra.Command, mutants []memory.Mutant) ([]kill, error) {
	var (
		group errgroup.Group
		mu    sync.Mutex
		done  = make(map[string]kill, len(mutants))
	)
	group.SetLimit(parallel)
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
				fmt.Fprintf(cmd.ErrOrStderr(), "mutant %d of %d: %s %s\n", len(done), len(mutants), m.ID, k.fate())
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
func (f *flags) hunt(ctx context.Context, m memory.Mutant) (kill, error) {
	r, err := f.until(ctx, m, f.clients)
	if err != nil {
		return kill{}, err
	}
	k := kill{
		ID: m.ID, Family: m.Family, Primary: m.Primary, Plans: r.Plans, Operations: r.Operations,
		Seconds: r.Seconds, Errors: r.Errors,
	}
	violated := violatedBy(r)
	k.Killed = len(violated) > 0
	switch {
	case slices.Contains(violated, m.Primary):
		k.Property = m.Primary
	case k.Killed:
		k.Property = violated[0]
	}
	alone, err := f.until(ctx, m, 1)
	if err != nil {
		return kill{}, err
	}
	k.ConcurrencyOnly = !slices.Contains(violatedBy(alone), m.Primary)
	if !k.ConcurrencyOnly {
		k.KilledAlone = alone.Plans
	}
	return k, nil
}

// until runs a mutant until its primary property is violated or the budget is spent.
func (f *flags) until(ctx context.Context, m memory.Mutant, clients int) (*report.Report, error) {
	return f.chase(ctx, m, chase{seed: f.seed, mix: session.Mix{Clients: clients, Steps: f.steps}})
}

// chase says how a mutant is run.
type chase struct {
	seed     uint64
	mix      session.Mix
	deadline time.Duration
}

// chase runs a mutant until its primary property is violated or the budget is spent.
func (f *flags) chase(ctx context.Context, m memory.Mutant, how chase) (*report.Report, error) {
	target, err := memory.Open(memory.Options{Mutant: m.ID, Seed: how.seed})
	if err != nil {
		return nil, err
	}
	r, err := session.Run(ctx, target, session.Options{
		Source: session.Drawn(how.seed, how.mix, target.Describe()),
		Seed:   how.seed, Plans: f.plans, Duration: f.duration, Deadline: how.deadline,
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

func (f *flags) printKills(w io.Writer, kills []kill) error {
	if f.json {
		return printJSON(w, map[string]any{"mutants": kills})
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MUTANT\tFAMILY\tKILLED\tPROPERTY\tPRIMARY\tPLANS\tOPERATIONS\tSECONDS\tCONCURRENCY-ONLY")
	for _, k := range kills {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%d\t%d\t%.1f\t%s\n", k.ID, k.Family, k.how(), orDash(k.Property),
			k.Primary, k.Plans, k.Operations, k.Seconds, k.alone())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return f.printSurvivors(w, kills)
}

func (f *flags) printSurvivors(w io.Writer, kills []kill) error {
	right := 0
	for _, k := range kills {
		if k.right() {
			right++
			continue
		}
		fmt.Fprintf(w, "%s: %s\n", k.ID, k.fate())
	}
	_, err := fmt.Fprintf(w, "\n%d of %s killed by the primary property, seed %d\n", right, report.Plural(len(kills), "mutant"), f.seed)
	return err
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

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
