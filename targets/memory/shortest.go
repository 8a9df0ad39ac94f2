package memory

import (
	"embed"

	"github.com/rvcheck/rvcheck/histories"
)

//go:embed shortest/*.plan shortest/kube/*.plan
var shortest embed.FS

// Shortest returns, as text, the shortest plan known to show the fault: the one of
// fewest operations on which the mutant violates its primary property, which the
// honest store keeps. Whatever reduces plans is measured against it.
//
// The operations that every run adds to a plan, its watch over everything and the
// last write and list, count for nothing, so that for some mutants the shortest
// plan has no operation at all. A fault that needs a race, or a progress
// notification at the right moment, shows in some of its runs only, but in one of
// twenty or more: what shows by a freak of the scheduler is no plan.
func (m Mutant) Shortest() string {
	text, err := shortest.ReadFile(m.shortestFile())
	if err != nil {
		panic("internal fault of the checker: the mutant " + m.ID + " has no shortest plan: " + err.Error())
	}
	return string(text)
}

func (m Mutant) shortestFile() string {
	if m.Layer == histories.KubeLayer {
		return "shortest/kube/" + m.ID + ".plan"
	}
	return "shortest/" + m.ID + ".plan"
}
