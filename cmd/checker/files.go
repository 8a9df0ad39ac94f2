package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// isHistory reports whether a file is named like a history.
func isHistory(file string) bool {
	return strings.HasSuffix(file, ".jsonl") || strings.HasSuffix(file, ".jsonl.zst")
}

// historyFiles replaces each folder of the arguments by the histories in it.
func historyFiles(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case err != nil:
			return nil, usage("%w; expected a history, NNNN.history.jsonl or NNNN.history.jsonl.zst, or a folder of them", err)
		case !info.IsDir():
			files = append(files, arg)
			continue
		}
		inside, err := inFolder(arg)
		if err != nil {
			return nil, err
		}
		files = append(files, inside...)
	}
	return files, nil
}

func inFolder(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, usage("%w; expected a folder of histories", err)
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && isHistory(e.Name()) {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, usage("%s: no history in this folder; expected NNNN.history.jsonl or NNNN.history.jsonl.zst (a run keeps those of all plans with --keep)", folder)
	}
	slices.Sort(files)
	return files, nil
}

func readHistory(file string) (h *histories.History, err error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, usage("%w; expected a history", err)
	}
	h, err = histories.Read(in, file)
	closed := in.Close()
	if err == nil {
		err = closed
	}
	if err != nil {
		return nil, &usageError{err}
	}
	return h, nil
}

// readText reads a small file, or standard input for "-".
func readText(file string, stdin io.Reader, expected string) (string, error) {
	var text []byte
	var err error
	if file == "-" {
		text, err = io.ReadAll(stdin)
	} else {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return "", usage("%w; expected %s", err, expected)
	}
	return string(text), nil
}
