package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/spawned"
)

// exitCode ends the command without a message: the verdict was already printed.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// verdictOf turns a report into the result of a command.
func verdictOf(r *report.Report) error {
	if code := r.ExitCode(); code != report.ExitConformant {
		return exitCode(code)
	}
	return nil
}

// usageError is a command line or a file that makes no sense.
type usageError struct{ err error }

func (u *usageError) Error() string { return u.err.Error() }
func (u *usageError) Unwrap() error { return u.err }

func usage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// messages are the lines that say what went wrong: one, but for a server that did not
// start the end of its log.
func messages(err error) []string {
	var failed *spawned.Failure
	if errors.As(err, &failed) {
		return failure(failed)
	}
	return []string{err.Error()}
}

// failure says what became of a server, and what it said last.
func failure(f *spawned.Failure) []string {
	lines := []string{f.Error()}
	for _, line := range f.Log {
		lines = append(lines, "| "+line)
	}
	return lines
}

// classify gives the exit code of an error: what the user can mend is 2, an interruption
// before anything ran is 3, all else is 4.
func classify(err error) int {
	var (
		own     *usageError
		target  *targets.UsageError
		pattern *session.PatternError
	)
	if errors.As(err, &own) || errors.As(err, &target) || errors.As(err, &pattern) {
		return report.ExitUsage
	}
	var stopped *interruptedError
	if errors.As(err, &stopped) {
		return report.ExitInconclusive
	}
	return report.ExitError
}

func flagError(cmd *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return usage("--%s %.60q; expected %s", bad.GetFlag().Name, bad.GetValue(), expectedValue(bad.GetFlag()))
	}
	return usage("%w; expected the flags of %q", err, cmd.CommandPath()+" --help")
}

// expectedValue says what a flag takes.
func expectedValue(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "uint64":
		return "a number from 0 to 18446744073709551615"
	case "int":
		return "a whole number"
	case "duration":
		return "a duration such as 10m"
	case "bool":
		return "true or false"
	default:
		return "values separated by commas"
	}
}

// unknownCommand refuses what is left when no subcommand matched.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden && sub.Name() != "completion" {
			names = append(names, sub.Name())
		}
	}
	slices.Sort(names)
	return usage("unknown command %q; expected one of %s", args[0], strings.Join(names, ", "))
}

// takes is the check of a command's arguments: between low and high of them,
// high < 0 for any number.
func takes(low, high int, expected string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < low || high >= 0 && len(args) > high {
			return usage("%s: %s; expected %s", cmd.CommandPath(), got(args), expected)
		}
		return nil
	}
}

func got(args []string) string {
	if len(args) == 0 {
		return "no arguments"
	}
	return fmt.Sprintf("arguments %q", args)
}
