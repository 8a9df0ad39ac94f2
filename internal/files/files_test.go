package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReadText(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "text")
	if err := os.WriteFile(file, []byte("a text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadText(file, "a text"); err != nil || text != "a text" {
		t.Errorf("got %q, %v", text, err)
	}
	if _, err := ReadText(filepath.Join(folder, "missing"), "a text"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, expected that the file is missing", err)
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, kind := range map[string]string{folder: "a folder", pipe: "a pipe", os.DevNull: "a device"} {
		_, err := ReadText(name, "a text")
		if want := name + " is " + kind + "; expected a regular file: a text"; err == nil || err.Error() != want {
			t.Errorf("got %v, expected %s", err, want)
		}
	}
}

// zeros has no end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestLongTextIsRefused(t *testing.T) {
	_, err := ReadFrom(zeros{}, "-", "a text")
	if err == nil || !strings.Contains(err.Error(), "- has more than 64 MiB; expected a text") {
		t.Errorf("got %v", err)
	}
}
