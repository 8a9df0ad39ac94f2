package speed

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/generators"
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/internal/waivers"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/linear"
	"github.com/rvcheck/rvcheck/models/timeline"
	"github.com/rvcheck/rvcheck/targets/embedded"
)

const (
	clients    = 64
	operations = 5000
	// limit is what the timeline judge may take for such a history.
	limit = 500 * time.Millisecond
	// The porcupine judge is stopped at these.
	childTime   = 60 * time.Second
	childMemory = 4 << 30
)

var beside = flag.Bool("porcupine", false, "measure the porcupine judge too, in a child process")

// inChild names the file that this test binary judges as a child of itself.
const inChild = "RVCHECK_SPEED_FILE"

// TestSpeed judges a recorded history of 5,000 operations by 64 clients.
func TestSpeed(t *testing.T) {
	if file := os.Getenv(inChild); file != "" {
		judgeByPorcupine(t, file)
		return
	}
	if testing.Short() {
		t.Skip("records a long run")
	}
	file := record(t)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	h, err := histories.Read(bytes.NewReader(data), file)
	if err != nil {
		t.Fatal(err)
	}
	decoded := time.Since(began)
	result, judged := timeline.Result{}, time.Duration(1<<62)
	for range 3 { // the best of three: the machine may be busy
		began = time.Now()
		result = timeline.Judge(h)
		judged = min(judged, time.Since(began))
	}
	t.Logf("%d operations by %d clients, %d streams: decoded in %v, judged by the timeline judge in %v",
		len(h.Operations), clients, len(h.Streams), decoded, judged)
	if findings := unknown(t, h, result.Findings); len(findings) > 0 || result.Open != "" {
		t.Errorf("the history is valid, but the judge says %v %s", findings, result.Open)
	}
	if judged > limit {
		t.Errorf("the timeline judge took %v, more than %v", judged, limit)
	}
	if *beside {
		t.Logf("the porcupine judge alone: %s", porcupineAlone(t, file))
	}
}

// record runs one long plan against etcd and returns the history's file.
func record(t *testing.T) string {
	t.Helper()
	target, err := embedded.Open(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := target.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	cfg := generators.Default()
	cfg.Clients, cfg.Steps, cfg.Unsupported = clients, operations*6/5, target.Describe().Unsupported
	cfg.Fill, cfg.Patience = -1, -1 // nothing that takes long for its own sake
	file := filepath.Join(t.TempDir(), "speed.history.jsonl")
	h, err := engine.Execute(t.Context(), target, long(t, cfg), engine.Options{Run: "speed", Number: 1, Path: file})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Operations) < operations {
		t.Fatalf("the plan made %d operations, expected %d", len(h.Operations), operations)
	}
	return file
}

// unknown are the findings that etcd is not known for: the server is a real one.
func unknown(t *testing.T, h *histories.History, findings []models.Finding) []models.Finding {
	t.Helper()
	file, err := waivers.Read("../../known-failing/etcd-3.7.txt")
	if err != nil {
		t.Fatal(err)
	}
	tally := session.NewTally(models.Catalogue())
	tally.Waive(file, time.Now())
	return slices.DeleteFunc(findings, func(f models.Finding) bool {
		known := tally.Knows(h, f)
		if known {
			t.Logf("known: %s: %s", f.Property, f.Explanation)
		}
		return known
	})
}

func judgeByPorcupine(t *testing.T, file string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := histories.Read(f, file)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	result := linear.Judge(h, linear.Options{Timeout: childTime, Memory: childMemory})
	fmt.Printf("verdict: %v %s in %v\n", result.Verdict, result.Reason, time.Since(began).Round(time.Millisecond))
}

// porcupineAlone judges the file in a child that is stopped at the limits.
func porcupineAlone(t *testing.T, file string) string {
	t.Helper()
	over := fmt.Sprintf("over %v or %d GiB", childTime, childMemory>>30)
	ctx, cancel := context.WithTimeout(t.Context(), childTime+5*time.Second)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestSpeed$")
	child.Env = append(os.Environ(), inChild+"="+file)
	var out bytes.Buffer
	child.Stdout = &out
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = child.Wait() // how it ended shows in what it printed
	}()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			for line := range strings.Lines(out.String()) {
				if strings.HasPrefix(line, "verdict: ok") || strings.HasPrefix(line, "verdict: violated") {
					return strings.TrimSpace(line)
				}
			}
			return over + " (" + strings.TrimSpace(out.String()) + ")"
		case <-tick.C:
			if resident(child.Process.Pid) > childMemory {
				cancel()
				<-done
				return over
			}
		}
	}
}

// resident is the memory that a process holds, in bytes, zero where the system does not tell.
func resident(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
