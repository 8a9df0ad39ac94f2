package report

import "strings"

const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// paint colours the lines of the table that need attention.
func (p *printer) paint(table string) styled {
	if !p.opts.Color {
		return styled(table)
	}
	lines := strings.Split(table, "\n")
	for i, line := range lines {
		switch {
		case strings.Contains(line, "  "+string(Broken)):
			lines[i] = red + line + plain
		case strings.Contains(line, "  "+string(Undecided)), strings.Contains(line, "  "+string(Waived)), strings.Contains(line, "  "+string(NotExercised)):
			lines[i] = yellow + line + plain
		}
	}
	return styled(strings.Join(lines, "\n"))
}

func (p *printer) paintVerdict(verdict Verdict, text string) styled {
	text = Printable(text)
	if !p.opts.Color {
		return styled(text)
	}
	switch verdict {
	case Conformant:
		return styled(green + text + plain)
	case Inconclusive:
		return styled(yellow + text + plain)
	default:
		return styled(red + text + plain)
	}
}
