package simulation

import (
	"math/rand/v2"

	"github.com/rvcheck/rvcheck/histories"
)

var reads = []histories.Kind{histories.Get, histories.List, histories.Next}

// objectDamages are objects whose parts do not belong together.
var objectDamages = []Damage{
	{ID: "object-version", Property: "object/metadata", Apply: alterObject(func(_ *ledger, o *histories.Object) bool { o.Version++; return true })},
	{ID: "object-version-zero", Property: "object/metadata", Apply: alterObject(func(_ *ledger, o *histories.Object) bool { o.Version = 0; return true })},
	{ID: "object-created", Property: "object/metadata", Apply: alterObject(func(_ *ledger, o *histories.Object) bool { o.CreateRevision--; return true })},
	{ID: "object-created-last", Property: "object/metadata", Apply: alterObject(createdLast)},
	{ID: "object-lease", Property: "lease/attached", Apply: alterObject(func(_ *ledger, o *histories.Object) bool { o.Lease = 7; return true })},
	{ID: "object-other-value", Property: "object/one-truth", Apply: alterObject(otherValue)},
	{ID: "object-foreign", Property: "object/one-truth", Apply: alterObject(foreign)},
	{ID: "object-rv", Property: "get/snapshot", Apply: alterObject(func(_ *ledger, o *histories.Object) bool { o.RV++; return true })},
	{ID: "object-phantom", Property: "object/one-truth", Apply: alterObject(func(_ *ledger, o *histories.Object) bool { o.Write = "nobody"; return true })},
}

// alterObject changes one object of one read.
func alterObject(change func(*ledger, *histories.Object) bool) func(*rand.Rand, *histories.History) bool {
	return alter(Both(succeeded(reads...), shows), func(rng *rand.Rand, h *histories.History, op *histories.Operation) bool {
		return change(readLedger(h), &op.Answer.Objects[rng.IntN(len(op.Answer.Objects))])
	})
}

func createdLast(_ *ledger, o *histories.Object) bool {
	if o.CreateRevision == o.RV {
		return false
	}
	o.CreateRevision = o.RV
	return true
}

// otherValue shows an older value under the newer metadata.
func otherValue(l *ledger, o *histories.Object) bool {
	older := l.before(o.Key.Name, o.RV)
	if older == nil {
		return false
	}
	o.Write, o.Labels, o.Size = older.Write, older.Labels, older.Size
	return true
}

func foreign(_ *ledger, o *histories.Object) bool {
	o.Write, o.Labels, o.Foreign = "", nil, "0123456789ab"
	return true
}
