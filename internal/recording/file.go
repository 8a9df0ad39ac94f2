package recording

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/rvcheck/rvcheck/histories"
)

// CompressedSuffix is what Compress adds to a file's name.
const CompressedSuffix = ".zst"

// Create starts a recorder that also writes the history file at path, which must
// not exist yet: a history is never overwritten.
func Create(path string, header histories.Header, plan string) (*Recorder, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("history file, expected a new one in a folder that exists: %w", err)
	}
	r := New(header, plan)
	r.file, r.log = file, histories.NewEncoder(file)
	if err := errors.Join(r.log.Header(&header), r.log.Plan(plan)); err != nil {
		r.Discard()
		return nil, fmt.Errorf("history file %s: %w", path, err)
	}
	return r, nil
}

// Close ends the file. Its error is the first one of writing it; the history in
// memory is complete all the same.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return r.err
	}
	err := errors.Join(r.err, r.file.Close())
	if err != nil {
		err = fmt.Errorf("history file %s is not complete: %w", r.file.Name(), err)
	}
	r.file, r.log = nil, nowhere{}
	return err
}

// Discard closes the file and removes it: nothing was executed.
func (r *Recorder) Discard() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		_ = r.file.Close()
		_ = os.Remove(r.file.Name())
		r.file, r.log = nil, nowhere{}
	}
}

// Compress replaces the closed history file at path by a compressed one and
// returns its path. At every moment one of the two is whole.
func Compress(path string) (string, error) {
	compressed := path + CompressedSuffix
	partial := compressed + ".partial"
	err := compressInto(partial, path)
	if err == nil {
		err = os.Rename(partial, compressed)
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		_ = os.Remove(partial)
		return "", fmt.Errorf("compressing the history file %s: %w", path, err)
	}
	return compressed, nil
}

func compressInto(partial, path string) (err error) {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(partial)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	z, err := histories.Compress(out)
	if err != nil {
		return err
	}
	if _, err := io.Copy(z, in); err != nil {
		_ = z.Close()
		return err
	}
	return z.Close()
}
