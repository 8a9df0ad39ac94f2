package simulation

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// lastKey is what the stop protocol writes.
const lastKey = "~last"

// close is the stop protocol: the store answers, one last write, all open
// streams reach it, one final list.
func (r *run) close() {
	if !r.config.Closing {
		r.over = true
		return
	}
	closing := &lane{name: histories.ClosingClient, endpoint: 1}
	last := r.writing(histories.Request{Kind: histories.Create, Key: histories.Key{Name: lastKey}})
	awaits := 0
	closing.then = func() {
		op := r.history.Operations[len(r.history.Operations)-1]
		switch {
		case op.Request.Kind == histories.Get:
			r.call(closing, last)
		case awaits < len(r.watches):
			awaits++
			if w := r.watches[awaits-1]; w.open && w.request.StartRevision <= r.store.newest {
				r.awaitWatch(closing, w, r.lastRevision())
				return
			}
			r.proceed(closing)
		case op.Request.Kind == histories.List:
			r.over = true
		default:
			r.call(closing, histories.Request{Kind: histories.List})
		}
	}
	r.call(closing, histories.Request{Kind: histories.Get, Key: r.key()})
}

// lastRevision is the revision of the last write.
func (r *run) lastRevision() histories.Revision {
	return modified(r.store.at(lastKey, r.store.newest))
}

// endStreams ends what is still open: the run stops reading.
func (r *run) endStreams() {
	for _, w := range r.watches {
		if !w.open {
			continue
		}
		switch r.rng.IntN(3) {
		case 0:
			r.end(w, &histories.End{Time: r.now, Reason: histories.EndCancelled})
		case 1:
			r.end(w, &histories.End{Time: r.now, Reason: histories.EndRun})
		default:
			r.end(w, &histories.End{Time: r.now})
			r.history.Streams[w.stream].End = nil
		}
	}
}

// Truncate leaves what a run that is killed at an instant has recorded.
func Truncate(h *histories.History, instant int64) {
	n := 0
	for n < len(h.Operations) && h.Operations[n].Call <= instant {
		n++
	}
	h.Operations = h.Operations[:n]
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Return > instant {
			op.Return, op.Answer = histories.Never, histories.Answer{Outcome: histories.Unknown}
		}
	}
	h.Streams = slices.DeleteFunc(h.Streams, func(s histories.Stream) bool {
		return s.Op > n || h.Operations[s.Op-1].Return == histories.Never
	})
	for i := range h.Streams {
		truncateStream(&h.Streams[i], instant)
	}
	h.Truncated = true
}

func truncateStream(s *histories.Stream, instant int64) {
	n := 0
	for n < len(s.Events) && s.Events[n].Time <= instant {
		n++
	}
	s.Events = s.Events[:n]
	if s.End != nil && s.End.Time > instant {
		s.End = nil
	}
}
