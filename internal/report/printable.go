package report

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Printable is a text for a terminal. What would move the cursor, end the line or
// turn the text around is shown as an escape sequence: a history and the names in it
// may come from anywhere.
func Printable(text string) string {
	hidden := func(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) }
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		if strconv.IsPrint(r) && (r != utf8.RuneError || size > 1) {
			b.WriteString(text[:size])
		} else {
			quoted := strconv.Quote(text[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.String()
}

// styled is a text that is printable already and may have colours.
type styled string
