package agreement

import (
	"math/rand/v2"
	"testing"

	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/timeline"
)

// TestOverlookedElsewhere: the timeline judge refuses each wrong answer that etcd's
// own validator accepts, wherever it is put, and blames no history that was not
// altered. The log is a table.
func TestOverlookedElsewhere(t *testing.T) {
	t.Parallel()
	const row = "%-34s %8d %8d %8d %12d  %s"
	t.Logf("%-34s %8s %8s %8s %12s  %s", "wrong answer", "altered", "refused", "blamed", "whole, blamed", "property")
	for _, d := range simulation.Overlooked() {
		altered, refused, blamed, alarms := 0, 0, 0, 0
		wanted := scaled(300)
		for seed := uint64(0); altered < wanted && seed < 30_000; seed++ {
			rng, whole := small(seed, suited(d))
			h := simulation.Clone(whole)
			if !d.Apply(rng, h) {
				continue
			}
			altered++
			if found := timeline.Judge(whole).Findings; len(found) > 0 {
				alarms++
				t.Errorf("%s, seed %d: a whole history is refused: %s %s\n%s", d.ID, seed, found[0].Property, found[0].Explanation, Print(whole))
			}
			found := timeline.Judge(h).Findings
			if len(found) == 0 {
				t.Errorf("%s, seed %d: not refused\n%s", d.ID, seed, Print(h))
				continue
			}
			refused++
			for _, f := range found {
				if f.Property == d.Property {
					blamed++
					break
				}
			}
		}
		if altered < wanted {
			t.Errorf("%s: only %d histories to alter", d.ID, altered)
		}
		t.Logf(row, d.ID, altered, refused, blamed, alarms, d.Property)
	}
}

// suited draws histories in which there is something to alter.
func suited(d simulation.Damage) func(*rand.Rand, *simulation.Config) {
	return func(rng *rand.Rand, c *simulation.Config) {
		if d.Property == models.PagePinned {
			manyPages(rng, c)
		}
	}
}
