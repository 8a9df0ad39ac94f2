package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/files"
	"github.com/rvcheck/rvcheck/internal/judging"
	"github.com/rvcheck/rvcheck/internal/reducer"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/models"
)

// reducedHistory is what is left of a history for one property.
type reducedHistory struct {
	Property string `json:"property"`
	// History is the file of what is left: evidence, since nobody ran it.
	History    string `json:"history"`
	Operations int    `json:"operations"`
	From       int    `json:"from"`
	// Judgements is how many parts of the history were judged.
	Judgements int  `json:"judgements"`
	Complete   bool `json:"complete"`
	// Violation is what the judges say of what is left.
	Violation report.Violation `json:"violation"`
}

// history reduces a recorded history, for each property that it violates.
func (s *shrinking) history(file string) error {
	if s.cmd.Flags().Changed("target") || s.command != nil {
		return usage("%s: a history is reduced without a store; expected no target with it, or a plan", file)
	}
	selected, err := s.properties()
	if err != nil {
		return err
	}
	h, err := readHistory(file)
	if err != nil {
		return err
	}
	broken, err := s.brokenIn(h, selected)
	if err != nil {
		return err
	}
	all := []reducedHistory{}
	for _, p := range broken {
		if s.cmd.Context().Err() != nil {
			break
		}
		one, err := s.reduceHistory(h, file, p)
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	return s.finishHistory(file, all)
}

// brokenIn are the selected properties that the history violates.
func (s *shrinking) brokenIn(h *histories.History, selected []models.Property) ([]models.Property, error) {
	if s.profile != "" {
		h.Header.Profile = s.profile
	}
	known, err := s.waivers()
	if err != nil {
		return nil, err
	}
	judgement, fault := judging.Judge(s.cmd.Context(), h, judging.Options{})
	if fault != nil {
		return nil, fault
	}
	broken := session.Broken(session.Counted(h, judgement, selected, known))
	return slices.DeleteFunc(selected, func(p models.Property) bool { return !slices.Contains(broken, p.ID) }), nil
}

func (s *shrinking) reduceHistory(h *histories.History, file string, p models.Property) (reducedHistory, error) {
	result, err := reducer.History(s.cmd.Context(), h, p.ID, reducer.HistoryOptions{})
	if errors.Is(err, reducer.ErrNoViolation) {
		return reducedHistory{}, fmt.Errorf("internal fault of the checker: %s: %s was violated, and is not", file, p.ID)
	}
	if err != nil {
		return reducedHistory{}, err
	}
	one := reducedHistory{
		Property: p.ID, History: reducedFile(file, p.ID), Operations: len(result.History.Operations), From: result.From,
		Judgements: result.Attempts, Complete: result.Complete,
	}
	var text bytes.Buffer
	if err := histories.Write(&text, result.History); err != nil {
		return one, err
	}
	if err := files.Replace(one.History, text.String()); err != nil {
		return one, usage("%w; expected a folder that can be written, for the reduced history", err)
	}
	tally := session.NewTally([]models.Property{p})
	tally.Add(session.Judged{
		History: result.History, Judgement: models.Judgement{Findings: []models.Finding{result.Finding}}, Plan: 1,
		Number: h.Header.Plan, HistoryFile: one.History, Operations: planned(h, file),
		Commands: []string{"checker show " + quoted(one.History), "checker check " + quoted(one.History)},
	})
	one.Violation = tally.Report().Violations[0]
	return one, nil
}

// evidenceMark is in the name of each file that holds a part of a history.
const evidenceMark = ".reduced-"

// reducedFile is where the rest of a history is written.
func reducedFile(file, property string) string {
	base := file
	for _, end := range []string{".zst", ".jsonl", ".history"} {
		base = strings.TrimSuffix(base, end)
	}
	return base + evidenceMark + strings.ReplaceAll(property, "/", "-") + ".history.jsonl"
}

func (s *shrinking) finishHistory(file string, all []reducedHistory) error {
	if err := s.printHistories(file, all); err != nil {
		return err
	}
	if len(all) == 0 || s.cmd.Context().Err() != nil {
		return exitCode(report.ExitInconclusive)
	}
	return nil
}

func (s *shrinking) printHistories(file string, all []reducedHistory) error {
	out := s.cmd.OutOrStdout()
	if s.json {
		return printJSON(out, map[string]any{"evidence": true, "reductions": all})
	}
	for i := range all {
		one := &all[i]
		fmt.Fprintf(out, "%s: %s reduced to %d in %s%s\nevidence: a part of what was recorded, nobody has run it\n\n", one.Property,
			report.Plural(one.From, "operation"), one.Operations, report.Plural(one.Judgements, "judgement"), unfinished(one.Complete))
		if err := one.Violation.WriteText(out); err != nil {
			return err
		}
	}
	switch {
	case s.cmd.Context().Err() != nil:
		fmt.Fprintf(out, "interrupted; go on with: checker shrink %s\n", quoted(file))
	case len(all) == 0:
		fmt.Fprintln(out, "the history shows no violation of what was asked for")
	}
	return nil
}

func unfinished(complete bool) string {
	if complete {
		return ""
	}
	return "; there may be more to leave out"
}
