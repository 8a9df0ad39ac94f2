package models

// watchRules are about watches.
var watchRules = []Rule{
	{"WATCH-01", atEtcd, Must, "A watch delivers every change of its scope from its start on, and nothing from before.", inDetection, ""},
	{"WATCH-02", atEtcd, Must, "The revisions of a watch's events ascend and no event is repeated; only keys changed at one revision share it.", watchGuarantees + ": ordered, unique", ""},
	{"WATCH-03", atEtcd, Must, "Whatever a watch delivers, everything of its scope from before has been delivered.", inDetection, ""},
	{"WATCH-04", atEtcd, Should, "Every write is an event of its own: states in between are not merged.", watchGuarantees + ": reliable", ""},
	{"WATCH-05", atEtcd, Must, "All watches see the same events in the same order.", "Kubernetes conformance tests, concurrent watches", ""},
	{"WATCH-06", atEtcd, Must, "The event of a write carries the object as written, with the write's revision.", inDetection, ""},
	{"WATCH-07", atEtcd, Must, "The event of a deletion carries the deletion's revision and, where asked for, the last state before it.", "Kubernetes API reference, watch.Event", ""},
	{"WATCH-08", atKube, Must, "With a selector an object that begins to match is added, and one that ceases to match is deleted.", "Kubernetes conformance tests, watch with a selector", ""},
	{"WATCH-09", atEtcd, Must, "An event tells a creation exactly where the key was absent before.", "Kubernetes API reference, watch.Event", ""},
	{"WATCH-10", atEtcd, Must, "A watch sees its own scope only, however alike other keys are.", inAPIReference + ", WatchCreateRequest.range_end", ""},
	{"WATCH-11", atStorage, Must, "A watch without a resource version begins with the state at some one, and goes on from there.", inConcepts + ", semantics for watch", ""},
	{"WATCH-12", atStorage, Must, "A watch from the most recent state begins with one that is not older than anything acknowledged before.", "KEP-3157", ""},
	{"WATCH-13", atEtcd, Impl, "A watch from the future is accepted, and delivers only what comes after its start.", inAPIReference + ", WatchCreateRequest.start_revision", ""},
	{"WATCH-14", atKube, Impl, "A watch ignores limit and token.", inHandlers, ownDetail},
	{"WATCH-15", atEtcd, Must, "A watch from a revision that is gone is refused as that, at once or by its first message.", inGone, ""},
	{"WATCH-16", atEtcd, Must, "After the message that ends a watch nothing more comes on it.", "k8s.io/apiserver, storage/testing; " + inAPIReference + ", WatchResponse.canceled", ""},
	{"WATCH-17", atEtcd, Must, "A watch that was cut and is resumed after the last event received loses nothing and repeats nothing.", watchGuarantees + ": resumable", ""},
	{"WATCH-18", atEtcd, Impl, "Whatever is lost at the end of a watch, what was delivered is a prefix.", inCacher, ""},
	{"WATCH-19", atEtcd, Should, "A healthy watch delivers every change in the end.", watchGuarantees + ": reliable", ""},
	{"WATCH-20", atStorage, May, "A cache may replay more history than the store still has, or refuse more than the store does.", inCacher, ""},
	{"WATCH-21", atStorage, Impl, "A slow watch does not hold up the others.", inCacher, higherLayer},
	{"WATCH-22", atKube, Should, "The object of an event has the kind and the version that were asked for.", inDetection, needsFields},
	{"WATCH-23", atKube, Must, "Options of a watch that contradict each other are refused.", inConcepts + ", streaming lists", ""},
	{"WATCH-24", atKube, Should, "A field selector that names no known field is refused.", inConcepts + ", field selectors", needsType},
	{"WATCH-25", atKube, Impl, "Stored data that cannot be decoded end a watch with an error.", inEtcdStore, needsFaults},
	{"WATCH-26", atKube, Should, "A watch is refused, to be tried again, while the cache is not ready.", "KEP-4568", needsFaults},
	{"WATCH-27", atKube, May, "A watch may be closed at once, with nothing delivered.", inCacher, ""},
}

// bookmarkRules are about bookmarks, which are progress notifications at the etcd
// layer.
var bookmarkRules = []Rule{
	{"BM-01", atKube, Must, "Bookmarks come only where they were asked for.", inBookmarks, ""},
	{"BM-02", atKube, Must, "A bookmark has a kind, a version and a resource version, and nothing else.", inBookmarks, ""},
	{"BM-03", atEtcd, Must, "Everything up to a bookmark was sent before it, and nothing up to it follows.", inBookmarks, ""},
	{"BM-04", atEtcd, Must, "A watch that begins after a bookmark loses nothing and repeats nothing of the one that carried it.", "KEP-956; KEP-1904", ""},
	{"BM-05", atEtcd, Should, "Bookmarks never go back; they may repeat.", "KEP-956", ""},
	{"BM-06", atEtcd, Impl, "A bookmark may be beyond everything that was written in the scope, not beyond the store.", "KEP-1904", ""},
	{"BM-07", atEtcd, May, "A bookmark that was not asked for need never come.", inBookmarks, ""},
	{"BM-08", atEtcd, Must, "A bookmark is not ahead of the store.", "KEP-956", ""},
}
