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

// ReadJSON reads a document. One of another format is an error; fields that are not
// known are ignored.
func ReadJSON(in io.Reader) (*Report, error) {
	var r Report
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return nil, fmt.Errorf("%w; expected the report of a run", err)
	}
	if r.Format != Format {
		return nil, fmt.Errorf("format %d; expected the report of a run, of format %d", r.Format, Format)
	}
	return &r, nil
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
