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

// near suggests ids that share the group or the last part with the pattern.
func near(all []models.Property, pattern string) []string {
	group, last, _ := strings.Cut(pattern, "/")
	var ids []string
	for _, p := range all {
		_, rest, _ := strings.Cut(p.ID, "/")
		if p.Group() == group || rest == last || rest == group || strings.Contains(p.ID, pattern) {
			ids = append(ids, p.ID)
		}
	}
	return ids[:min(len(ids), 5)]
}
