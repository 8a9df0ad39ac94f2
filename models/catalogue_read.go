package models

// The properties of objects, headers and reads.
const (
	ObjectMetadata = "object/metadata"
	ObjectOneTruth = "object/one-truth"
	HeaderMonotone = "header/monotone"
	HeaderNotAhead = "header/not-ahead"
	ReadFuture     = "read/future"
	GetFresh       = "get/fresh"
	GetSnapshot    = "get/snapshot"
	GetExact       = "get/exact"
	ListFresh      = "list/fresh"
	ListSnapshot   = "list/snapshot"
	ListExact      = "list/exact"
	ListOrder      = "list/order"
	ListLimit      = "list/limit"
	ListCount      = "list/count"
	ListMore       = "list/more"
	ListScope      = "list/scope"
	PagePinned     = "page/pinned"
	PageNoGap      = "page/no-gap"
)

var objectProperties = []Property{
	{
		ID: ObjectMetadata, Strength: Must, Layers: etcdOnly, Needs: []string{"reads"},
		Statement: "Create revision, version and lease of an object are those that follow from the writes of its key.",
		Rules:     []string{"ETCD-08", "RV-10"}, Source: "etcd documentation, data model",
	},
	{
		ID: ObjectOneTruth, Strength: Must, Layers: everywhere, Needs: []string{"reads"},
		Statement: "A key has the same content at a revision wherever and whenever it is seen.",
		Rules:     []string{"RV-07"}, Source: "Kubernetes API concepts, resource versions",
	},
}

var headerProperties = []Property{
	{
		ID: HeaderMonotone, Strength: Must, Layers: etcdOnly, Needs: []string{"writes"},
		Statement: "The header of a refused write is not older than what was known when it was sent.",
		Rules:     []string{"ETCD-01", "ETCD-23"}, Source: guarantees + ": linearizability",
	},
	{
		ID: HeaderNotAhead, Strength: Must, Layers: everywhere,
		Statement: "No answer names a revision that the store reaches only by a write sent after that answer.",
		Rules:     []string{"ETCD-01"}, Source: "etcd API reference, ResponseHeader.revision",
	},
}

var readProperties = []Property{
	{
		ID: ReadFuture, Strength: Must, Layers: everywhere, Needs: []string{"reads"},
		Statement: "A read at a revision that does not exist yet is refused as a future revision, and no other read is.",
		Rules:     []string{"GET-06", "ERR-06", "ETCD-06"}, Source: "etcd API reference, RangeRequest.revision",
	},
}

var getProperties = []Property{
	{
		ID: GetFresh, Strength: Must, Layers: everywhere, Needs: []string{"reads"},
		Statement: "A linearizable get is answered at a revision not older than anything known when it was sent.",
		Rules:     []string{"GET-01", "WR-28", "ETCD-01", "ETCD-05"}, Source: guarantees + ": linearizability",
	},
	{
		ID: GetSnapshot, Strength: Must, Layers: everywhere, Needs: []string{"reads"},
		Statement: "A get without a revision returns the object as it is when the get is answered.",
		Rules:     []string{"GET-01", "ETCD-05"}, Source: guarantees,
	},
	{
		ID: GetExact, Strength: Must, Layers: etcdOnly, Needs: []string{"reads"},
		Statement: "A get at a revision returns the object as it was at that revision.",
		Rules:     []string{"EXP-03", "ETCD-06", "RV-11"}, Source: "etcd API reference, RangeRequest.revision",
	},
}

var listProperties = []Property{
	{
		ID: ListFresh, Strength: Must, Layers: everywhere, Needs: []string{"reads"},
		Statement: "A linearizable list is answered at a revision not older than anything known when it was sent.",
		Rules:     []string{"LIST-02", "WR-28", "ETCD-01", "ETCD-05"}, Source: "KEP-2340; " + guarantees,
	},
	{
		ID: ListSnapshot, Strength: Must, Layers: everywhere, Needs: []string{"reads"},
		Statement: "A list that asks for no exact revision is the state of its scope at the revision that its answer names.",
		Rules:     []string{"LIST-01", "LIST-03", "LIST-09", "LIST-18", "LIST-21", "RV-09", "ETCD-05"}, Source: "Kubernetes API concepts, efficient detection of changes",
	},
	{
		ID: ListExact, Strength: Must, Layers: everywhere, Needs: []string{"reads"},
		Statement: "A list at a revision is the state of its scope at that revision.",
		Rules:     []string{"LIST-05", "LIST-06", "LIST-18", "EXP-03", "ETCD-06", "RV-11", "PAGE-06"}, Source: "etcd API reference, RangeRequest.revision",
	},
	{
		ID: ListOrder, Strength: Must, Layers: everywhere, Needs: []string{"ranges"},
		Statement: "The objects of a list ascend in the byte order of their keys, each once.",
		Rules:     []string{"LIST-09", "LIST-11", "ETCD-07"}, Source: "etcd API reference, RangeRequest",
	},
	{
		ID: ListLimit, Strength: Must, Layers: everywhere, Needs: []string{"ranges"},
		Statement: "A list with a limit returns at most that many objects; at the Kubernetes layers it may ignore the limit and return all.",
		Rules:     []string{"PAGE-02", "ETCD-07"}, Source: "etcd API reference, RangeRequest.limit",
	},
	{
		ID: ListCount, Strength: Must, Layers: etcdOnly, Needs: []string{"ranges"},
		Statement: "The count of a list is the number of keys in its range at its revision, whatever the limit.",
		Rules:     []string{"ETCD-07"}, Source: "etcd API reference, RangeResponse.count",
	},
	{
		ID: ListMore, Strength: Must, Layers: etcdOnly, Needs: []string{"ranges"},
		Statement: "A list says that there is more exactly when the limit cut it.",
		Rules:     []string{"PAGE-03", "ETCD-07"}, Source: "etcd API reference, RangeResponse.more",
	},
	{
		ID: ListScope, Strength: Must, Layers: everywhere, Needs: []string{"reads"},
		Statement: "A read returns only keys of its scope.",
		Rules:     []string{"LIST-13"}, Source: "storage.Interface key schema",
	},
}

var pageProperties = []Property{
	{
		ID: PagePinned, Strength: Must, Layers: everywhere, Needs: []string{"ranges"},
		Statement: "Every page of a chain shows the snapshot at the revision of the first page.",
		Rules:     []string{"PAGE-01", "LIST-07", "ETCD-06"}, Source: "Kubernetes API concepts, retrieving large results sets in chunks; KEP-365",
	},
	{
		ID: PageNoGap, Strength: Must, Layers: everywhere, Needs: []string{"ranges"},
		Statement: "A page begins right after the last key of the page before: nothing is skipped or repeated.",
		Rules:     []string{"PAGE-03", "PAGE-07", "PAGE-13", "PAGE-15", "ETCD-07"}, Source: "KEP-365",
	},
}
