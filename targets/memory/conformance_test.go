package memory_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
	"github.com/rvcheck/rvcheck/internal/judging"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/linear"
	"github.com/rvcheck/rvcheck/targets/memory"
)

// TestReferenceStoreIsConformant: neither judge finds anything in what overlapping
// clients did to the honest store.
func TestReferenceStoreIsConformant(t *testing.T) {
	run(t, "", 4, 30, func(n int, h *histories.History) bool {
		for _, f := range judge(t, h) {
			t.Errorf("plan %d: %s: %s\n%s", n, f.Property, f.Explanation, h.Plan)
		}
		if result := linear.Judge(h, linear.Options{}); result.Verdict == linear.Violated {
			t.Errorf("plan %d: not linearizable: %+v\n%s", n, result.Finding, h.Plan)
		}
		return true
	})
}

// TestLostAnswersAreNobodysFault: where answers to what overlapping clients did to
// the honest store are lost, and nobody watched, the porcupine judge still finds an
// order, whatever the operations.
func TestLostAnswersAreNobodysFault(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	verdicts := map[linear.Verdict]int{}
	run(t, "", 3, 40, func(n int, h *histories.History) bool {
		for range 4 {
			result := linear.Judge(lossy(rng, h), linear.Options{Timeout: time.Second})
			if verdicts[result.Verdict]++; result.Verdict == linear.Violated {
				t.Errorf("plan %d: %+v\n%s", n, result.Finding, h.Plan)
			}
		}
		return true
	})
	if verdicts[linear.OK] < 100 {
		t.Errorf("too few histories were decided: %v", verdicts)
	}
}

// lossy is the history without streams and without the answers of some operations.
func lossy(rng *rand.Rand, h *histories.History) *histories.History {
	lost := *h
	lost.Streams, lost.Operations = nil, slices.Clone(h.Operations)
	for i := range lost.Operations {
		if rng.IntN(10) == 0 {
			lost.Operations[i].Answer = histories.Answer{Outcome: histories.Unknown}
		}
	}
	return &lost
}

// TestMutantsBreakTheirPrimaryProperty: ordinary plans show each fault, as the
// property that it names.
func TestMutantsBreakTheirPrimaryProperty(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs some hundred plans")
	}
	for _, m := range memory.Mutants() {
		t.Run(m.ID, func(t *testing.T) {
			t.Parallel() // they wait more than they compute
			caught := 0
			run(t, m.ID, 4, 200, func(n int, h *histories.History) bool {
				if slices.ContainsFunc(judge(t, h), func(f models.Finding) bool { return f.Property == m.Primary }) {
					caught = n
				}
				return caught == 0
			})
			if caught == 0 {
				t.Errorf("expected a violation of %s within 200 plans", m.Primary)
			}
			t.Logf("caught by plan %d", caught)
		})
	}
}

// TestFaultsOfRacesNeedTwoClients: with one client the faults of races never show.
func TestFaultsOfRacesNeedTwoClients(t *testing.T) {
	for _, m := range memory.Mutants() {
		if !m.ConcurrencyOnly {
			continue
		}
		t.Run(m.ID, func(t *testing.T) {
			t.Parallel()
			run(t, m.ID, 1, 5, func(n int, h *histories.History) bool {
				for _, f := range judge(t, h) {
					t.Errorf("plan %d: %s: %s", n, f.Property, f.Explanation)
				}
				return true
			})
		})
	}
}

// run executes plans of the default mix against a store, until a plan is the last
// or then says no.
func run(t *testing.T, mutant string, clients, plans int, then func(n int, h *histories.History) bool) {
	t.Helper()
	target, err := memory.Open(memory.Options{Mutant: mutant, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(context.Background()) }()
	draw := session.Drawn(1, session.Mix{Clients: clients, Steps: 60}, target.Describe())
	options := engine.Options{StopTimeout: 5 * time.Second}
	if mutant != "" {
		options.CallTimeout, options.StopTimeout = time.Second, time.Second // silence is what some do
	}
	for n := 1; n <= plans; n++ {
		options.Number = n
		h, err := engine.Execute(t.Context(), target, draw(n), options)
		if err != nil {
			t.Fatal(err)
		}
		if !then(n, h) {
			return
		}
	}
}

func judge(t *testing.T, h *histories.History) []models.Finding {
	t.Helper()
	judgement, err := judging.Judge(t.Context(), h, judging.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return judgement.Findings
}
