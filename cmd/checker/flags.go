package main

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/internal/waivers"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets/spawned"
)

// Flags that several commands share mean the same everywhere. Each method of
// flags adds some of them to a command.
type flags struct {
	target   string
	also     string
	command  []string // starts the server of the target; nil: nobody has to
	starting time.Duration
	seed     uint64
	plans    int
	duration time.Duration
	clients  int
	steps    int
	patterns []string
	profile  string
	strict   bool
	failFast bool
	noShrink bool
	known    string
	out      string
	keep     bool
	json     bool
	junit    string
	html     string
	summary  string
	quiet    bool
	verbose  bool
	// onePlan is no flag: what the command reports on is one plan.
	onePlan bool
}

const stepsPerClient = 15

// More than this makes plans that no memory holds and no judge decides.
const (
	maxClients = 1000
	maxSteps   = 1_000_000
)

const defaultTarget = "embedded://"

func (f *flags) targetFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.target, "target", defaultTarget, "URL of the store: "+targetForms)
	cmd.Flags().StringVar(&f.also, "also", "", "with kube://: the etcd://HOST:PORT that the API servers keep their objects in, watched beside the run")
	cmd.Flags().DurationVar(&f.starting, "start-timeout", spawned.DefaultStartTimeout, "how long a server that the run starts may take to answer")
}

func (f *flags) budget(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&f.seed, "seed", 0, "draw the plans from this seed (default: a new one, shown in the report)")
	cmd.Flags().IntVar(&f.plans, "plans", 200, "number of plans; with --duration alone there is no such limit")
	cmd.Flags().DurationVar(&f.duration, "duration", 0, "begin no plan after this time, such as 10m")
	cmd.Flags().IntVar(&f.clients, "clients", 4, "clients that work at the same time")
	cmd.Flags().IntVar(&f.steps, "steps", 0, "operations of a plan at most, of all clients together (default: 15 a client)")
}

func (f *flags) selection(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.patterns, "property", nil, "judge only these properties: an id, a group or a pattern such as 'watch/*'; repeatable")
	cmd.Flags().StringVar(&f.profile, "profile", "", "what the target promises, such as etcd-3.7 (default: by its version)")
}

func (f *flags) strictFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.strict, "strict", false, "exit 3 if a MUST that the target supports was not exercised")
}

func (f *flags) stopping(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.failFast, "fail-fast", false, "stop after the first plan that violates a property")
}

func (f *flags) shrinking(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.noShrink, "no-shrink", false, "do not reduce the plans that failed")
}

// shrinkingBudget is the time for each property that was violated.
const shrinkingBudget = 30 * time.Second

// shrinkingOptions says how a run reduces what failed.
func (f *flags) shrinkingOptions(cmd *cobra.Command) session.Shrinking {
	if f.noShrink {
		return session.Shrinking{}
	}
	s := session.Shrinking{Budget: shrinkingBudget, Reopen: f.reopen()}
	if !f.quiet {
		s.Observe = printShrinking(cmd.ErrOrStderr())
	}
	return s
}

func (f *flags) knownFailing(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.known, "known-failing", "", "a file of failures that are known; they are shown as waived and do not count")
}

// waivers reads the known-failing file, nil if there is none.
func (f *flags) waivers() (*waivers.File, error) {
	if f.known == "" {
		return nil, nil
	}
	file, err := waivers.Read(f.known)
	if err != nil {
		return nil, &usageError{err}
	}
	return file, nil
}

func (f *flags) folder(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.out, "out", "runs", "where the folder of the run is made")
	cmd.Flags().BoolVar(&f.keep, "keep", false, "keep the histories of all plans, not only of those that failed")
}

func (f *flags) output(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.json, "json", false, "print the report as JSON, and nothing else, to stdout")
	f.writers(cmd)
	f.noise(cmd)
}

// results is the output of commands that make no report of a run.
func (f *flags) results(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.json, "json", false, "print the results as JSON, and nothing else, to stdout")
	cmd.Flags().BoolVar(&f.quiet, "quiet", false, "no progress on stderr")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return noneEmpty(cmd) }
}

func (f *flags) noise(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.quiet, "quiet", false, "no progress on stderr")
	cmd.Flags().BoolVar(&f.verbose, "verbose", false, "a line for each plan, and every violation")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if f.quiet && f.verbose {
			return usage("--quiet and --verbose; expected one of them")
		}
		if err := noneEmpty(cmd); err != nil {
			return err
		}
		return f.writable()
	}
}

// noneEmpty refuses flags with nothing for their value: somebody's variable was not
// set, and the default is not what was meant.
func noneEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		words, repeatable := flag.Value.(pflag.SliceValue)
		empty := flag.Value.String() == ""
		if repeatable {
			empty = len(words.GetSlice()) == 0 || slices.Contains(words.GetSlice(), "")
		}
		if empty && err == nil {
			err = usage(`--%s "": expected a value; without the flag: %s`, flag.Name, orDefault(flag))
		}
	})
	return err
}

func orDefault(flag *pflag.Flag) string {
	switch flag.Name {
	case "property":
		return "all properties"
	case "known-failing":
		return "no failure is known"
	case "profile":
		return "that of the target"
	case "junit", "summary", "html":
		return "no such file is written"
	default:
		return flag.DefValue
	}
}

// properties resolves --property.
func (f *flags) properties() ([]models.Property, error) { return session.Select(f.patterns) }

// complete checks numbers against each other and fills in what was left out.
func (f *flags) complete(cmd *cobra.Command) error {
	set := cmd.Flags().Changed
	switch {
	case f.plans < 0 || f.plans == 0 && f.duration == 0:
		return usage("--plans %d; expected a positive number, or 0 together with --duration", f.plans)
	case f.duration < 0:
		return usage("--duration %s; expected a positive duration such as 10m", f.duration)
	case f.clients < 1:
		return usage("--clients %d; expected at least 1", f.clients)
	case f.clients > maxClients:
		return usage("--clients %d; expected at most %d", f.clients, maxClients)
	case f.steps < 0 || f.steps == 0 && set("steps"):
		return usage("--steps %d; expected at least 1", f.steps)
	case f.steps > maxSteps:
		return usage("--steps %d; expected at most %d", f.steps, maxSteps)
	}
	if f.steps == 0 {
		f.steps = stepsPerClient * f.clients
	}
	if f.duration > 0 && !set("plans") {
		f.plans = 0
	}
	if !set("seed") {
		f.seed = uint64(rand.Uint32())
	}
	return checkProfile(f.profile)
}

// expanded are the options as the report and the histories show them.
func (f *flags) expanded() map[string]string {
	return map[string]string{
		"plans":    strconv.Itoa(f.plans),
		"duration": f.duration.String(),
		"clients":  strconv.Itoa(f.clients),
		"steps":    strconv.Itoa(f.steps),
	}
}

// print writes a report the way the flags ask for.
func (f *flags) print(cmd *cobra.Command, r *report.Report) error {
	if f.json {
		return r.WriteJSON(cmd.OutOrStdout())
	}
	return r.WriteText(cmd.OutOrStdout(), report.TextOptions{
		Color: isTerminal(cmd.OutOrStdout()) && !noColor(), Verbose: f.verbose,
		OnePlan: f.onePlan, DefaultTarget: f.onePlan && cmd.Flags().Lookup("target") != nil && !cmd.Flags().Changed("target"),
	})
}

func isTerminal(w any) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// noColor follows the convention of no-color.org.
func noColor() bool { return os.Getenv("NO_COLOR") != "" }
