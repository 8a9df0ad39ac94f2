package engine

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// obstacle says why an operation cannot be done on the target, empty if it can.
func obstacle(op *plans.Op, target targets.Description) string {
	layer := dialectOf(target)
	if reason := layer.reserved(op); reason != "" {
		return "unsupported: " + reason
	}
	for _, feature := range append(layer.needs(op, target), keyNeeds(op)...) {
		if reason, missing := target.Unsupported[feature]; missing {
			return "unsupported: " + string(feature) + ": " + reason
		}
	}
	if !target.Exclusive && namesLease(op) {
		return "a lease by number may be somebody else's, as the store is not exclusive"
	}
	return ""
}

func leaseNeeds(op *plans.Op) []targets.Feature {
	if op.Lease == "" {
		return nil
	}
	return []targets.Feature{targets.Leases}
}

// keyNeeds are what the keys of an operation need.
func keyNeeds(op *plans.Op) []targets.Feature {
	for _, name := range []string{op.Key.Name, op.Scope.Key.Name, op.Scope.End, op.Start} {
		if !utf8.ValidString(name) || strings.Contains(name, "\x00") {
			return []targets.Feature{targets.BinaryKeys}
		}
	}
	return nil
}

// rangeNeeds are what a read needs beyond that there are reads.
func rangeNeeds(op *plans.Op) []targets.Feature {
	var features []targets.Feature
	if op.Kind == histories.Next || op.Limit != 0 || op.HasStart || op.Scope.Shape == histories.Range {
		features = append(features, targets.Ranges)
	}
	bounded := op.MinMod.Kind != plans.Unset || op.MaxMod.Kind != plans.Unset ||
		op.MinCreate.Kind != plans.Unset || op.MaxCreate.Kind != plans.Unset
	if op.Limit >= targets.HugeLimit {
		features = append(features, targets.HugeLimits)
	}
	if op.CountOnly || op.KeysOnly {
		features = append(features, targets.RangeOptions)
	}
	if op.Serializable {
		features = append(features, targets.Serializable)
	}
	if op.Sort != "" {
		features = append(features, targets.SortedReads)
	}
	if bounded {
		features = append(features, targets.RevisionBounds)
	}
	return features
}

func watchNeeds(op *plans.Op) []targets.Feature {
	features := []targets.Feature{targets.Watches}
	if op.NoPut || op.NoDelete || op.Fragment {
		features = append(features, targets.WatchOptions)
	}
	if op.ID != 0 {
		features = append(features, targets.WatchIDs)
	}
	if op.On != "" {
		features = append(features, targets.SharedStreams)
	}
	return features
}

// nestedNeeds are what the operations in a transaction need beyond transactions.
func nestedNeeds(txn *plans.Txn) []targets.Feature {
	var features []targets.Feature
	for _, op := range slices.Concat(txn.Then, txn.Else) {
		features = append(features, leaseNeeds(&op)...)
		features = append(features, rangeNeeds(&op)...)
		if op.Txn != nil {
			features = append(features, nestedNeeds(op.Txn)...)
		}
	}
	return features
}

// namesLease reports whether the operation, or one inside it, does something to a
// lease that it names by number.
func namesLease(op *plans.Op) bool {
	if id, err := strconv.ParseInt(op.Lease, 10, 64); err == nil && id != 0 {
		return true
	}
	if op.Txn == nil {
		return false
	}
	return slices.ContainsFunc(slices.Concat(op.Txn.Then, op.Txn.Else), func(nested plans.Op) bool { return namesLease(&nested) })
}

// fillFeature is what a fill is made of: puts where there are any, else a chain
// of conditional writes.
func fillFeature(target targets.Description) targets.Feature {
	if _, missing := target.Unsupported[targets.Puts]; missing {
		return targets.Writes
	}
	return targets.Puts
}
