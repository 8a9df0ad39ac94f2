package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/rvcheck/rvcheck/internal/oracle"
	"github.com/rvcheck/rvcheck/internal/simulation"
)

// TestSilence: the oracle accepts what the simulation makes.
func TestSilence(t *testing.T) {
	undecided, runs := 0, 1500
	if testing.Short() {
		runs = 200
	}
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 1))
		h := simulation.Generate(rng, simulation.Draw(rng, 3, 8+rng.IntN(10)))
		broken, decided := oracle.Check(h)
		if !decided {
			undecided++
		}
		if len(broken) > 0 {
			t.Errorf("seed %d: a valid history is refused: %v", seed, broken)
		}
	}
	if undecided*50 > runs {
		t.Errorf("%d of %d undecided", undecided, runs)
	}
	t.Logf("%d histories, %d undecided", runs, undecided)
}
