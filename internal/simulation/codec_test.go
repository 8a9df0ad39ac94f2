package simulation

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rvcheck/rvcheck/histories"
)

// TestHistoriesCanBeFiled: what is simulated survives the file format.
func TestHistoriesCanBeFiled(t *testing.T) {
	for seed := range uint64(200) {
		rng := seeded(seed)
		h := Generate(rng, Draw(rng, 3, 30))
		h.Truncated = false // a property of the file
		var file bytes.Buffer
		if err := histories.Write(&file, h); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		again, err := histories.Read(&file, "simulated")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(h, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("seed %d: the file differs:\n%s", seed, diff)
		}
	}
}
