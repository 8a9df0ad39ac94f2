package models

// etcdRules are what Kubernetes needs of a store that speaks etcd's API.
var etcdRules = []Rule{
	{"ETCD-01", atEtcd, Must, "Every answer names in its header the store's revision where it took effect, an empty range and a failed transaction included.", guarantees, ""},
	{"ETCD-02", atEtcd, Must, "A successful write has a new revision, which its header and the object's modification revision name, and it stays; a failed one has none.", guarantees + ": durability, revision", ""},
	{"ETCD-03", atEtcd, Must, "A transaction's comparisons and operations are one atomic step: of several that expect the same revision at most one wins.", guarantees + ": atomicity, isolation", ""},
	{"ETCD-04", atEtcd, Must, "What the failure branch of a transaction reads is current at the revision in the header.", guarantees + ": transactions", ""},
	{"ETCD-05", atEtcd, Must, "A range without a revision is linearizable, and its objects and its header are of one snapshot.", guarantees + ": linearizability", ""},
	{"ETCD-06", atEtcd, Must, "A range at a revision is exactly the state then; below the compaction point and above the current revision it is refused as such.", inAPIReference + ", RangeRequest.revision", ""},
	{"ETCD-07", atEtcd, Must, "A range ascends by key, its limit takes the first, more says whether the limit cut, and count is that of the whole range.", inAPIReference + ", RangeResponse", ""},
	{"ETCD-08", atEtcd, Must, "An object's create revision is that of the write that made the key, its version counts from one there, and a deletion begins anew.", inDataModel, ""},
	{"ETCD-09", atEtcd, Must, "A watch delivers every event from its start revision on, in order of revision, once, and without a gap.", watchGuarantees, ""},
	{"ETCD-10", atEtcd, Must, "A previous value that was asked for is there on every overwrite and every deletion, unless it was compacted.", inAPIReference + ", WatchCreateRequest.prev_kv", ""},
	{"ETCD-11", atEtcd, Must, "The event of a deletion has the key, the deletion's revision, and no value.", inAPIReference + ", Event.kv", ""},
	{"ETCD-12", atEtcd, Must, "All events of one revision come in one response, unless fragments were asked for.", watchGuarantees + ": atomic", ""},
	{"ETCD-13", atEtcd, Must, "A progress notification has no events, never goes back, is not ahead of the store, and no event at or below it follows on its transport stream.", watchGuarantees + ": bookmarkable", ""},
	{"ETCD-14", atEtcd, Must, "Progress that is asked for again and again reaches every revision that a linearizable read has returned.", "KEP-2340", ""},
	{"ETCD-15", atEtcd, Must, "A watch from a future revision is silent until then and delivers nothing from below it.", inAPIReference + ", WatchCreateRequest.start_revision", ""},
	{"ETCD-16", atEtcd, Must, "A watch from below the compaction point is cancelled and told the compaction's revision.", inAPIReference + ", WatchResponse.compact_revision", ""},
	{"ETCD-17", atEtcd, Must, "After a compaction everything at and above its revision reads as before and everything below is refused; a compaction of the future or the past is an error.", inMaintenance, ""},
	{"ETCD-18", atEtcd, Must, "A compaction does not disturb a watch that keeps up; one that lags gets all its events or is cancelled, never less.", inMaintenance, ""},
	{"ETCD-19", atEtcd, Must, "The keys of a lease live at least its time to live, are deleted when it ends, and a write with an unknown lease fails without effect.", inAPIReference + ", LeaseGrantRequest", ""},
	{"ETCD-20", atEtcd, Should, "A watch that requires a leader is cancelled when its member has lost the leader, not left silent.", "etcd client/v3, WithRequireLeader", ""},
	{"ETCD-21", atEtcd, Impl, "A request that is refused for its size has no effect.", "etcd documentation, system limits", ""},
	{"ETCD-22", atEtcd, Must, "After an unavailable server, a deadline or a lost leader a write may have happened, may happen later, or never.", guarantees + ": durability", "it says what nobody may conclude from an error, and leaves nothing to refute"},
	{"ETCD-23", atEtcd, Must, "Linearizable answers never go back in time, whichever members give them.", guarantees + ": linearizability", ""},
	{"ETCD-24", atEtcd, Must, "The version in the answer to a status call is the server's.", inAPIReference + ", StatusResponse.version", ""},
}
