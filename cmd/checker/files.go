package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/files"
	"github.com/rvcheck/rvcheck/internal/gallery"
	"github.com/rvcheck/rvcheck/internal/report"
)

// isHistory reports whether a file is named like a history.
func isHistory(file string) bool {
	return strings.HasSuffix(file, ".jsonl") || strings.HasSuffix(file, ".jsonl.zst")
}

// isEvidence reports whether a file is named like a part of a history, which nobody
// ran: it stands beside the whole one.
func isEvidence(file string) bool {
	return strings.Contains(filepath.Base(file), evidenceMark)
}

// historyFiles replaces each folder of the arguments by the histories in it.
func historyFiles(args []string) ([]string, error) {
	var all []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case err != nil:
			return nil, usage("%w; expected a history, NNNN.history.jsonl or NNNN.history.jsonl.zst, or a folder of them", err)
		case !info.IsDir():
			all = append(all, arg)
			continue
		}
		inside, err := inFolder(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, inside...)
	}
	return all, nil
}

func inFolder(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, usage("%w; expected a folder of histories", err)
	}
	var inside []string
	for _, e := range entries {
		if !e.IsDir() && isHistory(e.Name()) && !isEvidence(e.Name()) {
			inside = append(inside, filepath.Join(folder, e.Name()))
		}
	}
	if len(inside) == 0 {
		return nil, usage("%s: no history in this folder; expected NNNN.history.jsonl or NNNN.history.jsonl.zst (a run keeps those of all plans with --keep)", folder)
	}
	slices.Sort(inside)
	return inside, nil
}

func readHistory(file string) (*histories.History, error) {
	h, err := gallery.Read(file)
	if err != nil {
		return nil, &usageError{err}
	}
	return h, nil
}

// readText reads a small file, or standard input for "-".
func readText(file string, stdin io.Reader, expected string) (string, error) {
	var text string
	var err error
	if file == "-" {
		text, err = files.ReadFrom(stdin, "standard input", expected)
	} else {
		text, err = files.ReadText(file, expected)
	}
	if err != nil {
		return "", &usageError{err}
	}
	return text, nil
}

// readReport reads the report of a run.
func readReport(folder string) (*report.Report, error) {
	const expected = "report.json of a run"
	text, err := files.ReadText(filepath.Join(folder, "report.json"), expected)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("%s: no report.json in this folder; expected the folder of a run, such as runs/latest", folder)
	}
	if err != nil {
		return nil, &usageError{err}
	}
	r, err := report.ReadJSON(strings.NewReader(text))
	if err != nil {
		return nil, usage("%s: %w", filepath.Join(folder, "report.json"), err)
	}
	return r, nil
}
