package agreement

import (
	"context"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/judging"
)

// silent requires that the judges find nothing.
func silent(t *testing.T, seed uint64, h *histories.History, exercised map[string]int) {
	t.Helper()
	j, err := judging.Judge(context.Background(), h, judging.Options{Budget: budget, Memory: recall})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, Print(h))
	}
	if j.Inconclusive != "" {
		t.Logf("seed %d: %s", seed, j.Inconclusive)
	}
	for property, n := range j.Exercised {
		exercised[property] += n
	}
	for _, f := range j.Findings {
		t.Errorf("seed %d: a valid history is refused: %s %v (allowed %s; observed %s) %s\n%s",
			seed, f.Property, f.Operations, f.Allowed, f.Observed, f.Explanation, Print(h))
	}
}
