package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/internal/reducer"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
)

// progress shows on stderr how far a run is: a bar on a terminal, plain lines
// elsewhere.
type progress interface {
	observe(p session.Progress)
	done()
}

// newProgress chooses the form; plans is the number of plans, 0 if it is open.
func newProgress(cmd *cobra.Command, f *flags, plans int) progress {
	w := cmd.ErrOrStderr()
	switch {
	case f.quiet:
		return silence{}
	case f.verbose || !isTerminal(w):
		return &lines{w: w, plans: plans, verbose: f.verbose}
	default:
		return newBar(w, plans)
	}
}

type silence struct{}

func (silence) observe(session.Progress) {}
func (silence) done()                    {}

// lines prints a line for each plan that failed, and now and then where the run is.
type lines struct {
	w       io.Writer
	plans   int
	verbose bool
	last    time.Duration
}

// often is how much time lies between two plain lines.
const often = 10 * time.Second

func (l *lines) observe(p session.Progress) {
	switch {
	case len(p.Broken) > 0:
		fmt.Fprintf(l.w, "plan %d violates %s\n", p.Plan, strings.Join(p.Broken, ", "))
	case len(p.Known) > 0:
		fmt.Fprintf(l.w, "plan %d fails as known: %s\n", p.Plan, strings.Join(p.Known, ", "))
	case p.Undecided != "":
		fmt.Fprintf(l.w, "plan %d was not decided: %s\n", p.Plan, report.Printable(p.Undecided))
	case l.verbose:
		fmt.Fprintf(l.w, "plan %d passed: %s, %d ms\n", p.Plan, report.Plural(p.Operations, "operation"), p.Took.Milliseconds())
	}
	if l.verbose {
		printSkipped(l.w, p.Skipped)
	}
	if p.Elapsed-l.last >= often || p.Plan == l.plans {
		l.last = p.Elapsed
		fmt.Fprintf(l.w, "%s, %s violated, %.1f s\n", l.place(p.Plan), report.Plural(p.Violated, "property"), p.Elapsed.Seconds())
	}
}

// printShrinking prints each plan that has fewer operations than those before, at most
// one a second for each property.
func printShrinking(w io.Writer) func(reducer.Result) {
	var property string
	var last time.Time
	operations := 0
	return func(best reducer.Result) {
		if best.Property != property {
			property, operations, last = best.Property, best.From, time.Time{}
		}
		if best.Operations >= operations || time.Since(last) < time.Second {
			return
		}
		operations, last = best.Operations, time.Now()
		fmt.Fprintf(w, "shrinking %s: %s after %s\n", best.Property, report.Plural(best.Operations, "operation"),
			report.Plural(best.Executions, "run"))
	}
}

// printSkipped prints the operations that a plan skipped.
func printSkipped(w io.Writer, skipped []string) {
	for _, text := range skipped {
		fmt.Fprintf(w, "  skipped: %s\n", report.Printable(text))
	}
}

func (l *lines) place(plan int) string {
	if l.plans == 0 {
		return fmt.Sprintf("plan %d", plan)
	}
	return fmt.Sprintf("plan %d of %d", plan, l.plans)
}

func (l *lines) done() {}

// bar is a progress bar.
type bar struct{ bar *progressbar.ProgressBar }

func newBar(w io.Writer, plans int) *bar {
	total := plans
	if total == 0 {
		total = -1
	}
	return &bar{progressbar.NewOptions(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription("plans"),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionEnableColorCodes(!noColor()),
		progressbar.OptionThrottle(100*time.Millisecond),
	)}
}

func (b *bar) observe(p session.Progress) {
	if p.Violated > 0 {
		b.bar.Describe("plans, " + report.Plural(p.Violated, "property") + " violated")
	}
	_ = b.bar.Add(1) // a bar that cannot be drawn is no reason to stop
}

func (b *bar) done() { _ = b.bar.Finish() }
