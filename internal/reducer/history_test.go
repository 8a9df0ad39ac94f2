package reducer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/judging"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models"
)

// TestHistoryOfEachDamage: what is left of a damaged history is small, shows the same
// violation and no other, and can be written and read.
func TestHistoryOfEachDamage(t *testing.T) {
	for _, d := range simulation.Damages() {
		t.Run(d.ID, func(t *testing.T) {
			whole, finding, ok := damaged(d, 5000)
			if !ok {
				t.Fatal("expected a history that shows it")
			}
			result := requireReduced(t, whole, finding)
			if n := len(result.History.Operations); n > 25 {
				t.Errorf("%d operations are left", n)
			}
			t.Logf("%s: %d operations of %d, %d attempts: %s", finding.Property, len(result.History.Operations), result.From, result.Attempts, result.Finding.Explanation)
		})
	}
}

// damaged makes a history in which a damage breaks the property that it is aimed at.
func damaged(d simulation.Damage, seeds uint64) (*histories.History, models.Finding, bool) {
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 77))
		h := simulation.Generate(rng, simulation.Draw(rng, 3, 40))
		if !d.Apply(rng, h) {
			continue
		}
		judgement, err := judging.Judge(context.Background(), h, judging.Options{Budget: time.Second})
		if err != nil {
			continue
		}
		for _, f := range judgement.Findings {
			if f.Property == d.Property {
				return h, f, true
			}
		}
	}
	return nil, models.Finding{}, false
}

func requireReduced(t *testing.T, whole *histories.History, finding models.Finding) HistoryResult {
	t.Helper()
	result, err := History(t.Context(), whole, finding.Property, HistoryOptions{Budget: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if identityOf(&result.Finding) != identityOf(&finding) || !sameText(result.Finding.Allowed, finding.Allowed) {
		t.Errorf("another violation is left: %+v\nof %+v", result.Finding, finding)
	}
	if !result.Complete {
		t.Error("the reduction came to no end")
	}
	judgement, err := judging.Judge(t.Context(), readAgain(t, result.History), judging.Options{Budget: time.Second})
	if err != nil || len(judgement.Findings) == 0 {
		t.Fatalf("written and read, the reduced history is not violated: %v, %v", judgement, err)
	}
	again, err := History(t.Context(), whole, finding.Property, HistoryOptions{Budget: time.Second})
	if diff := cmp.Diff(result, again, extras); diff != "" || err != nil {
		t.Errorf("reduced again it is different: %v\n%s", err, diff)
	}
	return result
}

var extras = cmpopts.IgnoreUnexported(histories.Extra{})

func readAgain(t *testing.T, h *histories.History) *histories.History {
	t.Helper()
	var file bytes.Buffer
	if err := histories.Write(&file, h); err != nil {
		t.Fatal(err)
	}
	read, err := histories.Read(&file, "reduced")
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// TestHistoryOfThousands: five thousand operations are reduced in seconds.
func TestHistoryOfThousands(t *testing.T) {
	keys := make([]string, 50)
	for i := range keys {
		keys[i] = fmt.Sprintf("k%02d", i)
	}
	rng := rand.New(rand.NewPCG(3, 77))
	h := simulation.Generate(rng, simulation.Config{
		Clients: 8, Operations: 5000, Keys: keys, Start: 1, Endpoints: 1, Witness: true, Closing: true,
		Past: 0.1, Stale: 0.2, Limit: 0.3, MaxWatches: 20, Lost: 0.02,
		Weights: simulation.Weights{Create: 4, Update: 8, Delete: 3, Put: 3, Get: 8, List: 1, Next: 1, Watch: 1, Transact: 1, Compact: 1},
	})
	applied := map[string]bool{"get-stale-content": true, "list-dropped": true, "event-dropped": true}
	for _, d := range simulation.Damages() {
		if !applied[d.ID] {
			continue
		}
		t.Run(d.ID, func(t *testing.T) {
			damaged := simulation.Clone(h)
			if !d.Apply(rng, damaged) {
				t.Fatal("nothing to damage")
			}
			start := time.Now()
			result, err := History(t.Context(), damaged, "", HistoryOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if n := len(result.History.Operations); n > 15 || result.Attempts > 300 {
				t.Errorf("%d operations are left after %d attempts", n, result.Attempts)
			}
			t.Logf("%d operations of %d, %d attempts, %v: %s", len(result.History.Operations), result.From, result.Attempts, time.Since(start), result.Finding.Explanation)
		})
	}
}

func TestHistoryWithoutViolation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 77))
	h := simulation.Generate(rng, simulation.Draw(rng, 3, 40))
	if _, err := History(t.Context(), h, "", HistoryOptions{}); !errors.Is(err, ErrNoViolation) {
		t.Errorf("got %v, expected ErrNoViolation", err)
	}
}
