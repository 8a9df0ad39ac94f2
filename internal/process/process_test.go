//go:build linux

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// victim is set where the test runs as a program that starts a server and is killed.
const victim = "RVCHECK_PROCESS_VICTIM"

func TestMain(m *testing.M) {
	if folder := os.Getenv(victim); folder != "" {
		dieBesideServer(folder)
	}
	os.Exit(m.Run())
}

// family is a server with a child, which prints the child's process.
var family = []string{"sh", "-c", "sleep 1000 & echo child $!; wait"}

func dieBesideServer(folder string) {
	p, err := Start(Options{Command: family, Folder: folder})
	if err != nil {
		panic(err)
	}
	fmt.Println(p.command.Process.Pid, child(p))
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		panic(err)
	}
	select {}
}

// eventually waits for a condition.
func eventually(condition func() bool) bool {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(often) {
		if condition() {
			return true
		}
	}
	return false
}

// child waits until a server has printed the process of its child.
func child(p *Process) (pid int) {
	if !eventually(func() bool {
		_, text, found := strings.Cut(strings.Join(p.Log().Tail(1), ""), "child ")
		pid, _ = strconv.Atoi(text)
		return found
	}) {
		panic("the server printed nothing")
	}
	return pid
}

// awaitGone waits until a process has ended, though perhaps nobody has taken note.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	if !eventually(func() bool {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(status), ") Z ")
	}) {
		t.Errorf("process %d is left", pid)
	}
}

func start(t *testing.T, command ...string) *Process {
	t.Helper()
	p, err := Start(Options{Command: command})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Stop(context.Background()) })
	return p
}

func TestStopEndsTheWholeFamily(t *testing.T) {
	p := start(t, family...)
	pid := child(p)
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	awaitGone(t, p.command.Process.Pid)
	awaitGone(t, pid)
	if got := p.Err().Error(); got != "signal: terminated" {
		t.Errorf("it ended with %q", got)
	}
}

func TestStopEndsAChildThatOutlivesItsParent(t *testing.T) {
	p := start(t, "sh", "-c", "sleep 1000 & echo child $!")
	pid := child(p)
	<-p.Exited()
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	awaitGone(t, pid)
}

func TestStopUsesForceBeforeItsTimeIsOver(t *testing.T) {
	p := start(t, "sh", "-c", "trap '' TERM; while :; do echo child $$; sleep 0.01; done")
	pid := child(p)
	ctx, cancel := context.WithTimeout(t.Context(), reserve+50*time.Millisecond)
	defer cancel()
	if err := p.Stop(ctx); err != nil {
		t.Error(err)
	}
	awaitGone(t, pid)
	if got := p.Err().Error(); got != "signal: killed" {
		t.Errorf("it ended with %q", got)
	}
}

func TestNothingIsLeftWhenThisProcessIsKilled(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	if err := os.MkdirAll(filepath.Join(folder, "db"), 0o755); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), victim+"="+folder)
	printed, err := command.Output()
	var killed *exec.ExitError
	if !errors.As(err, &killed) {
		t.Fatalf("%v: %s", err, printed)
	}
	var server, child int
	if _, err := fmt.Sscan(string(printed), &server, &child); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	awaitGone(t, server)
	awaitGone(t, child)
	if !eventually(func() bool {
		_, err := os.Stat(folder)
		return errors.Is(err, os.ErrNotExist)
	}) {
		t.Error("the folder is left")
	}
}

func TestErrSaysHowItEnded(t *testing.T) {
	for script, want := range map[string]string{"exit 0": "exit status 0", "exit 7": "exit status 7"} {
		if got := start(t, "sh", "-c", script).Err().Error(); got != want {
			t.Errorf("%s: got %q, want %q", script, got, want)
		}
	}
}

func TestStartRefusesWhatIsNotThere(t *testing.T) {
	if p, err := Start(Options{Command: []string{"/no/such/server"}}); err == nil {
		t.Errorf("got %v", p)
	}
}
