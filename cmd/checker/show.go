package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/drawing"
	"github.com/rvcheck/rvcheck/internal/drawing/page"
	"github.com/rvcheck/rvcheck/internal/drawing/terminal"
	"github.com/rvcheck/rvcheck/internal/gallery"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/models"
)

// showing are the flags of show.
type showing struct {
	flags
	around int
	all    bool
	width  int
}

func newShow() *cobra.Command {
	f := &showing{}
	cmd := &cobra.Command{
		Use:   "show RUN|FILE",
		Short: "Show what happened as a time line, in the terminal or as a page",
		Long: "Show what happened as a time line: a column for each client and each watch, the\n" +
			"revisions down the side, what belongs to the violation marked. RUN is the folder of\n" +
			"a run, of which each property that was violated is shown once; FILE is a history.",
		Args: takes(1, 1, "one history or the folder of a run, such as runs/latest"),
		RunE: func(cmd *cobra.Command, args []string) error { return show(cmd, f, args[0]) },
	}
	cmd.Flags().StringSliceVar(&f.patterns, "property", nil, "show violations of these properties: an id, a group or a pattern such as 'watch/*'; repeatable")
	cmd.Flags().IntVar(&f.around, "around", 5, "show so many calls before and after what belongs to the violation")
	cmd.Flags().BoolVar(&f.all, "all", false, "show the whole history, the run's own watch included")
	cmd.Flags().IntVar(&f.width, "width", 0, "characters of a line (default: $COLUMNS, else those of the terminal, else 80)")
	f.htmlFlag(cmd)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return f.check(cmd) }
	return cmd
}

func (f *showing) check(cmd *cobra.Command) error {
	set := cmd.Flags().Changed
	switch {
	case f.around < 0:
		return usage("--around %d; expected a number of calls, from 0", f.around)
	case f.all && set("around"):
		return usage("--all and --around; expected one of them")
	case set("width") && f.width < terminal.MinWidth:
		return usage("--width %d; expected at least %d characters", f.width, terminal.MinWidth)
	}
	if err := noneEmpty(cmd); err != nil {
		return err
	}
	return f.writable()
}

func show(cmd *cobra.Command, f *showing, arg string) error {
	g, sheets, err := f.sheets(cmd, arg)
	if err != nil {
		return err
	}
	if f.html != "" {
		return g.WritePage(f.html, page.Page{Title: "rvcheck: " + drawing.Plain(arg), Sheets: sheets})
	}
	for i, s := range sheets {
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		if err := f.draw(cmd, s); err != nil {
			return err
		}
	}
	return nil
}

// draw draws each finding of a sheet.
func (f *showing) draw(cmd *cobra.Command, s *drawing.Sheet) error {
	w := cmd.OutOrStdout()
	opts := terminal.Options{
		Width: f.columns(w), Color: isTerminal(w) && !noColor(), Finding: -1, Around: f.around,
		Asked: drawing.Plain(strings.Join(f.patterns, ", ")),
	}
	if f.all {
		opts.Around = -1
	}
	if len(s.Findings) == 0 {
		return terminal.Write(w, s, opts)
	}
	for i := range s.Findings {
		if i > 0 {
			fmt.Fprintln(w)
		}
		opts.Finding = i
		if err := terminal.Write(w, s, opts); err != nil {
			return err
		}
	}
	return nil
}

// columns is the width of the drawing.
func (f *showing) columns(w any) int {
	const usual = 80
	if f.width > 0 {
		return f.width
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if file, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(file.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return usual
}

// sheets are what is to be drawn: of several histories those that show a property
// that no smaller one shows, or the one that was named, whatever it shows.
func (f *showing) sheets(cmd *cobra.Command, arg string) (*gallery.Gallery, []*drawing.Sheet, error) {
	properties, err := f.properties()
	if err != nil {
		return nil, nil, err
	}
	files, err := historyFiles([]string{arg})
	if err != nil {
		return nil, nil, err
	}
	g := newGallery(properties)
	for _, file := range files {
		if err := hang(cmd, g, file); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case !g.Empty():
		return g, g.Sheets(), nil
	case len(files) == 1:
		return g, []*drawing.Sheet{g.Last()}, nil
	default:
		return nil, nil, usage("%s: none of the %d histories violates %s; expected one that does, or the name of one history",
			arg, len(files), asked(f.patterns))
	}
}

// newGallery is a gallery whose histories can be run again.
func newGallery(properties []models.Property) *gallery.Gallery {
	g := gallery.New(properties)
	g.Command = func(h *histories.History, file string) string {
		return commands(h.Header.Target, h.Header.Command)(file, file)[0]
	}
	return g
}

// hang adds a history to a gallery; what is missing in it is said.
func hang(cmd *cobra.Command, g *gallery.Gallery, file string) error {
	h, err := readHistory(file)
	if err != nil {
		return err
	}
	if h.Truncated {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s %s\n", report.Printable(file), truncation(file))
	}
	return g.Add(cmd.Context(), cmd.ErrOrStderr(), file, h)
}

func asked(patterns []string) string {
	if len(patterns) == 0 {
		return "a property"
	}
	return strings.Join(patterns, ", ")
}
