package speed

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models/timeline"
)

// TestLarge judges a simulated history of 50,000 operations by 64 clients with 200
// watches beside the witness.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates a long run")
	}
	keys := make([]string, 200)
	for i := range keys {
		keys[i] = fmt.Sprintf("k%03d", i)
	}
	h := simulation.Generate(rand.New(rand.NewPCG(1, 2)), simulation.Config{
		Clients: clients, Operations: 50_000, Keys: keys, Start: 1, Endpoints: 1, Witness: true, Closing: true,
		Gap: 0.05, Past: 0.1, Stale: 0.2, Limit: 0.3, StartKey: 0.1, MaxWatches: 200,
		Weights: simulation.Weights{Create: 4, Update: 8, Delete: 3, Put: 3, Get: 8, List: 1, Next: 1, Watch: 1, Await: 1},
	})
	var file bytes.Buffer
	if err := histories.Write(&file, h); err != nil {
		t.Fatal(err)
	}
	began := processorTime(t)
	h, err := histories.Read(bytes.NewReader(file.Bytes()), "large")
	if err != nil {
		t.Fatal(err)
	}
	decoded := processorTime(t) - began
	events := 0
	for i := range h.Streams {
		events += len(h.Streams[i].Events)
	}
	runtime.GC()
	began = processorTime(t)
	result := timeline.Judge(h)
	judged := processorTime(t) - began
	t.Logf("%d operations by %d clients, %d streams with %d events, %d MiB: processor time: decoding %v, judging %v (%.1f times the decoding)",
		len(h.Operations), clients, len(h.Streams), events, file.Len()>>20, decoded, judged, judged.Seconds()/decoded.Seconds())
	if len(result.Findings) > 0 {
		t.Errorf("the history is valid, but the judge says %v", result.Findings[0])
	}
	if judged > 3*decoded {
		t.Errorf("judging took %v, more than three times the decoding", judged)
	}
}

// processorTime is what this process has used: unlike the clock it does not count
// what else the machine does.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
