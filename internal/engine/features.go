package engine

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// obstacle says why an operation cannot be done on the target, empty if it can.
func obstacle(op *plans.Op, target targets.Description) string {
	if reason := reserved(op); reason != "" {
		return "unsupported: " + reason
	}
	for _, feature := range needs(op, target) {
		if reason, missing := target.Unsupported[feature]; missing {
			return "unsupported: " + string(feature) + ": " + reason
		}
	}
	return ""
}

// reserved says which form of the plan language the engine does not carry out,
// empty if it does. These forms have a text so that plans of later versions can
// be read.
func reserved(op *plans.Op) string {
	switch op.Kind {
	case histories.Create, histories.Delete, histories.Get, histories.List, histories.Next,
		histories.Watch, histories.Stop, histories.Await, histories.Progress, histories.Compact,
		histories.Put, histories.Status, plans.FillKind:
	case histories.Update:
		if op.Expect.Kind == plans.Unset {
			return "an update without rv= has no form at the etcd layer"
		}
	default:
		return "the operation " + string(op.Kind) + " is not carried out yet"
	}
	switch {
	case op.Lease != "":
		return "leases are not carried out yet"
	case kubernetesOnly(op):
		return "an option of the Kubernetes layers"
	}
	return ""
}

// kubernetesOnly reports whether the operation carries an option that the etcd
// layer does not have.
func kubernetesOnly(op *plans.Op) bool {
	return op.UID.Kind != plans.Unset || op.ResourceVersion.Kind != plans.Unset || op.Match != "" ||
		op.LabelSelector != "" || op.FieldSelector != "" || op.AllowWatchBookmarks ||
		op.SendInitialEvents != nil || op.TimeoutSeconds != 0 || op.DryRun ||
		op.Scope.Shape == histories.Namespace
}

// needs are the features that an operation uses.
func needs(op *plans.Op, target targets.Description) []targets.Feature {
	switch op.Kind {
	case histories.Create, histories.Update:
		return []targets.Feature{targets.Writes}
	case histories.Delete:
		if op.Expect.Kind != plans.Unset {
			return []targets.Feature{targets.Writes}
		}
		return []targets.Feature{targets.Puts}
	case histories.Put:
		return []targets.Feature{targets.Puts}
	case plans.FillKind:
		return []targets.Feature{fillFeature(target)}
	case histories.Get, histories.List, histories.Next:
		return readNeeds(op)
	case histories.Progress:
		return []targets.Feature{targets.Watches, targets.ProgressOnCall}
	case histories.Watch, histories.Stop, histories.Await:
		return []targets.Feature{targets.Watches}
	case histories.Compact:
		return []targets.Feature{targets.Compaction}
	case histories.Status:
		return []targets.Feature{targets.StatusCalls}
	default:
		return nil
	}
}

func readNeeds(op *plans.Op) []targets.Feature {
	features := []targets.Feature{targets.Reads}
	if op.Kind == histories.Next || op.Limit != 0 || op.HasStart || op.Scope.Shape == histories.Range {
		features = append(features, targets.Ranges)
	}
	if op.CountOnly || op.KeysOnly || op.Serializable {
		features = append(features, targets.RangeOptions)
	}
	return features
}

// fillFeature is what a fill is made of: puts where there are any, else a chain
// of conditional writes.
func fillFeature(target targets.Description) targets.Feature {
	if _, missing := target.Unsupported[targets.Puts]; missing {
		return targets.Writes
	}
	return targets.Puts
}
