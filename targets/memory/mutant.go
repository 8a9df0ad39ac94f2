package memory

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets/memory/kube"
)

// Mutant is the reference store with one fault: a named deviation from the
// contract, as some store in the field once had it.
type Mutant struct {
	// ID names the mutant, in the parameter mutant of a memory:// URL.
	ID string
	// Layer is the interface of the store that has the fault.
	Layer histories.Layer
	// Family is the kind of fault, a number of [Families].
	Family int
	// Sentence says what the store does wrong.
	Sentence string
	// Source is a public report, commit or release that had the fault.
	Source string
	// Primary is the id of the property that the fault breaks, first of all.
	Primary string
	// ConcurrencyOnly: the fault acts only while calls of different clients
	// overlap. A run with one client never shows it.
	ConcurrencyOnly bool

	// make returns the fault for one new store at the etcd layer: a fault may keep a
	// state. kube is the mutant at the Kubernetes layer.
	make func() fault
	kube *kube.Mutant
}

// Families names the families of faults by their number.
var Families = map[int]string{
	1:  "progress ahead of events",
	2:  "progress never sent, or below what was delivered",
	3:  "header revisions: too old, too new, zero",
	4:  "compaction and the watches that meet it",
	5:  "keys and ranges taken for others; one watch disturbs another",
	6:  "compare-and-swap",
	7:  "transactions and range deletes",
	8:  "paging, order, counts, options of ranges",
	9:  "the history that a watch delivers",
	10: "reads at future and compacted revisions",
	11: "leases",
	12: "metadata of objects, events and members",
	13: "the form of answers: resource versions, bookmarks, errors",
	14: "what a client's library makes of lists and watches",
}

// Mutants returns every mutant of the etcd layer, by family.
func Mutants() []Mutant {
	all := slices.Concat(
		progressMutants, headerMutants, compactionMutants, scopeMutants,
		writeMutants, txnMutants, pageMutants, rangeMutants, watchMutants, expiryMutants, leaseMutants, metadataMutants,
	)
	for i := range all {
		all[i].Layer = histories.EtcdLayer
	}
	return all
}

// MutantsOf returns every mutant of a layer, by family.
func MutantsOf(layer histories.Layer) []Mutant {
	if layer != histories.KubeLayer {
		return Mutants()
	}
	var all []Mutant
	for _, m := range kube.Mutants() {
		all = append(all, Mutant{
			ID: m.ID, Layer: layer, Family: m.Family, Sentence: m.Sentence, Source: m.Source, Primary: m.Primary,
			ConcurrencyOnly: m.ConcurrencyOnly, kube: &m,
		})
	}
	return all
}
