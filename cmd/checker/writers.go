package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/internal/files"
	"github.com/rvcheck/rvcheck/internal/gallery"
	"github.com/rvcheck/rvcheck/internal/report"
)

// writers adds the flags for the files that a report is written to.
func (f *flags) writers(cmd *cobra.Command) {
	f.htmlFlag(cmd)
	cmd.Flags().StringVar(&f.junit, "junit", "", "write the report as JUnit XML to this file")
	cmd.Flags().StringVar(&f.summary, "summary", "", "append the report as Markdown to this file, such as the summary of a CI step")
}

// htmlFlag is for commands that draw what happened.
func (f *flags) htmlFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.html, "html", "", "write a page with the time line to this file")
}

// writable finds out before a run, which may take hours, whether its results can be
// written at the end.
func (f *flags) writable() error {
	for _, one := range []struct{ flag, file string }{{"junit", f.junit}, {"summary", f.summary}, {"html", f.html}} {
		if one.file == "" {
			continue
		}
		if err := writable(one.file); err != nil {
			return usage("--%s: %w; expected a file that can be written", one.flag, err)
		}
	}
	return nil
}

// writable leaves an existing file as it is, and makes none.
func writable(file string) error {
	existing, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err == nil {
		return existing.Close()
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	probe, err := os.CreateTemp(filepath.Dir(file), ".checker-*")
	if err != nil {
		return fmt.Errorf("%s: the folder: %w", file, unwrapPath(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// unwrapPath leaves out the name that the user did not give.
func unwrapPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// writeFiles writes the files that the flags ask for, and the page of a run.
func (f *flags) writeFiles(ctx context.Context, r *report.Report) error {
	return errors.Join(f.writePages(ctx, r), f.writeForCI(r))
}

// writePages writes the page of a run: into the folder of one that failed, and where
// the flags ask for it.
func (f *flags) writePages(ctx context.Context, r *report.Report) error {
	names := slices.DeleteFunc([]string{gallery.InFolder(r), f.html}, func(name string) bool { return name == "" })
	if len(names) == 0 {
		return nil
	}
	return newGallery(nil).WriteReport(ctx, r, names...)
}

func (f *flags) writeForCI(r *report.Report) error {
	if f.junit == "" && f.summary == "" {
		return nil
	}
	full := withPlans(r)
	return errors.Join(
		write(f.junit, os.O_TRUNC, full.WriteJUnit),
		write(f.summary, os.O_APPEND, full.WriteSummary),
	)
}

// write writes a file in one go, so that a failure in between leaves no half of it.
func write(file string, mode int, content func(io.Writer) error) error {
	if file == "" {
		return nil
	}
	var text bytes.Buffer
	if err := content(&text); err != nil {
		return err
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|mode, 0o644)
	if err != nil {
		return err
	}
	_, err = out.Write(text.Bytes())
	return errors.Join(err, out.Close())
}

// withPlans returns the report with the text of the plans that stand in files: who
// reads a result of CI has no folder of the run. A plan that is gone is left out, as
// its file is named all the same.
func withPlans(r *report.Report) *report.Report {
	full := *r
	full.Violations = append([]report.Violation(nil), r.Violations...)
	for i := range full.Violations {
		v := &full.Violations[i]
		if v.PlanText != "" || v.Plan == "" {
			continue
		}
		if text, err := files.ReadText(v.Plan, "a plan"); err == nil {
			v.PlanText = text
		}
	}
	return &full
}
