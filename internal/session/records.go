package session

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/coverage"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets"
)

// Describe tells the tally what the target is before any history is there.
func (t *Tally) Describe(d targets.Description) {
	t.report.Target = report.Target{
		URL: d.URL, Command: d.Command, Layer: string(d.Layer), Server: d.Server, Profile: d.Profile, World: string(d.World),
	}
	t.layers[d.Layer] = true
	t.described = true
	t.unsupported = make(map[string]string, len(d.Unsupported))
	for feature, reason := range d.Unsupported {
		t.unsupported[string(feature)] = reason
	}
	t.report.Target.Without = ofTheStore(t.unsupported)
}

// meet takes from a header what the target is, unless Describe told. What one
// history's target could do is supported, even if another's could not.
func (t *Tally) meet(h *histories.Header) {
	t.layers[h.Layer] = true
	switch {
	case t.described:
	case t.unsupported == nil:
		t.first(h)
	default:
		t.seed(h)
		maps.DeleteFunc(t.unsupported, func(feature, _ string) bool {
			_, missing := h.Unsupported[feature]
			return !missing
		})
	}
}

// seed takes the run's seed from a header; histories of several runs have none in
// common. A history that no session recorded has the seed of its plan.
func (t *Tally) seed(h *histories.Header) {
	_, text, _ := strings.Cut(h.Run, "Z-")
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		seed = h.Seed
	}
	if t.unsupported != nil && t.report.Seed != seed {
		if t.report.Seed != 0 {
			t.Note("the histories are of several runs, each with its own seed")
		}
		seed = 0
	}
	t.report.Seed = seed
}

func (t *Tally) first(h *histories.Header) {
	t.seed(h)
	t.unsupported = map[string]string{}
	maps.Copy(t.unsupported, h.Unsupported)
	t.report.Target = report.Target{
		URL: h.Target, Command: h.Command, Layer: string(h.Layer), Server: h.Server, Profile: h.Profile, World: string(h.World),
		Without: ofTheStore(h.Unsupported),
	}
}

// ofTheStore are the features that a store lacks or is not held to. The others say
// how many endpoints there are, what layer it is, and what the run itself cannot do.
func ofTheStore(unsupported map[string]string) map[string]string {
	lacking := maps.Clone(unsupported)
	for _, feature := range []targets.Feature{targets.Faults, targets.KubeOptions, targets.ManyEndpoints} {
		delete(lacking, string(feature))
	}
	return lacking
}

// Report returns the report of everything that was added, with its verdict.
func (t *Tally) Report() *report.Report {
	r := t.report
	for _, p := range t.properties {
		if !t.applies(p) {
			continue
		}
		r.Properties = append(r.Properties, t.recordOf(p))
		r.Violations = append(r.Violations, t.records[p.ID].open.examples...)
		r.Violations = append(r.Violations, t.records[p.ID].waived.examples...)
	}
	r.KnownFailing, r.Waivers = t.known.file, t.waivers()
	r.Coverage = t.coverage()
	if text := t.trouble.words(r.Operations); text != "" {
		r.Notes = append(slices.Clip(r.Notes), text)
	}
	if text := t.trouble.nothingTook(); text != "" {
		r.Inconclusive = append(slices.Clip(r.Inconclusive), text)
	}
	r.Verdict = r.Decide()
	return &r
}

func (t *Tally) coverage() report.Coverage {
	layer := histories.EtcdLayer
	if t.layers[histories.KubeLayer] && !t.layers[histories.EtcdLayer] {
		layer = histories.KubeLayer
	}
	universe := coverage.Universe(layer, t.unsupported)
	covered, missing := t.shapes.Of(universe)
	return report.Coverage{Covered: covered, Of: len(universe), Missing: missing}
}

// applies reports whether the property holds on a layer that was met.
func (t *Tally) applies(p models.Property) bool {
	if len(t.layers) == 0 {
		return true
	}
	for _, layer := range p.Layers {
		if t.layers[layer] {
			return true
		}
	}
	return false
}

func (t *Tally) recordOf(p models.Property) report.Property {
	r := t.records[p.ID]
	record := report.Property{
		ID: p.ID, Strength: p.Strength, Exercised: r.exercised,
		Violations: r.open.violations + r.waived.violations, Waived: r.waived.violations,
		FailedPlans: r.open.plans, ExamplesCut: r.cut(),
	}
	record.Status, record.Reason = t.status(p, r)
	return record
}

// cut is how many violations are counted without being held as examples.
func (r *record) cut() int {
	return r.open.added - len(r.open.examples) + r.waived.added - len(r.waived.examples)
}

func (t *Tally) status(p models.Property, r *record) (report.Status, string) {
	missing := t.missing(p)
	switch {
	case r.open.violations > 0:
		return report.Broken, ""
	case r.waived.violations > 0:
		return report.Waived, t.known.reasons(r.lines)
	case r.undecided > 0:
		return report.Undecided, fmt.Sprintf("in %s", report.Plural(r.undecided, "plan"))
	case r.exercised > 0:
		return report.Passed, ""
	case missing != "":
		return report.Unsupported, missing
	default:
		return report.NotExercised, ""
	}
}

// missing names the feature that the property needs and the target lacks.
func (t *Tally) missing(p models.Property) string {
	for _, need := range p.Needs {
		if reason, lacking := t.unsupported[need]; lacking {
			return need + ": " + reason
		}
	}
	return ""
}
