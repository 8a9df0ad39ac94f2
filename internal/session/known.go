package session

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/waivers"
	"github.com/rvcheck/rvcheck/models"
)

// claim is a line of a known-failing file and what is known of it so far.
type claim struct {
	waivers.Waiver
	// properties are those that the pattern names, of the whole catalogue.
	properties map[string]bool
	expired    bool
	// failed counts the findings that the line covers.
	failed int
	// replays counts how often its plan was run, shown whether it failed then.
	replays int
	shown   bool
}

// claims are the lines of a known-failing file.
type claims struct {
	file string
	all  []*claim
}

// Waive makes the tally treat findings that a line of the file covers as known.
// A line that has expired by now covers nothing.
func (t *Tally) Waive(file *waivers.File, now time.Time) {
	t.known.file = file.Name
	for _, w := range file.Waivers {
		c := &claim{Waiver: w, properties: make(map[string]bool), expired: w.Expired(now)}
		named, err := Select([]string{w.Pattern})
		var nothing *PatternError
		if err != nil && !errors.As(err, &nothing) {
			panic(fmt.Sprintf("fault in session: selecting %q: %v", w.Pattern, err))
		}
		for _, p := range named {
			c.properties[p.ID] = true
		}
		t.known.all = append(t.known.all, c)
	}
}

// CutShort tells the tally that the run did not do all it was asked for: what did
// not fail may yet have failed.
func (t *Tally) CutShort() { t.cutShort = true }

// Knows reports whether a line of the known-failing file covers a finding.
func (t *Tally) Knows(h *histories.History, f models.Finding) bool {
	return t.known.first(h, &f) != nil
}

// covers reports whether the line speaks of the finding and still holds.
func (c *claim) covers(h *histories.History, f *models.Finding) bool {
	return !c.expired && c.properties[f.Property] && c.Covers(h, f)
}

// first is the first line that covers a finding, nil if none does.
func (k *claims) first(h *histories.History, f *models.Finding) *claim {
	for _, c := range k.all {
		if c.covers(h, f) {
			return c
		}
	}
	return nil
}

// credit counts a finding for every line that covers it: each of them is right.
func (k *claims) credit(h *histories.History, f *models.Finding) {
	for _, c := range k.all {
		if c.covers(h, f) {
			c.failed++
		}
	}
}

// group is what findings are put together by: a property, and the line that
// waives them, zero for none.
type group struct {
	property string
	line     int
}

func (g group) compare(other group) int {
	return cmp.Or(cmp.Compare(g.property, other.property), cmp.Compare(g.line, other.line))
}

// grouped puts findings of one history together.
func (k *claims) grouped(h *histories.History, findings []models.Finding) map[group][]models.Finding {
	groups := make(map[group][]models.Finding)
	for i := range findings {
		g := group{property: findings[i].Property}
		if c := k.first(h, &findings[i]); c != nil {
			g.line = c.Line
		}
		groups[g] = append(groups[g], findings[i])
	}
	return groups
}

// reasons words why the findings of some lines are known, for the table.
func (k *claims) reasons(lines []int) string {
	var words []string
	for _, c := range k.all {
		if slices.Contains(lines, c.Line) {
			words = append(words, fmt.Sprintf("line %d: %s", c.Line, c.Reason))
		}
	}
	return strings.Join(words, "; ")
}

// waivers says what became of each line.
func (t *Tally) waivers() []report.Waiver {
	var all []report.Waiver
	for _, c := range t.known.all {
		w := report.Waiver{
			Line: c.Line, Property: c.Pattern, Mode: string(c.Mode), Reason: c.Reason, Link: c.Link, Plan: c.PlanFile,
			Failures: c.failed, Replays: c.replays,
		}
		if !c.Until.IsZero() {
			w.Until = c.Until.Format(time.DateOnly)
		}
		var wrong string
		if w.Status, wrong = t.standing(c); wrong != "" {
			w.Advice = fmt.Sprintf("%s:%d: %s: %s", t.known.file, c.Line, c.Pattern, wrong)
		}
		all = append(all, w)
	}
	return all
}

// standing is the status of a line and, if it has to go, why.
func (t *Tally) standing(c *claim) (status report.WaiverStatus, wrong string) {
	switch {
	case len(c.properties) == 0:
		return report.WaiverUnmatched, "names no property; remove this line"
	case c.expired:
		return report.WaiverExpired, fmt.Sprintf("expired after %s; remove this line, or look at it again", c.Until.Format(time.DateOnly))
	case c.Mode == waivers.Fails && c.replays > 0 && !c.shown && c.failed > 0:
		return report.WaiverPassed, fmt.Sprintf("its plan passed %s, though the run failed so; remove this line, or say flaky", report.Plural(c.replays, "time"))
	case c.Mode == waivers.Fails && c.replays > 0 && !c.shown:
		return report.WaiverPassed, fmt.Sprintf("no longer fails: its plan passed %s; remove this line", report.Plural(c.replays, "time"))
	case c.failed > 0 && c.Mode == waivers.Flaky:
		return report.WaiverFlaked, ""
	case c.failed > 0:
		return report.WaiverFailed, ""
	case !t.tested(c):
		return report.WaiverUntested, ""
	case c.Mode == waivers.Fails:
		return report.WaiverPassed, "did not fail; remove this line, say flaky, or give it a plan that fails"
	default:
		return report.WaiverPassed, ""
	}
}

// tested reports whether a line without a finding was put to the test. What must
// fail has to fail in every whole run, or in the replays of its plan.
func (t *Tally) tested(c *claim) bool {
	if c.Mode == waivers.Fails {
		return c.Plan == nil && !t.cutShort && len(t.report.Errors) == 0 && t.testable(c)
	}
	return t.any(c, func(p models.Property) bool { return t.records[p.ID].exercised > 0 })
}

// testable reports whether what a line claims could show here: one of its
// properties is asked for, and the target offers what it needs.
func (t *Tally) testable(c *claim) bool {
	return t.any(c, func(p models.Property) bool { return t.missing(p) == "" && t.applies(p) })
}

func (t *Tally) any(c *claim, holds func(models.Property) bool) bool {
	for _, p := range t.properties {
		if c.properties[p.ID] && holds(p) {
			return true
		}
	}
	return false
}
