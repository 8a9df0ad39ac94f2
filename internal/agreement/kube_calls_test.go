package agreement

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
	simulated "github.com/rvcheck/rvcheck/internal/simulation/kube"
	"github.com/rvcheck/rvcheck/models/kube/linear"
	etcd "github.com/rvcheck/rvcheck/models/linear"
)

// kubePorcupine is the porcupine judge of the Kubernetes layer by itself. In a run it decides
// only what the timeline judge leaves open.
var kubePorcupine = judge{"porcupine", func(h *histories.History) opinion {
	return opinionOfSearch(linear.Judge(h, etcd.Options{Timeout: budget, Memory: recall}))
}}

// callsOnly leaves out what the porcupine judge has no order for: watches, and what takes
// effect in several steps.
func callsOnly(_ *rand.Rand, c *simulated.Config) {
	c.MaxWatches, c.Witness = 0, false
	c.Weights.Watch, c.Weights.Stop = 0, 0
	c.Finalizers, c.Weights.Collection = 0, 0
	if c.Lost > 0 {
		c.Weights.Apply = 0
	}
}

// TestKubeValidCalls: the judges, the porcupine judge and the oracle accept the same valid
// histories of calls.
func TestKubeValidCalls(t *testing.T) {
	t.Parallel()
	c := three{search: kubePorcupine, oracle: kubeOracle}
	for seed := range uint64(scaled(5000)) {
		_, h := smallKube(seed, callsOnly)
		c.compare(t, fmt.Sprintf("seed %d", seed), h)
	}
	c.conclude(t)
}

// TestKubeDamagedCalls: of damaged histories of calls the judges refuse what the porcupine judge
// refuses. What they refuse beyond that, about the content of versions, pages or expiry, the
// oracle refuses as well. The log is a table.
func TestKubeDamagedCalls(t *testing.T) {
	t.Parallel()
	const row = "%-30s %8v %8v %8v %8v %9v %6v"
	t.Logf(row, "damage", "altered", "refused", "accepted", "timeline", "porcupine", "unsure")
	var all callsTally
	for _, d := range simulated.Damages() {
		if !d.Calls {
			continue
		}
		var c callsTally
		wanted := scaled(200)
		for seed := uint64(0); c.altered < wanted && seed < 400_000; seed++ {
			rng, h := smallKube(seed, func(rng *rand.Rand, c *simulated.Config) {
				suitedTo(d)(rng, c)
				callsOnly(rng, c)
			})
			before := simulation.Clone(h)
			if d.Apply(rng, h) {
				c.compare(t, fmt.Sprintf("%s, seed %d", d.ID, seed), h, before)
			}
		}
		if c.altered < wanted {
			t.Errorf("%s: only %d histories to alter", d.ID, c.altered)
		}
		t.Logf(row, d.ID, c.altered, c.refused, c.accepted, c.beyond, c.missed, c.unsure)
		all.add(&c)
	}
	t.Logf(row, "all", all.altered, all.refused, all.accepted, all.beyond, all.missed, all.unsure)
	if all.unsure*100 >= all.altered {
		t.Errorf("%d of %d undecided, want less than 1 %%", all.unsure, all.altered)
	}
}

// callsTally counts what the judges and the porcupine judge say of damaged histories.
type callsTally struct {
	altered, refused, accepted, unsure int
	// beyond are those that only the timeline judge refuses, missed those that only the
	// porcupine judge does.
	beyond, missed int
}

func (c *callsTally) compare(t *testing.T, what string, h, before *histories.History) {
	t.Helper()
	c.altered++
	first, second := judges.decide(h), kubePorcupine.decide(h)
	switch {
	case first.verdict == unsure || second.verdict == unsure:
		c.unsure++
	case first.verdict == second.verdict && first.verdict == valid:
		c.accepted++
	case first.verdict == second.verdict:
		c.refused++
	case first.verdict == valid:
		c.missed++
		t.Errorf("%s: the timeline judge finds nothing:\n%s", what, explain(h, before, judges, kubePorcupine))
	default:
		c.beyond++
		if kubeOracle.decide(h).verdict == valid {
			t.Errorf("%s: the timeline judge alone finds fault:\n%s", what, explain(h, before, judges, kubeOracle))
		}
	}
}

func (c *callsTally) add(other *callsTally) {
	c.altered += other.altered
	c.refused += other.refused
	c.accepted += other.accepted
	c.unsure += other.unsure
	c.beyond += other.beyond
	c.missed += other.missed
}
