package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/judging"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
)

func newCheck() *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Judge recorded histories; a folder stands for all histories in it",
		Args:  takes(1, -1, "history files, or the folder of a run"),
		RunE:  func(cmd *cobra.Command, args []string) error { return check(cmd, f, args) },
	}
	f.selection(cmd)
	f.strictFlag(cmd)
	f.stopping(cmd)
	f.knownFailing(cmd)
	f.output(cmd)
	return cmd
}

func check(cmd *cobra.Command, f *flags, args []string) error {
	properties, err := f.properties()
	if err != nil {
		return err
	}
	if err := checkProfile(f.profile); err != nil {
		return err
	}
	files, err := historyFiles(args)
	if err != nil {
		return err
	}
	known, err := f.waivers()
	if err != nil {
		return err
	}
	f.onePlan = len(files) == 1
	start := time.Now()
	c := &checking{flags: f, cmd: cmd, tally: session.NewTally(properties)}
	if known != nil {
		c.tally.Waive(known, start)
	}
	if err := c.files(files); err != nil {
		return err
	}
	r := c.tally.Report()
	r.Strict, r.Seconds = f.strict, time.Since(start).Seconds()
	if f.onePlan {
		c.tally.SinglePlan(r)
	}
	if r.Interrupted = c.interrupted; r.Interrupted {
		r.Completed, r.Planned = r.Plans, len(files)
	}
	r.Verdict = r.Decide()
	return f.finish(cmd, r)
}

// checking is a check under way.
type checking struct {
	*flags
	cmd   *cobra.Command
	tally *session.Tally
	// interrupted: not all histories were judged.
	interrupted bool
}

// files judges histories, until there is a reason to stop.
func (c *checking) files(files []string) error {
	for i, file := range files {
		if c.cmd.Context().Err() != nil {
			c.tally.CutShort()
			c.interrupted = true
			return nil
		}
		violated, err := c.file(i+1, file)
		if err != nil {
			return err
		}
		if violated && c.failFast {
			c.tally.CutShort()
			return nil
		}
	}
	return nil
}

// file judges one history and reports whether it was violated.
func (c *checking) file(n int, file string) (bool, error) {
	h, err := readHistory(file)
	if err != nil {
		return false, err
	}
	if c.profile != "" {
		h.Header.Profile = c.profile
	}
	if err := knownProfile(h.Header.Profile, file+":1: profile"); err != nil {
		return false, err
	}
	if h.Truncated {
		c.tally.Note("%s %s; what is there was judged", file, truncation(file))
	}
	judgement, fault := judging.Judge(c.cmd.Context(), h, judging.Options{
		Known: func(f models.Finding) bool { return c.tally.Knows(h, f) },
	})
	if fault != nil {
		c.tally.Fail(fmt.Errorf("%s: %w", file, fault))
	}
	judged := session.Judged{
		History: h, Judgement: judgement, Plan: n, Number: h.Header.Plan,
		PlanFile: planBeside(file), HistoryFile: file, Operations: planned(h, file),
	}
	judged.Commands = commands(h.Header.Target, h.Header.Command)(cmp.Or(judged.PlanFile, file), file)[:2]
	if name := filepath.Base(file); !c.onePlan && session.IsShrunk(name) {
		judged.Plan, judged.Name = 0, name // a run has counted the plan that it was made of
	}
	violated := c.tally.Add(judged)
	if c.verbose {
		fmt.Fprintf(c.cmd.ErrOrStderr(), "%s: %s, %s\n", report.Printable(file),
			report.Plural(len(h.Operations), "operation"), report.Plural(len(judgement.Findings), "finding"))
		if !c.onePlan {
			printSkipped(c.cmd.ErrOrStderr(), session.Skipped(h))
		}
	}
	return violated, nil
}

// planBeside is the plan of a history that stands in a file beside it, empty if there is
// none.
func planBeside(history string) string {
	file := strings.TrimSuffix(strings.TrimSuffix(history, ".zst"), ".history.jsonl") + ".plan"
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return file
}

// truncation words how a history's file came to end in the middle. A run compresses
// whole histories only.
func truncation(file string) string {
	if strings.HasSuffix(file, ".zst") {
		return "was cut"
	}
	return "ends in the middle of a record, as a killed run leaves it"
}

// planned counts the operations of the history's plan; a history without one is
// counted by its calls.
func planned(h *histories.History, file string) int {
	plan, err := plans.Parse(h.Plan, file)
	if err != nil {
		return len(h.Operations)
	}
	return plan.Operations()
}
