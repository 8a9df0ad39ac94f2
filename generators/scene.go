package generators

import (
	"github.com/rvcheck/rvcheck/targets"
)

// scene is a short sequence of operations that brings a store into a state where
// a family of faults would show. It serves the family, not one member of it: who
// does what, on which keys, how often and in which variant is drawn.
type scene struct {
	name string
	// often is the scene's usual weight.
	often int
	// group is what a plan must have for the scene.
	group group
	needs []targets.Feature
	write func(*author)
}

// weight is the scene's weight, zero if the plans must not need its features.
func (s scene) weight(cfg Config) int {
	writes := cfg.can(targets.Writes) || cfg.can(targets.Puts)
	if !cfg.Scenes || !writes || !cfg.can(s.needs...) {
		return 0
	}
	return s.often
}

// The features that scenes need.
var (
	cas        = []targets.Feature{targets.Writes, targets.Reads}
	reading    = []targets.Feature{targets.Reads}
	paging     = []targets.Feature{targets.Reads, targets.Ranges}
	watching   = []targets.Feature{targets.Watches}
	asking     = []targets.Feature{targets.Watches, targets.ProgressOnCall}
	compacting = []targets.Feature{targets.Compaction, targets.Reads, targets.Watches}
)

// expiry stands at the beginning of the plans that are patient, and in no others.
var expiry = scene{name: "lease expiry", often: 1, needs: []targets.Feature{targets.Leases}, write: leaseExpiry}

var scenes = []scene{
	{name: "create race", often: 4, needs: cas, write: createRace},
	{name: "update race", often: 5, needs: cas, write: updateRace},
	{name: "delete race", often: 5, needs: cas, write: deleteRace},
	{name: "delete twice", often: 3, needs: cas, write: deleteTwice},
	{name: "stale write", often: 2, needs: cas, write: staleWrite},
	{name: "recreation", often: 2, needs: reading, write: recreation},
	{name: "overwriting", often: 2, needs: reading, write: overwriting},
	{name: "writer and reader", often: 3, needs: reading, write: writerAndReader},
	{name: "empty answer", often: 2, needs: reading, write: emptyAnswer},
	{name: "past read", often: 2, needs: reading, write: pastRead},
	{name: "reads beside writes", often: 12, needs: reading, write: readsBesideWrites},
	{name: "future read", often: 3, needs: reading, write: futureRead},
	{name: "siblings", often: 3, needs: reading, write: siblings},
	{name: "pages across writes", often: 5, needs: paging, write: pagesAcrossWrites},
	{name: "many small pages", often: 5, needs: paging, write: manySmallPages},
	{name: "page boundaries", often: 2, needs: paging, write: pageBoundaries},
	{name: "past beside now", often: 3, needs: watching, write: pastBesideNow},
	{name: "rewatch", often: 3, needs: watching, write: rewatch},
	{name: "previous values", often: 3, needs: watching, write: previousValues},
	{name: "one key and its neighbours", often: 4, needs: watching, write: neighbours},
	{name: "future watch", often: 5, needs: watching, write: futureWatch},
	{name: "watch under load", often: 2, needs: watching, write: watchUnderLoad},
	{name: "progress at once", often: 6, needs: asking, write: progressAtOnce},
	{name: "progress among writes", often: 3, needs: asking, write: progressAmongWrites},
	{name: "quiet progress", often: 4, needs: asking, write: quietProgress},
	{name: "tombstone compaction", often: 8, needs: compacting, write: tombstoneCompaction},
	{name: "reads around a compaction", often: 5, needs: compacting, write: readsAroundCompaction},
	{name: "compaction race", often: 4, needs: compacting, write: compactionRace},
	{name: "watches around a compaction", often: 6, needs: compacting, write: watchesAroundCompaction},
	{name: "compaction overtakes", often: 11, needs: compacting, write: compactionOvertakes},
	{name: "pages across a compaction", often: 3, needs: append(paging, targets.Compaction), write: pagesAcrossCompaction},
	{name: "scope deletes", often: 6, needs: []targets.Feature{targets.Deletes}, write: scopeDeletes},
	{name: "keys together", often: 13, group: transactions, needs: reading, write: keysTogether},
	{name: "transaction race", often: 8, group: transactions, needs: reading, write: transactionRace},
	{name: "refused transaction", often: 12, group: transactions, needs: reading, write: refusedTransaction},
	{name: "own reads", often: 5, group: transactions, needs: reading, write: ownReads},
	{name: "comparisons", often: 8, group: transactions, write: comparisons},
	{name: "lease life", often: 12, group: leases, needs: reading, write: leaseLife},
	{name: "lease race", often: 11, group: leases, needs: reading, write: leaseRace},
	{name: "unknown leases", often: 5, group: leases, needs: reading, write: unknownLeases},
	{name: "lease again", often: 5, group: leases, needs: reading, write: leaseAgain},
	{name: "one transport", often: 10, group: watchOptions, needs: []targets.Feature{targets.SharedStreams}, write: oneTransport},
	{name: "watch again", often: 12, group: watchOptions, needs: []targets.Feature{targets.SharedStreams}, write: watchAgain},
	{name: "event filters", often: 6, group: watchOptions, write: eventFilters},
	{name: "resumed", often: 3, needs: watching, write: resumed},
	{name: "big batches", often: 20, group: bulk, needs: watching, write: bigBatches},
	{name: "sorted and filtered", often: 13, group: rangeOptions, needs: []targets.Feature{targets.SortedReads, targets.RevisionBounds}, write: sortedAndFiltered},
	{name: "keys and counts", often: 5, group: rangeOptions, write: keysAndCounts},
	{name: "old beside fresh", often: 10, group: rangeOptions, needs: []targets.Feature{targets.Serializable}, write: oldBesideFresh},
	{name: "across members", often: 6, needs: []targets.Feature{targets.Reads, targets.ManyEndpoints}, write: acrossMembers},
}
