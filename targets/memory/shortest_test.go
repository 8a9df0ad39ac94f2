package memory_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets/memory"
)

// TestShortestPlans: the shortest plan of each mutant shows its fault as the primary
// property, the honest store keeps everything under it, and it needs each of its
// operations.
func TestShortestPlans(t *testing.T) {
	for _, m := range everyMutant() {
		t.Run(string(m.Layer)+"/"+m.ID, func(t *testing.T) {
			if m.Primary == models.LeaseExpires && testing.Short() {
				t.Skip("it waits for a lease that never expires")
			}
			t.Parallel()
			plan := shortest(t, m)
			honest := memory.Mutant{Layer: m.Layer}
			if found := tried(t, honest, plan, 0); len(found) > 0 {
				t.Errorf("the honest store violates %v", found)
			}
			if n := tries(t, m, plan, 500); n == 0 {
				t.Fatalf("expected a violation of %s within 500 runs", m.Primary)
			} else {
				t.Logf("%d operations, violated in run %d", plan.Operations(), n)
			}
			needed(t, m, plan)
		})
	}
}

// everyMutant are the mutants of all layers.
func everyMutant() []memory.Mutant {
	return slices.Concat(memory.MutantsOf(histories.EtcdLayer), memory.MutantsOf(histories.KubeLayer))
}

// shortest parses the mutant's plan and holds it to the tool's own form.
func shortest(t *testing.T, m memory.Mutant) plans.Plan {
	t.Helper()
	plan, err := plans.Parse(m.Shortest(), m.ID)
	if err != nil {
		t.Fatal(err)
	}
	if text := plans.Format(plan); text != m.Shortest() {
		t.Errorf("expected the tool's own form\n%s", text)
	}
	if last := plan.Steps[len(plan.Steps)-1].Expect; last == nil || last.Property != m.Primary {
		t.Errorf("expected the line: expect %s", m.Primary)
	}
	return plan
}

// TestShortestPlansAreOfMutants: no file is left of a mutant that has gone.
func TestShortestPlansAreOfMutants(t *testing.T) {
	for folder, layer := range map[string]histories.Layer{"shortest": histories.EtcdLayer, "shortest/kube": histories.KubeLayer} {
		files, err := filepath.Glob(folder + "/*.plan")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			id := strings.TrimSuffix(filepath.Base(file), ".plan")
			if !slices.ContainsFunc(memory.MutantsOf(layer), func(m memory.Mutant) bool { return m.ID == id }) {
				t.Errorf("%s: expected the id of a mutant", file)
			}
		}
	}
}

// leftToTheScheduler are mutants whose plan has an operation that only makes the
// order of two others certain.
var leftToTheScheduler = map[string]string{
	"created-header-stale-in-race": "without the put, the watch may still be opened after a write of the others",
}

// needed checks that the plan shows nothing without any one of its operations, but by
// luck: a slow machine asks for progress more often.
func needed(t *testing.T, m memory.Mutant, plan plans.Plan) {
	t.Helper()
	if leftToTheScheduler[m.ID] != "" {
		return
	}
	for i := range plan.Steps {
		if plan.Steps[i].Op == nil {
			continue
		}
		rest := plan
		rest.Steps = slices.Delete(slices.Clone(plan.Steps), i, i+1)
		rest = rest.Prune()
		if always(t, m, rest, 3) {
			t.Errorf("a shorter plan shows it:\n%s", plans.Format(rest))
		}
	}
}

// always reports whether the plan violates the primary property each time.
func always(t *testing.T, m memory.Mutant, plan plans.Plan, times int) bool {
	t.Helper()
	for n := 1; n <= times; n++ {
		if !slices.Contains(tried(t, m, plan, n), m.Primary) {
			return false
		}
	}
	return true
}

// tries runs the plan until the primary property is violated, and says how often
// that was: zero if it never is.
func tries(t *testing.T, m memory.Mutant, plan plans.Plan, most int) int {
	t.Helper()
	for n := 1; n <= most; n++ {
		if slices.Contains(tried(t, m, plan, n), m.Primary) {
			return n
		}
	}
	return 0
}

// tried runs the plan once and returns what was violated. A mutant without an id is the
// honest store.
func tried(t *testing.T, m memory.Mutant, plan plans.Plan, seed int) []string {
	t.Helper()
	target, err := memory.Open(memory.Options{Mutant: m.ID, Layer: m.Layer, Seed: uint64(seed)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(context.Background()) }()
	options := engine.Options{Number: seed} // informers begin in turns
	if m.ID != "" {
		options.StopTimeout = time.Second // silence is what some do
	}
	h, err := engine.Execute(t.Context(), target, plan, options)
	if err != nil {
		t.Fatal(err)
	}
	var violated []string
	for _, f := range judge(t, h) {
		violated = append(violated, f.Property)
	}
	return violated
}
