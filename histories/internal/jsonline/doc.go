// Package jsonline reads and writes single lines of JSON without allocating more
// than what is kept.
//
// A history has millions of records of few shapes, and reading it must not cost
// more than judging it. Cursor walks over one line and leaves it to the caller
// what to do with each member; the Append functions build a line. What Cursor
// accepts is RFC 8259 without licence: strings are valid UTF-8 without lone
// surrogates, numbers are those of the grammar, nesting is bounded.
package jsonline
