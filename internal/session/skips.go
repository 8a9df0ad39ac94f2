package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/report"
)

// skips are the operations that the plans of a run skipped, each with its reason.
type skips struct {
	// order has them as they came first, times counts the plans.
	order []string
	times map[string]int
}

// maxSkips bounds what is remembered of a run of many plans; what is shown are
// those of a single plan.
const maxSkips = 1000

func (s *skips) add(text string) {
	if s.times[text] == 0 {
		if len(s.order) == maxSkips {
			return
		}
		s.order = append(s.order, text)
	}
	s.times[text]++
}

// words are the skipped operations of one plan that was run so many times.
func (s *skips) words(runs int) []string {
	var words []string
	for _, text := range s.order {
		if n := s.times[text]; n < runs {
			text += fmt.Sprintf(" (in %d of %s)", n, report.Plural(runs, "run"))
		}
		words = append(words, text)
	}
	return words
}

// Skipped words the operations that a history says were skipped: the line of the
// plan, what stands there, and why it was not called.
func Skipped(h *histories.History) []string {
	lines := strings.Split(h.Plan, "\n")
	var all []string
	notes := slices.Clone(h.Notes)
	slices.SortStableFunc(notes, func(a, b histories.Note) int { return a.Line - b.Line })
	for _, note := range notes {
		if note.Kind != "skipped" {
			continue
		}
		what := note.Label
		if note.Line > 0 && note.Line <= len(lines) {
			what = strings.Join(strings.Fields(lines[note.Line-1]), " ")
		}
		all = append(all, fmt.Sprintf("line %d: %s: %s", note.Line, what, note.Text))
	}
	return all
}

// skipped counts what a history skipped.
func (t *Tally) skipped(j *Judged) {
	texts := Skipped(j.History)
	t.report.Skipped += len(texts)
	if j.Plan == 0 {
		return
	}
	for _, text := range texts {
		t.skips.add(text)
	}
}

// meets notes which properties a plan of the run exercised or violated.
func (t *Tally) meets(j *Judged) {
	if j.Plan == 0 {
		return
	}
	for id, n := range j.Judgement.Exercised {
		t.met[id] = t.met[id] || n > 0
	}
	for i := range j.Judgement.Findings {
		t.met[j.Judgement.Findings[i].Property] = true
	}
}

// SinglePlan makes a report say what was skipped of the one plan that was run,
// however often.
func (t *Tally) SinglePlan(r *report.Report) { r.Skips = t.skips.words(r.Plans) }

// unmet are those of the expected properties, ids or patterns, that are among the
// tally's and that no plan exercised or violated.
func (t *Tally) unmet(expected []string) []string {
	var unmet []string
	for _, pattern := range expected {
		asked, met := false, false
		for _, p := range t.properties {
			if matches(pattern, p) {
				asked, met = true, met || t.met[p.ID]
			}
		}
		if asked && !met && !slices.Contains(unmet, pattern) {
			unmet = append(unmet, pattern)
		}
	}
	return unmet
}
