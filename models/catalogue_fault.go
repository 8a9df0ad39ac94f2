package models

// The properties that only a crash or a partition puts to the test. They stand in
// the catalogue so that a report says what was not tried.
const (
	CrashDurable       = "crash/durable"
	CrashRevision      = "crash/revision"
	CrashWatchResumed  = "crash/watch-resumed"
	PartitionNotStale  = "partition/not-stale"
	PartitionWatchTold = "partition/watch-told"
)

var faultNeeds = []string{"faults"}

var faultProperties = []Property{
	{
		ID: CrashDurable, Strength: Must, Layers: etcdOnly, Needs: faultNeeds,
		Statement: "A write that was acknowledged before a crash is there after it.",
		Rules:     []string{"ETCD-02", "WR-28"}, Source: guarantees + ": durability",
	},
	{
		ID: CrashRevision, Strength: Must, Layers: etcdOnly, Needs: faultNeeds,
		Statement: "After a crash the store's revision is not below any that it told before.",
		Rules:     []string{"ETCD-01", "ETCD-23"}, Source: guarantees + ": durability",
	},
	{
		ID: CrashWatchResumed, Strength: Must, Layers: etcdOnly, Needs: []string{"watches", "faults"},
		Statement: "A watch that a crash cut and that is resumed after its last event, on any member, loses nothing and repeats nothing.",
		Rules:     []string{"ETCD-09", "WATCH-17"}, Source: watchGuarantees + ": resumable",
	},
	{
		ID: PartitionNotStale, Strength: Must, Layers: etcdOnly, Needs: []string{"reads", "endpoints", "faults"},
		Statement: "A member that is cut off from the others answers no linearizable read from its old state.",
		Rules:     []string{"ETCD-05", "ETCD-23"}, Source: guarantees + ": linearizability",
	},
	{
		ID: PartitionWatchTold, Strength: Should, Layers: etcdOnly, Needs: []string{"watches", "endpoints", "faults"},
		Statement: "A watch that requires a leader is cancelled when its member is cut off from the others, not left silent.",
		Rules:     []string{"ETCD-20"}, Source: "etcd client/v3, WithRequireLeader",
	},
}
