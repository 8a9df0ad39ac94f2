package recording

import (
	"errors"
	"fmt"
	"os"

	"github.com/rvcheck/rvcheck/histories"
)

// Create starts a recorder that also writes the history file at path, which must
// not exist yet.
func Create(path string, header histories.Header, plan string) (*Recorder, error) {
	return nil, fmt.Errorf("history file %s: not yet", path)
}

// Close ends the file. Its error is the first one of writing it; the history in
// memory is complete all the same.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.err
	if r.file != nil {
		err = errors.Join(err, r.file.Close())
		r.file, r.log = nil, nowhere{}
	}
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

// Compress replaces the history file at path by a compressed one and returns its
// path.
func Compress(path string) (string, error) {
	return "", fmt.Errorf("history file %s: not yet", path)
}
