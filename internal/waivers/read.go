package waivers

import (
	"path/filepath"
	"strings"

	"github.com/rvcheck/rvcheck/internal/files"
	"github.com/rvcheck/rvcheck/plans"
)

const planExpected = "plan=FILE to be a plan, its path relative to this file"

// Read reads a known-failing file and the plans that it names. The error is an
// Errors, or about the file itself.
func Read(name string) (*File, error) {
	text, err := files.ReadText(name, "a known-failing file")
	if err != nil {
		return nil, err
	}
	file, err := Parse(text, name)
	if err != nil {
		return nil, err
	}
	var bad Errors
	for i := range file.Waivers {
		w := &file.Waivers[i]
		if err := w.readPlan(filepath.Dir(name)); err != nil {
			bad = append(bad, &Error{File: name, Line: w.Line, Found: strings.TrimSuffix(err.Error(), "; expected "+planExpected), Expected: planExpected})
		}
	}
	if len(bad) > 0 {
		return nil, bad
	}
	return file, nil
}

func (w *Waiver) readPlan(folder string) error {
	if w.PlanFile == "" {
		return nil
	}
	file := w.PlanFile
	if !filepath.IsAbs(file) {
		file = filepath.Join(folder, file)
	}
	text, err := files.ReadText(file, planExpected)
	if err != nil {
		return err
	}
	plan, err := plans.Parse(text, file)
	if err != nil {
		return err
	}
	w.Plan = &plan
	return nil
}
