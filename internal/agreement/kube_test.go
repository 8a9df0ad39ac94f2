package agreement

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	oracle "github.com/rvcheck/rvcheck/internal/oracle/kube"
	"github.com/rvcheck/rvcheck/internal/simulation"
	simulated "github.com/rvcheck/rvcheck/internal/simulation/kube"
	"github.com/rvcheck/rvcheck/models"
)

// kubeOracle is the oracle of the Kubernetes layer.
var kubeOracle = judge{"oracle", func(h *histories.History) opinion { return opinionOf(oracle.Check(h)) }}

// smallKube draws a history that every judge can decide quickly.
func smallKube(seed uint64, adapt func(*rand.Rand, *simulated.Config)) (*rand.Rand, *histories.History) {
	rng := rand.New(rand.NewPCG(seed, 19+*draw))
	config := simulated.Draw(rng, 2+rng.IntN(2), 5+rng.IntN(10))
	config.Open, config.Earlier, config.Generate = false, false, 0 // the oracle knows nothing of these
	if config.Lost > 0 && !config.Witness {
		// The porcupine judge has no order for what takes effect in several steps.
		config.Finalizers, config.Weights.Collection, config.Weights.Apply = 0, 0, 0
	}
	if adapt != nil {
		adapt(rng, &config)
	}
	return rng, simulated.Generate(rng, config)
}

// TestKubeValid: neither the judges nor the oracle finds fault with valid histories.
func TestKubeValid(t *testing.T) {
	t.Parallel()
	var c tally
	for seed := range uint64(scaled(5000)) {
		_, h := smallKube(seed, nil)
		c.compare(t, fmt.Sprintf("seed %d", seed), h, judges, kubeOracle)
	}
	t.Log(&c)
	requireSure(t, &c)
}

// TestKubeDamaged: they refuse the same damaged ones. What the judges refuse the oracle
// refuses as well, always. What the oracle refuses the judges may accept now and then: they
// have no order for what takes several steps, and leave open what could hide where no watch
// covers the history.
func TestKubeDamaged(t *testing.T) {
	t.Parallel()
	var all tally
	for _, d := range simulated.Damages() {
		t.Run(d.ID, func(t *testing.T) {
			var c tally
			wanted := scaled(200)
			for seed := uint64(0); c.histories < wanted && seed < 400_000; seed++ {
				rng, h := smallKube(seed, suitedTo(d))
				before := simulation.Clone(h)
				if d.Apply(rng, h) {
					c.compareDamaged(t, fmt.Sprintf("seed %d", seed), h, before, judges, kubeOracle)
				}
			}
			if c.histories < wanted {
				t.Errorf("only %d histories to alter", c.histories)
			}
			if c.missed*10 > wanted {
				t.Errorf("%d of %d invalid histories are accepted", c.missed, c.invalid)
			}
			t.Log(&c)
			all.add(&c)
		})
	}
	t.Log(&all)
	requireSure(t, &all)
	if all.missed*100 > all.invalid {
		t.Errorf("%d of %d invalid histories are accepted, want less than 1 %%", all.missed, all.invalid)
	}
}

// suitedTo draws histories in which there is something to alter.
func suitedTo(d simulated.Damage) func(*rand.Rand, *simulated.Config) {
	group, _, _ := strings.Cut(d.Property, "/")
	return func(rng *rand.Rand, c *simulated.Config) {
		switch {
		case d.Property == models.ExpiryOwed, d.Property == models.ExpiryForm, d.Property == models.PageInconsistent:
			manyKubePages(c)
			c.Weights.Compact, c.Profile, c.Versioned = 5, "kube-1.37-uncached", 0.3
			c.Operations, c.Gap, c.Lost, c.Busy, c.Wrong, c.Future = 14, 0, 0, 0, 0, 0
		case group == "page", d.Property == models.ExpiryJustified, d.Property == models.ListLimit:
			manyKubePages(c)
		case group == "watch", group == "bookmark", group == "progress":
			c.MaxWatches, c.Weights.Watch, c.Weights.Stop = 3, 6, 0
		case group == "list", group == "read":
			c.Weights.List, c.Weights.Create = 8, 4
		case d.Property == models.WriteTwoPhase:
			c.Finalizers, c.Weights = 0.9, simulated.Weights{Create: 2, Update: 6, Delete: 4, Get: 2}
			c.Keys, c.Plain, c.Stale = c.Keys[:1], 0.9, 0
		}
		if strings.HasSuffix(d.Property, "/selector") || strings.HasSuffix(d.ID, "with-selector") {
			c.Selector, c.Labels, c.Weights.Update = 0.8, 0.8, 6
		}
	}
}

func manyKubePages(c *simulated.Config) {
	c.Keys, c.Limit, c.Versioned = simulated.Keys()[:5], 0.9, 0.2
	c.Weights = simulated.Weights{Create: 8, Update: 2, Delete: 1, Get: 1, List: 4, Next: 10, Watch: c.Weights.Watch / 4}
}

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
