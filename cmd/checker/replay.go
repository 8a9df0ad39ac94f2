package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

func newReplay() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "replay PLAN [-- COMMAND...]",
		Short: "Run one plan again and say how often it violates a property",
		Long: "Run one plan again and say how often it violates a property. PLAN is a file of\n" +
			"plan text, - for standard input, or a history, which holds the plan that made it.\n\n" + aboutCommand,
		Args: f.takes(1, 1, "one plan, such as runs/latest/0001.plan"),
		RunE: func(cmd *cobra.Command, args []string) error { return replay(cmd, f, args[0]) },
	}
	f.targetFlag(cmd)
	cmd.Flags().IntVar(&f.plans, "times", 1, "how often to run it")
	f.selection(cmd)
	f.stopping(cmd)
	f.knownFailing(cmd)
	f.folder(cmd)
	f.output(cmd)
	return cmd
}

func replay(cmd *cobra.Command, f *flags, file string) error {
	if f.plans < 1 {
		return usage("--times %d; expected at least 1", f.plans)
	}
	if err := checkProfile(f.profile); err != nil {
		return err
	}
	plan, err := readPlan(cmd, file)
	if err != nil {
		return err
	}
	f.seed, f.onePlan = plan.Seed, true
	options, err := f.session()
	if err != nil {
		return err
	}
	if options.Expected, err = expected(plan, file); err != nil {
		return err
	}
	options.Repeats = true
	options.Source = func(int) plans.Plan { return plan }
	options.Expanded = map[string]string{"replay": file, "times": fmt.Sprint(f.plans)}
	return against(cmd, f, func(target targets.Target) session.Options {
		if !f.json && f.plans > 1 {
			f.quiet = true // the verdicts are the progress
			options.Verdicts = func(p session.Progress) { printRun(cmd, p, f.plans) }
		}
		return options
	})
}

// expected are the properties that a plan says it is meant to show. One that does
// not exist would never be missed.
func expected(plan plans.Plan, file string) ([]string, error) {
	patterns := plan.Expectations()
	if len(patterns) == 0 {
		return nil, nil
	}
	if _, err := session.Select(patterns); err != nil {
		return nil, usage("%s: expect: %w", file, err)
	}
	return patterns, nil
}

// printRun prints the verdict of one of several runs.
func printRun(cmd *cobra.Command, p session.Progress, times int) {
	fmt.Fprintf(cmd.OutOrStdout(), "run %d of %d: %s\n", p.Plan, times, p.Verdict())
}

func readPlan(cmd *cobra.Command, file string) (plans.Plan, error) {
	text, name, err := planText(cmd, file)
	if err != nil {
		return plans.Plan{}, err
	}
	plan, err := plans.Parse(text, name)
	if err != nil {
		return plans.Plan{}, &usageError{err}
	}
	return plan, nil
}

// planText reads a plan's text, from a file of its own or out of a history.
func planText(cmd *cobra.Command, file string) (text, name string, err error) {
	if isHistory(file) {
		h, err := readHistory(file)
		if err != nil {
			return "", "", err
		}
		return h.Plan, file + " (its plan)", nil
	}
	text, err = readText(file, cmd.InOrStdin(), "a plan, such as runs/latest/0001.plan")
	return text, file, err
}
