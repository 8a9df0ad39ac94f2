package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes the document.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r.complete()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// complete returns the report with every list of the stable core present: a
// reader finds [] where there is nothing, never null.
func (r *Report) complete() *Report {
	c := *r
	c.Properties = present(c.Properties)
	c.Violations = present(c.Violations)
	c.Waivers = present(c.Waivers)
	c.Coverage.Missing = present(c.Coverage.Missing)
	return &c
}

func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
