// Package blame keeps the findings of a judge so that one lie does not make everything
// after it a lie: the first disagreement about a call, about a stream under one
// property, or about one place of the history under one property, is the finding;
// the others are its consequences.
package blame

import (
	"cmp"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// Ledger collects findings, and counts the occasions for them.
type Ledger struct {
	findings  []*models.Finding
	byCulprit map[culprit]*models.Finding
	byPlace   map[place]*models.Finding
	exercised map[string]int
}

// culprit is what a finding blames: a call, or a stream under one property.
type culprit struct {
	op       int
	property string // empty for calls
}

type place struct {
	property string
	revision histories.Revision
	key      histories.Key
}

// New returns an empty ledger.
func New() *Ledger {
	return &Ledger{
		byCulprit: map[culprit]*models.Finding{},
		byPlace:   map[place]*models.Finding{},
		exercised: map[string]int{},
	}
}

// Exercise counts one occasion on which the history put the property to the test.
func (l *Ledger) Exercise(property string) { l.exercised[property]++ }

// Report records a violation by a call, the first of the finding's operations.
func (l *Ledger) Report(f models.Finding) { l.add(culprit{op: f.Operations[0]}, f) }

// ReportStream records a violation by a stream, the first of the finding's operations.
func (l *Ledger) ReportStream(f models.Finding) {
	l.add(culprit{op: f.Operations[0], property: f.Property}, f)
}

func (l *Ledger) add(c culprit, f models.Finding) {
	earlier := l.byCulprit[c]
	var at place
	if f.Key != nil && f.Revision != 0 {
		at = place{f.Property, f.Revision, *f.Key}
		if earlier == nil {
			earlier = l.byPlace[at]
		}
	}
	if earlier != nil {
		earlier.Consequences++
		l.byCulprit[c] = earlier
		return
	}
	f.Culprit = f.Operations[0]
	f.Operations = merge(f.Operations)
	l.findings = append(l.findings, &f)
	l.byCulprit[c] = &f
	if at.property != "" {
		l.byPlace[at] = &f
	}
}

// Blamed reports whether the call has a finding already.
func (l *Ledger) Blamed(op int) bool { return l.byCulprit[culprit{op: op}] != nil }

// Exercised returns how often each property was put to the test.
func (l *Ledger) Exercised() map[string]int { return l.exercised }

// Findings returns the findings by their first operation, then by property.
func (l *Ledger) Findings() []models.Finding {
	found := make([]models.Finding, 0, len(l.findings))
	for _, f := range l.findings {
		found = append(found, *f)
	}
	slices.SortStableFunc(found, func(x, y models.Finding) int {
		return cmp.Or(cmp.Compare(x.Operations[0], y.Operations[0]), cmp.Compare(x.Property, y.Property))
	})
	return found
}

// merge returns the ids ascending, each once; zeros are no ids.
func merge(ids []int) []int {
	all := slices.Clone(ids)
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(id int) bool { return id == 0 })
}
