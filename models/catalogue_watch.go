package models

// The properties of watches, progress and expiry.
const (
	WatchOrdered    = "watch/ordered"
	WatchUnique     = "watch/unique"
	WatchNoGap      = "watch/no-gap"
	WatchStart      = "watch/start"
	WatchScope      = "watch/scope"
	WatchContent    = "watch/content"
	WatchPrev       = "watch/prev"
	WatchAtomic     = "watch/atomic"
	WatchDeleteBare = "watch/delete-bare"
	WatchAuthentic  = "watch/authentic"
	WatchHeader     = "watch/header"
	WatchCreated    = "watch/created"
	WatchDelivers   = "watch/delivers"
	WatchFilters    = "watch/filters"
	WatchIsolated   = "watch/isolated"
	WatchIdentity   = "watch/id"

	ProgressNoOvertaking = "progress/no-overtaking"
	ProgressNotAhead     = "progress/not-ahead"
	ProgressMonotone     = "progress/monotone"
	ProgressAnswered     = "progress/answered"

	ExpiryOwed            = "expiry/owed"
	ExpiryJustified       = "expiry/justified"
	ExpiryCompactRevision = "expiry/compact-revision"
	ExpiryCompactRefused  = "expiry/compact-refused"
	ExpiryWatchTold       = "expiry/watch-told"
)

const watchGuarantees = "etcd documentation, API guarantees, watch APIs"

var watches = []string{"watches"}

var watchProperties = []Property{
	{
		ID: WatchOrdered, Strength: Must, Layers: everywhere, Needs: watches,
		Statement: "The events of a watch arrive in the order of their revisions.",
		Rules:     []string{"WATCH-02", "WATCH-05", "ETCD-09"}, Source: watchGuarantees + ": ordered",
	},
	{
		ID: WatchUnique, Strength: Must, Layers: everywhere, Needs: watches,
		Statement: "No event is delivered twice on one watch.",
		Rules:     []string{"WATCH-02", "ETCD-09"}, Source: watchGuarantees + ": unique",
	},
	{
		ID: WatchNoGap, Strength: Must, Layers: everywhere, Needs: watches,
		Statement: "A watch delivers every change of its scope from its start up to whatever it delivers last.",
		Rules:     []string{"WATCH-01", "WATCH-03", "WATCH-04", "WATCH-13", "LIST-15", "EXP-05", "ETCD-09", "ETCD-15", "ETCD-17", "ETCD-18", "WATCH-17", "WATCH-18", "BM-04", "RV-11"}, Source: watchGuarantees + ": reliable, resumable",
	},
	{
		ID: WatchStart, Strength: Must, Layers: everywhere, Needs: watches,
		Statement: "A watch delivers nothing from before its start.",
		Rules:     []string{"WATCH-01", "WATCH-13", "ETCD-09", "ETCD-15", "WATCH-17", "BM-04"}, Source: "etcd API reference, WatchCreateRequest.start_revision",
	},
	{
		ID: WatchScope, Strength: Must, Layers: everywhere, Needs: watches,
		Statement: "A watch delivers only changes of keys in its scope.",
		Rules:     []string{"WATCH-10"}, Source: "etcd API reference, WatchCreateRequest.range_end",
	},
	{
		ID: WatchContent, Strength: Must, Layers: everywhere, Needs: watches,
		Statement: "An event carries the change that was made at its revision: the right type, key, value and metadata.",
		Rules:     []string{"WATCH-06", "WATCH-07", "ETCD-08", "ETCD-09", "WATCH-09"}, Source: "Kubernetes API concepts, efficient detection of changes",
	},
	{
		ID: WatchPrev, Strength: Must, Layers: etcdOnly, Needs: watches,
		Statement: "A previous value, where asked for, is the object just before the event; it is missing only if there was none or that revision was compacted.",
		Rules:     []string{"ETCD-10"}, Source: "etcd API reference, WatchCreateRequest.prev_kv",
	},
	{
		// One revision has several keys only after a transaction, a range delete or the end of a lease.
		ID: WatchAtomic, Strength: Must, Layers: etcdOnly, Needs: []string{"watches", "transactions"},
		Statement: "All events of one revision arrive in one response.",
		Rules:     []string{"ETCD-12"}, Source: watchGuarantees + ": atomic",
	},
	{
		ID: WatchDeleteBare, Strength: Must, Layers: etcdOnly, Needs: watches,
		Statement: "The event of a deletion has the key and the revision of the deletion, and no value.",
		Rules:     []string{"ETCD-11"}, Source: "etcd API reference, Event.kv",
	},
	{
		ID: WatchAuthentic, Strength: Must, Layers: everywhere, Needs: watches,
		Statement: "Every event tells of a change that somebody asked for.",
		Rules:     []string{"WATCH-06", "ETCD-09"}, Source: watchGuarantees,
	},
	{
		ID: WatchHeader, Strength: Must, Layers: etcdOnly, Needs: watches,
		Statement: "The header of a response is not below the events that it carries, nor below what the watch delivered before.",
		Rules:     []string{"ETCD-01"}, Source: "etcd API reference, ResponseHeader.revision",
	},
	{
		ID: WatchCreated, Strength: Must, Layers: etcdOnly, Needs: watches,
		Statement: "The answer to the creation of a watch tells the store's revision, not older than what was known when it was sent.",
		Rules:     []string{"ETCD-01"}, Source: "etcd API reference, WatchResponse.created",
	},
	{
		ID: WatchDelivers, Strength: Should, Layers: everywhere, Needs: watches,
		Statement: "A healthy watch delivers every change within the run's deadline.",
		Rules:     []string{"WATCH-19", "ETCD-09"}, Source: watchGuarantees + ": reliable",
	},
	{
		ID: WatchFilters, Strength: Must, Layers: etcdOnly, Needs: []string{"watches", "watchOptions"},
		Statement: "A watch delivers no event of a type that it filters out.",
		Rules:     []string{"ETCD-09"}, Source: "etcd API reference, WatchCreateRequest.filters",
	},
	{
		ID: WatchIsolated, Strength: Should, Layers: etcdOnly, Needs: []string{"watches", "watchIDs", "sharing"},
		Statement: "A watch receives nothing that was meant for a watch which had its id on the same transport stream before.",
		Rules:     []string{"ETCD-09"}, Source: "etcd API reference, WatchCreateRequest.watch_id",
	},
	{
		ID: WatchIdentity, Strength: Must, Layers: etcdOnly, Needs: []string{"watches", "watchIDs"},
		Statement: "A watch is created under the id that was asked for, unless a watch on the same transport stream has it.",
		Rules:     []string{"ETCD-09"}, Source: "etcd API reference, WatchCreateRequest.watch_id",
	},
}

