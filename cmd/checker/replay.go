package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/internal/reducer"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

func newReplay() *cobra.Command {
	f := &flags{}
	schedule := ""
	cmd := &cobra.Command{
		Use:   "replay PLAN [-- COMMAND...]",
		Short: "Run one plan again and say how often it violates a property",
		Long: "Run one plan again and say how often it violates a property. PLAN is a file of\n" +
			"plan text, - for standard input, or a history, which holds the plan that made it.\n" +
			"With --schedule recorded the order in which a history has the calls becomes barriers:\n" +
			"PLAN is then the history, or a plan with its history beside it.\n\n" + aboutCommand,
		Args: f.takes(1, 1, "one plan, such as runs/latest/0001.plan"),
		RunE: func(cmd *cobra.Command, args []string) error { return replay(cmd, f, args[0], schedule) },
	}
	f.targetFlag(cmd)
	cmd.Flags().IntVar(&f.plans, "times", 1, "how often to run it")
	cmd.Flags().StringVar(&schedule, "schedule", "plan", "the order of the calls: that of the plan, or recorded, as they happened before")
	f.selection(cmd)
	f.stopping(cmd)
	f.knownFailing(cmd)
	f.folder(cmd)
	f.output(cmd)
	return cmd
}

func replay(cmd *cobra.Command, f *flags, file, schedule string) error {
	if f.plans < 1 {
		return usage("--times %d; expected at least 1", f.plans)
	}
	if err := checkProfile(f.profile); err != nil {
		return err
	}
	plan, err := scheduledPlan(cmd, file, schedule)
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
	options.Expanded = map[string]string{"replay": file, "times": fmt.Sprint(f.plans), "schedule": schedule}
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

// scheduledPlan reads a plan in the order that --schedule asks for.
func scheduledPlan(cmd *cobra.Command, file, schedule string) (plans.Plan, error) {
	switch schedule {
	case "plan":
		return readPlan(cmd, file)
	case "recorded":
		return recordedPlan(cmd, file)
	default:
		return plans.Plan{}, usage("--schedule %q; expected plan or recorded", schedule)
	}
}

// recordedPlan makes barriers of the order in which a history has the calls of a plan.
func recordedPlan(cmd *cobra.Command, file string) (plans.Plan, error) {
	source, err := historyOf(file)
	if err != nil {
		return plans.Plan{}, err
	}
	h, err := readHistory(source)
	if err != nil {
		return plans.Plan{}, err
	}
	plan, err := plans.Parse(h.Plan, source+" (its plan)")
	if err != nil {
		return plans.Plan{}, &usageError{err}
	}
	if source != file {
		asked, err := readPlan(cmd, file)
		if err != nil {
			return plans.Plan{}, err
		}
		if plans.Format(asked) != plans.Format(plan) {
			return plans.Plan{}, usage("--schedule recorded: %s is a history of another plan; expected one of %s", source, file)
		}
	}
	return reducer.Recorded(plan, h), nil
}

// historyOf is a history itself, or the one that a run has left beside a plan.
func historyOf(file string) (string, error) {
	if isHistory(file) {
		return file, nil
	}
	for _, end := range []string{".history.jsonl.zst", ".history.jsonl"} {
		beside := strings.TrimSuffix(file, ".plan") + end
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	return "", usage("--schedule recorded: no history beside %s; expected a history, or a plan in the folder of a run", file)
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
