package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/drawing"
	"github.com/rvcheck/rvcheck/internal/judging"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/models"
)

// gallery judges histories and keeps those to show: for each property the one with
// the fewest calls.
type gallery struct {
	wanted map[string]bool
	best   map[string]exhibit // by property
	// last is what to show if there is only one and nothing was found in it.
	last *drawing.Sheet
}

// exhibit is one finding and its history.
type exhibit struct {
	file    string
	history *histories.History
	finding drawing.Finding
}

func newGallery(properties []models.Property) *gallery {
	g := &gallery{wanted: make(map[string]bool), best: make(map[string]exhibit)}
	for _, p := range properties {
		g.wanted[p.ID] = true
	}
	return g
}

// add judges one history; what the judges could not decide is said to w.
func (g *gallery) add(ctx context.Context, w io.Writer, file string) error {
	h, err := readHistory(file)
	if err != nil {
		return err
	}
	judgement, fault := judging.Judge(ctx, h, judging.Options{})
	if fault != nil {
		return fmt.Errorf("%s: %w", file, fault)
	}
	if judgement.Inconclusive != "" {
		fmt.Fprintf(w, "%s: not decided: %s\n", report.Printable(file), report.Printable(judgement.Inconclusive))
	}
	for _, f := range drawing.Findings(h, judgement.Findings) {
		before, known := g.best[f.Property]
		if g.wanted[f.Property] && (!known || len(h.Operations) < len(before.history.Operations)) {
			g.best[f.Property] = exhibit{file: file, history: h, finding: f}
		}
	}
	if len(g.best) == 0 {
		g.last = drawing.New(drawing.Plain(file), h, nil)
	}
	return nil
}

// sheets draws each history of the gallery once, with the findings that it was chosen
// for, the smallest history first.
func (g *gallery) sheets() []*drawing.Sheet {
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
		sheets = append(sheets, drawing.New(drawing.Plain(file), byFile[file][0].history, findings))
	}
	slices.SortStableFunc(sheets, func(a, b *drawing.Sheet) int { return cmp.Compare(len(a.Calls), len(b.Calls)) })
	return sheets
}
