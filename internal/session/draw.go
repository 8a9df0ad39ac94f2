package session

import (
	"github.com/rvcheck/rvcheck/generators"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// Mix says how plans are drawn.
type Mix struct {
	// Clients is the largest number of lanes of a plan.
	Clients int
	// Steps is the largest number of operations of a plan, of all clients together.
	Steps int
	// NoSwarm and NoScenes draw more plainly than the generators can, to measure
	// what swarm selection and scenes are worth.
	NoSwarm  bool
	NoScenes bool
}

// Drawn is a source of plans that the target can carry out: number n is drawn
// from a seed of its own that follows from seed and n, so that any plan can be
// drawn alone.
func Drawn(seed uint64, mix Mix, d targets.Description) func(n int) plans.Plan {
	cfg := mix.For(d)
	return func(n int) plans.Plan {
		cfg := cfg
		cfg.Patience = patience(n)
		return generators.Draw(planSeed(seed, n), cfg)
	}
}

// For is how the generators draw plans that a target can carry out.
func (m Mix) For(d targets.Description) generators.Config {
	cfg := generators.Default()
	cfg.Layer, cfg.Clients, cfg.Steps = d.Layer, m.Clients, m.Steps
	cfg.Endpoints, cfg.Unsupported = max(d.Endpoints, 1), d.Unsupported
	cfg.Swarm, cfg.Scenes = !m.NoSwarm, !m.NoScenes
	return cfg
}

// patience spreads the plans that wait for a lease to expire evenly over a run, one
// in forty, since each takes as long as ten others.
func patience(n int) int {
	if n%40 == 10 {
		return 100
	}
	return -1
}

// planSeed mixes seed and n (splitmix64), so that neighbouring seeds and numbers
// give unrelated plans. It keeps to 53 bits, which every reader of JSON and every
// person copies unharmed.
func planSeed(seed uint64, n int) uint64 {
	z := seed + uint64(n)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return (z ^ z>>31) >> 11
}
