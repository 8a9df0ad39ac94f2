package simulation

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func TestSameSeedSameHistory(t *testing.T) {
	for seed := range uint64(50) {
		one, two := seeded(seed), seeded(seed)
		a := Generate(one, Draw(one, 4, 40))
		b := Generate(two, Draw(two, 4, 40))
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("seed %d: two runs differ:\n%s", seed, diff)
		}
	}
}

// TestFormIsRight checks what every consumer of a history relies on.
func TestFormIsRight(t *testing.T) {
	for seed := range uint64(500) {
		rng := seeded(seed)
		h := Generate(rng, Draw(rng, 3, 30))
		checkOperations(t, h)
		for _, s := range h.Streams {
			checkStream(t, h, s)
		}
	}
}

func checkOperations(t *testing.T, h *histories.History) {
	t.Helper()
	busy := map[string]int64{}
	for i, op := range h.Operations {
		switch {
		case op.ID != i+1:
			t.Errorf("operation %d has id %d", i+1, op.ID)
		case i > 0 && op.Call < h.Operations[i-1].Call:
			t.Errorf("operation %d was called before the one before", op.ID)
		case op.Return <= op.Call:
			t.Errorf("operation %d returns at %d, called at %d", op.ID, op.Return, op.Call)
		case i > 0 && op.Call <= busy[op.Client]:
			t.Errorf("operation %d of %s begins before the last one has returned", op.ID, op.Client)
		case op.Request.Of >= op.ID:
			t.Errorf("operation %d is about a later one", op.ID)
		}
		busy[op.Client] = op.Return
	}
}

func checkStream(t *testing.T, h *histories.History, s histories.Stream) {
	t.Helper()
	time, batch := h.Operation(s.Op).Return, 0
	for i, e := range s.Events {
		last := i+1 == len(s.Events) || s.Events[i+1].Batch != e.Batch
		if e.Time < time || e.Batch < batch || e.Batch > batch+1 || e.Last != last || e.Header < e.Object.RV {
			t.Errorf("stream %d: event %d is out of form: %+v", s.Op, i, e)
		}
		time, batch = e.Time, e.Batch
	}
	if s.End != nil && s.End.Time < time {
		t.Errorf("stream %d ends before its last event", s.Op)
	}
}

// TestEveryFreedomIsUsed: what the contract permits must really occur.
func TestEveryFreedomIsUsed(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(400) {
		rng := seeded(seed)
		h := Generate(rng, Draw(rng, 4, 40))
		for _, op := range h.Operations {
			name := string(op.Request.Kind) + " " + string(op.Answer.Outcome)
			if op.Answer.Error != nil {
				name += " " + string(op.Answer.Error.Class)
			}
			seen[name]++
		}
		for _, s := range h.Streams {
			for _, e := range s.Events {
				seen["event "+string(e.Type)]++
			}
			if s.End != nil {
				seen["end "+string(s.End.Reason)]++
			}
		}
	}
	for _, name := range []string{
		"create ok", "create fail conflict", "create unknown timeout", "create unknown", "update ok",
		"update fail conflict", "delete ok", "delete fail conflict", "put ok", "get ok", "get fail compacted",
		"get fail future", "list ok", "list fail compacted", "list fail future", "next ok", "next fail compacted",
		"compact ok", "compact fail compacted", "compact fail future", "compact unknown timeout", "watch ok",
		"watch unknown timeout", "stop ok", "await ok", "await fail timeout", "progress ok",
		"event put", "event delete", "event progress",
		"end compacted", "end cancelled", "end closed", "end error", "end run",
	} {
		if seen[name] == 0 {
			t.Errorf("%q never occurs; what does: %v", name, seen)
		}
	}
	t.Log(seen)
}

func BenchmarkGenerate(b *testing.B) {
	for b.Loop() {
		rng := seeded(1)
		config := Config{
			Clients: 64, Operations: 100_000, Keys: names, Start: 1, Witness: true, Closing: true, Past: 0.1, Limit: 0.2, Stale: 0.2, Lost: 0.01,
			Weights: Weights{Create: 3, Update: 6, Delete: 2, Get: 4, List: 1, Next: 1, Compact: 1},
		}
		Generate(rng, config)
	}
}
