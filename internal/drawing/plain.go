package drawing

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/report"
)

// Plain shows a text in printable ASCII, everything else as escape sequences, so that
// each character of a drawing takes one column and none moves the cursor.
func Plain(text string) string {
	if strings.IndexFunc(text, foreign) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if foreign(r) {
			quoted := strconv.QuoteToASCII(text[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(text[:size])
		}
		text = text[size:]
	}
	return b.String()
}

func foreign(r rune) bool { return r < ' ' || r > '~' }

// planLines are the lines of a plan's text, nothing that a page or a terminal obeys in
// them.
func planLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = report.Printable(line)
	}
	return lines
}

func faultText(f *histories.Fault) string {
	text := f.Action
	for _, name := range slices.Sorted(maps.Keys(f.Args)) {
		text += " " + name + "=" + f.Args[name]
	}
	return text
}

func noteText(n *histories.Note) string {
	text := n.Text
	if n.Label != "" {
		text = n.Label + ": " + text
	}
	return text
}
