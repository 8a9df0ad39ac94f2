package jsonline

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// MaxDepth is how deep objects and arrays may be nested.
const MaxDepth = 100

// Cursor is a position in one line of JSON. The zero value is ready for Reset.
type Cursor struct {
	text    []byte
	pos     int
	depth   int
	first   bool // the innermost object or array has had no element yet
	scratch []byte
	known   interner
}

// Reset moves the cursor to the beginning of a line. The line must not change
// while the cursor is in use; nothing that the cursor returns as a string refers to it.
func (c *Cursor) Reset(line []byte) {
	c.text, c.pos, c.depth, c.first = line, 0, 0, false
}

// Peek returns the first byte of the next token, zero at the end of the line.
func (c *Cursor) Peek() byte {
	for ; c.pos < len(c.text); c.pos++ {
		switch c.text[c.pos] {
		case ' ', '\t', '\r', '\n':
		default:
			return c.text[c.pos]
		}
	}
	return 0
}

// Open enters an object ('{') or an array ('['); what describes it for the error.
func (c *Cursor) Open(bracket byte, what string) error {
	if c.Peek() != bracket {
		return c.Expected(what)
	}
	if c.depth == MaxDepth {
		return fmt.Errorf("nested deeper than %d levels", MaxDepth)
	}
	c.pos++
	c.depth++
	c.first = true
	return nil
}

// More reports whether the object or array that closes with bracket has another
// element, and moves to it; otherwise it leaves the object or array.
func (c *Cursor) More(bracket byte) (bool, error) {
	first := c.first
	c.first = false
	switch next := c.Peek(); {
	case next == bracket:
		c.pos++
		c.depth--
		return false, nil
	case first:
		return true, nil
	case next == ',':
		c.pos++
		return true, nil
	default:
		return false, c.Expected(fmt.Sprintf("',' or '%c'", bracket))
	}
}

// Name reads a member's name and the colon. The result is valid until the next
// call.
func (c *Cursor) Name() ([]byte, error) {
	name, err := c.bytes("a member's name in quotes")
	if err != nil {
		return nil, err
	}
	if c.Peek() != ':' {
		return nil, c.Expected("':'")
	}
	c.pos++
	return name, nil
}

// End fails unless nothing but white space is left.
func (c *Cursor) End() error {
	if c.Peek() != 0 || c.pos < len(c.text) {
		return c.Expected("the end of the line")
	}
	return nil
}

// Bool reads true or false.
func (c *Cursor) Bool() (bool, error) {
	switch {
	case c.literal("true"):
		return true, nil
	case c.literal("false"):
		return false, nil
	default:
		return false, c.Expected("true or false")
	}
}

func (c *Cursor) literal(word string) bool {
	c.Peek()
	end := c.pos + len(word)
	if end > len(c.text) || string(c.text[c.pos:end]) != word {
		return false
	}
	c.pos = end
	return true
}

// Raw skips one value of any type and returns its text, a part of the line.
func (c *Cursor) Raw() ([]byte, error) {
	first := c.Peek()
	start := c.pos
	var err error
	switch {
	case first == '{':
		err = c.skipObject()
	case first == '[':
		err = c.skipArray()
	case first == '"':
		_, err = c.bytes("a string")
	case first == '-' || '0' <= first && first <= '9':
		err = c.skipNumber()
	case !c.literal("true") && !c.literal("false") && !c.literal("null"):
		err = c.Expected("a value")
	}
	return c.text[start:c.pos], err
}

func (c *Cursor) skipObject() error {
	if err := c.Open('{', "an object"); err != nil {
		return err
	}
	for {
		more, err := c.More('}')
		if err != nil || !more {
			return err
		}
		if _, err := c.Name(); err != nil {
			return err
		}
		if _, err := c.Raw(); err != nil {
			return err
		}
	}
}

func (c *Cursor) skipArray() error {
	if err := c.Open('[', "an array"); err != nil {
		return err
	}
	for {
		more, err := c.More(']')
		if err != nil || !more {
			return err
		}
		if _, err := c.Raw(); err != nil {
			return err
		}
	}
}

// Offset is the position of the next token in the line; with Since it cuts out
// a member as it stands there.
func (c *Cursor) Offset() int {
	c.Peek()
	return c.pos
}

// Since returns the text of the line from an offset to the cursor.
func (c *Cursor) Since(offset int) []byte { return c.text[offset:c.pos] }

// Expected says what the caller wanted where the cursor stands, and what is there.
func (c *Cursor) Expected(what string) error {
	return fmt.Errorf("expected %s, found %s", what, c.found())
}

// found describes the next token without repeating a long one.
func (c *Cursor) found() string {
	next := c.Peek()
	switch {
	case c.pos >= len(c.text):
		return "the end of the line"
	case next == '{':
		return "an object"
	case next == '[':
		return "an array"
	case next == '"':
		return "the string " + c.excerpt()
	case next == '-' || '0' <= next && next <= '9':
		return "the number " + c.excerpt()
	case next == 't' || next == 'f' || next == 'n':
		return c.excerpt()
	default:
		return fmt.Sprintf("%q at column %d", next, c.pos+1)
	}
}

// excerpt is the beginning of the string, number or word at the cursor.
func (c *Cursor) excerpt() string {
	const longest = 40
	text := c.text[c.pos:min(len(c.text), c.pos+longest)]
	end := 1
	if text[0] == '"' {
		if end += bytes.IndexByte(text[1:], '"') + 1; end == 1 {
			end = len(text)
		}
	}
	for text[0] != '"' && end < len(text) && isWord(text[end]) {
		end++
	}
	return strings.Map(printable, strings.ToValidUTF8(string(text[:end]), "?"))
}

// printable keeps what a terminal obeys out of an error.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '?'
}

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '.' || b == '+' || b == '-'
}
