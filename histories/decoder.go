package histories

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/rvcheck/rvcheck/histories/internal/jsonline"
)

// FormatError is a malformed history file: what was expected, and where.
type FormatError struct {
	Name string // of the file
	Line int    // from 1
	Err  error
}

func (e *FormatError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }

func (e *FormatError) Unwrap() error { return e.Err }

// Record is one line of a history file: the field that Kind names is set. What
// its pointers point to is overwritten by the next call of Next.
type Record struct {
	Kind RecordKind
	// Line is the number of the line in the file, from 1.
	Line   int
	Header *Header
	// Plan is the text of a plan record, PlanExtra what else is in it.
	Plan      string
	PlanExtra Extra
	// Operation holds the id and the call of an invoke record, or the id, the
	// return time and the answer of a return record.
	Operation *Operation
	// Stream is the watch operation that an event or end record belongs to.
	Stream int
	Event  *Event
	End    *End
	Fault  *Fault
	Note   *Note
}

// Decoder reads a history record by record, plain or compressed. It checks each
// record by itself, and that the first and no other is a header; whether the
// records fit together is what Read checks.
type Decoder struct {
	name      string
	lines     *lineReader
	cursor    jsonline.Cursor
	headed    bool
	truncated bool

	header Header
	plan   planLine
	op     Operation
	event  eventLine
	end    endLine
	fault  Fault
	note   Note

	// objects holds the lists of objects that were read, list the last one while it
	// is read.
	objects packed[Object]
	list    []Object
}

// NewDecoder returns a decoder of r; name stands for the file in errors.
func NewDecoder(r io.Reader, name string) *Decoder {
	return &Decoder{name: name, lines: newLineReader(r)}
}

// Next returns the next record, io.EOF after the last. Any other error is final:
// a *FormatError, or a failure to read wrapped with the file's name.
func (d *Decoder) Next() (Record, error) {
	line, complete, err := d.lines.next()
	switch {
	case errors.Is(err, io.EOF):
		d.truncated = d.truncated || d.lines.cut
		return Record{}, d.eof()
	case errors.Is(err, errLongLine):
		return Record{}, d.errorf(err)
	case err != nil && d.lines.number == 0:
		return Record{}, fmt.Errorf("%s: reading: %w", d.name, err)
	case err != nil:
		return Record{}, fmt.Errorf("%s: reading after line %d: %w", d.name, d.lines.number, err)
	}
	record, err := d.parse(line)
	if err == nil {
		return record, nil
	}
	if !complete && !json.Valid(line) {
		d.truncated = true
		return Record{}, d.eof()
	}
	return Record{}, d.errorf(err)
}

// Truncated reports, after io.EOF, whether the file ended in the middle of a
// record. What came before is whole.
func (d *Decoder) Truncated() bool { return d.truncated }

func (d *Decoder) eof() error {
	switch {
	case d.headed:
		return io.EOF
	case d.truncated && d.lines.number == 0:
		return fmt.Errorf("%s: the compressed file was cut; nothing of it can be read", d.name)
	case d.truncated:
		return d.errorf(errors.New("the file ends in the middle of its header"))
	default:
		return fmt.Errorf("%s: the file is empty: expected a history, whose first record is a header", d.name)
	}
}

func (d *Decoder) errorf(err error) error {
	return &FormatError{Name: d.name, Line: d.lines.number, Err: err}
}

func (d *Decoder) parse(line []byte) (Record, error) {
	kind, err := d.kind(line)
	if err != nil {
		return Record{}, err
	}
	if err := d.checkOrder(kind); err != nil {
		return Record{}, err
	}
	record := Record{Kind: kind, Line: d.lines.number}
	if err := d.fill(&record, line); err != nil {
		return Record{}, fmt.Errorf("%s record: %w", kind, err)
	}
	d.headed = true
	return record, nil
}

