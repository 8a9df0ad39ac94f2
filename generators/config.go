package generators

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// Config says what the plans may contain. The zero value is usable, but draws
// plainly: Default is what a run should begin with.
type Config struct {
	// Layer of the plans: etcd, the default, or kube.
	Layer histories.Layer
	// Clients is the largest number of lanes, 3 by default. Most plans have that
	// many, and each of them has work in every plan.
	Clients int
	// Steps is the largest number of operations in a plan, of all clients
	// together, 60 by default. A plan has at least half of it, and at least one
	// operation a client.
	Steps int
	// Endpoints is the number of endpoints that lanes are spread over, 1 by default.
	Endpoints int
	// Unsupported names the features that the plans must not need; the values,
	// reasons for people, are ignored. It is a target's Description.Unsupported.
	Unsupported map[targets.Feature]string
	// Swarm lets each plan leave out kinds and options and draw its own weights.
	Swarm bool
	// Scenes mixes aimed sequences with the random operations.
	Scenes bool
	// PlainNames keeps to names of letters, digits and '/': for stores that refuse others.
	PlainNames bool
	// Fill is the largest number of revisions that one fill makes, 1000 by default;
	// negative for no fills.
	Fill int
	// Patience is how many plans in a hundred wait until a lease expires, which takes
	// more than a second: 4 by default, negative for none.
	Patience int
}

// Default is the configuration that finds most.
func Default() Config { return Config{Swarm: true, Scenes: true}.withDefaults() }

func (c Config) withDefaults() Config {
	if c.Layer == "" {
		c.Layer = histories.EtcdLayer
	}
	for field, value := range map[*int]int{&c.Clients: 3, &c.Steps: 60, &c.Endpoints: 1, &c.Fill: 1000, &c.Patience: 4} {
		if *field == 0 {
			*field = value
		}
	}
	c.Steps = max(c.Steps, c.Clients)
	if c.Layer == histories.KubeLayer {
		c.Unsupported = kubeUnsupported(c.Unsupported)
	}
	return c
}

// can reports whether the plans may need these features.
func (c Config) can(features ...targets.Feature) bool {
	return !slices.ContainsFunc(features, func(f targets.Feature) bool {
		_, missing := c.Unsupported[f]
		return missing
	})
}

// Plan draws plans. The seed in their header is 0.
func Plan(cfg Config) *rapid.Generator[plans.Plan] {
	cfg = cfg.withDefaults()
	return rapid.Custom(func(t *rapid.T) plans.Plan {
		plan, _ := compose(dice{t}, cfg)
		return plan
	})
}

// Draw is the plan for a seed: the same one each time, as long as neither the
// configuration nor this package changes.
func Draw(seed uint64, cfg Config) plans.Plan {
	plan := Plan(cfg).Example(int(seed))
	plan.Seed = seed
	return plan
}
