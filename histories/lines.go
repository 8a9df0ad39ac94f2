package histories

import (
	"bufio"
	"errors"
	"io"
)

// lineReader cuts a stream into lines.
type lineReader struct {
	source io.Reader
	r      *bufio.Reader
	long   []byte
	number int  // of the last line that was returned, from 1
	cut    bool // the compressed stream ended before its end
}

const lineBuffer = 64 << 10

// maxLine is how long a line may be: whatever a file holds, a reader needs no more
// memory for a line than this. A run's longest lines are lists of objects, far shorter.
const maxLine = 64 << 20

// byteOrderMark is what some editors begin a text file with.
const byteOrderMark = "\ufeff"

var errLongLine = errors.New("a line of more than 64 MiB; expected a record of a history")

func newLineReader(r io.Reader) *lineReader { return &lineReader{source: r} }

// next returns a line without its newline, valid until the next call, and whether
// there was a newline. It returns io.EOF when nothing is left.
func (l *lineReader) next() (line []byte, complete bool, err error) {
	if l.r == nil {
		plain, err := Decompress(l.source)
		if err != nil {
			return nil, false, err
		}
		l.r = bufio.NewReaderSize(plain, lineBuffer)
		if start, _ := l.r.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
			_, _ = l.r.Discard(len(byteOrderMark)) // they are in the buffer
		}
	}
	line, err = l.read()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		l.cut = true
		err = io.EOF
	}
	switch {
	case err == nil:
		l.number++
		return line[:len(line)-1], true, nil
	case errors.Is(err, io.EOF) && len(line) > 0:
		l.number++
		return line, false, nil
	default:
		if errors.Is(err, errLongLine) {
			l.number++
		}
		return nil, false, err
	}
}

func (l *lineReader) read() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	l.long = l.long[:0]
	for errors.Is(err, bufio.ErrBufferFull) {
		l.long = append(l.long, line...)
		if len(l.long) > maxLine {
			return nil, errLongLine
		}
		line, err = l.r.ReadSlice('\n')
	}
	if l.long = append(l.long, line...); len(l.long) > maxLine {
		return nil, errLongLine
	}
	return l.long, err
}
