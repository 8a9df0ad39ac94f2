package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/embedded"
)

// events counts what a stream delivers.
type events struct{ ended chan histories.End }

func (e events) Batch([]histories.Event) {}
func (e events) End(end histories.End)   { e.ended <- end }

// use runs a server, a call and a watch, and closes everything.
func use(t *testing.T, members int) {
	t.Helper()
	target, err := embedded.Open(t.Context(), embedded.Options{Members: members})
	if err != nil {
		t.Fatal(err)
	}
	space, err := target.NewSpace(t.Context(), "0001")
	if err != nil {
		t.Fatal(err)
	}
	client, err := space.Open(t.Context(), members)
	if err != nil {
		t.Fatal(err)
	}
	sink := events{make(chan histories.End, 1)}
	if _, _, err := client.Watch(t.Context(), histories.Request{Kind: histories.Watch}, sink); err != nil {
		t.Fatal(err)
	}
	create := histories.Request{Kind: histories.Create, Key: histories.Key{Name: "a"}, Write: "w1"}
	answer, err := client.Do(t.Context(), create)
	if err != nil || answer.Outcome != histories.OK || answer.Revision != 2 {
		t.Errorf("create: %+v, %v", answer, err)
	}
	if err := errors.Join(client.Close(), space.Remove(t.Context()), target.Close(context.Background())); err != nil {
		t.Error(err)
	}
	if end := <-sink.ended; end.Reason != histories.EndCancelled {
		t.Errorf("the stream ended: %+v", end)
	}
}

func TestNothingIsLeft(t *testing.T) {
	for _, members := range []int{1, 3} {
		t.Run(fmt.Sprintf("members=%d", members), func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			use(t, members) // what the first use starts for good does not count
			before := runtime.NumGoroutine()
			for range 2 {
				use(t, members)
			}
			awaitGoroutines(t, before)
			left, err := os.ReadDir(os.TempDir())
			if err != nil || len(left) != 0 {
				t.Errorf("left in the temporary folder: %v, %v", left, err)
			}
		})
	}
}

// TestCloseInHaste has no time to wait for the server.
func TestCloseInHaste(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	target, err := embedded.Open(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := target.Close(ctx); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) != 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
	if err := target.Close(t.Context()); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

func awaitGoroutines(t *testing.T, before int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines more than before:\n%s", runtime.NumGoroutine()-before, stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}

func TestDescribe(t *testing.T) {
	target, err := embedded.Open(t.Context(), embedded.Options{Members: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := target.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	got := target.Describe()
	if got.URL != "embedded://" || got.Profile != "etcd-3.7" || !got.Exclusive ||
		got.World != histories.Closed || got.Unsupported[targets.Compaction] != "" {
		t.Errorf("got %+v", got)
	}
}

func TestServersDoNotMeet(t *testing.T) {
	one, err := embedded.Start(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := embedded.Start(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(errors.Join(err, one.Stop()))
	}
	if one.Endpoint() == two.Endpoint() {
		t.Errorf("both at %s", one.Endpoint())
	}
	if err := errors.Join(one.Stop(), two.Stop()); err != nil {
		t.Error(err)
	}
}

func TestLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "server.log")
	server, err := embedded.Start(t.Context(), embedded.Options{Log: file})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Stop(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "ready to serve client requests") {
		t.Errorf("the log: %v\n%s", err, text)
	}
}

func TestStartThatFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", file)
	_, err := embedded.Open(t.Context(), embedded.Options{})
	var setup *targets.SetupError
	if !errors.As(err, &setup) {
		t.Errorf("got %v, want a SetupError", err)
	}
}

func TestStartInterrupted(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := embedded.Open(ctx, embedded.Options{})
	var setup *targets.SetupError
	if !errors.As(err, &setup) {
		t.Errorf("got %v, want a SetupError", err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

func TestParseURL(t *testing.T) {
	for text, members := range map[string]int{"embedded://": 0, "embedded://?members=1": 1, "embedded://?members=3": 3} {
		got, err := embedded.ParseURL(text)
		if err != nil || got.Members != members {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"embedded", "embedded://host", "embedded:///path", "embedded://?members=2", "embedded://?members=-1", "embedded://?members=x", "embedded://?size=1", "etcd://",
	} {
		_, err := embedded.ParseURL(text)
		var usage *targets.UsageError
		if !errors.As(err, &usage) {
			t.Errorf("%s: %v, want a UsageError", text, err)
		}
	}
}
