package kube

import (
	"slices"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

func TestMutantsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	families := map[int]bool{}
	racing := 0
	for _, m := range Mutants() {
		if seen[m.ID] {
			t.Errorf("%s: expected an id of its own", m.ID)
		}
		seen[m.ID], families[m.Family] = true, true
		if m.Sentence == "" || m.Source == "" || m.Family == 0 || m.make == nil {
			t.Errorf("%s: expected a sentence, a source, a family and a fault", m.ID)
		}
		if p, ok := models.Lookup(m.Primary); !ok || !slices.Contains(p.Layers, histories.KubeLayer) {
			t.Errorf("%s: expected a property of the Kubernetes layer, not %q", m.ID, m.Primary)
		}
		if m.ConcurrencyOnly {
			racing++
		}
	}
	if len(families) < 8 || len(seen) < 30 || racing < 10 {
		t.Errorf("expected at least 30 mutants of 8 families, 10 of them only under concurrency; got %d of %d, %d", len(seen), len(families), racing)
	}
	t.Logf("%d mutants of %d families, %d of them only under concurrency", len(seen), len(families), racing)
}
