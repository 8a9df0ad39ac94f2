package agreement

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/judging"
	"github.com/rvcheck/rvcheck/internal/oracle"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/linear"
)

// draw chooses other histories: go test ./internal/agreement -args -draw 100.
var draw = flag.Uint64("draw", 0, "draw other histories than those of every day")

// TestMain lets garbage grow: most histories are small and live for an instant, and
// collecting after each few of them would take as long as judging them. A search that
// remembers much must not let it grow as many times over.
func TestMain(m *testing.M) {
	debug.SetGCPercent(1000)
	debug.SetMemoryLimit(1 << 30)
	m.Run()
}

// verdict is what a judge says, in the words that all have in common.
type verdict string

const (
	valid   verdict = "valid"
	invalid verdict = "invalid"
	unsure  verdict = "unsure"
)

// opinion is a verdict and its reason.
type opinion struct {
	verdict
	reason string
}

const (
	budget = 5 * time.Second
	recall = 128 << 20
)

// liveness are the properties about what arrives in time: neither the porcupine
// judge nor the oracle knows of them.
var liveness = []string{models.WatchDelivers, models.ProgressAnswered, models.ExpiryWatchTold}

// both is the verdict of the two judges together, as a run gets it.
func both(h *histories.History) opinion {
	j, err := judging.Judge(context.Background(), h, judging.Options{Budget: budget, Memory: recall})
	if err != nil {
		return opinion{unsure, err.Error()}
	}
	var found []string
	for _, f := range j.Findings {
		if !slices.Contains(liveness, f.Property) {
			found = append(found, fmt.Sprintf("%s %v (allowed %s; observed %s; %s)", f.Property, f.Operations, f.Allowed, f.Observed, f.Explanation))
		}
	}
	switch {
	case len(found) > 0:
		return opinion{invalid, strings.Join(found, "\n  ")}
	case j.Inconclusive != "":
		return opinion{unsure, j.Inconclusive}
	default:
		return opinion{valid, ""}
	}
}

func porcupine(h *histories.History) opinion {
	return opinionOfSearch(linear.Judge(h, linear.Options{Timeout: budget, Memory: recall}))
}

// opinionOfSearch is what a porcupine judge says.
func opinionOfSearch(result linear.Result) opinion {
	switch {
	case result.Verdict == linear.Inconclusive:
		return opinion{unsure, result.Reason}
	case result.Finding != nil:
		return opinion{invalid, result.Finding.Property + ": " + result.Finding.Explanation}
	default:
		return opinion{valid, ""}
	}
}

func bruteForce(h *histories.History) opinion { return opinionOf(oracle.Check(h)) }

// opinionOf is what an oracle says.
func opinionOf(broken []string, decided bool) opinion {
	switch {
	case !decided:
		return opinion{unsure, "too large"}
	case len(broken) > 0:
		return opinion{invalid, strings.Join(broken, "; ")}
	default:
		return opinion{valid, ""}
	}
}

// judge is a way to come to a verdict.
type judge struct {
	name   string
	decide func(*histories.History) opinion
}

var (
	judges      = judge{"timeline and porcupine", both}
	linearJudge = judge{"porcupine", porcupine}
	theOracle   = judge{"oracle", bruteForce}
)

// disagree reports whether two judges have opposite verdicts.
func disagree(a, b opinion) bool {
	return a.verdict != b.verdict && a.verdict != unsure && b.verdict != unsure
}

// smaller drops operations while the two judges still disagree in the same sense. Where the
// history before it was damaged is given, that has to stay valid: else what is left would
// lack the writes that it shows.
func smaller(h, before *histories.History, a, b judge) *histories.History {
	first, second := a.decide(h).verdict, b.decide(h).verdict
	keep := func(c *histories.History) bool {
		return a.decide(c).verdict == first && b.decide(c).verdict == second
	}
	for again := true; again; {
		again = false
		for i := len(h.Operations) - 1; i >= 0; i-- {
			id := h.Operations[i].ID
			if before != nil && b.decide(without(before, id)).verdict != valid {
				continue
			}
			if c := without(h, id); keep(c) {
				h, again = c, true
				if before != nil {
					before = without(before, id)
				}
			}
		}
		for i := 0; i < len(h.Streams) && before == nil; i++ {
			for j := len(h.Streams[i].Events) - 1; j >= 0; j-- {
				c := simulation.Clone(h)
				c.Streams[i].Events = slices.Delete(c.Streams[i].Events, j, j+1)
				if keep(c) {
					h, again = c, true
				}
			}
		}
	}
	return h
}

