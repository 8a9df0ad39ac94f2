package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory"
)

// counted is a target that counts itself as long as it is open.
type counted struct {
	targets.Target
	open *int
}

func (c counted) Close(ctx context.Context) error {
	*c.open--
	return c.Target.Close(ctx)
}

// reopening opens memory stores with a fault, and counts those that are open and that were.
func reopening(id string, open, opened *int) Reopen {
	return func(context.Context) (targets.Target, error) {
		target, err := memory.Open(memory.Options{Mutant: id})
		*open++
		*opened++
		return counted{target, open}, err
	}
}

// reduced runs a session on a faulty store and returns the violation that was reduced.
func reduced(t *testing.T, reopen Reopen) (*report.Report, report.Violation) {
	t.Helper()
	r := runs(t, mutant(t, "delete-stale-succeeds"), Options{
		Source: alternating(t), Plans: 3, Seed: 9, Shrinking: Shrinking{Attempts: 300, Reopen: reopen},
	})
	v := r.Examples(models.WriteDeleteCAS)
	if len(v) == 0 || v[0].Reduced == nil {
		t.Fatalf("nothing was reduced: %+v", v)
	}
	return r, *v[0]
}

// What fails everywhere is measured on one fresh store.
func TestReducedPlanIsMeasuredOnAFreshStore(t *testing.T) {
	open, opened := 0, 0
	_, v := reduced(t, reopening("delete-stale-succeeds", &open, &opened))
	if v.Reproduced != "20/20" || v.Reduced.Used != "" || v.Reduced.After != "" || opened != 1 || open != 0 {
		t.Errorf("reproduced %s, used %q, %d opened, %d open", v.Reproduced, v.Reduced.Used, opened, open)
	}
}

// A plan that a fresh store does not fail says so, and after which plans it failed. An
// honest store stands for one that needs a history.
func TestReducedPlanThatNeedsTheOthers(t *testing.T) {
	open, opened := 0, 0
	_, v := reduced(t, reopening("", &open, &opened))
	if v.Reproduced != "0/20" || v.Reduced.Used != "20/20" || v.Reduced.After != "plans 1 to 2 of seed 9" || opened < 1 || open != 0 {
		t.Errorf("reproduced %s, used %q after %q, %d opened, %d open", v.Reproduced, v.Reduced.Used, v.Reduced.After, opened, open)
	}
	var text strings.Builder
	if err := v.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if want := "reproduced:  0/20 on a fresh server; 20/20 on that of the run, after plans 1 to 2 of seed 9\n"; !strings.Contains(text.String(), want) {
		t.Errorf("expected %q in\n%s", want, text.String())
	}
}

// A server that does not start again is no reason to measure nothing.
func TestServerThatDoesNotStartAgain(t *testing.T) {
	r, v := reduced(t, func(context.Context) (targets.Target, error) { return nil, errors.New("no port") })
	said := slices.ContainsFunc(r.Notes, func(note string) bool { return strings.Contains(note, "no port") })
	if v.Reproduced != "20/20" || !said {
		t.Errorf("reproduced %s, notes %q", v.Reproduced, r.Notes)
	}
}
