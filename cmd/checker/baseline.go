package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/files"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/waivers"
)

func newBaseline() *cobra.Command {
	b := &baseline{}
	cmd := &cobra.Command{
		Use:   "baseline RUN",
		Short: "Write a known-failing file of what failed in a run",
		Long: "Write a known-failing file: a line for each property that the run found violated and no\n" +
			"line of its own known-failing file covered. What failed every time that its plan was run\n" +
			"is said to fail, with the plan; anything else is said to be flaky. The reasons are to be\n" +
			"replaced by better ones. A file that exists is never written over.",
		Args: takes(1, 1, "the folder of a run, such as runs/latest"),
		RunE: func(cmd *cobra.Command, args []string) error { return b.write(cmd, args[0]) },
	}
	cmd.Flags().StringVarP(&b.to, "output", "o", "", "the file to write, with the plans in a folder of its name beside it (default: to stdout)")
	return cmd
}

// baseline makes a known-failing file.
type baseline struct {
	to string
	// plans are the files of plans to be written, by their names.
	plans map[string]string
}

func (b *baseline) write(cmd *cobra.Command, folder string) error {
	r, err := readReport(folder)
	if err != nil {
		return err
	}
	var lines []waivers.Waiver
	b.plans = make(map[string]string)
	for i := range r.Properties {
		if r.Properties[i].Status != report.Broken {
			continue
		}
		line, err := b.line(folder, r.Examples(r.Properties[i].ID)[0])
		if err != nil {
			return err
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return usage("%s: this run found no violation that counts; expected the folder of a run that failed", folder)
	}
	remark := fmt.Sprintf("What %s (%s) failed in the run of seed %d. The reasons are to be replaced by better ones.",
		r.Target.URL, r.Target.Server, r.Seed)
	text := waivers.FormatFile([]string{remark}, lines)
	if b.to == "" {
		_, err := fmt.Fprint(cmd.OutOrStdout(), text)
		return err
	}
	return b.create(text)
}

// line claims what a violation shows.
func (b *baseline) line(folder string, v *report.Violation) (waivers.Waiver, error) {
	w := waivers.Waiver{Pattern: v.Property, Mode: waivers.Flaky, Reason: "baseline of " + nameOf(folder)}
	shown, err := involved(folder, v)
	if err != nil {
		return w, err
	}
	if len(shown) > 0 {
		w.Narrow(blamed(v.Property, shown))
	}
	if !always(v.Reproduced) || v.Plan == "" {
		return w, nil
	}
	w.Mode = waivers.Fails
	w.PlanFile = filepath.ToSlash(inFolderOf(folder, v.Plan))
	if b.to == "" {
		return w, nil
	}
	text, err := files.ReadText(filepath.FromSlash(w.PlanFile), "a plan of the run")
	if err != nil {
		return w, &usageError{err}
	}
	name := filepath.Join(b.folder(), strings.ReplaceAll(v.Property, "/", "-")+".plan")
	b.plans[name] = text
	w.PlanFile = filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(name)), filepath.Base(name)))
	return w, nil
}

// nameOf is the name of a run's folder, also where it was called runs/latest.
func nameOf(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	return filepath.Base(filepath.Clean(folder))
}

// blamed are those of the operations that show a violation which it is about: those
// of the kind that the property's group is named for, else the last.
func blamed(property string, shown []histories.Request) []histories.Request {
	group, _, _ := strings.Cut(property, "/")
	if group == "progress" {
		group = string(histories.Watch)
	}
	var found []histories.Request
	for i := range shown {
		if string(shown[i].Kind) == group {
			found = append(found, shown[i])
		}
	}
	if len(found) > 0 {
		return found
	}
	return shown[len(shown)-1:]
}

// folder is where the plans of the file are.
func (b *baseline) folder() string { return strings.TrimSuffix(b.to, filepath.Ext(b.to)) }

// always reports whether a plan failed each time, and was run more than once.
func always(reproduced string) bool {
	failed, of, found := strings.Cut(reproduced, "/")
	return found && failed == of && of != "1"
}

// involved are the operations of the plan that show a violation, nothing where the
// history was not kept.
func involved(folder string, v *report.Violation) ([]histories.Request, error) {
	if v.History == "" {
		return nil, nil
	}
	h, err := readHistory(inFolderOf(folder, v.History))
	if err != nil {
		return nil, err
	}
	var shown []histories.Request
	for _, line := range v.Involved {
		if op := h.Operation(line.ID); op != nil && line.Line > 0 {
			shown = append(shown, op.Request)
		}
	}
	return shown, nil
}

// create writes the file and its plans, unless one of them exists.
func (b *baseline) create(text string) error {
	all := map[string]string{b.to: text}
	for name, plan := range b.plans {
		all[name] = plan
	}
	for name := range all {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return usage("%s exists already; expected a new file", name)
		}
	}
	if len(b.plans) > 0 {
		if err := os.MkdirAll(b.folder(), 0o755); err != nil {
			return usage("%w; expected a folder that can be written, for the plans", err)
		}
	}
	for name, content := range all {
		if err := createFile(name, content); err != nil {
			return usage("%w; expected a file that can be written", err)
		}
	}
	return nil
}

// createFile writes a file that does not exist yet.
func createFile(name, content string) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	return errors.Join(err, file.Close())
}
