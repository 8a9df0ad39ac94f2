package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Cache is where binaries are kept.
func Cache() (string, error) {
	root, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("a folder for the servers: %w", err)
	}
	return filepath.Join(root, "rvcheck", "servers"), nil
}

// Build returns the path of the release's binary, which it builds if it is not there
// yet: a minute or several. The error holds what the Go command printed.
func (r Release) Build(ctx context.Context) (string, error) {
	binary, err := r.binary()
	if err != nil {
		return "", err
	}
	if built, err := r.Built(); built || err != nil {
		return binary, err
	}
	if err := r.buildAt(ctx, binary); err != nil {
		return "", fmt.Errorf("building %s %s: %w", r.Source.Module, r.Version, err)
	}
	return binary, nil
}

// Built reports whether the binary is there.
func (r Release) Built() (bool, error) {
	binary, err := r.binary()
	if err != nil {
		return false, err
	}
	if _, err = os.Stat(binary); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// binary is where it is kept.
func (r Release) binary() (string, error) {
	cache, err := Cache()
	return filepath.Join(cache, r.key(), r.Source.Binary), err
}

// keepScript puts the release's script beside the binaries and returns its path.
func (r Release) keepScript() (string, error) {
	if r.Script == "" {
		return "", nil
	}
	cache, err := Cache()
	if err != nil {
		return "", err
	}
	file := filepath.Join(cache, r.Name+".sh")
	if kept, err := os.ReadFile(file); err == nil && string(kept) == r.Script {
		return file, nil
	}
	unfinished := fmt.Sprintf("%s.%d", file, os.Getpid())
	if err := os.WriteFile(unfinished, []byte(r.Script), 0o644); err != nil {
		return "", fmt.Errorf("keeping the script of %s: %w", r.Name, err)
	}
	return file, os.Rename(unfinished, file)
}

// key names what the binary is built from.
func (r Release) key() string {
	words := append([]string{r.Source.Binary, r.Version}, r.Source.Requires...)
	if r.Source.Tags != "" {
		words = append(words, r.Source.Tags)
	}
	return strings.NewReplacer("/", "-", ",", "-").Replace(strings.Join(words, "-"))
}

// buildAt builds in a module of the release's own, since go install refuses modules
// with replacements.
func (r Release) buildAt(ctx context.Context, binary string) error {
	folder, err := os.MkdirTemp("", "rvcheck-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := r.writeModule(ctx, folder); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(binary), 0o755); err != nil {
		return err
	}
	unfinished := fmt.Sprintf("%s.%d", binary, os.Getpid())
	defer os.Remove(unfinished)
	if len(r.Source.Requires) > 0 {
		if _, err := r.goCommand(ctx, folder, append([]string{"get"}, r.Source.Requires...)...); err != nil {
			return err
		}
	}
	_, err = r.goCommand(ctx, folder, "build", "-mod=mod", "-tags", r.Source.Tags, "-ldflags", r.linkerFlags(), "-o", unfinished, r.Source.Package)
	if err != nil {
		return err
	}
	return os.Rename(unfinished, binary)
}

// writeModule requires the release without a look at the modules that it needs for
// its tests alone: some of those of old releases are nowhere to be had.
func (r Release) writeModule(ctx context.Context, folder string) error {
	text := fmt.Sprintf("module server.test\n\ngo 1.26\n\nrequire %s %s\n", r.Source.Module, r.Version)
	if r.Source.Staging {
		replacements, err := r.staged(ctx, folder)
		if err != nil {
			return err
		}
		text += replacements
	}
	return os.WriteFile(filepath.Join(folder, "go.mod"), []byte(text), 0o644)
}

// goCommand runs the Go command in a folder, outside any workspace, and returns what
// it printed.
func (r Release) goCommand(ctx context.Context, folder string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if r.Source.CFlags != "" {
		command.Env = append(command.Env, "CGO_ENABLED=1", "CGO_CFLAGS="+r.Source.CFlags)
	}
	var said bytes.Buffer
	command.Stderr = &said
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s%s", strings.Join(args, " "), err, said.Bytes(), output)
	}
	return output, nil
}
