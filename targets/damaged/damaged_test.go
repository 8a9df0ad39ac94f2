package damaged_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/internal/engine"
	"github.com/rvcheck/rvcheck/internal/judging"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/damaged"
	"github.com/rvcheck/rvcheck/targets/embedded"
	"github.com/rvcheck/rvcheck/targets/memory"
)

// TestDamagesBreakTheirPrimaryProperty: ordinary plans of many clients on a real etcd
// show each damage, as the property that it names.
func TestDamagesBreakTheirPrimaryProperty(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs some hundred plans against a server")
	}
	server, err := embedded.Open(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close(context.Background()) }()
	draw := session.Drawn(1, session.Mix{Clients: 8, Steps: 60}, server.Describe())
	number := 0 // a space is never used twice
	for _, d := range damaged.Damages() {
		t.Run(d.ID, func(t *testing.T) {
			target, err := damaged.Wrap(server, d.ID)
			if err != nil {
				t.Fatal(err)
			}
			for n := 1; n <= 100; n++ {
				number++
				violated := violations(t, target, engine.Options{Number: number}, draw, n)
				if slices.Contains(violated, d.Primary) {
					t.Logf("caught by plan %d, which violates %v", n, violated)
					return
				}
			}
			t.Errorf("expected a violation of %s within 100 plans", d.Primary)
		})
	}
}

// TestDamagesAreComplete: each damage is described, and nobody takes it for a mutant.
func TestDamagesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range memory.Mutants() {
		seen[m.ID] = true
	}
	for _, d := range damaged.Damages() {
		if seen[d.ID] {
			t.Errorf("%s: expected an id of its own", d.ID)
		}
		seen[d.ID] = true
		if d.Sentence == "" || d.Source == "" || memory.Families[d.Family] == "" {
			t.Errorf("%s: expected a sentence, a source and a family of the mutants' list", d.ID)
		}
		if _, ok := models.Lookup(d.Primary); !ok {
			t.Errorf("%s: expected a property of the catalogue, not %q", d.ID, d.Primary)
		}
	}
}

// TestDamagesOfRacesNeedTwoClients: with one client the damages of races never show.
func TestDamagesOfRacesNeedTwoClients(t *testing.T) {
	for _, d := range damaged.Damages() {
		if !d.ConcurrencyOnly {
			continue
		}
		target := wrapped(t, memory.Options{}, d.ID)
		draw := session.Drawn(1, session.Mix{Clients: 1, Steps: 60}, target.Describe())
		for n := 1; n <= 20; n++ {
			if found := violations(t, target, engine.Options{Number: n}, draw, n); len(found) > 0 {
				t.Errorf("%s: plan %d violates %v", d.ID, n, found)
			}
		}
	}
}

// TestDescribe: whoever looks at a report sees that the target is damaged.
func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		options memory.Options
		url     string
	}{
		{memory.Options{}, "memory://?damage=list-stale"},
		{memory.Options{Seed: 7}, "memory://?seed=7&damage=list-stale"},
	} {
		d := wrapped(t, test.options, "list-stale").Describe()
		if d.URL != test.url || d.Server != "reference with the damage list-stale" {
			t.Errorf("got %s, %s; expected %s, reference with the damage list-stale", d.URL, d.Server, test.url)
		}
	}
}

// TestLogIsKept: a damaged server has its log as before.
func TestLogIsKept(t *testing.T) {
	store, err := memory.Open(memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []targets.Target{store, withLog{store}} {
		target, err := damaged.Wrap(server, "list-stale")
		if err != nil {
			t.Fatal(err)
		}
		_, expected := server.(targets.Logged)
		if _, got := target.(targets.Logged); got != expected {
			t.Errorf("got a log: %t, expected %t", got, expected)
		}
	}
}

type withLog struct{ targets.Target }

func (withLog) LogTo(string) error { return nil }

func TestUnknownDamage(t *testing.T) {
	_, err := damaged.Wrap(nil, "list-stail")
	var wrong *targets.UsageError
	if !errors.As(err, &wrong) || err.Error() != `damage: expected the id of a damage, not "list-stail"` {
		t.Errorf("got %v", err)
	}
}

func wrapped(t *testing.T, options memory.Options, damage string) targets.Target {
	t.Helper()
	store, err := memory.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close(context.Background()) })
	target, err := damaged.Wrap(store, damage)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// violations runs and judges plan n and returns the properties that it violated, each once.
func violations(t *testing.T, target targets.Target, options engine.Options, draw drawn, n int) []string {
	t.Helper()
	options.CallTimeout, options.StopTimeout = 2*time.Second, 2*time.Second // silence is what some do
	h, err := engine.Execute(t.Context(), target, draw(n), options)
	if err != nil {
		t.Fatal(err)
	}
	judgement, err := judging.Judge(t.Context(), h, judging.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, f := range judgement.Findings {
		if !slices.Contains(ids, f.Property) {
			ids = append(ids, f.Property)
		}
	}
	return ids
}

type drawn func(n int) plans.Plan