var progressNeeds = []string{"watches", "progress"}

var progressProperties = []Property{
	{
		ID: ProgressNoOvertaking, Strength: Must, Layers: everywhere, Needs: progressNeeds,
		Statement: "After a progress notification or a bookmark no event at or below its revision follows.",
		Rules:     []string{"BM-03", "ETCD-13"}, Source: watchGuarantees + ": bookmarkable",
	},
	{
		ID: ProgressNotAhead, Strength: Must, Layers: everywhere, Needs: progressNeeds,
		Statement: "A progress notification or a bookmark names no revision that the store had not reached.",
		Rules:     []string{"BM-06", "BM-08", "ETCD-13"}, Source: watchGuarantees + ": bookmarkable",
	},
	{
		ID: ProgressMonotone, Strength: Must, Layers: everywhere, Needs: progressNeeds,
		Statement: "Progress never goes back: its revision is positive and not below what the watch delivered before.",
		Rules:     []string{"BM-05", "ETCD-13"}, Source: "KEP-956; KEP-2340",
	},
	{
		ID: ProgressAnswered, Strength: Must, Layers: etcdOnly, Needs: progressNeeds,
		Statement: "On a watch that has caught up, repeated requests for progress are answered within the run's deadline.",
		Rules:     []string{"ETCD-14"}, Source: "KEP-2340",
	},
}

var expiryNeeds = []string{"compaction"}

var expiryProperties = []Property{
	{
		ID: ExpiryOwed, Strength: Must, Layers: everywhere, Needs: expiryNeeds,
		Statement: "Whoever asks for a revision below a compaction that has certainly happened is told that it is compacted.",
		Rules:     []string{"EXP-03", "EXP-04", "WATCH-15", "ETCD-06", "ETCD-16", "ETCD-17", "PAGE-10"}, Source: "etcd documentation, maintenance, history compaction",
	},
	{
		// On a store that others compact too nobody can tell.
		ID: ExpiryJustified, Strength: Must, Layers: everywhere, Needs: expiryNeeds,
		Statement: "A revision is refused as compacted only if a compaction could have passed it by then.",
		Rules:     []string{"EXP-01", "EXP-02", "EXP-05", "GET-05", "WL-07", "ETCD-06", "ETCD-18"}, Source: "etcd documentation, maintenance, history compaction",
	},
	{
		ID: ExpiryCompactRevision, Strength: Must, Layers: etcdOnly, Needs: expiryNeeds,
		Statement: "A watch that is cancelled as compacted names a compaction that happened, above what the watch still needed.",
		Rules:     []string{"ETCD-16"}, Source: "etcd API reference, WatchResponse.compact_revision",
	},
	{
		ID: ExpiryCompactRefused, Strength: Must, Layers: etcdOnly, Needs: expiryNeeds,
		Statement: "A compaction to a revision that is already compacted or does not exist yet is refused, and no other is.",
		Rules:     []string{"ETCD-17"}, Source: "etcd API reference, CompactionRequest",
	},
	{
		ID: ExpiryWatchTold, Strength: Must, Layers: etcdOnly, Needs: []string{"watches", "compaction"},
		Statement: "A watch from below the compaction point is cancelled within the run's deadline, not left silent.",
		Rules:     []string{"WATCH-15", "ETCD-16"}, Source: "etcd API reference, WatchResponse.compact_revision",
	},
}
