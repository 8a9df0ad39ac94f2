package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"
	"go.etcd.io/etcd/server/v3/etcdmain"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"checker": main, "etcd": func() { etcdmain.Main(os.Args) }})
}

// TestScripts is the manual with its failures: every command, every exit code,
// every kind of bad input.
func TestScripts(t *testing.T) {
	known, err := filepath.Abs("../../known-failing/etcd-3.7.txt")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("KNOWN", known) // what a real etcd does now and then
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":    code,
			"lines":   lineCount,
			"json":    jsonField,
			"waitfor": waitFor,
			"cut":     cut,
		},
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "short":
				return testing.Short(), nil
			case "nohup": // whoever started the tests wants hangups ignored, and so they are
				return signal.Ignored(syscall.SIGHUP), nil
			default:
				return false, errors.New("unknown condition " + condition)
			}
		},
	})
}

// code N COMMAND ARGS runs a command that must exit with code N.
func code(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND ARGS")
	}
	got := 0
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, expected %s", got, args[0])
	}
}

// lines FILE N says that a file (or stdout, stderr) has N lines.
func lineCount(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if got := strings.Count(text, "\n"); strconv.Itoa(got) != args[1] {
		ts.Fatalf("%s has %d lines, expected %s:\n%s", args[0], got, args[1], text)
	}
}

// json FILE FIELD VALUE says that a field of the JSON object in a file has a value.
func jsonField(ts *testscript.TestScript, neg bool, args []string) {
	var document map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &document))
	var value any = document
	for name := range strings.SplitSeq(args[1], ".") {
		switch inside := value.(type) {
		case map[string]any:
			value = inside[name]
		case []any:
			i, err := strconv.Atoi(name)
			ts.Check(err)
			value = inside[i]
		}
	}
	text, err := json.Marshal(value)
	ts.Check(err)
	if got := strings.Trim(string(text), `"`); (got == args[2]) == neg {
		ts.Fatalf("%s is %s, expected %s", args[1], got, args[2])
	}
}

// cut FROM TO N decompresses a history and leaves the last N bytes out.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	in, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer in.Close()
	decoder, err := zstd.NewReader(in)
	ts.Check(err)
	defer decoder.Close()
	text, err := io.ReadAll(decoder)
	ts.Check(err)
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), text[:len(text)-n], 0o644))
}

// waitfor FILE waits until a file is there.
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	file := ts.MkAbs(args[0])
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		if _, err := os.Stat(file); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	ts.Fatalf("%s did not appear", file)
}
