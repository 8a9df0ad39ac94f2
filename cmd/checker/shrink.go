package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/internal/files"
	"github.com/rvcheck/rvcheck/internal/reducer"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

func newShrink() *cobra.Command {
	f := &flags{}
	s := &shrinking{flags: f}
	cmd := &cobra.Command{
		Use:   "shrink PLAN|RUN [-- COMMAND...]",
		Short: "Reduce a plan that fails to the fewest operations that still fail",
		Long: "Reduce a plan that fails to the fewest operations that still break the same property.\n" +
			"PLAN is a file of plan text, or - for standard input; RUN is the folder of a run, of\n" +
			"which one plan is reduced for each property that was violated. A history is reduced\n" +
			"without a store: what is left is evidence, nobody has run it.\n\n" +
			"The best plan so far is always in its file, so that it can be interrupted.\n\n" + aboutCommand,
		Args: f.takes(1, 1, "a plan such as runs/latest/0001.plan, a folder such as runs/latest, or a history"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.cmd = cmd
			return s.shrink(args[0])
		},
	}
	f.targetFlag(cmd)
	f.selection(cmd)
	f.knownFailing(cmd)
	cmd.Flags().DurationVar(&s.budget, "budget", 2*time.Minute, "time for each property; 0: no limit")
	cmd.Flags().IntVar(&s.attempts, "attempts", reducer.DefaultAttempts, "runs for each property")
	cmd.Flags().IntVar(&s.times, "times", reducer.DefaultMeasure, "how often to run the reduced plan, to see how often it fails")
	f.results(cmd)
	return cmd
}

// shrinking is the command under way.
type shrinking struct {
	*flags
	cmd      *cobra.Command
	budget   time.Duration
	attempts int
	times    int
	done     []reduced
	// vain counts the runs of plans that never failed.
	vain int
}

// suspect is a plan to be reduced.
type suspect struct {
	plan plans.Plan
	// file is where it stands, to is where the reduced one is written without the name
	// of the property.
	file, to string
	// properties are those that it breaks, empty: nobody knows yet.
	properties []string
}

// reduced is what became of a plan and one property.
type reduced struct {
	Property string `json:"property"`
	// Plan is the file of the reduced plan, PlanText what is in it.
	Plan     string `json:"plan"`
	PlanText string `json:"planText"`
	// Operations is how many the reduced plan has, From the one that it was made of.
	Operations int `json:"operations"`
	From       int `json:"from"`
	// Reproduced is "18/20": how often the reduced plan failed; Original is that of the
	// plan that it was made of.
	Reproduced string `json:"reproduced"`
	Original   string `json:"original"`
	// Used is "18/20" where the plan fails less often on a server that has run nothing else,
	// of which Reproduced tells: how often it failed on one with what other plans left.
	Used       string `json:"used,omitempty"`
	Executions int    `json:"executions"`
	Ending     string `json:"ending"`
}

func (s *shrinking) shrink(file string) error {
	switch {
	case s.budget < 0:
		return usage("--budget %s; expected a positive duration such as 2m, or 0 for no limit", s.budget)
	case s.attempts < 1:
		return usage("--attempts %d; expected at least 1", s.attempts)
	case s.times < 1:
		return usage("--times %d; expected at least 1", s.times)
	}
	if err := checkProfile(s.profile); err != nil {
		return err
	}
	if isHistory(file) {
		return s.history(file)
	}
	selected, err := s.properties()
	if err != nil {
		return err
	}
	suspects, err := s.suspects(file, selected)
	if err != nil {
		return err
	}
	for _, one := range suspects {
		if err := writable(s.shrunkFile(one, "PROPERTY")); err != nil {
			return usage("%w; expected a folder that can be written, for the reduced plan", err)
		}
	}
	return s.all(suspects, selected)
}

// suspects reads the plans to be reduced.
func (s *shrinking) suspects(file string, selected []models.Property) ([]suspect, error) {
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return s.ofRun(file, selected)
	}
	plan, err := readPlan(s.cmd, file)
	if err != nil {
		return nil, err
	}
	one := suspect{plan: plan, file: file, to: strings.TrimSuffix(file, ".plan") + "."}
	if file == "-" {
		one.to = ""
	}
	if len(s.patterns) > 0 {
		return []suspect{one}, nil
	}
	patterns, err := expected(plan, file)
	if err != nil || len(patterns) == 0 {
		return []suspect{one}, err
	}
	meant, err := session.Select(patterns)
	for _, p := range meant {
		one.properties = append(one.properties, p.ID)
	}
	return []suspect{one}, err
}

