package models

// The properties that only the Kubernetes layers have. Those that hold at etcd's layer
// as well stand beside etcd's own.
const (
	WriteNoOp       = "write/no-op"
	WriteDryRun     = "write/dry-run"
	WriteIdentity   = "write/identity"
	WriteTwoPhase   = "write/two-phase"
	WriteGeneration = "write/generation"
	WritePatch      = "write/patch"
	WriteCollection = "write/collection"

	VersionForm  = "rv/form"
	ReadNotOlder = "read/not-older"

	ListSelector = "list/selector"
	ListForm     = "list/form"

	PageToken        = "page/token"
	PageInconsistent = "page/inconsistent"
	PageRemaining    = "page/remaining"

	WatchSelector   = "watch/selector"
	WatchInitial    = "watch/initial"
	WatchInitialEnd = "watch/initial-end"
	WatchErrorLast  = "watch/error-last"

	BookmarkAsked = "bookmark/asked"
	BookmarkBare  = "bookmark/bare"

	ExpiryForm  = "expiry/form"
	ErrorStatus = "error/status"
	ErrorReason = "error/reason"
)

var kubeWriteProperties = []Property{
	{
		ID: WriteNoOp, Strength: Should, Layers: kubeOnly, Needs: []string{"patches"},
		Statement: "A write that leaves the object as it is writes nothing: no new resource version, no event.",
		Rules:     []string{"WR-16"}, Source: "storage.Interface, GuaranteedUpdate",
	},
	{
		ID: WriteGeneration, Strength: Should, Layers: kubeOnly,
		Statement: "The generation of an object grows by one with each change of what is specified, and with nothing else.",
		Rules:     []string{"WR-30"}, Source: inConventions + ", metadata",
	},
	{
		ID: WriteDryRun, Strength: Must, Layers: kubeOnly, Needs: []string{"dryRuns"},
		Statement: "A dry run changes nothing.",
		Rules:     []string{"WR-06"}, Source: inConcepts + ", dry-run",
	},
	{
		ID: WriteIdentity, Strength: Must, Layers: kubeOnly, Needs: []string{"writes"},
		Statement: "A uid is fresh when an object is created, stays until it is deleted, and is nobody else's.",
		Rules:     []string{"WR-05", "RV-10"}, Source: inConventions + ", metadata",
	},
	{
		ID: WriteTwoPhase, Strength: Must, Layers: kubeOnly, Needs: []string{"finalizers"},
		Statement: "An object with finalizers is marked as being deleted once, is never unmarked, and goes only when its last finalizer is taken away.",
		Rules:     []string{"WR-24"}, Source: inConcepts + ", resource deletion",
	},
	{
		ID: WritePatch, Strength: Should, Layers: kubeOnly, Needs: []string{"patches"},
		Statement: "A patch changes what it names of the object just before it, and leaves the rest as it was.",
		Rules:     []string{"WR-14"}, Source: inHandlers,
	},
	{
		ID: WriteCollection, Strength: Should, Layers: kubeOnly, Needs: []string{"deleteCollection"},
		Statement: "What an acknowledged deletion of a collection says that it deleted was deleted, or marked where it has finalizers.",
		Rules:     []string{"WR-26"}, Source: inConcepts + ", resource deletion",
	},
}

var kubeVersionProperties = []Property{
	{
		ID: VersionForm, Strength: Must, Layers: kubeOnly, Versions: "1.35 and later; in fact all",
		Statement: "A resource version in an answer is a decimal number above zero, without leading zeros and below 2 to the 128th.",
		Rules:     []string{"RV-01", "RV-02"}, Source: "KEP-5504",
	},
}

var kubeReadProperties = []Property{
	{
		ID: ReadNotOlder, Strength: Must, Layers: kubeOnly, Needs: []string{"reads"},
		Statement: "A read that asks for a resource version, not exactly, is answered at that one or a later one.",
		Rules:     []string{"GET-03", "LIST-04"}, Source: inVersions,
	},
}

