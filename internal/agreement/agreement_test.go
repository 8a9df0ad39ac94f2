package agreement

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
)

// TestValidWithoutStreams: the judges, the porcupine judge and the oracle accept
// the same valid histories of calls.
func TestValidWithoutStreams(t *testing.T) {
	t.Parallel()
	c := three{search: linearJudge, oracle: theOracle}
	for seed := range uint64(scaled(3000)) {
		_, h := small(seed, withoutStreams)
		c.compare(t, fmt.Sprintf("seed %d", seed), h)
	}
	c.conclude(t)
}

// TestDamagedWithoutStreams: they refuse the same damaged ones.
func TestDamagedWithoutStreams(t *testing.T) {
	t.Parallel()
	c := three{search: linearJudge, oracle: theOracle}
	eachDamage(t, withoutStreams, toCalls, c.compare)
	c.conclude(t)
}

// TestValidWithStreams: neither the judges nor the oracle finds fault with valid
// histories with watches.
func TestValidWithStreams(t *testing.T) {
	t.Parallel()
	var c tally
	for seed := range uint64(scaled(4000)) {
		_, h := small(seed, asDrawn)
		c.compare(t, fmt.Sprintf("seed %d", seed), h, judges, theOracle)
	}
	t.Log(&c)
	requireSure(t, &c)
}

// TestDamagedWithStreams: streams, pages and expiry as the oracle sees them.
func TestDamagedWithStreams(t *testing.T) {
	t.Parallel()
	var c tally
	eachDamage(t, asDrawn, toStreams, func(t *testing.T, what string, h *histories.History) {
		c.compare(t, what, h, judges, theOracle)
	})
	t.Log(&c)
	requireSure(t, &c)
}

// toCalls is how often a damage is tried on histories without watches.
func toCalls(d simulation.Damage) int {
	if d.Streams || d.Watches {
		return 0
	}
	return 200
}

// toStreams is how often a damage is tried on histories with watches: most often
// where the oracle is the only other judge.
func toStreams(d simulation.Damage) int {
	if d.Streams || d.Watches || strings.HasPrefix(d.Property, "page/") || strings.HasPrefix(d.Property, "expiry/") {
		return 200
	}
	return 50
}

// eachDamage alters many histories with each kind of damage.
func eachDamage(
	t *testing.T, adapt func(*rand.Rand, *simulation.Config), times func(simulation.Damage) int,
	check func(t *testing.T, what string, h *histories.History),
) {
	for _, d := range simulation.Damages() {
		wanted := scaled(times(d))
		if wanted == 0 {
			continue
		}
		t.Run(d.ID, func(t *testing.T) {
			applied := 0
			for seed := uint64(0); applied < wanted && seed < 60_000; seed++ {
				rng, h := small(seed, func(rng *rand.Rand, c *simulation.Config) {
					adapt(rng, c)
					if strings.HasPrefix(d.ID, "page-") {
						manyPages(rng, c)
					}
				})
				if d.Apply(rng, h) {
					applied++
					check(t, fmt.Sprintf("seed %d", seed), h)
				}
			}
			if applied < wanted {
				t.Errorf("only %d histories to alter", applied)
			}
		})
	}
}

// TestSilence: nothing is found in valid histories, liveness included.
func TestSilence(t *testing.T) {
	t.Parallel()
	exercised := map[string]int{}
	for seed := range uint64(scaled(20_000)) {
		rng := rand.New(rand.NewPCG(seed, 5+*draw))
		h := simulation.Generate(rng, simulation.Draw(rng, 2+rng.IntN(6), 10+rng.IntN(60)))
		silent(t, seed, h, exercised)
		if t.Failed() && seed%100 == 99 {
			break
		}
	}
	t.Log(exercised)
}

func requireSure(t *testing.T, c *tally) {
	t.Helper()
	if c.unsure*100 >= c.histories {
		t.Errorf("%d of %d undecided, want less than 1 %%", c.unsure, c.histories)
	}
}
