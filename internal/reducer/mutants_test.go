package reducer_test

import (
	"slices"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/internal/reducer"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets/memory"
)

// rarely opens a mutant whose fault acts at one occasion in five.
func rarely(t *testing.T, id string, seed uint64) (*session.Trier, func(int) plans.Plan) {
	t.Helper()
	target, err := memory.Open(memory.Options{Mutant: id, Seed: seed, Probability: 0.2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := target.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	mix := session.Mix{Clients: 4, Steps: 60}
	return session.NewTrier(target, models.Catalogue(), nil), session.Drawn(seed, mix, target.Describe())
}

// A fault of a store that acts at one occasion in five: from nine of ten seeds the plan
// becomes as short as the shortest known, but for two operations, and its rate is
// told.
func TestRareFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("some thousand runs")
	}
	for _, id := range []string{"more-never", "deleted-count-zero"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			all := memory.Mutants()
			m := all[slices.IndexFunc(all, func(m memory.Mutant) bool { return m.ID == id })]
			limit := parsed(t, m.Shortest()).Operations() + 2
			short := 0
			for seed := range uint64(10) {
				r := reduceRare(t, m, seed+1)
				t.Logf("seed %d: %d of %d operations, %d runs, reproduced %s (before %d/%d)",
					seed+1, r.Operations, r.From, r.Executions, r.Reproduced(), r.OriginalFailed, r.OriginalRuns)
				if r.Operations <= limit && r.Failed > 0 {
					short++
				}
			}
			if short < 9 {
				t.Errorf("%d of 10 seeds came to at most %d operations, expected 9", short, limit)
			}
		})
	}
}

func reduceRare(t *testing.T, m memory.Mutant, seed uint64) reducer.Result {
	t.Helper()
	trier, source := rarely(t, m.ID, seed)
	for n := 1; n <= 300; n++ {
		plan := source(n)
		outcome, err := trier.Try(t.Context(), reducer.Trial{Plan: plan})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(session.Broken(outcome), m.Primary) {
			continue
		}
		r, err := reducer.Plan(t.Context(), plan, m.Primary, trier.Try, reducer.Options{First: &outcome, Budget: 5 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Fatalf("seed %d: no plan violates %s", seed, m.Primary)
	return reducer.Result{}
}