// kind finds the member "record", which files have first.
func (d *Decoder) kind(line []byte) (RecordKind, error) {
	c := &d.cursor
	c.Reset(line)
	if err := c.Open('{', "a record, which is a JSON object"); err != nil {
		return "", err
	}
	for {
		more, err := c.More('}')
		if err != nil {
			return "", err
		}
		if !more {
			return "", errors.New(`a record without "record": expected one of ` + joined(recordKinds))
		}
		name, err := c.Name()
		if err != nil {
			return "", err
		}
		if string(name) == "record" {
			return d.knownKind()
		}
		if _, err := c.Raw(); err != nil {
			return "", err
		}
	}
}

func (d *Decoder) knownKind() (RecordKind, error) {
	kind, err := d.cursor.Bytes("a record kind in quotes")
	if err != nil {
		return "", err
	}
	for _, known := range recordKinds {
		if string(kind) == string(known) {
			return known, nil
		}
	}
	return "", oneOf("record kind", RecordKind(kind), recordKinds)
}

func (d *Decoder) checkOrder(kind RecordKind) error {
	switch {
	case !d.headed && kind != HeaderRecord:
		return fmt.Errorf("a record of kind %s without a header before it: expected the header first", kind)
	case d.headed && kind == HeaderRecord:
		return errors.New("a second header: expected one, in the first line")
	default:
		return nil
	}
}

func (d *Decoder) fill(r *Record, line []byte) error {
	switch r.Kind {
	case HeaderRecord:
		r.Header = &d.header
		return decode(d, line, &headerLines, &d.header, checkHeader)
	case PlanRecord:
		err := decode(d, line, &planLines, &d.plan, func(*planLine) error { return nil })
		r.Plan, r.PlanExtra = d.plan.text, d.plan.extra
		return err
	case InvokeRecord:
		r.Operation = &d.op
		return decode(d, line, &invokeLines, &d.op, func(op *Operation) error { return checkInvoke(d.header.Layer, op) })
	case ReturnRecord:
		r.Operation = &d.op
		return d.answer(line)
	case EventRecord:
		err := decode(d, line, &eventLines, &d.event, func(l *eventLine) error { return checkEvent(l.stream, &l.event) })
		r.Stream, r.Event = d.event.stream, &d.event.event
		return err
	case EndRecord:
		err := decode(d, line, &endLines, &d.end, func(l *endLine) error { return checkEnd(l.stream, &l.end) })
		r.Stream, r.End = d.end.stream, &d.end.end
		return err
	case FaultRecord:
		r.Fault = &d.fault
		return decode(d, line, &faultLines, &d.fault, func(f *Fault) error { return checkTime(f.Time) })
	case NoteRecord:
		r.Note = &d.note
		return decode(d, line, &noteLines, &d.note, func(n *Note) error { return checkTime(n.Time) })
	}
	panic(fmt.Sprintf("fault in histories: record kind %q is known but not decoded", r.Kind))
}

// answer reads a return record. Most of a large history is lists of objects: they
// are packed.
func (d *Decoder) answer(line []byte) error {
	d.op = Operation{Answer: Answer{Objects: d.list[:0]}}
	err := decodeOnto(d, line, &returnLines, &d.op, checkReturn)
	d.list = d.op.Answer.Objects
	d.op.Answer.Objects = d.objects.keep(d.list)
	return err
}

func decode[T any](d *Decoder, line []byte, lines *table[T], v *T, check func(*T) error) error {
	var zero T
	*v = zero
	return decodeOnto(d, line, lines, v, check)
}

// decodeOnto keeps what v holds where the record does not tell.
func decodeOnto[T any](d *Decoder, line []byte, lines *table[T], v *T, check func(*T) error) error {
	d.cursor.Reset(line)
	if err := lines.parse(&d.cursor, v); err != nil {
		return err
	}
	if err := d.cursor.End(); err != nil {
		return err
	}
	return check(v)
}
