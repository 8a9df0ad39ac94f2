package models

// The properties of transactions, range deletes and the options of ranges.
const (
	TxnAtomic      = "txn/atomic"
	TxnCompare     = "txn/compare"
	TxnResult      = "txn/result"
	DeleteRange    = "delete/range"
	RangeCountOnly = "range/count-only"
	RangeKeysOnly  = "range/keys-only"
	RangeSorted    = "range/sorted"
	RangeFiltered  = "range/filtered"
	// ReadSerializable is about reads that may be old.
	ReadSerializable = "read/serializable"
	StatusVersion    = "status/version"
)

var txnNeeds = []string{"transactions"}

var txnProperties = []Property{
	{
		ID: TxnAtomic, Strength: Must, Layers: etcdOnly, Needs: txnNeeds,
		Statement: "A transaction takes effect whole or not at all: every write of the branch it took, none of the other, and none when it fails.",
		Rules:     []string{"ETCD-02", "ETCD-03"}, Source: guarantees + ": atomicity",
	},
	{
		ID: TxnCompare, Strength: Must, Layers: etcdOnly, Needs: txnNeeds,
		Statement: "A transaction takes the branch that its compares choose in the state just before it.",
		Rules:     []string{"ETCD-03"}, Source: "etcd API reference, TxnRequest",
	},
	{
		ID: TxnResult, Strength: Must, Layers: etcdOnly, Needs: txnNeeds,
		Statement: "The results of a transaction are those of its operations, carried out in order on the state just before it.",
		Rules:     []string{"ETCD-03", "ETCD-04"}, Source: "etcd API reference, TxnResponse",
	},
	{
		ID: DeleteRange, Strength: Must, Layers: etcdOnly, Needs: []string{"deletes"},
		Statement: "A range delete removes everything in its range, at one revision, and says what and how much.",
		Rules:     []string{"ETCD-02", "ETCD-07"}, Source: "etcd API reference, DeleteRangeRequest",
	},
}

var rangeNeeds = []string{"rangeOptions"}

var rangeProperties = []Property{
	{
		ID: RangeCountOnly, Strength: Must, Layers: etcdOnly, Needs: rangeNeeds,
		Statement: "A count-only read returns no object.",
		Rules:     []string{"ETCD-07"}, Source: "etcd API reference, RangeRequest.count_only",
	},
	{
		ID: RangeKeysOnly, Strength: Must, Layers: etcdOnly, Needs: rangeNeeds,
		Statement: "A keys-only read returns the objects without their values.",
		Rules:     []string{"ETCD-07"}, Source: "etcd API reference, RangeRequest.keys_only",
	},
	{
		ID: RangeSorted, Strength: Must, Layers: etcdOnly, Needs: []string{"sort"},
		Statement: "A sorted read returns what the store holds in the order that was asked for, and its limit takes the first of that order.",
		Rules:     []string{"ETCD-07"}, Source: "etcd API reference, RangeRequest.sort_order",
	},
	{
		ID: RangeFiltered, Strength: Must, Layers: etcdOnly, Needs: []string{"bounds"},
		Statement: "A read with bounds on mod or create revisions returns exactly the objects within them.",
		Rules:     []string{"ETCD-07"}, Source: "etcd API reference, RangeRequest.min_mod_revision",
	},
	{
		ID: ReadSerializable, Strength: Must, Layers: etcdOnly, Needs: []string{"serializable"},
		Statement: "A serializable read is the state of its scope at the revision in its header; that may be an old one.",
		Rules:     []string{"GET-02", "LIST-03", "ETCD-23"}, Source: "etcd API reference, RangeRequest.serializable",
	},
	{
		ID: StatusVersion, Strength: Must, Layers: etcdOnly, Needs: []string{"status"},
		Statement: "A member tells the same well-formed version each time.",
		Rules:     []string{"ETCD-24"}, Source: "etcd API reference, StatusResponse.version",
	},
}
