package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/rvcheck/rvcheck/internal/drawing"
)

// Options say how a sheet is drawn.
type Options struct {
	// Width is the longest line in characters, at least MinWidth.
	Width int
	// Color uses ANSI colours for what belongs to the violation.
	Color bool
	// Finding is the one to show, an index of the sheet's findings; -1: none.
	Finding int
	// Asked are the properties that were asked for, in words, for a drawing without a
	// finding; empty: all.
	Asked string
	// Around cuts the drawing to so many calls before and after what belongs to the
	// violation; negative: nothing is cut.
	Around int
}

// MinWidth is the narrowest drawing.
const MinWidth = 40

// Write draws a sheet. The error is that of w.
func Write(w io.Writer, s *drawing.Sheet, opts Options) error {
	opts.Width = max(opts.Width, MinWidth)
	p := &printer{sheet: s, opts: opts, bars: newBars(s)}
	p.head()
	p.timeline()
	_, err := io.WriteString(w, p.text.String())
	if err != nil {
		return fmt.Errorf("writing the time line: %w", err)
	}
	return nil
}

// printer draws one sheet.
type printer struct {
	sheet *drawing.Sheet
	opts  Options
	text  strings.Builder
	bars  *bars
	// The layout: the columns that are shown, whether they hold words, and how wide the
	// times and revisions are.
	columns  []column
	words    bool
	time     int
	revision int
}

func (p *printer) line(format string, args ...any) {
	p.text.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

const (
	red   = "\x1b[1;31m"
	dim   = "\x1b[2m"
	reset = "\x1b[0m"
)

func (p *printer) paint(color, text string) string {
	if !p.opts.Color || text == "" {
		return text
	}
	return color + text + reset
}

func (p *printer) head() {
	if p.opts.Finding < 0 {
		of := ""
		if p.opts.Asked != "" {
			of = " of " + p.opts.Asked
		}
		p.field("", fmt.Sprintf("no violation%s in %s", of, p.sheet.Name))
		p.line("")
		return
	}
	f := &p.sheet.Findings[p.opts.Finding]
	p.text.WriteString(p.paint(red, fmt.Sprintf("VIOLATED %s (%s)", f.Property, f.Strength)) + "\n")
	p.field("", f.Statement)
	p.field("allowed", f.Allowed)
	p.field("observed", f.Observed)
	p.field("explanation", f.Explanation)
	if f.Alike > 1 {
		p.field("alike", fmt.Sprintf("%d findings of this property in the history; one is shown", f.Alike))
	}
	p.field("history", p.sheet.Name)
	p.line("")
}

// field is a wrapped paragraph behind its label.
func (p *printer) field(label, text string) {
	const indent = 15
	if text == "" {
		return
	}
	if label == "" {
		for _, line := range wrap(text, p.opts.Width-2, 0) {
			p.line("  %s", line)
		}
		return
	}
	for i, line := range wrap(text, p.opts.Width-indent, 0) {
		if i == 0 {
			p.line("  %-*s%s", indent-2, label+":", line)
			continue
		}
		p.line("%*s%s", indent, "", line)
	}
}

func (p *printer) timeline() {
	rows := p.rows()
	if len(rows) == 0 {
		p.line("  nothing was called")
		return
	}
	p.arrange(rows)
	p.headings()
	for i := range rows {
		p.bars.before(&rows[i])
		p.row(&rows[i])
		p.bars.after(&rows[i])
	}
	p.legend()
}

// rows are the moments that are shown.
func (p *printer) rows() []moment {
	finding := p.opts.Finding
	var all []moment
	for _, m := range moments(p.sheet) {
		if m.lane >= 0 && p.opts.Around >= 0 && quiet(p.sheet, m.lane, finding) {
			continue
		}
		all = append(all, m)
	}
	if finding >= 0 && p.opts.Around >= 0 {
		all = around(all, finding, p.opts.Around)
	}
	return joined(all)
}
