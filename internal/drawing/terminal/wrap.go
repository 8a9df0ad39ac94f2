package terminal

import (
	"strings"
	"unicode/utf8"
)

// wrap breaks a text into lines of at most width characters, between words where it
// can. Of more than most lines the last ends in an ellipsis.
func wrap(text string, width, most int) []string {
	var lines []string
	rest := strings.TrimSpace(text)
	for rest != "" {
		var line string
		line, rest = broken(rest, width)
		lines = append(lines, line)
		if len(lines) == most && rest != "" {
			lines[most-1] = shortened(line+" "+rest, width)
			break
		}
	}
	return lines
}

// broken takes the first line off a text.
func broken(text string, width int) (line, rest string) {
	if utf8.RuneCountInString(text) <= width {
		return text, ""
	}
	runes := []rune(text)
	at := width
	for at > 0 && runes[at] != ' ' {
		at--
	}
	if at <= width/3 { // a word that is too long for a line
		return string(runes[:width]), strings.TrimLeft(string(runes[width:]), " ")
	}
	return strings.TrimRight(string(runes[:at]), " "), strings.TrimLeft(string(runes[at:]), " ")
}

// shortened is a text cut to width.
func shortened(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return strings.TrimRight(string(runes[:width-1]), " ") + "…"
}

// padded fills a text up to width.
func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}