// without returns a history without an operation and what hangs on it.
func without(h *histories.History, id int) *histories.History {
	c := simulation.Clone(h)
	gone := map[int]bool{id: true}
	c.Operations = slices.DeleteFunc(c.Operations, func(op histories.Operation) bool {
		gone[op.ID] = gone[op.ID] || gone[op.Request.Of] // a page behind a page, too
		return gone[op.ID]
	})
	c.Streams = slices.DeleteFunc(c.Streams, func(s histories.Stream) bool { return gone[s.Op] })
	return c
}

// explain shows a disagreement, as small as it can be made.
func explain(h, before *histories.History, a, b judge) string {
	whole := fmt.Sprintf("of the whole history\n%s: %s\n%s: %s\n", a.name, a.decide(h), b.name, b.decide(h))
	h = smaller(h, before, a, b)
	return fmt.Sprintf("%sof a part\n%s: %s\n%s: %s\n%s", whole, a.name, a.decide(h), b.name, b.decide(h), Print(h))
}

func (o opinion) String() string { return string(o.verdict) + " " + o.reason }

// tally counts what two judges said.
type tally struct {
	histories, invalid, unsure, disagreements int
	// missed are the disagreements about histories that were damaged in which only the
	// second judge finds fault.
	missed int

	shown map[string]int // by test
}

// maxShown is how many disagreements of a kind are printed.
const maxShown = 2

// compare lets two judges decide and reports if they disagree.
func (c *tally) compare(t *testing.T, what string, h *histories.History, a, b judge) {
	t.Helper()
	c.compareDamaged(t, what, h, nil, a, b)
}

// compareDamaged is compare with the history before it was damaged, nil if it was not.
func (c *tally) compareDamaged(t *testing.T, what string, h, before *histories.History, a, b judge) {
	t.Helper()
	first, second := a.decide(h), b.decide(h)
	c.histories++
	if second.verdict == invalid {
		c.invalid++
	}
	if first.verdict == unsure || second.verdict == unsure {
		c.unsure++
	}
	if !disagree(first, second) {
		return
	}
	c.disagreements++
	if before != nil && first.verdict == valid {
		if c.missed++; c.missed == 1 {
			t.Logf("%s: missed:\n%s", what, explain(h, before, a, b))
		}
		return
	}
	if c.shown == nil {
		c.shown = map[string]int{}
	}
	if c.shown[t.Name()]++; c.shown[t.Name()] <= maxShown {
		t.Errorf("%s: the judges disagree:\n%s", what, explain(h, before, a, b))
	}
}

func (c *tally) add(other *tally) {
	c.histories += other.histories
	c.invalid += other.invalid
	c.unsure += other.unsure
	c.disagreements += other.disagreements
	c.missed += other.missed
}

func (c *tally) String() string {
	return fmt.Sprintf("%d histories, %d invalid, %d unsure, %d disagreements", c.histories, c.invalid, c.unsure, c.disagreements)
}

// three compares the judges with a porcupine judge by itself, and that with an oracle.
type three struct {
	search, oracle          judge
	againstSearch, bySearch tally
}

func (c *three) compare(t *testing.T, what string, h *histories.History) {
	t.Helper()
	c.againstSearch.compare(t, what, h, judges, c.search)
	c.bySearch.compare(t, what, h, c.search, c.oracle)
}

func (c *three) conclude(t *testing.T) {
	t.Helper()
	t.Logf("timeline against porcupine: %s", &c.againstSearch)
	t.Logf("porcupine against oracle: %s", &c.bySearch)
	requireSure(t, &c.againstSearch)
}

// small draws a history that every judge can decide quickly.
func small(seed uint64, adapt func(*rand.Rand, *simulation.Config)) (*rand.Rand, *histories.History) {
	rng := rand.New(rand.NewPCG(seed, 11+*draw))
	config := simulation.Draw(rng, 3+rng.IntN(2), 8+rng.IntN(14))
	adapt(rng, &config)
	return rng, simulation.Generate(rng, config)
}

func asDrawn(*rand.Rand, *simulation.Config) {}

// withoutStreams leaves out what the porcupine judge does not know of: watches, and
// which member has acknowledged a compaction.
func withoutStreams(_ *rand.Rand, c *simulation.Config) {
	if c.Endpoints > 1 {
		c.Serializable = 0
	}
	c.MaxWatches, c.Witness = 0, false
	c.Weights.Watch, c.Weights.Stop, c.Weights.Progress, c.Weights.Await = 0, 0, 0, 0
}

func manyPages(_ *rand.Rand, c *simulation.Config) {
	c.Limit, c.Past = 0.9, 0
	c.Weights.Create, c.Weights.List, c.Weights.Next = 8, 4, 12
}

// scaled is a number of runs, less with -short.
func scaled(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}
