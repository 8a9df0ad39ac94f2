package recording

import (
	"maps"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// Stream records what one watch delivers. It is the sink to give to a target
// ([targets.Sink]): it numbers the batches and fills in the time of receipt.
type Stream struct {
	recorder *Recorder
	op       int
}

// Stream returns the sink of the stream that this watch operation opens. It is
// there as soon as the watch was invoked, since events may arrive before the
// watch's own answer has been handed on.
func (r *Recorder) Stream(op int) *Stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	if kind := r.operation(op).Request.Kind; !kind.OpensStream() {
		panic("rvcheck fault: a stream of an operation that opens none: " + string(kind))
	}
	return &Stream{recorder: r, op: op}
}

// Batch records the events of one response, or of a fragment of one: the final
// event closes the batch if it has Last set, else the next call goes on with it.
// A progress notification is no part of another response, whatever came before.
// What comes after the end of the stream breaks the contract of a sink: it is
// not recorded as events, since no judge could place them, but noted.
func (s *Stream) Batch(events []histories.Event) {
	r := s.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sealed || len(events) == 0 {
		return
	}
	stream := r.stream(s.op)
	if stream.End != nil {
		r.complain("the target delivered events after the end of a stream")
		return
	}
	now, batch := r.Now(), nextBatch(stream.Events, events[0].Type)
	for i, event := range events {
		event.Time, event.Batch, event.Last = now, batch, event.Last && i == len(events)-1
		stream.Events = append(stream.Events, event)
		r.keep(r.log.Event(s.op, &event))
	}
}

// nextBatch is the number of the batch that events of this type belong to.
func nextBatch(before []histories.Event, arriving histories.EventType) int {
	n := len(before)
	switch {
	case n == 0:
		return 1
	case before[n-1].Last || arriving == histories.ProgressEvent:
		return before[n-1].Batch + 1
	default:
		return before[n-1].Batch
	}
}

// End records how the stream ended. A second end is noted and dropped.
func (s *Stream) End(end histories.End) {
	r := s.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sealed {
		return
	}
	stream := r.stream(s.op)
	if stream.End != nil {
		r.complain("the target ended a stream twice")
		return
	}
	r.end(stream, end)
}

// Seal ends the recording of calls and streams: a stream that is still open ends
// here with EndRun, and what a target delivers later is dropped. Notes are still
// taken.
func (r *Recorder) Seal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, op := range slices.Sorted(maps.Keys(r.streams)) {
		if stream := r.streams[op]; !r.sealed && stream.End == nil {
			r.end(stream, histories.End{Reason: histories.EndRun})
		}
	}
	r.sealed = true
}

func (r *Recorder) end(stream *histories.Stream, end histories.End) {
	end.Time = r.Now()
	stream.End = &end
	r.keep(r.log.End(stream.Op, &end))
}

// stream returns the record of a stream and makes it at first use.
func (r *Recorder) stream(op int) *histories.Stream {
	stream := r.streams[op]
	if stream == nil {
		stream = &histories.Stream{Op: op}
		r.streams[op] = stream
	}
	return stream
}

// complain notes a break of the sink's contract by the target.
func (r *Recorder) complain(text string) {
	note := histories.Note{Kind: "info", Text: text, Time: r.Now()}
	r.history.Notes = append(r.history.Notes, note)
	r.keep(r.log.Note(&note))
}

// History returns a copy of what was recorded so far.
func (r *Recorder) History() *histories.History {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.history
	h.Operations = slices.Clone(h.Operations)
	h.Faults = slices.Clone(h.Faults)
	h.Notes = slices.Clone(h.Notes)
	h.Streams = nil
	for _, op := range slices.Sorted(maps.Keys(r.streams)) {
		stream := *r.streams[op]
		stream.Events = slices.Clone(stream.Events)
		h.Streams = append(h.Streams, stream)
	}
	return &h
}
