package session

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/models"
)

// PatternError is a property pattern that names no property.
type PatternError struct {
	Pattern string
	Near    []string
}

func (e *PatternError) Error() string {
	text := fmt.Sprintf("property pattern %q names no property", e.Pattern)
	if len(e.Near) > 0 {
		return text + "; near: " + strings.Join(e.Near, ", ")
	}
	return text + "; expected an id such as watch/no-gap, a group such as watch, or a pattern such as watch/*"
}

// Select returns the properties of the catalogue that match one of the patterns,
// in the catalogue's order; without patterns all of them. A pattern is an id, a
// group ("watch"), or either with the wildcards of path.Match ("watch/*").
func Select(patterns []string) ([]models.Property, error) {
	all := models.Catalogue()
	if len(patterns) == 0 {
		return all, nil
	}
	chosen := make(map[string]bool)
	for _, pattern := range patterns {
		if err := choose(all, pattern, chosen); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(p models.Property) bool { return !chosen[p.ID] }), nil
}

func choose(all []models.Property, pattern string, chosen map[string]bool) error {
	found := false
	for _, p := range all {
		if matches(pattern, p) {
			chosen[p.ID], found = true, true
		}
	}
	if !found {
		return &PatternError{Pattern: pattern, Near: near(all, pattern)}
	}
	return nil
}

func matches(pattern string, p models.Property) bool {
	subject := p.ID
	if !strings.Contains(pattern, "/") {
		subject = p.Group()
	}
	ok, err := path.Match(pattern, subject)
	return err == nil && ok
}

// maxNear is how many ids are suggested.
const maxNear = 5

// near suggests ids that share the group or the last part with the pattern, or
// that differ from it by a slip, the most similar first.
func near(all []models.Property, pattern string) []string {
	if pattern == "" {
		return nil
	}
	group, last, _ := strings.Cut(pattern, "/")
	var ids []string
	for _, p := range all {
		_, rest, _ := strings.Cut(p.ID, "/")
		if p.Group() == group || rest == last || rest == group || strings.Contains(p.ID, pattern) ||
			slip(p.ID, pattern) || slip(p.Group(), group) {
			ids = append(ids, p.ID)
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int { return edits(a, pattern) - edits(b, pattern) })
	return ids[:min(len(ids), maxNear)]
}

// slip reports whether two words differ by so little that one may be meant for the
// other.
func slip(a, b string) bool { return edits(a, b) <= max(len(a), len(b))/3 }

// edits counts the letters to insert, remove or replace to make one word of the
// other.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