// ofRun takes from the report of a run the target, and the shortest plan for each
// property that was violated.
func (s *shrinking) ofRun(folder string, selected []models.Property) ([]suspect, error) {
	r, err := readReport(folder)
	if err != nil {
		return nil, err
	}
	if err := s.sameTarget(folder, r.Target); err != nil {
		return nil, err
	}
	var all []suspect
	for _, p := range selected {
		examples := r.Examples(p.ID)
		if len(examples) == 0 {
			continue
		}
		file := inFolderOf(folder, examples[0].Plan)
		plan, err := readPlan(s.cmd, file)
		if err != nil {
			return nil, err
		}
		all = append(all, suspect{plan: plan, file: file, to: folder + string(filepath.Separator), properties: []string{p.ID}})
	}
	if len(all) == 0 {
		return nil, usage("%s: no plan of this run violates what was asked for; expected the folder of a run that failed", folder)
	}
	return all, nil
}

// sameTarget takes the target of the run, unless another was asked for. A command that
// stands in a file is not carried out: who wants it says so.
func (s *shrinking) sameTarget(folder string, of report.Target) error {
	switch {
	case s.cmd.Flags().Changed("target"):
	case of.Command != nil:
		return usage("%s: this run started its server; expected the same again: checker shrink %s%s", folder, quoted(folder), targetWords(of.URL, of.Command))
	default:
		s.target = of.URL
	}
	return nil
}

// inFolderOf finds a file of a run whose folder was moved.
func inFolderOf(folder, file string) string {
	if beside := filepath.Join(folder, filepath.Base(file)); file != "" {
		return beside
	}
	return file
}

// shrunkFile is where a reduced plan is written.
func (s *shrinking) shrunkFile(one suspect, property string) string {
	return one.to + session.ShrunkName(property) + ".plan"
}

// all reduces the plans on the target.
func (s *shrinking) all(suspects []suspect, selected []models.Property) error {
	known, err := s.waivers()
	if err != nil {
		return err
	}
	ctx := s.cmd.Context()
	opened, err := held.open(ctx, s.open)
	if err != nil {
		return err
	}
	target := opened
	if s.profile != "" {
		target = session.Profiled(target, s.profile)
	}
	trier := session.NewTrier(target, selected, known)
	trier.Reopen = s.reopen().Profiled(s.profile)
	err = s.on(ctx, trier, suspects)
	trier.Close(ctx)
	if _, unopened := trier.Fresh(); unopened != nil {
		fmt.Fprintf(s.cmd.ErrOrStderr(), "not all was measured on a server that had run nothing else: %s\n", report.Printable(unopened.Error()))
	}
	if closed := held.close(ctx, opened); err == nil {
		err = closed
	}
	return s.finish(suspects, errors.Join(err))
}

func (s *shrinking) on(ctx context.Context, trier *session.Trier, suspects []suspect) error {
	var smaller []plans.Plan
	for _, one := range suspects {
		if len(one.properties) == 0 {
			var err error
			if one.properties, err = s.firstBroken(ctx, trier, one.plan); err != nil {
				return err
			}
		}
		for _, property := range one.properties {
			if ctx.Err() != nil {
				return nil
			}
			result, err := reducer.Plan(ctx, one.plan, property, trier.Try, s.options(trier, one, property, smaller))
			if err != nil {
				return err
			}
			if result.Outcome.History == nil {
				s.vain += result.Executions
				continue
			}
			smaller = append(smaller, result.Plan)
			s.done = append(s.done, s.reduced(one, result))
			if err := files.Replace(s.shrunkFile(one, property), plans.Format(result.Plan)); err != nil {
				return err
			}
		}
	}
	return nil
}

// firstRuns is how often a plan is run to see what it breaks.
const firstRuns = 40

// firstBroken runs a plan until it breaks something, and returns what.
func (s *shrinking) firstBroken(ctx context.Context, trier *session.Trier, plan plans.Plan) ([]string, error) {
	for n := 0; n < firstRuns && ctx.Err() == nil; n++ {
		outcome, err := trier.Try(ctx, reducer.Trial{Plan: plan, Patient: n > firstRuns/2})
		s.vain++
		if err != nil || len(outcome.Findings) > 0 {
			return session.Broken(outcome), err
		}
	}
	return nil, nil
}

