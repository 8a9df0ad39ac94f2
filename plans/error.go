package plans

import (
	"fmt"
	"strings"
)

// Error is what is wrong with the text of a plan. It prints as one line.
type Error struct {
	// Name is what Parse was told that the text is called, usually its file.
	Name string
	Line int
	// Wrong is what stands there, Expected what could stand there instead.
	Wrong    string
	Expected string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d: %s; expected %s", e.Name, e.Line, e.Wrong, e.Expected)
}

// sentence is a part of an error that quotes what has to be quoted already.
type sentence string

// complain makes an Error that does not know yet where it happened. Of a long string
// among the arguments it shows the beginning.
func complain(expected, wrong string, args ...any) *Error {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = clip(text)
		}
	}
	return &Error{Wrong: fmt.Sprintf(wrong, args...), Expected: expected}
}

func clip(text string) string {
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}

// or joins alternatives for people: "a, b or c".
func or(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
