package agreement

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/judging"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models"
)

// notAimedAt are the properties that no damage can be aimed at: simulated watches
// have transport streams of their own.
var notAimedAt = []string{models.WatchIsolated}

// groups are those of the simulated calls: no faults.
var groups = []string{"write", "txn", "delete", "object", "header", "read", "get", "list", "page", "watch", "progress", "expiry"}

// TestDamageIsBlamedOnItsProperty: the property that a damage is aimed at is often
// among the findings; what else a damage breaks depends on what it hits. Each
// property is the aim of one.
func TestDamageIsBlamedOnItsProperty(t *testing.T) {
	t.Parallel()
	aims := map[string]bool{}
	for _, d := range simulation.Damages() {
		aims[d.Property] = true
		t.Run(d.ID, func(t *testing.T) { requireBlame(t, d) })
	}
	for _, p := range models.Catalogue() {
		if !aims[p.ID] && p.HoldsOn(histories.EtcdLayer) && slices.Contains(groups, p.Group()) && !slices.Contains(notAimedAt, p.ID) {
			t.Errorf("no damage is aimed at %s", p.ID)
		}
	}
}

func requireBlame(t *testing.T, d simulation.Damage) {
	blamed, found, first := map[string]int{}, 0, 0
	wanted, share := 60, 5
	if testing.Short() {
		wanted, share = 30, 10 // of so few a fifth is luck
	}
	for seed := uint64(0); found < wanted && seed < 5000; seed++ {
		rng, h := small(seed, asDrawn)
		if !d.Apply(rng, h) {
			continue
		}
		j, err := judging.Judge(context.Background(), h, judging.Options{Budget: budget, Memory: recall})
		if err != nil {
			t.Fatal(err)
		}
		if len(j.Findings) == 0 {
			continue
		}
		found++
		for _, f := range j.Findings {
			blamed[f.Property]++
		}
		if len(j.Findings) == 1 && j.Findings[0].Property == d.Property {
			first++
		}
	}
	if blamed[d.Property]*share < found || found == 0 {
		t.Errorf("%s is blamed only %d times of %d", d.Property, blamed[d.Property], found)
	}
	t.Logf("%-28s of %d: alone %d, %s %d; all %s", d.ID, found, first, d.Property, blamed[d.Property], counts(blamed))
}

func counts(of map[string]int) string {
	text := ""
	for _, id := range slices.Sorted(maps.Keys(of)) {
		text += fmt.Sprintf("%s %d, ", id, of[id])
	}
	return text
}
