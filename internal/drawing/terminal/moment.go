package terminal

import (
	"cmp"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/drawing"
)

// kind says what a row shows.
type kind int

const (
	noticed kind = iota
	began
	happened
	returned
	whole // a call with nothing else between its begin and its end
	gap   // rows that were left out
)

// moment is one row.
type moment struct {
	kind kind
	time int64
	// lane is an index of the sheet's lanes, -1 for what belongs to none.
	lane   int
	call   *drawing.Call
	event  *drawing.Event
	notice *drawing.Notice
	// left counts the calls that began in a gap.
	left int
}

// moments are the rows of a sheet in the order of time. At the same time, calls begin
// before others return: they count as concurrent.
func moments(s *drawing.Sheet) []moment {
	var all []moment
	for i := range s.Calls {
		c := &s.Calls[i]
		all = append(all, moment{kind: began, time: c.Begin, lane: c.Lane, call: c})
		if c.End != drawing.Open {
			all = append(all, moment{kind: returned, time: c.End, lane: c.Lane, call: c})
		}
	}
	for i := range s.Events {
		e := &s.Events[i]
		all = append(all, moment{kind: happened, time: e.Time, lane: e.Lane, event: e})
	}
	for i := range s.Notices {
		n := &s.Notices[i]
		all = append(all, moment{kind: noticed, time: n.Time, lane: -1, notice: n})
	}
	slices.SortStableFunc(all, func(a, b moment) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.kind, b.kind))
	})
	return all
}

// joined makes one row of the begin and the end of a call that follow each other.
func joined(all []moment) []moment {
	var rows []moment
	for _, m := range all {
		if last := len(rows) - 1; m.kind == returned && last >= 0 && rows[last].kind == began && rows[last].call == m.call {
			rows[last].kind = whole
			continue
		}
		rows = append(rows, m)
	}
	return rows
}

// revision is what the row tells, zero if nothing.
func (m *moment) revision() histories.Revision {
	switch {
	case m.event != nil:
		return m.event.Revision
	case m.call != nil && m.kind != began:
		return m.call.Revision
	default:
		return 0
	}
}

// marked reports whether the row belongs to the finding.
func (m *moment) marked(finding int) bool {
	switch {
	case m.call != nil:
		return slices.Contains(m.call.Findings, finding)
	case m.event != nil:
		return slices.Contains(m.event.Findings, finding)
	default:
		return false
	}
}
