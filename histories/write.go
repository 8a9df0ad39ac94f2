package histories

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// Write writes a history in the order of time, as a run would have recorded it.
// What Read returned is written so that Read returns it again, except for
// Truncated. An operation that never returned must not have an answer.
func Write(w io.Writer, h *History) error {
	e := NewEncoder(w)
	if err := e.Header(&h.Header); err != nil {
		return err
	}
	if h.Plan != "" || h.PlanExtra.members != "" {
		if err := encode(e, PlanRecord, &planLines, &planLine{h.Plan, h.PlanExtra}, nil); err != nil {
			return err
		}
	}
	moments, err := momentsOf(h)
	if err != nil {
		return err
	}
	for _, m := range moments {
		if err := m.write(e, h); err != nil {
			return err
		}
	}
	return nil
}

// moment is one record of a history with the place that it gets in a file.
type moment struct {
	time int64
	kind momentKind
	i, j int32
}

// momentKind orders records of one time: causes before what they bring about.
type momentKind int

const (
	invoked momentKind = iota
	returned
	received
	ended
	faulted
	noted
)

func momentsOf(h *History) ([]moment, error) {
	var ms []moment
	for i := range h.Operations {
		op := &h.Operations[i]
		ms = append(ms, moment{op.Call, invoked, int32(i), 0})
		if op.Return != Never {
			ms = append(ms, moment{op.Return, returned, int32(i), 0})
		} else if !unanswered(&op.Answer) {
			return nil, fmt.Errorf("operation %d never returned but has an answer: expected outcome unknown and nothing else", op.ID)
		}
	}
	for i := range h.Streams {
		ms = appendStream(ms, i, &h.Streams[i])
	}
	var latest int64
	for i := range h.Faults {
		latest = max(latest, h.Faults[i].Time)
		ms = append(ms, moment{latest, faulted, int32(i), 0})
	}
	latest = 0
	for i := range h.Notes {
		latest = max(latest, h.Notes[i].Time)
		ms = append(ms, moment{latest, noted, int32(i), 0})
	}
	slices.SortStableFunc(ms, func(x, y moment) int {
		return cmp.Or(cmp.Compare(x.time, y.time), cmp.Compare(x.kind, y.kind))
	})
	return ms, nil
}

// appendStream keeps the order of the events even where their times do not.
func appendStream(ms []moment, i int, s *Stream) []moment {
	var latest int64
	for j := range s.Events {
		latest = max(latest, s.Events[j].Time)
		ms = append(ms, moment{latest, received, int32(i), int32(j)})
	}
	if s.End != nil {
		ms = append(ms, moment{max(latest, s.End.Time), ended, int32(i), 0})
	}
	return ms
}

func unanswered(a *Answer) bool {
	rest := *a
	rest.Outcome = ""
	return (a.Outcome == "" || a.Outcome == Unknown) && answerTable.zero(&rest)
}

func (m moment) write(e *Encoder, h *History) error {
	switch m.kind {
	case invoked:
		return e.Invoke(&h.Operations[m.i])
	case returned:
		return e.Return(&h.Operations[m.i])
	case received:
		s := &h.Streams[m.i]
		return e.Event(s.Op, &s.Events[m.j])
	case ended:
		s := &h.Streams[m.i]
		return e.End(s.Op, s.End)
	case faulted:
		return e.Fault(&h.Faults[m.i])
	case noted:
		return e.Note(&h.Notes[m.i])
	}
	panic(fmt.Sprintf("fault in histories: a moment of kind %d", m.kind))
}
