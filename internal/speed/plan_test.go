package speed

import (
	"testing"

	"github.com/rvcheck/rvcheck/generators"
	"github.com/rvcheck/rvcheck/plans"
)

// long draws plans until one has enough operations: their length is drawn too.
func long(t *testing.T, cfg generators.Config) plans.Plan {
	t.Helper()
	for seed := range uint64(100) {
		if p := generators.Draw(seed, cfg); len(p.Steps) > operations*21/20 {
			return p
		}
	}
	t.Fatal("no plan is long enough")
	return plans.Plan{}
}
