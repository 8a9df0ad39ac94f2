package jsonline

import "math"

// Int reads a number that is an integer of at most 64 bits.
func (c *Cursor) Int() (int64, error) {
	c.Peek()
	start := c.pos
	if err := c.skipNumber(); err != nil {
		c.pos = start
		return 0, c.Expected("an integer")
	}
	n, ok := ParseInt(c.text[start:c.pos])
	if !ok {
		c.pos = start
		return 0, c.Expected("an integer of at most 64 bits")
	}
	return n, nil
}

// skipNumber passes a number of the JSON grammar.
func (c *Cursor) skipNumber() error {
	start := c.pos
	if c.at('-') {
		c.pos++
	}
	integer := c.skipDigits()
	if integer == 0 || integer > 1 && c.text[c.pos-integer] == '0' {
		return c.malformed(start)
	}
	if c.at('.') {
		c.pos++
		if c.skipDigits() == 0 {
			return c.malformed(start)
		}
	}
	if c.at('e') || c.at('E') {
		c.pos++
		if c.at('+') || c.at('-') {
			c.pos++
		}
		if c.skipDigits() == 0 {
			return c.malformed(start)
		}
	}
	return nil
}

func (c *Cursor) malformed(start int) error {
	c.pos = start
	return c.Expected("a number")
}

func (c *Cursor) at(b byte) bool { return c.pos < len(c.text) && c.text[c.pos] == b }

func (c *Cursor) skipDigits() int {
	start := c.pos
	for c.pos < len(c.text) && '0' <= c.text[c.pos] && c.text[c.pos] <= '9' {
		c.pos++
	}
	return c.pos - start
}

// ParseInt reads an optional minus sign and decimal digits, nothing else.
func ParseInt(text []byte) (int64, bool) {
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	n, ok := ParseUint(text)
	switch {
	case !ok || n > math.MaxInt64+1 || n > math.MaxInt64 && !negative:
		return 0, false
	case negative:
		return -int64(n), true
	default:
		return int64(n), true
	}
}

// ParseUint reads decimal digits, nothing else.
func ParseUint(text []byte) (uint64, bool) {
	var n uint64
	for _, b := range text {
		digit := uint64(b - '0')
		if digit > 9 || n > (math.MaxUint64-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, len(text) > 0
}
