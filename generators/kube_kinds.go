package generators

import (
	"maps"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// The vocabulary of the Kubernetes layer.

// The groups of the Kubernetes layer.
const (
	finalizers  group = "finalizers"
	patches     group = "patches"
	selectors   group = "selectors"
	watchLists  group = "watch lists"
	collections group = "collections"
	rehearsals  group = "dry runs and generated names"
	encodings   group = "encodings"
	malformed   group = "malformed options" // texts and combinations that a server has to refuse
)

var kubeGroups = []groupForm{
	{finalizers, 50, []targets.Feature{targets.Finalizers, targets.Patches}},
	{patches, 60, []targets.Feature{targets.Patches}},
	{selectors, 55, []targets.Feature{targets.Selectors}},
	{watchLists, 50, []targets.Feature{targets.Watches, targets.WatchLists}},
	{collections, 30, []targets.Feature{targets.DeleteCollections}},
	{rehearsals, 35, []targets.Feature{targets.DryRuns}},
	{encodings, 15, []targets.Feature{targets.Encodings}},
	{malformed, 45, nil},
}

// overwrite is the update without a resource version; the others are named like their
// operation.
const overwrite noiseKind = "overwrite"

var kubeKinds = []kindForm{
	{kind: noiseKind(histories.Create), weight: 14, write: true, needs: []targets.Feature{targets.Writes}},
	{kind: noiseKind(histories.Update), weight: 14, write: true, needs: []targets.Feature{targets.Writes}},
	{kind: overwrite, weight: 4, write: true, needs: []targets.Feature{targets.Writes, targets.UnconditionalUpdates}},
	{kind: noiseKind(histories.Delete), weight: 11, write: true, needs: []targets.Feature{targets.Writes}},
	{kind: noiseKind(histories.Patch), weight: 14, write: true, group: patches, needs: []targets.Feature{targets.Writes}},
	{kind: noiseKind(histories.DeleteCollection), weight: 4, write: true, group: collections, needs: []targets.Feature{targets.Writes}},
	{kind: noiseKind(histories.Get), weight: 12, needs: []targets.Feature{targets.Reads}},
	{kind: noiseKind(histories.List), weight: 16, needs: []targets.Feature{targets.Reads}},
	{kind: noiseKind(histories.Next), weight: 9, needs: []targets.Feature{targets.Reads}},
	{kind: noiseKind(histories.Watch), weight: 8, needs: []targets.Feature{targets.Watches}},
	{kind: noiseKind(histories.Stop), weight: 2, needs: []targets.Feature{targets.Watches}},
	{kind: noiseKind(histories.Await), weight: 3, needs: []targets.Feature{targets.Watches}},
	{kind: noiseKind(histories.Compact), weight: 4, needs: []targets.Feature{targets.Compaction}},
}

// The options that only the Kubernetes layer has.
const (
	withMatch      optionName = "match"
	withSelector   optionName = "selector"
	withBookmarks  optionName = "allowWatchBookmarks"
	withInitials   optionName = "sendInitialEvents"
	withTimeout    optionName = "timeoutSeconds"
	withFinalizers optionName = "finalizers"
	withUID        optionName = "uid"
	withStatus     optionName = "status"
	withNoOp       optionName = "noop"
	withDryRun     optionName = "dryRun"
	withPrefix     optionName = "generateName"
	withEncoding   optionName = "encoding"
	withDamage     optionName = "damaged"
	withNonsense   optionName = "nonsense"
	slowly         optionName = "slow"
)

var kubeOptions = []optionForm{
	{name: atRevision, chance: 60},
	{name: withMatch, chance: 60},
	{name: withLimit, chance: 40},
	{name: fromRevision, chance: 70},
	{name: withBookmarks, chance: 55},
	{name: withSelector, chance: 35, group: selectors},
	{name: withInitials, chance: 60, group: watchLists},
	{name: withTimeout, chance: 5},
	{name: withFinalizers, chance: 35, group: finalizers},
	{name: withUID, chance: 20},
	{name: withStatus, chance: 20, group: patches, needs: []targets.Feature{targets.Statuses}},
	{name: withNoOp, chance: 15, group: patches},
	{name: withDryRun, chance: 15, group: rehearsals},
	{name: withPrefix, chance: 15, group: rehearsals, needs: []targets.Feature{targets.GeneratedNames}},
	{name: withEncoding, chance: 30, group: encodings},
	{name: withDamage, chance: 15, group: malformed},
	{name: withNonsense, chance: 15, group: malformed},
	{name: slowly, chance: 2},
	{name: withSize, chance: 6},
	{name: withLabels, chance: 30},
	{name: absentKey, chance: 12},
	{name: stale, chance: 25},
	{name: hostile, chance: 6},
}

// kubeUnsupported are the features that plans of the Kubernetes layer must not need:
// those that the target lacks, and what etcd alone has. Pages are everywhere.
func kubeUnsupported(missing map[targets.Feature]string) map[targets.Feature]string {
	all := maps.Clone(missing)
	if all == nil {
		all = map[targets.Feature]string{}
	}
	for _, feature := range []targets.Feature{
		targets.Puts, targets.Deletes, targets.Transactions, targets.Leases, targets.ProgressOnCall, targets.BinaryKeys,
		targets.RangeOptions, targets.Serializable, targets.SortedReads, targets.RevisionBounds, targets.WatchOptions,
		targets.WatchIDs, targets.SharedStreams, targets.StatusCalls,
	} {
		all[feature] = "the Kubernetes layers have none"
	}
	delete(all, targets.Ranges)
	delete(all, targets.HugeLimits)
	return all
}

// rereading, following and expiring are features that scenes of this layer need.
var (
	rereading = []targets.Feature{targets.Writes, targets.Reads}
	following = []targets.Feature{targets.Writes, targets.Reads, targets.Watches}
	expiring  = []targets.Feature{targets.Writes, targets.Reads, targets.Watches, targets.Compaction}
)

// kubeScenes are scenes that the etcd layer has as well, and those of this layer.
var kubeScenes = []scene{
	{name: "create race", often: 4, needs: cas, write: createRace},
	{name: "update race", often: 5, needs: cas, write: updateRace},
	{name: "delete race", often: 5, needs: cas, write: deleteRace},
	{name: "delete twice", often: 3, needs: cas, write: deleteTwice},
	{name: "stale write", often: 2, needs: cas, write: staleWrite},
	{name: "recreation", often: 2, needs: reading, write: recreation},
	{name: "writer and reader", often: 3, needs: reading, write: writerAndReader},
	{name: "empty answer", often: 2, needs: reading, write: emptyAnswer},
	{name: "past read", often: 3, needs: reading, write: pastRead},
	{name: "reads beside writes", often: 6, needs: reading, write: readsBesideWrites},
	{name: "future read", often: 1, needs: reading, write: futureRead},
	{name: "siblings", often: 3, needs: reading, write: siblings},
	{name: "pages across writes", often: 5, needs: reading, write: pagesAcrossWrites},
	{name: "many small pages", often: 4, needs: reading, write: manySmallPages},
	{name: "past beside now", often: 3, needs: watching, write: pastBesideNow},
	{name: "rewatch", often: 3, needs: watching, write: rewatch},
	{name: "one key and its neighbours", often: 3, needs: watching, write: neighbours},
	{name: "future watch", often: 2, needs: watching, write: futureWatch},
	{name: "watch under load", often: 3, needs: watching, write: watchUnderLoad},
	{name: "resumed", often: 5, needs: watching, write: resumed},
	{name: "tombstone compaction", often: 4, needs: compacting, write: tombstoneCompaction},
	{name: "reads around a compaction", often: 4, needs: compacting, write: readsAroundCompaction},
	{name: "compaction race", often: 3, needs: compacting, write: compactionRace},
	{name: "watches around a compaction", often: 4, needs: compacting, write: watchesAroundCompaction},
	{name: "pages across a compaction", often: 3, needs: append(reading, targets.Compaction), write: pagesAcrossCompaction},
	{name: "across members", often: 6, needs: []targets.Feature{targets.Reads, targets.ManyEndpoints}, write: acrossMembers},
	{name: "list, then watch", often: 9, needs: following, write: listThenWatch},
	{name: "labels flip", often: 16, group: selectors, needs: following, write: labelsFlip},
	{name: "sparse pages", often: 14, group: selectors, needs: rereading, write: sparsePages},
	{name: "watch lists", often: 26, group: watchLists, needs: following, write: watchListBesideList},
	{name: "finalizer life", often: 15, group: finalizers, needs: rereading, write: finalizerLife},
	{name: "two-phase race", often: 13, group: finalizers, needs: rereading, write: twoPhaseRace},
	{name: "old uid", often: 4, needs: rereading, write: oldUID},
	{name: "patch race", often: 12, group: patches, needs: rereading, write: patchRace},
	{name: "no-op patches", often: 10, group: patches, needs: following, write: noOpPatches},
	{name: "status beside spec", often: 9, group: patches, needs: append(rereading, targets.Statuses), write: statusBesideSpec},
	{name: "collection beside creates", often: 18, group: collections, needs: following, write: collectionBesideCreates},
	{name: "tokens again", often: 5, needs: rereading, write: tokensAgain},
	{name: "expired", often: 8, needs: expiring, write: expired},
	{name: "one revision, many ways", often: 7, needs: rereading, write: manyWays},
	{name: "fresh and stale reads", often: 14, needs: rereading, write: freshAndStale},
	{name: "bookmarks, then resume", often: 6, needs: following, write: bookmarksThenResume},
	{name: "rehearsal", often: 22, group: rehearsals, needs: rereading, write: rehearsal},
	{name: "nonsense", often: 12, group: malformed, needs: following, write: nonsense},
}
