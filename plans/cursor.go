package plans

import (
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
)

// cursor walks over the tokens of one line.
type cursor struct {
	tokens []token
	pos    int
	layer  histories.Layer
	// depth counts the transactions around the cursor.
	depth int
}

func (c *cursor) done() bool { return c.pos >= len(c.tokens) }

// peek is the next token; at the end of the line a mark without text.
func (c *cursor) peek() token { return c.at(0) }

func (c *cursor) at(ahead int) token {
	if c.pos+ahead < len(c.tokens) {
		return c.tokens[c.pos+ahead]
	}
	return token{kind: mark}
}

// here says in words what stands at the cursor.
func (c *cursor) here() sentence {
	if c.done() {
		return "the line ends"
	}
	return sentence(strconv.Quote(clip(c.peek().text)) + " stands here")
}

// accept takes this mark if it is next.
func (c *cursor) accept(text string) bool {
	if c.done() || c.peek().kind != mark || c.peek().text != text {
		return false
	}
	c.pos++
	return true
}

// acceptWord takes this unquoted word if it is next.
func (c *cursor) acceptWord(text string) bool {
	if c.done() || c.peek().kind != word || c.peek().text != text {
		return false
	}
	c.pos++
	return true
}

func (c *cursor) mark(text, where string) *Error {
	if !c.accept(text) {
		return complain(strconv.Quote(text)+" "+where, "%s", c.here())
	}
	return nil
}

// string takes a bare or quoted string.
func (c *cursor) string(what string) (string, *Error) {
	if c.done() || c.peek().kind == mark {
		return "", complain(what, "%s", c.here())
	}
	c.pos++
	return c.tokens[c.pos-1].text, nil
}

// name takes the name of a lane, a label, an option: see isName.
func (c *cursor) name(what string) (string, *Error) {
	if t := c.peek(); c.done() || t.kind != word || !isName(t.text) {
		return "", complain(what, "%s", c.here())
	}
	c.pos++
	return c.tokens[c.pos-1].text, nil
}

// number takes a decimal number between the two bounds.
func (c *cursor) number(what string, least, most int64) (int64, *Error) {
	t := c.peek()
	n, err := strconv.ParseInt(t.text, 10, 64)
	if c.done() || t.kind != word || err != nil || n < least || n > most {
		return 0, complain(what, "%s", c.here())
	}
	c.pos++
	return n, nil
}

// oneOf takes one of the words.
func (c *cursor) oneOf(words []string) (string, *Error) {
	for _, w := range words {
		if c.acceptWord(w) {
			return w, nil
		}
	}
	return "", complain(or(words), "%s", c.here())
}

// isName reports whether a string can name a lane, a label or an option: a
// letter, then letters, digits, '-', '_' and '.'.
func isName(s string) bool {
	for i := range len(s) {
		letter := s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z'
		other := s[i] >= '0' && s[i] <= '9' || s[i] == '-' || s[i] == '_' || s[i] == '.'
		if !letter && (i == 0 || !other) {
			return false
		}
	}
	return s != ""
}
