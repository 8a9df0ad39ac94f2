package histories

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Read reads a whole history, plain or compressed; name stands for the file in
// errors. A call without an answer gets Outcome Unknown and Return Never. A file
// that ends in the middle of a record is read up to there, and Truncated says so;
// anything else that is malformed is an error which names the line.
func Read(r io.Reader, name string) (*History, error) {
	d := NewDecoder(r, name)
	a := newAssembler()
	for {
		record, err := d.Next()
		if errors.Is(err, io.EOF) {
			a.history.Truncated = d.Truncated()
			return a.finish(), nil
		}
		if err != nil {
			return nil, err
		}
		if err := a.add(&record); err != nil {
			return nil, &FormatError{Name: name, Line: record.Line, Err: fmt.Errorf("%s record: %w", record.Kind, err)}
		}
	}
}

// assembler puts the records of a file together and refuses those that do not fit.
type assembler struct {
	history    History
	planned    bool
	operations pile[Operation]
	ids        idIndex
	watches    map[int]*watch // by operation id
}

// watch is a stream that is being read.
type watch struct {
	call   int64
	events pile[Event]
	end    *End
}

func newAssembler() *assembler { return &assembler{watches: make(map[int]*watch)} }

func (a *assembler) add(r *Record) error {
	switch r.Kind {
	case HeaderRecord:
		a.history.Header = *r.Header
	case PlanRecord:
		return a.addPlan(r)
	case InvokeRecord:
		return a.invoke(r.Operation)
	case ReturnRecord:
		return a.complete(r.Operation)
	case EventRecord:
		return a.addEvent(r.Stream, r.Event)
	case EndRecord:
		return a.end(r.Stream, r.End)
	case FaultRecord:
		a.history.Faults = append(a.history.Faults, *r.Fault)
	case NoteRecord:
		a.history.Notes = append(a.history.Notes, *r.Note)
	}
	return nil
}

func (a *assembler) addPlan(r *Record) error {
	if a.planned {
		return errors.New("a second plan: expected at most one")
	}
	a.planned = true
	a.history.Plan, a.history.PlanExtra = r.Plan, r.PlanExtra
	return nil
}

func (a *assembler) invoke(op *Operation) error {
	if a.ids.get(op.ID) != nil {
		return fmt.Errorf("id %d is invoked twice: expected a new id for each operation", op.ID)
	}
	op.Return, op.Answer = Never, Answer{Outcome: Unknown}
	a.ids.put(a.operations.add(op))
	if op.Request.Kind.OpensStream() {
		a.watches[op.ID] = &watch{call: op.Call}
	}
	return nil
}

func (a *assembler) complete(returned *Operation) error {
	op := a.ids.get(returned.ID)
	switch {
	case op == nil:
		return fmt.Errorf("id %d was not invoked: expected its invoke record before", returned.ID)
	case op.Return != Never:
		return fmt.Errorf("id %d returns twice", returned.ID)
	case returned.Return == Never:
		return errors.New("time: expected the time of the return, found the one that stands for none")
	case returned.Return < op.Call:
		return errReturnBeforeCall(returned.Return, op.Call)
	}
	op.Return, op.Answer = returned.Return, returned.Answer
	return nil
}

func (a *assembler) addEvent(id int, event *Event) error {
	w, err := a.open(id, event.Time)
	if err != nil {
		return err
	}
	if before := w.events.top(); before != nil {
		if err := checkBatch(before, event); err != nil {
			return err
		}
	}
	w.events.add(event)
	return nil
}

// checkBatch demands that responses come one after the other (ETCD-12).
func checkBatch(before, event *Event) error {
	switch {
	case event.Batch < before.Batch:
		return fmt.Errorf("batch %d after batch %d of the same stream", event.Batch, before.Batch)
	case event.Batch == before.Batch && before.Last:
		return fmt.Errorf("batch %d goes on after its last event", event.Batch)
	default:
		return nil
	}
}

func (a *assembler) end(id int, end *End) error {
	w, err := a.open(id, end.Time)
	if err != nil {
		return err
	}
	ended := *end
	w.end = &ended
	return nil
}

// open finds a stream that can still receive something at this time.
func (a *assembler) open(id int, time int64) (*watch, error) {
	w := a.watches[id]
	switch {
	case w == nil:
		return nil, fmt.Errorf("stream %d: expected a watch or an informer with this id to have been invoked before", id)
	case w.end != nil:
		return nil, fmt.Errorf("stream %d has ended before", id)
	case time < w.call:
		return nil, fmt.Errorf("time %d: expected at least %d, when the watch was called", time, w.call)
	}
	return w, nil
}

func (a *assembler) finish() *History {
	h := &a.history
	h.Streams = a.streams()
	a.ids = idIndex{}
	h.Operations = a.operations.slice()
	byID := func(x, y Operation) int { return cmp.Compare(x.ID, y.ID) }
	if !slices.IsSortedFunc(h.Operations, byID) {
		slices.SortFunc(h.Operations, byID)
	}
	return h
}

func (a *assembler) streams() []Stream {
	var streams []Stream
	for _, id := range slices.Sorted(maps.Keys(a.watches)) {
		w := a.watches[id]
		if w.end != nil || w.events.count > 0 || a.ids.get(id).Answer.Outcome == OK {
			streams = append(streams, Stream{Op: id, Events: w.events.slice(), End: w.end})
		}
	}
	return streams
}

// idIndex finds operations by id: in a slice where ids are nearly dense, as runs
// give them, in a map where a foreign file's are not.
type idIndex struct {
	dense  []*Operation
	sparse map[int]*Operation
	count  int
}

func (x *idIndex) get(id int) *Operation {
	if id < len(x.dense) && x.dense[id] != nil {
		return x.dense[id]
	}
	return x.sparse[id]
}

func (x *idIndex) put(op *Operation) {
	x.count++
	if op.ID > 2*x.count+64 {
		if x.sparse == nil {
			x.sparse = make(map[int]*Operation)
		}
		x.sparse[op.ID] = op
		return
	}
	if missing := op.ID + 1 - len(x.dense); missing > 0 {
		x.dense = append(x.dense, make([]*Operation, missing)...)
	}
	x.dense[op.ID] = op
}
