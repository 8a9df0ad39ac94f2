package engine

import (
	"context"

	"github.com/rvcheck/rvcheck/histories"
)

// transport is the name of the transport stream for a watch: the label of the
// first watch on it, or nothing where no other watch shares it.
func (r *resolver) transport(ctx context.Context) (string, error) {
	op := r.step.op
	if op.On == "" {
		if r.script.shared[op.Label] {
			return op.Label, nil
		}
		return "", nil
	}
	other, err := r.happened(ctx, op.On)
	switch {
	case err != nil:
		return "", err
	case other.lane != op.Lane:
		return "", unresolvedf("%s belongs to another lane", op.On)
	case other.stream == nil:
		return "", unresolvedf("%s opened no stream", op.On)
	}
	return other.request.Transport, nil
}

// held reports whether a store may keep progress on a stream from the client as
// long as it is at the revision: a notification speaks for all watches of the
// transport stream, and one that waits for a future revision, or whose history is
// gone, is never up to date.
func (e *execution) held(s *stream, revision histories.Revision) bool {
	if s.request.Transport == "" {
		return false
	}
	newest := max(revision, e.known.now())
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, other := range e.streams {
		if other.opener != s.opener || other.request.Transport != s.request.Transport {
			continue
		}
		_, end, _ := other.state()
		if end == nil && other.first > newest || end != nil && end.Reason == histories.EndCompacted {
			return true
		}
	}
	return false
}
