package simulation

import (
	"math/rand/v2"

	"github.com/rvcheck/rvcheck/histories"
)

// Config says what a simulated run looks like. The zero value of a feature
// switches it off. Probabilities are between 0 and 1.
type Config struct {
	// Clients is the number of lanes, Operations the number of calls that they
	// make together. The run's own calls come on top.
	Clients    int
	Operations int
	// Keys are the names in use.
	Keys []string
	// Endpoints is the number of members; lanes are spread over them.
	Endpoints int
	// Start is the store's revision before the run, at least 1.
	Start histories.Revision
	// Compacted is the store's compaction point before the run, at most Start. A
	// store at revision 1 is new, and was not compacted.
	Compacted histories.Revision

	// Witness adds the run's own watch over everything, Closing its first list
	// and the stop protocol.
	Witness, Closing bool

	// Gap is the probability that another tenant raises the revision before a call.
	Gap float64
	// Lost is the probability that the answer to a call is lost, Die that the
	// call never returns and its lane ends.
	Lost, Die float64
	// Past, Future and Negative are the probabilities that a read names an older
	// revision, one that does not exist yet, or a negative one.
	Past, Future, Negative float64
	// Stale is the probability that a conditional write expects a wrong revision.
	Stale float64
	// Limit is the probability that a list has a limit, StartKey that it has a start
	// key, Serializable that a read may be old.
	Limit, StartKey, Serializable float64
	// Weights of the kinds of operations.
	Weights Weights
	// MaxWatches bounds the number of watches that lanes open.
	MaxWatches int
	// Lag is the probability that a watch falls behind, Cut that its stream ends
	// early, PrevGone that a previous value is withheld once compacted.
	Lag, Cut, PrevGone float64
	// Filter is the probability that a watch leaves out a type of events, ChosenID that
	// its id is the client's choice.
	Filter, ChosenID float64
	// Truncated cuts the whole history at one instant, as a killed run leaves it.
	Truncated bool
	// Labels puts labels on some of the objects.
	Labels bool
}

// Weights says how often each kind of operation is chosen, relative to the others.
type Weights struct {
	Create, Update, Delete, Put, Erase int // Erase is the delete without a condition
	Sweep                              int // the delete of a scope
	Transact                           int
	Get, List, Next                    int
	Compact                            int
	Watch, Stop, Progress, Await       int
}

func (w Weights) list() []weighted {
	return []weighted{
		{w.Create, (*run).create},
		{w.Update, (*run).update},
		{w.Delete, (*run).remove},
		{w.Put, (*run).put},
		{w.Erase, (*run).erase},
		{w.Sweep, (*run).sweep},
		{w.Transact, (*run).transact},
		{w.Get, (*run).get},
		{w.List, (*run).list},
		{w.Next, (*run).next},
		{w.Compact, (*run).compact},
		{w.Watch, (*run).watch},
		{w.Stop, (*run).stop},
		{w.Progress, (*run).progress},
		{w.Await, (*run).await},
	}
}

// names are the keys that Draw chooses from: prefixes of each other, names that
// sort around the separator, bytes that are no text.
var names = []string{
	"a", "a/b", "ab", "a_b", "A", "a%", "a-b/c", "b", "b\x00", "b\xff", "c", "aa", "a.b", "zz", "\xff", "m/n/o",
}

// Draw makes a configuration in the manner of swarm testing: a random part of
// the features is off, the rest has weights of its own.
func Draw(rng *rand.Rand, clients, operations int) Config {
	c := Config{
		Clients: clients, Operations: operations, Endpoints: 1 + rng.IntN(2)*rng.IntN(3), Start: 1,
		Keys:    drawKeys(rng),
		Witness: Chance(rng, 0.6), Closing: Chance(rng, 0.7),
		Weights:    drawWeights(rng),
		MaxWatches: rng.IntN(5),
		Labels:     Chance(rng, 0.3),
		Truncated:  Chance(rng, 0.1),
	}
	if Chance(rng, 0.5) {
		c.Start = histories.Revision(2 + rng.IntN(50))
		if Chance(rng, 0.3) {
			c.Compacted = 1 + histories.Revision(rng.Int64N(int64(c.Start)))
		}
	}
	for _, p := range []*float64{
		&c.Gap, &c.Past, &c.Future, &c.Negative, &c.Stale, &c.Limit, &c.StartKey, &c.Lag, &c.Cut, &c.PrevGone,
		&c.Serializable, &c.Filter, &c.ChosenID,
	} {
		*p = Probability(rng)
	}
	if Chance(rng, 0.15) { // many small pages
		c.Limit, c.Weights.Create, c.Weights.List, c.Weights.Next = 0.9, c.Weights.Create+8, c.Weights.List+4, c.Weights.Next+8
	}
	c.Lost, c.Die = Probability(rng)/4, Probability(rng)/20
	return c
}

func drawKeys(rng *rand.Rand) []string {
	n := 1 + rng.IntN(6)
	keys := make([]string, n)
	for i, j := range rng.Perm(len(names))[:n] {
		keys[i] = names[j]
	}
	return keys
}

func drawWeights(rng *rand.Rand) Weights {
	w := Weights{}
	for _, p := range []*int{
		&w.Create, &w.Update, &w.Delete, &w.Put, &w.Erase, &w.Get, &w.List, &w.Next, &w.Compact,
		&w.Watch, &w.Stop, &w.Progress, &w.Await, &w.Sweep, &w.Transact,
	} {
		if Chance(rng, 0.7) {
			*p = 1 + rng.IntN(8)
		}
	}
	w.Create++ // something must happen
	return w
}

// Probability draws one: often none, often a small one.
func Probability(rng *rand.Rand) float64 {
	switch rng.IntN(4) {
	case 0:
		return 0
	case 1:
		return rng.Float64() * 0.9
	default:
		return rng.Float64() * rng.Float64()
	}
}

// Chance is true with a probability.
func Chance(rng *rand.Rand, p float64) bool { return rng.Float64() < p }
