package agreement

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rvcheck/rvcheck/internal/simulation"
)

// TestValidWithoutStreams: the judges, the porcupine judge and the oracle accept
// the same valid histories of calls.
func TestValidWithoutStreams(t *testing.T) {
	var timeline, oracle tally
	for seed := range uint64(scaled(3000)) {
		_, h := small(seed, withoutStreams)
		timeline.compare(t, fmt.Sprintf("seed %d", seed), h, judges, linearJudge)
		oracle.compare(t, fmt.Sprintf("seed %d", seed), h, linearJudge, theOracle)
	}
	t.Logf("timeline against porcupine: %s", &timeline)
	t.Logf("porcupine against oracle: %s", &oracle)
	requireSure(t, &timeline)
}

// TestDamagedWithoutStreams: they refuse the same damaged ones.
func TestDamagedWithoutStreams(t *testing.T) {
	var timeline, oracle tally
	for _, d := range simulation.Damages() {
		if d.Streams {
			continue
		}
		before := timeline
		applied := 0
		for seed := uint64(0); applied < scaled(200) && seed < 20_000; seed++ {
			rng, h := small(seed, withoutStreams)
			if !d.Apply(rng, h) {
				continue
			}
			applied++
			what := fmt.Sprintf("%s, seed %d", d.ID, seed)
			timeline.compare(t, what, h, judges, linearJudge)
			oracle.compare(t, what, h, linearJudge, theOracle)
		}
		t.Logf("%-28s applied %d, invalid %d, unsure %d, disagreements %d", d.ID, applied, timeline.invalid-before.invalid,
			timeline.unsure-before.unsure, timeline.disagreements-before.disagreements)
		requireApplied(t, d.ID, applied)
	}
	t.Logf("timeline against porcupine: %s", &timeline)
	t.Logf("porcupine against oracle: %s", &oracle)
	requireSure(t, &timeline)
}

// TestValidWithStreams: neither the judges nor the oracle finds fault with valid
// histories with watches.
func TestValidWithStreams(t *testing.T) {
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
	var c tally
	for _, d := range simulation.Damages() {
		before := c
		applied := 0
		for seed := uint64(0); applied < scaled(200) && seed < 20_000; seed++ {
			rng, h := small(seed, asDrawn)
			if !d.Apply(rng, h) {
				continue
			}
			applied++
			c.compare(t, fmt.Sprintf("%s, seed %d", d.ID, seed), h, judges, theOracle)
		}
		t.Logf("%-28s applied %d, invalid %d, unsure %d, disagreements %d", d.ID, applied, c.invalid-before.invalid,
			c.unsure-before.unsure, c.disagreements-before.disagreements)
		requireApplied(t, d.ID, applied)
	}
	t.Log(&c)
	requireSure(t, &c)
}

// TestSilence: nothing is found in valid histories, liveness included.
func TestSilence(t *testing.T) {
	exercised := map[string]int{}
	for seed := range uint64(scaled(12_000)) {
		rng := rand.New(rand.NewPCG(seed, 5))
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

func requireApplied(t *testing.T, damage string, applied int) {
	t.Helper()
	if applied < scaled(200) {
		t.Errorf("%s found only %d histories to alter", damage, applied)
	}
}
