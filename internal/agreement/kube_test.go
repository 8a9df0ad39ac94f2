package agreement

import (
	"math/rand/v2"
	"testing"

	simulated "github.com/rvcheck/rvcheck/internal/simulation/kube"
)

// TestKubeSilence: nothing is found in valid histories of the Kubernetes layer, liveness
// included.
func TestKubeSilence(t *testing.T) {
	t.Parallel()
	exercised := map[string]int{}
	for seed := range uint64(scaled(20_000)) {
		rng := rand.New(rand.NewPCG(seed, 17+*draw))
		h := simulated.Generate(rng, simulated.Draw(rng, 2+rng.IntN(5), 10+rng.IntN(50)))
		silent(t, seed, h, exercised)
		if t.Failed() && seed%100 == 99 {
			break
		}
	}
	t.Log(exercised)
}
