package plans

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// tokenKind says what a token is.
type tokenKind int

const (
	word   tokenKind = iota // a run of bare characters
	quoted                  // a quoted byte string, unquoted already
	mark                    // one character of marks
)

// token is one piece of a line.
type token struct {
	kind tokenKind
	text string
	// glued: no space stands before it.
	glued bool
}

// marks are the characters that have a meaning of their own.
const marks = "{}[]()*,;:=<>!@"

// isBare reports whether a character may stand in an unquoted word.
func isBare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_./%+~", c) >= 0
}

// scan cuts a line into tokens. A '#' that begins the line or follows a space
// begins a comment, which is dropped.
func scan(text string) ([]token, *Error) {
	var tokens []token
	glued := false
	for pos := 0; pos < len(text); {
		c := text[pos]
		if c == ' ' || c == '\t' || c == '\r' {
			glued = false
			pos++
			continue
		}
		if c == '#' && !glued {
			break
		}
		t, length, err := scanToken(text[pos:])
		if err != nil {
			return nil, err
		}
		t.glued = glued
		tokens = append(tokens, t)
		pos += length
		glued = true
	}
	return tokens, nil
}

// scanToken reads the token that text begins with, and says how long it is.
func scanToken(text string) (token, int, *Error) {
	c := text[0]
	switch {
	case c == '"':
		return scanQuoted(text)
	case isBare(c):
		end := 1
		for end < len(text) && isBare(text[end]) {
			end++
		}
		return token{kind: word, text: text[:end]}, end, nil
	case strings.IndexByte(marks, c) >= 0:
		return token{kind: mark, text: text[:1]}, 1, nil
	}
	_, size := utf8.DecodeRuneInString(text)
	return token{}, 0, complain(`a quoted string such as "\x00" around unusual characters`, "character %q stands outside quotes", text[:size])
}

func scanQuoted(text string) (token, int, *Error) {
	end := 1
	for end < len(text) && text[end] != '"' {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(text) {
		return token{}, 0, complain(`a closing "`, "quoted string without an end")
	}
	raw := text[:end+1]
	value, err := strconv.Unquote(raw)
	if err != nil || !utf8.ValidString(raw) {
		return token{}, 0, complain(`escapes as in Go, such as \x00, \n or \"`, "quoted string %q has a bad escape or bad bytes", raw)
	}
	return token{kind: quoted, text: value}, end + 1, nil
}

// reserved are the words that are quoted where they are meant as a name.
var reserved = map[string]bool{"all": true, "if": true, "then": true, "else": true}

// Reserved reports whether a word has a meaning of its own in plans, so that a key
// of that name is written in quotes.
func Reserved(name string) bool { return reserved[name] }

// quote writes a string so that scan reads it back as one token: bare where that
// is possible.
func quote(s string) string {
	if s == "" || reserved[s] {
		return strconv.Quote(s)
	}
	for i := range len(s) {
		if !isBare(s[i]) {
			return strconv.Quote(s)
		}
	}
	return s
}
