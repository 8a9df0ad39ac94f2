package timeline

import (
	"cmp"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// blame collects findings so that one lie does not make everything after it a
// lie: the first disagreement about a call, about a stream under one property, or
// about one place of the history under one property, is the finding; the others
// are its consequences.
type blame struct {
	findings  []*models.Finding
	byCulprit map[culprit]*models.Finding
	byPlace   map[blamePlace]*models.Finding
	exercised map[string]int
}

// culprit is what a finding blames: a call, or a stream under one property.
type culprit struct {
	op       int
	property string // empty for calls
}

type blamePlace struct {
	property string
	revision histories.Revision
	key      histories.Key
}

func newBlame() *blame {
	return &blame{
		byCulprit: map[culprit]*models.Finding{},
		byPlace:   map[blamePlace]*models.Finding{},
		exercised: map[string]int{},
	}
}

// exercise counts one occasion on which the history put the property to the test.
func (b *blame) exercise(property string) { b.exercised[property]++ }

// report records a violation by a call, the first of the finding's operations.
func (b *blame) report(f models.Finding) { b.add(culprit{op: f.Operations[0]}, f) }

// reportStream records a violation by a stream, the first of the finding's operations.
func (b *blame) reportStream(f models.Finding) {
	b.add(culprit{op: f.Operations[0], property: f.Property}, f)
}

func (b *blame) add(c culprit, f models.Finding) {
	earlier := b.byCulprit[c]
	var at blamePlace
	if f.Key != nil && f.Revision != 0 {
		at = blamePlace{f.Property, f.Revision, *f.Key}
		if earlier == nil {
			earlier = b.byPlace[at]
		}
	}
	if earlier != nil {
		earlier.Consequences++
		b.byCulprit[c] = earlier
		return
	}
	f.Culprit = f.Operations[0]
	f.Operations = merge(f.Operations)
	b.findings = append(b.findings, &f)
	b.byCulprit[c] = &f
	if at.property != "" {
		b.byPlace[at] = &f
	}
}

// blamed reports whether the call has a finding already.
func (b *blame) blamed(op int) bool { return b.byCulprit[culprit{op: op}] != nil }

func (b *blame) sorted() []models.Finding {
	found := make([]models.Finding, 0, len(b.findings))
	for _, f := range b.findings {
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
