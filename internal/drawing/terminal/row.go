package terminal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/internal/drawing"
)

const (
	// leastWords is the narrowest column that words are written into.
	leastWords = 18
	// most is how many lines the words of a row may take that the violation is not
	// about, in columns of their own and at the right.
	mostInColumn, mostAtRight = 3, 1
	// mostMarked is the same for what the violation is about.
	mostMarked = 20
)

// arrange chooses the layout for the rows.
func (p *printer) arrange(rows []moment) {
	finding := p.opts.Finding
	p.columns = columns(p.sheet, rows, func(lane int) bool {
		watch := p.sheet.Lanes[lane].Watch
		return finding >= 0 && watch != 0 && slices.Contains(p.sheet.Findings[finding].Operations, watch)
	})
	p.time, p.revision = len("ms"), len("rev")
	for i := range rows {
		p.time = max(p.time, len(clock(rows[i].time)))
		p.revision = max(p.revision, len(told(&rows[i])))
	}
	room := p.opts.Width - p.margin()
	if p.words = spread(p.columns, room); !p.words {
		p.columns = narrow(p.columns, room)
		p.explain()
	}
}

// margin is what stands before the columns: the mark, the time, the revision.
func (p *printer) margin() int { return 2 + p.time + 1 + p.revision + 2 }

// explain says which lane each number is, or that the lanes have no columns.
func (p *printer) explain() {
	var names []string
	for _, c := range p.columns {
		switch {
		case c.lane == anyLane:
			names = append(names, "one for all, since there is no room for one each; --width and --around make some")
		case c.full != "":
			names = append(names, c.name+" "+c.full)
		}
	}
	if len(names) > 0 {
		p.field("columns", strings.Join(names, ", "))
		p.line("")
	}
}

func (p *printer) headings() {
	text := fmt.Sprintf("  %*s %*s  ", p.time, "ms", p.revision, "rev")
	for _, c := range p.columns {
		text += padded(shortened(c.name, max(1, c.width-1)), c.width)
	}
	p.text.WriteString(p.paint(dim, strings.TrimRight(text, " ")) + "\n")
}

// clock is a time in milliseconds.
func clock(t int64) string { return strconv.FormatFloat(float64(t)/1e6, 'f', 3, 64) }

// told is the revision that a row tells.
func told(m *moment) string {
	if r := m.revision(); r != 0 {
		return r.String()
	}
	return ""
}

func (p *printer) row(m *moment) {
	switch {
	case m.kind == gap:
		p.gap(m)
	case p.words && m.lane >= 0:
		p.inColumn(m)
	default:
		p.atRight(m)
	}
}

func (p *printer) gap(m *moment) {
	text := "⋮"
	switch {
	case m.left == 1:
		text += " 1 call"
	case m.left > 1:
		text += fmt.Sprintf(" %d calls", m.left)
	}
	p.text.WriteString("  " + p.paint(dim, text) + "\n")
}

// start is what stands before the columns on the first line of a row.
func (p *printer) start(m *moment, marked bool) string {
	mark := "  "
	if marked {
		mark = "▶ "
	}
	return fmt.Sprintf("%s%*s %*s  ", mark, p.time, clock(m.time), p.revision, told(m))
}

// inColumn writes the words into the lane's own column.
func (p *printer) inColumn(m *moment) {
	marked, most := m.marked(p.opts.Finding), mostInColumn
	if marked {
		most = mostMarked
	}
	start := p.start(m, marked)
	for i, line := range wrap(columnWords(m), p.columns[0].width-3, most) {
		symbol := symbol(m)
		if i > 0 {
			start, symbol = strings.Repeat(" ", p.margin()), below(m)
		}
		p.text.WriteString(p.across(m, start, symbol+" "+line, marked))
	}
}

// across is one line over all columns.
func (p *printer) across(m *moment, start, words string, marked bool) string {
	var b strings.Builder
	b.WriteString(start)
	pending := "" // spaces that only matter if something follows
	for _, c := range p.columns {
		text, color := p.bars.at(c.lane), ""
		if c.lane == m.lane {
			text = words
			if marked {
				color = red
			}
		}
		if filled := strings.TrimRight(text, " "); filled != "" {
			b.WriteString(pending + p.paint(color, filled))
			pending = padded("", c.width-len([]rune(filled)))
			continue
		}
		pending += padded("", c.width)
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// atRight draws only bars in the columns; the words follow them.
func (p *printer) atRight(m *moment) {
	marked, most := m.marked(p.opts.Finding), mostAtRight
	if marked {
		most = mostMarked
	}
	left := p.margin()
	if !p.words {
		left += total(p.columns)
	}
	start := p.start(m, marked)
	for i, line := range wrap(p.rightWords(m), p.opts.Width-left, most) {
		symbol := symbol(m)
		if i > 0 {
			start, symbol = strings.Repeat(" ", p.margin()), below(m)
		}
		p.text.WriteString(start + p.barsOf(m, symbol))
		if marked {
			line = p.paint(red, line)
		}
		p.text.WriteString(line + "\n")
	}
}

// barsOf is the part of the columns.
func (p *printer) barsOf(m *moment, symbol string) string {
	if p.words {
		return ""
	}
	var b strings.Builder
	for _, c := range p.columns {
		text := p.bars.at(c.lane)
		if c.lane == m.lane || c.lane == anyLane {
			text = symbol
		}
		b.WriteString(padded(text, c.width))
	}
	return b.String()
}

// symbol is what stands in the column of a row.
func symbol(m *moment) string {
	switch {
	case m.kind == began:
		return "┌"
	case m.kind == returned:
		return "└"
	case m.kind == whole:
		return "■"
	case m.event == nil:
		return "!"
	case m.event.Kind == drawing.Progress:
		return "○"
	case m.event.Kind == drawing.End:
		return "×"
	default:
		return "●"
	}
}

// below is what stands in the column on the further lines of a row.
func below(m *moment) string {
	switch {
	case m.kind == began:
		return "│"
	case m.event != nil && m.event.Kind != drawing.End:
		return "┊"
	default:
		return " "
	}
}

// columnWords are the words of a row below the heading of its lane.
func columnWords(m *moment) string {
	switch {
	case m.event != nil:
		return m.event.Text
	case m.kind == began:
		return m.call.Operation
	case m.kind == returned:
		return m.call.Answer
	default:
		return m.call.Operation + " → " + m.call.Answer
	}
}

// rightWords are the words of a row that stand beside all columns: they begin with
// the name of the lane.
func (p *printer) rightWords(m *moment) string {
	if m.notice != nil {
		return m.notice.Kind + ": " + m.notice.Text
	}
	name := p.sheet.Lanes[m.lane].Name + " "
	if m.kind == returned {
		return name + shortName(m.call) + " → " + m.call.Answer
	}
	return name + columnWords(m)
}

// shortName is how the return of a call refers to the call.
func shortName(c *drawing.Call) string {
	if c.Label != "" {
		return c.Label
	}
	words := strings.Fields(c.Operation)
	return strings.Join(words[:min(2, len(words))], " ")
}

func (p *printer) legend() {
	p.line("")
	for _, line := range wrap(legend, p.opts.Width-2, 0) {
		p.text.WriteString("  " + p.paint(dim, line) + "\n")
	}
}

const legend = "▶ of the violation · ┌│└ a call until its return · ■ a call during which nothing else is shown · " +
	"┊ a watch · ● event · ○ progress · × end of a watch · ⋮ left out · rev: the revision in the answer or event"
