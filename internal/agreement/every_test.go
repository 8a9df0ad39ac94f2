package agreement

import (
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets/memory"
)

// TestEveryPropertyCanFail: each property is the first that some fault of the
// reference store, or some damage to a history, breaks. What needs crashes and
// partitions has no target yet.
func TestEveryPropertyCanFail(t *testing.T) {
	broken := map[string]bool{}
	for _, m := range memory.Mutants() {
		broken[m.Primary] = true
	}
	for _, d := range simulation.Damages() {
		broken[d.Property] = true
	}
	for _, p := range models.Catalogue() {
		if faults := p.Group() == "crash" || p.Group() == "partition"; !broken[p.ID] && !faults && p.HoldsOn(histories.EtcdLayer) {
			t.Errorf("nothing breaks %s", p.ID)
		}
	}
}
