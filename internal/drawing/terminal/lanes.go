package terminal

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/rvcheck/rvcheck/internal/drawing"
)

// column is a lane that is shown.
type column struct {
	lane int
	// name is the heading, full the name of the lane, where the heading is a number.
	name, full string
	// width is how many characters it takes, the space behind it included.
	width int
}

// columns are the lanes on which something happens in the rows. The run's own watch
// repeats every write; it is left out unless the violation is about it or everything
// is asked for.
func columns(s *drawing.Sheet, rows []moment, everything func(lane int) bool) []column {
	busy := make(map[int]bool)
	for i := range rows {
		busy[rows[i].lane] = true
	}
	var shown []column
	for lane := range s.Lanes {
		if busy[lane] || everything(lane) {
			shown = append(shown, column{lane: lane, name: s.Lanes[lane].Name})
		}
	}
	return shown
}

// quiet reports whether a lane is left out of a drawing of this finding.
func quiet(s *drawing.Sheet, lane, finding int) bool {
	if !s.Lanes[lane].Own || s.Lanes[lane].Watch == 0 {
		return false
	}
	return finding < 0 || !slices.Contains(s.Findings[finding].Operations, s.Lanes[lane].Watch)
}

// spread gives all columns the same width, if that is enough for words.
func spread(columns []column, room int) bool {
	width := room / max(1, len(columns))
	for i := range columns {
		columns[i].width = width
	}
	return width >= leastWords
}

// leastBeside is the room that words beside narrow columns need.
const leastBeside = 20

// anyLane is the only column where there is no room for one a lane.
const anyLane = -1

// narrow makes columns no wider than their headings: their names, numbers where those
// take too much, or, where even numbers do, one column for all.
func narrow(columns []column, room int) []column {
	for i := range columns {
		columns[i].width = utf8.RuneCountInString(columns[i].name) + 1
	}
	if total(columns) <= room/2 {
		return columns
	}
	for i := range columns {
		columns[i].full, columns[i].name = columns[i].name, strconv.Itoa(i+1)
		columns[i].width = len(columns[i].name) + 1
	}
	if total(columns) <= room-leastBeside {
		return columns
	}
	return []column{{lane: anyLane, width: 2}}
}

func total(columns []column) int {
	sum := 0
	for _, c := range columns {
		sum += c.width
	}
	return sum
}

// bars is what is under way in each lane.
type bars struct {
	calls   map[int]int // open calls by lane
	streams map[int]bool
	lanes   map[int]int // lanes by watch
}

func newBars(s *drawing.Sheet) *bars {
	b := &bars{calls: make(map[int]int), streams: make(map[int]bool), lanes: make(map[int]int)}
	for lane := range s.Lanes {
		if watch := s.Lanes[lane].Watch; watch != 0 {
			b.lanes[watch] = lane
		}
	}
	return b
}

// before takes a row into account that is about to be drawn, after one that was.
func (b *bars) before(m *moment) {
	if m.kind == returned {
		b.calls[m.lane]--
	}
	if m.kind == happened && m.event.Kind == drawing.End {
		delete(b.streams, m.lane)
	}
}

func (b *bars) after(m *moment) {
	switch {
	case m.kind == began:
		b.calls[m.lane]++
	case m.kind == happened && m.event.Kind != drawing.End:
		b.streams[m.lane] = true
	}
	if m.call != nil && m.kind != began {
		if lane, watch := b.lanes[m.call.ID]; watch {
			b.streams[lane] = true
		}
	}
}

// at is the bar of a lane.
func (b *bars) at(lane int) string {
	switch {
	case b.calls[lane] > 0:
		return "│"
	case b.streams[lane]:
		return "┊"
	default:
		return " "
	}
}
