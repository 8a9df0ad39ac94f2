package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/internal/files"
	"github.com/rvcheck/rvcheck/internal/report"
)

// Folder is what a run leaves on disk: report.json, the plans that failed with
// their histories, and a README with the commands to go on.
type Folder struct{ path string }

// NewFolder makes a folder "<time>-<seed>" below root and points root/latest at it.
func NewFolder(root string, start time.Time, seed uint64) (*Folder, error) {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, fmt.Errorf("making the run folder: %w", err)
	}
	name := fmt.Sprintf("%s-%d", start.UTC().Format("20060102T150405Z"), seed)
	path, err := makeUnused(root, name)
	if err != nil {
		return nil, fmt.Errorf("making the run folder: %w", err)
	}
	pointLatest(root, filepath.Base(path))
	return &Folder{path: path}, nil
}

// makeUnused makes root/name, or root/name-2 and so on where another run of the
// same second and seed has taken it.
func makeUnused(root, name string) (string, error) {
	path := filepath.Join(root, name)
	for n := 2; ; n++ {
		err := os.Mkdir(path, 0o755)
		if !errors.Is(err, fs.ErrExist) {
			return path, err
		}
		path = filepath.Join(root, fmt.Sprintf("%s-%d", name, n))
	}
}

// pointLatest replaces the link in one step. It is a convenience: a file system
// without links, or a run that does the same at this moment, is no trouble.
func pointLatest(root, name string) {
	temporary := filepath.Join(root, ".latest-"+name)
	if os.Symlink(name, temporary) != nil {
		return
	}
	if os.Rename(temporary, filepath.Join(root, "latest")) != nil {
		_ = os.Remove(temporary) // nothing depends on it
	}
}

// Path is the folder itself.
func (f *Folder) Path() string { return f.path }

// History is the file of a plan's history while it grows.
func (f *Folder) History(plan string) string {
	return filepath.Join(f.path, plan+".history.jsonl")
}

// WritePlan keeps the text of a plan and returns its file.
func (f *Folder) WritePlan(plan, text string) (string, error) {
	file := filepath.Join(f.path, plan+".plan")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return "", fmt.Errorf("keeping the plan: %w", err)
	}
	return file, nil
}

// Finish writes report.json and the README; of a report that has no room nothing is left.
func (f *Folder) Finish(r *report.Report) error {
	var text strings.Builder
	err := r.WriteJSON(&text)
	if err == nil {
		err = files.Replace(filepath.Join(f.path, "report.json"), text.String())
	}
	if err != nil {
		return fmt.Errorf("keeping the report: %w", err)
	}
	if err := os.WriteFile(filepath.Join(f.path, "README.md"), []byte(readme(r)), 0o644); err != nil {
		return fmt.Errorf("keeping the README: %w", err)
	}
	return nil
}

// readme says what the run was and how to go on.
func readme(r *report.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# A run of rvcheck\n\nVerdict: %s. Target %s, seed %d, %s.\n",
		r.Verdict, r.Target.URL, r.Seed, report.Plural(r.Plans, "plan"))
	b.WriteString("\n`report.json` holds the whole report. `NNNN.plan` is a plan that failed,\n" +
		"`NNNN.history.jsonl.zst` is what was recorded of it. `shrunk-PROPERTY.plan` is what is left of one.\n")
	if r.Target.Command != nil {
		b.WriteString("`server.log` is what the server printed that the run started.\n")
	}
	for i := range r.Properties {
		if r.Properties[i].Status != report.Broken {
			continue
		}
		v := r.Examples(r.Properties[i].ID)[0]
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", v.Property, v.Statement)
		for _, command := range v.Commands {
			fmt.Fprintf(&b, "\n    %s\n", command)
		}
	}
	return b.String()
}
