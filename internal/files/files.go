// Package files reads what a user names on the command line or in a file: regular
// files only, and of those that are read whole no more than a person's text has. A
// pipe that nobody writes to or a device without an end would be read forever.
package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// MaxText is how long a file that is read whole may be, in bytes.
const MaxText = 64 << 20

// Open opens a regular file; expected says in errors what it should hold. The error
// of a file that is not there is one of package os.
func Open(name, expected string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("%w; expected %s", err, expected)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is %s; expected a regular file: %s", name, kind(info.Mode()), expected)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%w; expected %s", err, expected)
	}
	return file, nil
}

func kind(mode os.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&os.ModeNamedPipe != 0:
		return "a pipe"
	case mode&os.ModeSocket != 0:
		return "a socket"
	case mode&os.ModeDevice != 0:
		return "a device"
	default:
		return "no file with a content of its own"
	}
}

// ReadText reads a regular file of at most MaxText.
func ReadText(name, expected string) (string, error) {
	file, err := Open(name, expected)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	return ReadFrom(file, name, expected)
}

// ReadFrom reads at most MaxText to the end; name stands for the reader in errors.
func ReadFrom(r io.Reader, name, expected string) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxText+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w; expected %s", name, err, expected)
	case len(text) > MaxText:
		return "", fmt.Errorf("%s has more than 64 MiB; expected %s", name, expected)
	default:
		return string(text), nil
	}
}

// Replace writes a text file in one step: whoever reads it, and whatever happens
// meanwhile, there is the whole old text or the whole new one.
func Replace(name, text string) error {
	temporary, err := os.CreateTemp(filepath.Dir(name), ".checker-*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	_, err = temporary.WriteString(text)
	err = errors.Join(err, temporary.Chmod(0o644), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", name, err), os.Remove(temporary.Name()))
	}
	return nil
}