func (s *shrinking) options(trier *session.Trier, one suspect, property string, smaller []plans.Plan) reducer.Options {
	show := func(reducer.Result) {}
	if !s.quiet {
		show = printShrinking(s.cmd.ErrOrStderr())
	}
	fresh, _ := trier.Fresh()
	return reducer.Options{
		Fresh:  fresh,
		Budget: s.budget, Attempts: s.attempts, Measure: s.times, Hints: slices.Clone(smaller),
		Improved: func(best reducer.Result) error {
			show(best)
			return files.Replace(s.shrunkFile(one, property), plans.Format(best.Plan))
		},
	}
}

// reduced words what became of a plan.
func (s *shrinking) reduced(one suspect, r reducer.Result) reduced {
	return reduced{
		Property: r.Property, Plan: s.shrunkFile(one, r.Property), PlanText: plans.Format(r.Plan),
		Operations: r.Operations, From: r.From, Reproduced: r.Reproduced(),
		Original:   fmt.Sprintf("%d/%d", r.OriginalFailed, r.OriginalRuns),
		Used:       r.Used(),
		Executions: r.Executions, Ending: string(r.Ending),
	}
}

// words say how far a plan was reduced.
func (r reduced) words() string {
	from, runs := report.Plural(r.From, "operation"), report.Plural(r.Executions, "run")
	if r.Operations == r.From {
		return fmt.Sprintf("%s, none left out in %s; %s", from, runs, r.Ending)
	}
	return fmt.Sprintf("%s reduced to %d in %s; %s", from, r.Operations, runs, r.Ending)
}

// rate words how often the plan failed.
func (r reduced) rate() string {
	if r.Used == "" {
		return r.Reproduced
	}
	return fmt.Sprintf("%s on a fresh server; %s on one that had run other plans", r.Reproduced, r.Used)
}

// finish prints what came out, and says how to go on after an interruption.
func (s *shrinking) finish(suspects []suspect, err error) error {
	if printed := s.printReduced(suspects); err == nil {
		err = printed
	}
	switch {
	case err != nil:
		return err
	case s.cmd.Context().Err() != nil, len(s.done) == 0:
		return exitCode(report.ExitInconclusive)
	default:
		return nil
	}
}

func (s *shrinking) printReduced(suspects []suspect) error {
	out := s.cmd.OutOrStdout()
	if s.json {
		return printJSON(out, map[string]any{"reductions": append([]reduced{}, s.done...)})
	}
	for _, one := range s.done {
		fmt.Fprintf(out, "%s: %s\n", one.Property, one.words())
		if one.Reproduced != "" {
			fmt.Fprintf(out, "reproduced: %s (before: %s)\n", one.rate(), one.Original)
		}
		fmt.Fprintf(out, "\n%s\n", one.PlanText)
		fmt.Fprintf(out, "plan:  %s\n", report.Printable(one.Plan))
		fmt.Fprintf(out, "go on: %s\n\n", commands(targets.WithoutCredentials(s.target), s.command)(one.Plan, "")[0])
	}
	switch {
	case s.cmd.Context().Err() != nil:
		fmt.Fprintf(out, "interrupted; go on with: %s\n", s.again(suspects))
	case len(s.done) == 0 && s.vain == 0:
		fmt.Fprintf(out, "never run: --attempts %d and --budget %s leave no run for it\n", s.attempts, s.budget)
	case len(s.done) == 0:
		fmt.Fprintf(out, "never failed: %s broke %s\n", report.Plural(s.vain, "run"), s.nothing(suspects))
	}
	return nil
}

// again is the command that goes on where an interrupted one stopped.
func (s *shrinking) again(suspects []suspect) string {
	file, property := suspects[0].file, ""
	if len(s.done) > 0 {
		last := s.done[len(s.done)-1]
		file, property = last.Plan, " --property "+last.Property
	}
	return "checker shrink " + quoted(file) + property + targetWords(targets.WithoutCredentials(s.target), s.command)
}

// nothing names what was looked for and not found.
func (s *shrinking) nothing(suspects []suspect) string {
	looked := "nothing"
	if all := append(suspects[0].properties, s.patterns...); len(all) > 0 {
		looked = "none of " + strings.Join(all, ", ")
	}
	if s.known != "" {
		looked += ", but for what " + report.Printable(s.known) + " may cover"
	}
	return looked
}
