package kube

import (
	"fmt"

	"github.com/rvcheck/rvcheck/targets"
)

const ofEtcd = "the Kubernetes API has none"

// unsupported are the features that the target lacks, each with the reason.
func (t *target) unsupported(found findings) map[targets.Feature]string {
	missing := map[targets.Feature]string{targets.Faults: "not offered by this target yet"}
	for _, feature := range []targets.Feature{
		targets.BinaryKeys, targets.Leases, targets.ProgressOnCall, targets.Puts, targets.RangeOptions, targets.RevisionBounds,
		targets.Serializable, targets.SharedStreams, targets.SortedReads, targets.StatusCalls, targets.Transactions,
		targets.Versions, targets.WatchIDs, targets.WatchOptions,
	} {
		missing[feature] = ofEtcd
	}
	lack := func(feature targets.Feature, has bool, reason string) {
		if !has {
			missing[feature] = reason
		}
	}
	name := t.kind.name()
	lack(targets.Compaction, t.config.Etcd != "", "the etcd below is not known; say ?exclusive=true&etcd=HOST:PORT")
	lack(targets.DeleteCollections, t.kind.prefix == "", fmt.Sprintf(othersThere, name))
	lack(targets.Namespaces, !t.kind.clusterScoped, name+" are cluster-scoped")
	lack(targets.ManyEndpoints, len(t.endpoints) > 1, "the target has one server; say &server=URL for each")
	lack(targets.ProtobufEncoding, found.protobuf == "", found.protobuf)
	lack(targets.Statuses, t.kind.status, name+" have no status that a run may write")
	lack(targets.StrictUpdates, t.kind.strict, name+" may create by an update what is not there")
	lack(targets.UnconditionalUpdates, t.kind.unconditional, name+" are updated with a resource version only")
	lack(targets.WatchLists, found.watchLists == "", found.watchLists)
	return missing
}
