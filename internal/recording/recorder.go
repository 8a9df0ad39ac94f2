package recording

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/rvcheck/rvcheck/histories"
)

// Recorder records one plan's execution. All its methods may be called by
// several goroutines.
type Recorder struct {
	mu      sync.Mutex
	start   time.Time
	history histories.History
	streams map[int]*histories.Stream
	sealed  bool

	file *os.File // nil without a file
	log  log
	err  error // the first record that could not be written
}

// log takes records in the file format.
type log interface {
	Header(header *histories.Header) error
	Plan(text string) error
	Invoke(op *histories.Operation) error
	Return(op *histories.Operation) error
	Event(stream int, event *histories.Event) error
	End(stream int, end *histories.End) error
	Fault(fault *histories.Fault) error
	Note(note *histories.Note) error
}

// New starts a recorder that keeps everything in memory only.
func New(header histories.Header, plan string) *Recorder {
	return &Recorder{
		start:   time.Now(),
		history: histories.History{Header: header, Plan: plan},
		streams: map[int]*histories.Stream{},
		log:     nowhere{},
	}
}

// Now is the time on the recorder's clock, in nanoseconds since it started.
func (r *Recorder) Now() int64 { return time.Since(r.start).Nanoseconds() }

// Invoke records that a call is about to go out and returns its id. It fills in
// the id, which ascends in the order of call times, and the time of the call; the
// outcome is unknown until Return. The caller sends the call after Invoke has
// returned, never before.
func (r *Recorder) Invoke(op histories.Operation) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	op.ID = len(r.history.Operations) + 1
	op.Call = r.Now()
	op.Return = histories.Never
	op.Answer = histories.Answer{Outcome: histories.Unknown}
	if r.sealed {
		panic(fmt.Sprintf("rvcheck fault: operation %d (%s) recorded after the recorder was sealed", op.ID, op.Request.Kind))
	}
	r.history.Operations = append(r.history.Operations, op)
	r.keep(r.log.Invoke(&op))
	return op.ID
}

// Return records the answer to the call with this id. An answer that comes
// after Seal is dropped: the call stays open.
func (r *Recorder) Return(id int, answer histories.Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sealed {
		return
	}
	op := r.operation(id)
	if op.Return != histories.Never {
		panic(fmt.Sprintf("rvcheck fault: operation %d returned twice", id))
	}
	op.Return = r.Now()
	op.Answer = answer
	if op.Request.Kind.OpensStream() && answer.Outcome == histories.OK {
		r.stream(id)
	}
	r.keep(r.log.Return(op))
}

// Fault records what was done to the store. It fills in the time.
func (r *Recorder) Fault(fault histories.Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fault.Time = r.Now()
	r.history.Faults = append(r.history.Faults, fault)
	r.keep(r.log.Fault(&fault))
}

// Note records a remark of the run. It fills in the time.
func (r *Recorder) Note(note histories.Note) {
	r.mu.Lock()
	defer r.mu.Unlock()
	note.Time = r.Now()
	r.history.Notes = append(r.history.Notes, note)
	r.keep(r.log.Note(&note))
}

func (r *Recorder) operation(id int) *histories.Operation {
	if id < 1 || id > len(r.history.Operations) {
		panic(fmt.Sprintf("rvcheck fault: operation %d was never invoked", id))
	}
	return &r.history.Operations[id-1]
}

// keep remembers the first error of writing the file. The run goes on: what is
// in memory can still be judged, and Close reports the error.
func (r *Recorder) keep(err error) {
	if err != nil && r.err == nil {
		r.err = err
	}
}

// nowhere is the log of a recorder without a file.
type nowhere struct{}

func (nowhere) Header(*histories.Header) error    { return nil }
func (nowhere) Plan(string) error                 { return nil }
func (nowhere) Invoke(*histories.Operation) error { return nil }
func (nowhere) Return(*histories.Operation) error { return nil }
func (nowhere) Event(int, *histories.Event) error { return nil }
func (nowhere) End(int, *histories.End) error     { return nil }
func (nowhere) Fault(*histories.Fault) error      { return nil }
func (nowhere) Note(*histories.Note) error        { return nil }
