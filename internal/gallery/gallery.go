package gallery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/drawing"
	"github.com/rvcheck/rvcheck/internal/evidence"
	"github.com/rvcheck/rvcheck/internal/files"
	"github.com/rvcheck/rvcheck/internal/judging"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/linear"
	"github.com/rvcheck/rvcheck/targets"
)

// Gallery judges histories and keeps those to show: for each property the one with
// the fewest calls.
type Gallery struct {
	// Command makes the command to go on with for a history and its file, nil: there is
	// none.
	Command func(h *histories.History, file string) string

	wanted map[string]bool
	best   map[string]exhibit // by property
	last   *drawing.Sheet
}

// exhibit is one finding and its history.
type exhibit struct {
	file    string
	history *histories.History
	finding drawing.Finding
	// unordered: the finding is that no order of the calls explains the history.
	unordered bool
}

// New makes an empty gallery of what violates the properties.
func New(properties []models.Property) *Gallery {
	g := &Gallery{wanted: make(map[string]bool), best: make(map[string]exhibit)}
	for _, p := range properties {
		g.wanted[p.ID] = true
	}
	return g
}

// Read reads a history that a user names. Its target is without credentials.
func Read(file string) (*histories.History, error) {
	in, err := files.Open(file, "a history")
	if err != nil {
		return nil, err
	}
	h, err := histories.Read(in, file)
	if closed := in.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	h.Header.Target = targets.WithoutCredentials(h.Header.Target)
	return h, nil
}

// Add judges the history that a file holds, and hangs it up if it shows a property with
// fewer calls than those before. What the judges could not decide is said to w.
func (g *Gallery) Add(ctx context.Context, w io.Writer, file string, h *histories.History) error {
	judgement, fault := judging.Judge(ctx, h, judging.Options{})
	if fault != nil {
		return fmt.Errorf("%s: %w", file, fault)
	}
	if judgement.Inconclusive != "" {
		fmt.Fprintf(w, "%s: not decided: %s\n", report.Printable(file), report.Printable(judgement.Inconclusive))
	}
	for _, f := range drawing.Findings(judgement.Findings) {
		before, known := g.best[f.Property]
		if g.wanted[f.Property] && (!known || len(h.Operations) < len(before.history.Operations)) {
			g.best[f.Property] = exhibit{file: file, history: h, finding: f, unordered: f.Property == judgement.Unordered}
		}
	}
	if len(g.best) == 0 {
		g.last = drawing.New(drawing.Plain(file), h, nil)
	}
	return nil
}

// Empty reports whether no history showed anything that is wanted.
func (g *Gallery) Empty() bool { return len(g.best) == 0 }

// Last is the last history, in which nothing was found; nil if the gallery is not empty.
func (g *Gallery) Last() *drawing.Sheet {
	if !g.Empty() {
		return nil
	}
	return g.last
}

// Sheets draws each history of the gallery once, with the findings that it was chosen
// for, the smallest history first.
func (g *Gallery) Sheets() []*drawing.Sheet {
	byFile := make(map[string][]exhibit)
	for _, property := range slices.Sorted(maps.Keys(g.best)) {
		e := g.best[property]
		byFile[e.file] = append(byFile[e.file], e)
	}
	var sheets []*drawing.Sheet
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		var findings []drawing.Finding
		for _, e := range byFile[file] {
			findings = append(findings, e.finding)
		}
		h := byFile[file][0].history
		s := drawing.New(drawing.Plain(file), h, findings)
		if g.Command != nil {
			s.Commands = []string{g.Command(h, file)}
		}
		sheets = append(sheets, s)
	}
	slices.SortStableFunc(sheets, func(a, b *drawing.Sheet) int { return cmp.Compare(len(a.Calls), len(b.Calls)) })
	return sheets
}

// unordered is the smallest history of which no order of the calls explains all
// answers, false if there is none.
func (g *Gallery) unordered() (exhibit, bool) {
	var smallest exhibit
	for _, property := range slices.Sorted(maps.Keys(g.best)) {
		e := g.best[property]
		if e.unordered && (smallest.history == nil || len(e.history.Operations) < len(smallest.history.Operations)) {
			smallest = e
		}
	}
	return smallest, smallest.history != nil
}

// picture writes porcupine's own picture of such a history beside a page and returns
// its file, empty if there is nothing to draw.
func (g *Gallery) picture(page string) (string, error) {
	e, found := g.unordered()
	if !found {
		return "", nil
	}
	file := strings.TrimSuffix(page, ".html") + ".linear.html"
	err := write(file, func(w io.Writer) error {
		return linear.Picture(w, e.history, linear.Options{}, func(operation int) string {
			op := e.history.Operation(operation)
			if op == nil {
				return "the end of a lease"
			}
			return drawing.Plain(evidence.Call(e.history, op) + " -> " + evidence.Answer(e.history, op, models.Finding{}))
		})
	})
	if errors.Is(err, linear.ErrNoPicture) {
		return "", nil
	}
	return file, err
}

// link names the picture in the finding that it is of.
func (g *Gallery) link(s *drawing.Sheet, picture string) {
	e, found := g.unordered()
	if !found || s.Name != drawing.Plain(e.file) {
		return
	}
	for i := range s.Findings {
		if s.Findings[i].Property == e.finding.Property {
			s.Findings[i].Picture = picture
		}
	}
}
