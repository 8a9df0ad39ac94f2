package conformance

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rvcheck/rvcheck/generators"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// Fuzz is a fuzz target for stores that live in the process of the test, whose code
// the fuzzer can see:
//
//	func FuzzConformance(f *testing.F) {
//		conformance.Fuzz(f, func(t *testing.T) targets.Target { return openMyStore(t) })
//	}
//
// Each input is a plan. The factory is called for each, so that it should be quick.
// Without go test -fuzz the inputs are those of testdata and a few of its own, and a
// plan that fails is reduced; while the fuzzer works it makes them small itself.
//
// Of the options those count that say how plans are drawn, what is judged, and what
// is known.
func Fuzz(f *testing.F, factory func(t *testing.T) targets.Target, options ...Option) {
	f.Helper()
	for _, input := range inputs() {
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		o := forFuzz(t, options)
		target := opened(t, factory)
		cfg := session.Mix{Clients: o.Clients, Steps: o.Steps}.For(target.Describe())
		cfg.Patience = -1 // inputs are to be quick
		rapid.MakeFuzz(func(rt *rapid.T) {
			tryPlan(t, target, generators.Plan(cfg).Draw(rt, "plan"), o)
		})(t, input)
	})
}

// inputs are a few to begin with, long enough for a plan each.
func inputs() [][]byte {
	const count, words = 8, 4096
	var all [][]byte
	for seed := range uint64(count) {
		random := rand.New(rand.NewPCG(seed, 0))
		input := make([]byte, 0, 8*words)
		for range words {
			input = binary.LittleEndian.AppendUint64(input, random.Uint64())
		}
		all = append(all, input)
	}
	return all
}

// forFuzz draws smaller plans than a run does, unless an option says otherwise.
func forFuzz(t *testing.T, options []Option) Options {
	o := forTest(t, options)
	var asked Options
	for _, set := range options {
		set(&asked)
	}
	if asked.Clients == 0 {
		o.Clients = 2
	}
	if asked.Steps == 0 {
		o.Steps = stepsPerClient * o.Clients
	}
	return o
}

// tryPlan runs a plan and fails the test for the first property that it breaks.
func tryPlan(t *testing.T, target targets.Target, plan plans.Plan, o Options) {
	t.Helper()
	s, err := o.session(target.Describe())
	if err != nil {
		t.Fatalf("conformance: %v", err)
	}
	s.Source, s.Plans, s.Duration = func(int) plans.Plan { return plan }, 1, 0
	s.Shrinking.Budget, s.Shrinking.Most = min(s.Shrinking.Budget, fuzzBudget), 1
	if inWorker() {
		s.Shrinking = session.Shrinking{}
	}
	r, err := session.Run(t.Context(), target, s)
	if err != nil {
		t.Fatalf("conformance: %v", err)
	}
	for _, text := range r.Errors {
		t.Errorf("the check went wrong: %s", text)
	}
	for _, p := range r.Properties {
		if p.Status == report.Broken {
			v := r.Examples(p.ID)[0]
			t.Log(details(v))
			t.Fatalf("%s is violated: %s", p.ID, v.Statement)
		}
	}
}

// fuzzBudget is the time for reducing one plan.
const fuzzBudget = 10 * time.Second

// inWorker reports whether the fuzzer works, which makes inputs small itself.
func inWorker() bool {
	worker := flag.Lookup("test.fuzzworker")
	return worker != nil && worker.Value.String() == "true"
}
