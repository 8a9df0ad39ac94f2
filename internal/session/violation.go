package session

import (
	"cmp"
	"strconv"

	"github.com/rvcheck/rvcheck/internal/evidence"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/models"
)

// violation words the findings of one property in one history; the finding that
// involves the fewest operations stands for all of them.
func (t *Tally) violation(j Judged, findings []models.Finding) report.Violation {
	f := simplest(findings)
	property := t.property(f.Property)
	v := report.Violation{
		Property: f.Property, Strength: property.Strength, Statement: property.Statement,
		Source: property.Source, Rules: property.Rules,
		Plan: j.PlanFile, History: j.HistoryFile, PlanNumber: cmp.Or(j.Number, j.Plan), Operations: j.Operations,
		Allowed: f.Allowed, Observed: f.Observed,
		Explanation: f.Explanation, Layer: evidence.Layer(j.History, f),
		Involved: evidence.Lines(j.History, f), Occurrences: len(findings), Commands: j.Commands,
	}
	if f.Revision != 0 {
		v.Revision = f.Revision.String()
	}
	if f.Key != nil {
		v.Key = strconv.QuoteToASCII(f.Key.Name)
	}
	if j.PlanFile == "" {
		v.PlanText = j.History.Plan
	}
	for i := range findings {
		v.Consequences += findings[i].Consequences
	}
	return v
}

func (t *Tally) property(id string) models.Property {
	for _, p := range t.properties {
		if p.ID == id {
			return p
		}
	}
	panic("internal fault of the checker: a finding of property " + id + ", which is not counted here")
}

func simplest(findings []models.Finding) models.Finding {
	best := findings[0]
	for _, f := range findings[1:] {
		if len(f.Operations) < len(best.Operations) {
			best = f
		}
	}
	return best
}
