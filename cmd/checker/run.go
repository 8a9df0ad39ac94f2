package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/targets"
)

func newRun() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "run [-- COMMAND...]",
		Short: "Draw plans, run them against a store, judge what came back",
		Long:  "Draw plans, run them against a store, judge what came back.\n\n" + aboutCommand,
		Args:  f.takes(0, 0, "flags only; the store is named by --target, a command to start it follows --"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return run(cmd, f) },
	}
	f.targetFlag(cmd)
	f.budget(cmd)
	f.selection(cmd)
	f.strictFlag(cmd)
	f.stopping(cmd)
	f.knownFailing(cmd)
	f.shrinking(cmd)
	f.folder(cmd)
	f.output(cmd)
	return cmd
}

func run(cmd *cobra.Command, f *flags) error {
	if err := f.complete(cmd); err != nil {
		return err
	}
	options, err := f.session()
	if err != nil {
		return err
	}
	return against(cmd, f, func(target targets.Target) session.Options {
		options.Source = session.Drawn(f.seed, session.Mix{Clients: f.clients, Steps: f.steps}, target.Describe())
		options.Shrinking = f.shrinkingOptions(cmd)
		return options
	})
}

// session makes the options that all sessions share.
func (f *flags) session() (session.Options, error) {
	properties, err := f.properties()
	if err != nil {
		return session.Options{}, err
	}
	known, err := f.waivers()
	return session.Options{
		Known: known,
		Seed:  f.seed, Plans: f.plans, Duration: f.duration, Properties: properties,
		Strict: f.strict, FailFast: f.failFast, Profile: f.profile,
		Out: f.out, Keep: f.keep, Expanded: f.expanded(),
	}, err
}

// against opens the target, runs a session on it, closes it and prints the report.
func against(cmd *cobra.Command, f *flags, prepare func(targets.Target) session.Options) error {
	target, err := held.open(cmd.Context(), f.open)
	if err != nil {
		return err
	}
	options := prepare(target)
	about := target.Describe()
	options.Commands = commands(about.URL, about.Command)
	shown := newProgress(cmd, f, options.Plans)
	options.Observe = shown.observe
	r, err := session.Run(cmd.Context(), target, options)
	shown.done()
	if closed := held.close(cmd.Context(), target); closed != nil && r != nil {
		r.Errors = append(r.Errors, "closing the target: "+closed.Error())
		r.Verdict = r.Decide()
	}
	if r == nil {
		return usage("--out: %w; expected a folder that can be written", err)
	}
	if r.Plans == 0 && r.Verdict == report.Error && !f.json {
		return errors.Join(errors.New(r.Errors[0]), f.writeFiles(context.WithoutCancel(cmd.Context()), r)) // nothing to print but that
	}
	return errors.Join(f.finish(cmd, r), err)
}

// finish prints the report, writes the files that were asked for, and turns the
// verdict into the result of the command.
func (f *flags) finish(cmd *cobra.Command, r *report.Report) error {
	err := errors.Join(f.print(cmd, r), f.writeFiles(context.WithoutCancel(cmd.Context()), r))
	if err != nil && r.Verdict == report.Violated { // a proven violation stands
		fmt.Fprintf(cmd.ErrOrStderr(), "checker: %s\n", report.Printable(err.Error()))
		err = nil
	}
	if err != nil {
		return err
	}
	return verdictOf(r)
}

// closing is how long a target may take to remove what the run left: a cluster takes
// its time for namespaces.
const closing = time.Minute

// closeTarget closes the target even if the run was interrupted.
func closeTarget(ctx context.Context, target targets.Target) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	return target.Close(ctx)
}
