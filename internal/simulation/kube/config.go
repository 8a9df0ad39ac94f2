package kube

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
)

// Config says what a simulated run looks like. The zero value of a feature switches it
// off. Probabilities are between 0 and 1.
type Config struct {
	// Clients is the number of lanes, Operations the number of calls that they make
	// together. The run's own calls come on top.
	Clients, Operations int
	// Keys are the objects in use.
	Keys []histories.Key
	// Endpoints is the number of servers, each with a cache of its own.
	Endpoints int
	// Profile names what the servers promise.
	Profile string
	// Start is the store's revision before the run.
	Start histories.Revision
	// Earlier lets an earlier plan leave its traces below the first revision.
	Earlier bool
	// Open lets others write in the run's space. Shared lets others compact the store.
	Open, Shared bool
	// Witness adds the run's own watch, Closing its first list and the stop protocol.
	Witness, Closing bool
	// Truncated cuts the history at one instant, as a killed run leaves it.
	Truncated bool
	// Strict: updates need a resource version.
	Strict bool

	// Gap is the probability that somebody raises the revision before a call.
	Gap float64
	// Lost is the probability that the answer to a call is lost, Busy that it is refused
	// for now.
	Lost, Busy float64
	// Steps is the probability that a write takes effect in two steps where it can.
	Steps float64
	// Finalizers, Labels, NoOp, DryRun, Status, Generate and Partial are the
	// probabilities that a request has the option.
	Finalizers, Labels, NoOp, DryRun, Status, Generate, Partial float64
	// Stale is the probability that a write has a condition that does not hold, Plain that
	// it has none.
	Stale, Plain float64
	// Versioned is the probability that a read or a watch names a resource version, Future
	// that it is one that does not exist yet, Wrong that options exclude each other.
	Versioned, Future, Wrong float64
	// Selector and Limit are the probabilities that a list has one.
	Selector, Limit float64
	// Bookmarks is the probability that a watch allows them, Initial that it asks for
	// initial events or none.
	Bookmarks, Initial float64
	// Lag is the probability that a watch falls behind, Cut that it ends early.
	Lag, Cut   float64
	MaxWatches int
	Weights    Weights
}

// Weights says how often each kind of operation is chosen, relative to the others.
type Weights struct {
	Create, Update, Patch, Apply, Delete, Collection int
	Get, List, Next, Watch, Stop, Compact            int
}

// keys are what Draw chooses from: namespaces and names that are prefixes of each other.
var keys = func() []histories.Key {
	var all []histories.Key
	for _, namespace := range []string{"a", "a-b", "ab"} {
		for _, name := range []string{"x", "x-1", "xy", "y"} {
			all = append(all, histories.Key{Namespace: namespace, Name: name})
		}
	}
	return all
}()

// Keys are the objects that Draw chooses from.
func Keys() []histories.Key { return slices.Clone(keys) }

var profiles = []string{"kube-1.37", "kube-1.37", "kube-1.37-uncached", "kube-1.37-uncached", "kube-1.33", "kube-1.30", "kube-1.30-uncached"}

// Draw makes a configuration in the manner of swarm testing: a random part of the
// features is off, the rest has weights of its own.
func Draw(rng *rand.Rand, clients, operations int) Config {
	c := Config{
		Clients: clients, Operations: operations, Endpoints: 1 + rng.IntN(2),
		Profile: profiles[rng.IntN(len(profiles))], Start: histories.Revision(1 + rng.IntN(30)),
		Earlier: simulation.Chance(rng, 0.4), Open: simulation.Chance(rng, 0.2), Shared: simulation.Chance(rng, 0.2),
		Witness: simulation.Chance(rng, 0.6), Closing: simulation.Chance(rng, 0.7), Truncated: simulation.Chance(rng, 0.1), Strict: simulation.Chance(rng, 0.3),
		MaxWatches: rng.IntN(5), Weights: drawWeights(rng),
	}
	for _, i := range rng.Perm(len(keys))[:1+rng.IntN(5)] {
		c.Keys = append(c.Keys, keys[i])
	}
	for _, p := range []*float64{
		&c.Gap, &c.Steps, &c.Finalizers, &c.Labels, &c.NoOp, &c.DryRun, &c.Status, &c.Generate, &c.Partial, &c.Stale, &c.Plain,
		&c.Versioned, &c.Future, &c.Wrong, &c.Selector, &c.Limit, &c.Bookmarks, &c.Initial, &c.Lag, &c.Cut,
	} {
		*p = simulation.Probability(rng)
	}
	c.Lost, c.Busy = simulation.Probability(rng)/4, simulation.Probability(rng)/10
	return c
}

func drawWeights(rng *rand.Rand) Weights {
	w := Weights{}
	for _, p := range []*int{
		&w.Create, &w.Update, &w.Patch, &w.Apply, &w.Delete, &w.Get, &w.List, &w.Next, &w.Watch, &w.Stop, &w.Compact, &w.Collection,
	} {
		if simulation.Chance(rng, 0.7) {
			*p = 1 + rng.IntN(8)
		}
	}
	w.Collection = (w.Collection + 3) / 4
	w.Create++ // something must happen
	return w
}