var kubeListProperties = []Property{
	{
		ID: ListSelector, Strength: Must, Layers: kubeOnly, Needs: []string{"selectors"},
		Statement: "A list with a selector has exactly the objects that match it at the list's resource version.",
		Rules:     []string{"LIST-14"}, Source: inConcepts + ", field selectors",
	},
	{
		ID: ListForm, Strength: Should, Layers: kubeOnly, Needs: []string{"reads"},
		Statement: "A list has a kind, a version and an array of items, even where there is none.",
		Rules:     []string{"LIST-10"}, Source: inEtcdStore,
	},
}

var kubePageProperties = []Property{
	{
		ID: PageToken, Strength: Must, Layers: kubeOnly, Needs: []string{"ranges"},
		Statement: "A token gives the page that follows, each time and on each server, as long as its resource version is there.",
		Rules:     []string{"PAGE-05", "PAGE-06", "PAGE-11"}, Source: "KEP-365",
	},
	{
		ID: PageInconsistent, Strength: Should, Layers: kubeOnly, Needs: []string{"ranges", "compaction"},
		Statement: "The token that comes with an expired one goes on after the same object at the latest resource version, and the pages after it stay there.",
		Rules:     []string{"PAGE-10"}, Source: inChunks,
	},
	{
		ID: PageRemaining, Strength: Must, Layers: kubeOnly, Needs: []string{"ranges"},
		Statement: "The number of remaining items is told only where there are more and no selector was given.",
		Rules:     []string{"PAGE-12"}, Source: "Kubernetes API reference, ListMeta",
	},
}

var kubeWatchProperties = []Property{
	{
		ID: WatchSelector, Strength: Must, Layers: kubeOnly, Needs: []string{"watches", "selectors"},
		Statement: "A watch with a selector tells that an object is added when it begins to match and deleted when it ceases to, and nothing of others.",
		Rules:     []string{"WATCH-08"}, Source: "Kubernetes conformance tests, watch with a selector",
	},
	{
		ID: WatchInitial, Strength: Must, Layers: kubeOnly, Needs: watches,
		Statement: "The initial events of a watch are one state of its scope, as recent as was asked for, each object once.",
		Rules:     []string{"WL-01", "WL-02", "WATCH-11", "WATCH-12"}, Source: inConcepts + ", streaming lists",
	},
	{
		ID: WatchInitialEnd, Strength: Must, Layers: kubeOnly, Needs: []string{"watches", "watchLists"},
		Statement: "One bookmark ends the initial events where bookmarks are allowed, and its resource version is that of their state.",
		Rules:     []string{"WL-03", "WL-04", "WL-08"}, Source: inConcepts + ", streaming lists; KEP-3157",
	},
	{
		ID: WatchErrorLast, Strength: Must, Layers: kubeOnly, Needs: watches,
		Statement: "After an error nothing more comes on a watch.",
		Rules:     []string{"WATCH-16"}, Source: "k8s.io/apiserver, storage/testing",
	},
}

var bookmarkProperties = []Property{
	{
		ID: BookmarkAsked, Strength: Must, Layers: kubeOnly, Needs: watches,
		Statement: "Bookmarks come only where they were asked for.",
		Rules:     []string{"BM-01"}, Source: inBookmarks,
	},
	{
		ID: BookmarkBare, Strength: Must, Layers: kubeOnly, Needs: watches,
		Statement: "A bookmark has the kind of the watched objects and a resource version, and nothing else.",
		Rules:     []string{"BM-02"}, Source: inBookmarks,
	},
}

var kubeExpiryProperties = []Property{
	{
		ID: ExpiryForm, Strength: Must, Layers: kubeOnly, Needs: expiryNeeds,
		Statement: "Expiry has the status code 410 and the reason Expired or Gone.",
		Rules:     []string{"EXP-06", "ERR-05"}, Source: inGone,
	},
}

var errorProperties = []Property{
	{
		ID: ErrorStatus, Strength: Must, Layers: kubeOnly,
		Statement: "What has to be refused whatever the state of the store never succeeds.",
		Rules:     []string{"PAGE-09", "WATCH-23", "ERR-14", "ERR-15"}, Source: inVersions,
	},
	{
		ID: ErrorReason, Strength: Should, Layers: kubeOnly,
		Statement: "A refusal has the status code and the reason that say why.",
		Rules:     []string{"ERR-01", "ERR-02", "ERR-03", "ERR-06", "ERR-07", "ERR-09", "WL-05"}, Source: inConventions + ", status codes",
	},
}
