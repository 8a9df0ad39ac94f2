package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
)

const (
	// maxLine is where a line that does not end is cut.
	maxLine = 64 << 10
	// maxWaiting is how much of a log is kept until there is a file for it.
	maxWaiting = 4 << 20
	// maxFile is how large a file of it becomes.
	maxFile = 256 << 20
	// maxTail is how many of the last lines can be asked for.
	maxTail = 20
)

// Log takes what a server prints, line by line and without secrets. It keeps the
// last lines, and all of it in a file once To has named one.
type Log struct {
	mu      sync.Mutex
	hide    *strings.Replacer
	partial []byte
	tail    []string
	waiting bytes.Buffer // what was printed before there was a file
	file    *os.File
	written int
	full    bool  // nothing more is written
	err     error // what could not be written
}

// newLog makes a log that hides the secrets.
func newLog(secrets []string) *Log { return &Log{hide: hider(secrets)} }

// Write takes some output. It never fails: a server does not suffer from a full disk
// of the checker's. To and Close tell.
func (l *Log) Write(output []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = append(l.partial, output...)
	for {
		end := bytes.IndexByte(l.partial, '\n')
		if end < 0 && len(l.partial) < maxLine {
			return len(output), nil
		}
		if end < 0 {
			end = len(l.partial) - 1
		}
		l.line(string(l.partial[:end+1]))
		l.partial = l.partial[end+1:]
	}
}

// line takes a line with its end.
func (l *Log) line(text string) {
	text = l.hide.Replace(text)
	if l.tail = append(l.tail, strings.TrimRight(text, "\r\n")); len(l.tail) > maxTail {
		l.tail = l.tail[1:]
	}
	switch {
	case l.file == nil && l.waiting.Len() < maxWaiting:
		l.waiting.WriteString(text)
	case l.file != nil && !l.full:
		l.keep(text)
	}
}

func (l *Log) keep(text string) {
	n, err := l.file.WriteString(text)
	if l.written += n; err == nil && l.written >= maxFile {
		_, err = fmt.Fprintf(l.file, "… the log is longer than %d MiB; the rest is left out\n", maxFile>>20)
		l.full = true
	}
	if err != nil {
		l.err, l.full = err, true
	}
}

// To writes the log, what is there and what will come, to a new file.
func (l *Log) To(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("keeping the server's log: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		return errors.Join(errors.New("fault of this program: a log has one file"), file.Close())
	}
	l.file = file
	l.keep(l.waiting.String())
	l.waiting = bytes.Buffer{}
	return nil
}

// Tail are the last lines, at most so many.
func (l *Log) Tail(lines int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.tail
	if len(l.partial) > 0 {
		all = append(all[:len(all):len(all)], l.hide.Replace(string(l.partial)))
	}
	return append([]string(nil), all[max(0, len(all)-lines):]...)
}

// Close ends the file and says whether it holds everything.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.partial) > 0 {
		l.line(string(l.partial) + "\n")
		l.partial = nil
	}
	if l.file == nil {
		return nil
	}
	err := errors.Join(l.err, l.file.Close())
	l.file, l.waiting = nil, bytes.Buffer{}
	if err != nil {
		return fmt.Errorf("keeping the server's log: %w", err)
	}
	return nil
}
