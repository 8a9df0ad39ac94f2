package gallery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/rvcheck/rvcheck/internal/drawing"
	"github.com/rvcheck/rvcheck/internal/drawing/page"
	"github.com/rvcheck/rvcheck/internal/report"
)

// InFolder is the page that a run which failed leaves in its folder, empty for others
// and for those without a folder.
func InFolder(r *report.Report) string {
	if r.Folder == "" || r.Verdict != report.Violated {
		return ""
	}
	return filepath.Join(r.Folder, "report.html")
}

// WriteReport writes the page of a run to each of the files.
func (g *Gallery) WriteReport(ctx context.Context, r *report.Report, names ...string) error {
	content := g.page(ctx, r)
	var failed []error
	for _, name := range names {
		failed = append(failed, g.WritePage(name, content))
	}
	return errors.Join(failed...)
}

// WritePage writes a page, and beside it the picture of a history that has no order.
func (g *Gallery) WritePage(name string, content page.Page) error {
	picture, failed := g.picture(name)
	for _, s := range content.Sheets {
		if picture != "" {
			g.link(s, filepath.Base(picture))
		}
	}
	err := write(name, func(w io.Writer) error { return page.Write(w, content) })
	return errors.Join(err, failed)
}

// write replaces a file once all of its content is there.
func write(file string, content func(io.Writer) error) error {
	var text bytes.Buffer
	if err := content(&text); err != nil {
		return err
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}

// page is the page of a run, with a history for each property that was violated. A
// history that cannot be read or judged any more is named among the remarks: the rest
// is shown all the same.
func (g *Gallery) page(ctx context.Context, r *report.Report) page.Page {
	summary := summaryOf(r)
	for _, file := range g.collect(r) {
		if err := g.read(ctx, file); err != nil {
			summary.Remarks = append(summary.Remarks, report.Printable("not shown: "+err.Error()))
		}
	}
	var sheets []*drawing.Sheet
	for _, s := range g.Sheets() {
		if len(s.Calls) > mostDrawn {
			summary.Remarks = append(summary.Remarks, fmt.Sprintf("not shown: %s has %d calls; checker show draws it", s.Name, len(s.Calls)))
			continue
		}
		sheets = append(sheets, s)
	}
	return page.Page{Title: "rvcheck: " + string(r.Verdict), Report: summary, Sheets: sheets}
}

func (g *Gallery) read(ctx context.Context, file string) error {
	h, err := Read(file)
	if err != nil {
		return err
	}
	return g.Add(ctx, io.Discard, file, h)
}

// mostDrawn is how many calls a history may have that is drawn unasked: a page of more
// takes long to open.
const mostDrawn = 20_000

// collect makes the properties that a run violated those that are wanted, and returns
// the histories that show them, the shortest of each.
func (g *Gallery) collect(r *report.Report) []string {
	var files []string
	for _, p := range r.Properties {
		examples := r.Examples(p.ID)
		if p.Status != report.Broken || len(examples) == 0 {
			continue
		}
		g.wanted[p.ID] = true
		if file := examples[0].History; file != "" && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return files
}

func summaryOf(r *report.Report) *page.Report {
	summary := &page.Report{
		Verdict: string(r.Verdict),
		Run: report.Printable(fmt.Sprintf("%s · seed %d · %s · %s · %.1f s", r.Target.URL, r.Seed,
			report.Plural(r.Plans, "plan"), report.Plural(r.Operations, "operation"), r.Seconds)),
		Properties: []page.Property{},
		Remarks:    []string{},
	}
	for _, p := range r.Properties {
		summary.Properties = append(summary.Properties, page.Property{
			ID: p.ID, Strength: string(p.Strength), Exercised: p.Exercised, Status: string(p.Status), Reason: report.Printable(p.Reason),
		})
	}
	for _, text := range slices.Concat(r.Doubts(), r.Inconclusive, r.Errors, r.Notes) {
		summary.Remarks = append(summary.Remarks, report.Printable(text))
	}
	return summary
}
