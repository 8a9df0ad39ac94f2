package conformance

import (
	"context"
	"errors"

	"github.com/rvcheck/rvcheck/internal/gallery"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/internal/waivers"
	"github.com/rvcheck/rvcheck/targets"
)

// Report is what a check ends with: a record for each property, the violations
// with what shows them, and the verdict. It is the document that the command
// prints with --json.
type Report = report.Report

// The parts of a Report.
type (
	// Property is the record of one property.
	Property = report.Property
	// Violation is one property broken in one plan.
	Violation = report.Violation
	// Waiver is a line of a known-failing file and what became of it.
	Waiver = report.Waiver
	// Verdict is what the check says in one word.
	Verdict = report.Verdict
	// Status is what the check says of one property.
	Status = report.Status
)

// KnownFailingErrors are the lines of a known-failing file that make no sense.
type KnownFailingErrors = waivers.Errors

// PatternError is a pattern of Options.Properties that names no property.
type PatternError = session.PatternError

// The verdicts of a Report.
const (
	Conformant   = report.Conformant
	Violated     = report.Violated
	Inconclusive = report.Inconclusive
	Error        = report.Error
)

// Check checks a target and returns the report. The target stays open.
//
// A violation is no error, it is in the report; nor is a target that could not be
// set up, of which Report.Errors and the verdict Error tell. An error means that
// an option makes no sense or that the folder could not be written. When ctx
// ends, the report is about what was recorded by then.
func Check(ctx context.Context, target targets.Target, options Options) (*Report, error) {
	o, err := options.complete().session(target.Describe())
	if err != nil {
		return nil, err
	}
	return run(ctx, target, o)
}

// run runs a session, and leaves the page of one that failed in its folder.
func run(ctx context.Context, target targets.Target, options session.Options) (*Report, error) {
	r, err := session.Run(ctx, target, options)
	if r == nil || gallery.InFolder(r) == "" {
		return r, err
	}
	page := gallery.New(nil).WriteReport(context.WithoutCancel(ctx), r, gallery.InFolder(r))
	return r, errors.Join(err, page)
}
