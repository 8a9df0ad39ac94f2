package models

import "github.com/rvcheck/rvcheck/histories"

// The layers on which properties hold.
var (
	etcdOnly   = []histories.Layer{histories.EtcdLayer}
	kubeOnly   = []histories.Layer{histories.KubeLayer}
	everywhere = []histories.Layer{histories.EtcdLayer, histories.KubeLayer}
)

const guarantees = "etcd documentation, API guarantees"

// The properties of conditional writes.
const (
	WriteCreateExclusive = "write/create-exclusive"
	WriteUpdateCAS       = "write/update-cas"
	WriteDeleteCAS       = "write/delete-cas"
	WriteConflictOwed    = "write/conflict-owed"
	WriteFailureBranch   = "write/failure-branch"
	WriteNoEffect        = "write/no-effect"
	WriteDurable         = "write/durable"
	WriteRevisionOrder   = "write/revision-order"
	WriteOwnRevision     = "write/own-revision"
	WriteDeletedCount    = "write/deleted-count"
)

var writeProperties = []Property{
	{
		ID: WriteCreateExclusive, Strength: Must, Layers: everywhere, Needs: []string{"writes"},
		Statement: "A create succeeds only where the key was absent at the revision before its own.",
		Rules:     []string{"WR-01", "WR-07", "ETCD-03"}, Source: guarantees + ": isolation; storage.Interface Create",
	},
	{
		ID: WriteUpdateCAS, Strength: Must, Layers: everywhere, Needs: []string{"writes"},
		Statement: "A conditional update succeeds only where the stored object had the expected revision just before.",
		Rules:     []string{"WR-08", "WR-10", "WR-11", "WR-17", "ETCD-03"}, Source: "Kubernetes API conventions, concurrency control",
	},
	{
		ID: WriteDeleteCAS, Strength: Must, Layers: everywhere, Needs: []string{"writes"},
		Statement: "A conditional delete succeeds only where the stored object had the expected revision just before.",
		Rules:     []string{"WR-20", "ETCD-03"}, Source: "storage.Interface Delete",
	},
	{
		ID: WriteConflictOwed, Strength: Must, Layers: everywhere, Needs: []string{"writes"},
		Statement: "A conditional write is refused only where its condition did not hold when it was answered.",
		Rules:     []string{"WR-02", "WR-03", "WR-09", "WR-12", "WR-20", "WR-21", "ERR-01", "ERR-02", "ERR-03", "ETCD-03"}, Source: "Kubernetes API conventions, concurrency control",
	},
	{
		ID: WriteFailureBranch, Strength: Must, Layers: etcdOnly, Needs: []string{"writes"},
		Statement: "A write whose condition fails is refused as a conflict, and the object that it returns is the current one at the revision in the answer's header.",
		Rules:     []string{"ETCD-04"}, Source: guarantees + ": transactions",
	},
	{
		ID: WriteNoEffect, Strength: Must, Layers: everywhere, Needs: []string{"writes"},
		Statement: "A write that was definitely refused leaves no effect.",
		Rules:     []string{"WR-09", "WR-12", "WR-15", "WR-20", "ETCD-02", "ETCD-21"}, Source: guarantees + ": atomicity",
	},
	{
		ID: WriteDurable, Strength: Must, Layers: everywhere, Needs: []string{"writes"},
		Statement: "An acknowledged write is applied, and stays until another write of the same key.",
		Rules:     []string{"WR-28", "ETCD-02"}, Source: guarantees + ": durability",
	},
	{
		ID: WriteRevisionOrder, Strength: Must, Layers: everywhere, Needs: []string{"writes"},
		Statement: "A write that begins after another effect was known gets a larger revision than that effect.",
		Rules:     []string{"RV-03", "RV-05", "ETCD-02"}, Source: "KEP-5504; " + guarantees,
	},
	{
		ID: WriteOwnRevision, Strength: Must, Layers: etcdOnly, Needs: []string{"writes"},
		Statement: "Each write has one revision of its own, and its answer names the revision at which the effect appears.",
		Rules:     []string{"RV-06", "ETCD-02"}, Source: guarantees + ": revision",
	},
	{
		ID: WriteDeletedCount, Strength: Must, Layers: etcdOnly, Needs: []string{"writes"},
		Statement: "A successful conditional delete reports that it removed exactly one key.",
		Rules:     []string{"ETCD-03"}, Source: "etcd API reference, DeleteRangeResponse.deleted",
	},
}
