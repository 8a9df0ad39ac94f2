package histories

import (
	"fmt"
	"io"

	"github.com/rvcheck/rvcheck/histories/internal/jsonline"
)

// Encoder writes a history record by record. Each method hands one whole line to
// the writer in one call of Write, so that a file opened for appending holds
// every record that was handed over, however the program ends.
//
// An Encoder refuses records that a Decoder would refuse by themselves; that
// records fit together (a header first, no return without its invoke) is up to
// the caller. It is not safe for concurrent use.
type Encoder struct {
	w     io.Writer
	line  []byte
	layer Layer // of the header, empty before it
}

// NewEncoder returns an encoder that writes plain text to w.
func NewEncoder(w io.Writer) *Encoder { return &Encoder{w: w} }

// Header writes the first record. A zero Format stands for FormatVersion.
func (e *Encoder) Header(h *Header) error {
	header := *h
	if header.Format == 0 {
		header.Format = FormatVersion
	}
	e.layer = header.Layer
	return encode(e, HeaderRecord, &headerLines, &header, checkHeader(&header))
}

// Plan writes the text form of the plan.
func (e *Encoder) Plan(text string) error {
	return encode(e, PlanRecord, &planLines, &planLine{text: text}, nil)
}

// Invoke writes the call of an operation; its answer is ignored.
func (e *Encoder) Invoke(op *Operation) error {
	return encode(e, InvokeRecord, &invokeLines, op, checkInvoke(e.layer, op))
}

// Return writes the answer of an operation; its request is ignored. An operation
// that never returned has no such record.
func (e *Encoder) Return(op *Operation) error {
	err := checkReturn(op)
	switch {
	case op.Return == Never:
		err = fmt.Errorf("operation %d has not returned", op.ID)
	case op.Return < op.Call:
		err = errReturnBeforeCall(op.Return, op.Call)
	}
	return encode(e, ReturnRecord, &returnLines, op, err)
}

// Event writes one event of the stream that the operation with this id opened.
func (e *Encoder) Event(stream int, event *Event) error {
	return encode(e, EventRecord, &eventLines, &eventLine{stream, *event}, checkEvent(stream, event))
}

// End writes how the stream that the operation with this id opened ended.
func (e *Encoder) End(stream int, end *End) error {
	return encode(e, EndRecord, &endLines, &endLine{stream, *end}, checkEnd(stream, end))
}

// Fault writes what was done to the store.
func (e *Encoder) Fault(f *Fault) error {
	return encode(e, FaultRecord, &faultLines, f, checkTime(f.Time))
}

// Note writes a remark.
func (e *Encoder) Note(n *Note) error {
	return encode(e, NoteRecord, &noteLines, n, checkTime(n.Time))
}

func encode[T any](e *Encoder, kind RecordKind, lines *table[T], v *T, invalid error) error {
	if invalid != nil {
		return fmt.Errorf("%s record: %w", kind, invalid)
	}
	b := append(e.line[:0], `{"record":`...)
	b = append(jsonline.AppendString(b, string(kind)), ',')
	b = closed(lines.appendMembers(b, v), '}')
	e.line = append(b, '\n')
	n, err := e.w.Write(e.line)
	if err == nil && n < len(e.line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("writing a %s record: %w", kind, err)
	}
	return nil
}

func errReturnBeforeCall(time, call int64) error {
	return fmt.Errorf("time %d: expected at least %d, when the operation was called", time, call)
}
