package jsonline

import (
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// String reads a string. Short strings that come again and again are kept once.
func (c *Cursor) String() (string, error) {
	text, err := c.bytes("a string")
	if err != nil {
		return "", err
	}
	return c.known.intern(text), nil
}

// Bytes reads a string; the result is valid until the next call. What describes
// the expected string for the error.
func (c *Cursor) Bytes(what string) ([]byte, error) { return c.bytes(what) }

func (c *Cursor) bytes(what string) ([]byte, error) {
	if c.Peek() != '"' {
		return nil, c.Expected(what)
	}
	start := c.pos + 1
	ascii := true
	for i := start; i < len(c.text); i++ {
		switch b := c.text[i]; {
		case b == '"':
			c.pos = i + 1
			return checked(c.text[start:i], ascii)
		case b == '\\':
			return c.unescape(start, i)
		case b < 0x20:
			return nil, fmt.Errorf("control character %#02x in a string: expected an escape sequence", b)
		case b >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, errOpenString
}

var (
	errOpenString = errors.New("a string without its closing quote")
	errUTF8       = errors.New("a string that is not valid UTF-8")
	errEscape     = errors.New("a malformed escape sequence in a string")
)

func checked(text []byte, ascii bool) ([]byte, error) {
	if !ascii && !utf8.Valid(text) {
		return nil, errUTF8
	}
	return text, nil
}

// unescape continues a string at its first backslash.
func (c *Cursor) unescape(start, i int) ([]byte, error) {
	out := append(c.scratch[:0], c.text[start:i]...)
	for i < len(c.text) {
		b := c.text[i]
		switch {
		case b == '"':
			c.pos, c.scratch = i+1, out
			return checked(out, false)
		case b < 0x20:
			return nil, fmt.Errorf("control character %#02x in a string: expected an escape sequence", b)
		case b != '\\':
			out = append(out, b)
			i++
		default:
			var length int
			out, length = appendEscape(out, c.text[i:])
			if length == 0 {
				return nil, errEscape
			}
			i += length
		}
	}
	return nil, errOpenString
}

// appendEscape decodes the escape sequence at the beginning of text; its length
// is zero where it is malformed.
func appendEscape(out, text []byte) ([]byte, int) {
	if len(text) < 2 {
		return out, 0
	}
	switch b := text[1]; b {
	case '"', '\\', '/':
		return append(out, b), 2
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'n':
		return append(out, '\n'), 2
	case 'r':
		return append(out, '\r'), 2
	case 't':
		return append(out, '\t'), 2
	case 'u':
		return appendUnicode(out, text)
	default:
		return out, 0
	}
}

// appendUnicode decodes one \uXXXX or a pair of surrogates; half a pair is malformed.
func appendUnicode(out, text []byte) ([]byte, int) {
	r, ok := hex4(text)
	if !ok {
		return out, 0
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(out, r), 6
	}
	low, ok := hex4(text[6:])
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return out, 0
	}
	return utf8.AppendRune(out, r), 12
}

// hex4 reads \uXXXX.
func hex4(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, b := range text[2:6] {
		switch {
		case '0' <= b && b <= '9':
			r = r<<4 + rune(b-'0')
		case 'a' <= b && b <= 'f':
			r = r<<4 + rune(b-'a') + 10
		case 'A' <= b && b <= 'F':
			r = r<<4 + rune(b-'A') + 10
		default:
			return 0, false
		}
	}
	return r, true
}

// AppendString appends text, which must be valid UTF-8, as a string.
func AppendString(b []byte, text string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := range len(text) {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
		}
	}
	b = append(b, text[start:]...)
	return append(b, '"')
}
