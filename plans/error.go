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

// complain makes an Error that does not know yet where it happened.
func complain(expected, wrong string, args ...any) *Error {
	return &Error{Wrong: fmt.Sprintf(wrong, args...), Expected: expected}
}

// or joins alternatives for people: "a, b or c".
func or(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
