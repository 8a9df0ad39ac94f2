package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, l *Log, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if _, err := l.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLogKeepsWhatCameBeforeTheFile(t *testing.T) {
	l := newLog(nil)
	write(t, l, "one\ntw", "o\n")
	file := filepath.Join(t.TempDir(), "log")
	if err := l.To(file); err != nil {
		t.Fatal(err)
	}
	write(t, l, "three\nfour")
	if diff := cmp.Diff([]string{"three", "four"}, l.Tail(2)); diff != "" {
		t.Error(diff)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if want := "one\ntwo\nthree\nfour\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestLogHidesSecretsAcrossWrites(t *testing.T) {
	l := newLog(secretsOf([]string{"mysql://root:p%40ss@tcp(localhost)/db"}))
	write(t, l, "opening root:p%4", "0ss@ and p@ss\n", "p@", "ss")
	if diff := cmp.Diff([]string{"opening root:***@ and ***", "***"}, l.Tail(5)); diff != "" {
		t.Error(diff)
	}
}

func TestLogCutsALineWithoutEnd(t *testing.T) {
	l := newLog(nil)
	write(t, l, strings.Repeat("x", 3*maxLine))
	if got := len(l.Tail(maxTail)); got == 0 {
		t.Errorf("got %d lines", got)
	}
}

func TestLogKeepsTheLastLines(t *testing.T) {
	l := newLog(nil)
	write(t, l, strings.Repeat("line\n", 3*maxTail), "last\n")
	tail := l.Tail(100)
	if len(tail) != maxTail || tail[len(tail)-1] != "last" {
		t.Errorf("got %q", tail)
	}
}

func TestLogToAFolderThatIsNotThere(t *testing.T) {
	if err := newLog(nil).To(filepath.Join(t.TempDir(), "none", "log")); err == nil {
		t.Error("no error")
	}
}

func TestWithoutSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"postgres://me:secret@host/db":       "postgres://me:***@host/db",
		"postgres://me:se@cret@host/db":      "postgres://me:***@host/db",
		"redis://:secret@host":               "redis://:***@host",
		"http://127.0.0.1:2379":              "http://127.0.0.1:2379",
		"http://me@host:1":                   "http://me@host:1",
		"--endpoint=mysql://a:b@tcp(h:1)/db": "--endpoint=mysql://a:***@tcp(h:1)/db",
	} {
		if got := WithoutSecrets(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
