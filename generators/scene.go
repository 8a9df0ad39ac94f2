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

var scenes = []scene{
	{"create race", 4, cas, createRace},
	{"update race", 5, cas, updateRace},
	{"delete race", 5, cas, deleteRace},
	{"delete twice", 3, cas, deleteTwice},
	{"stale write", 2, cas, staleWrite},
	{"recreation", 2, reading, recreation},
	{"overwriting", 2, reading, overwriting},
	{"writer and reader", 3, reading, writerAndReader},
	{"empty answer", 2, reading, emptyAnswer},
	{"past read", 2, reading, pastRead},
	{"future read", 3, reading, futureRead},
	{"siblings", 3, reading, siblings},
	{"pages across writes", 4, paging, pagesAcrossWrites},
	{"many small pages", 4, paging, manySmallPages},
	{"page boundaries", 2, paging, pageBoundaries},
	{"past beside now", 3, watching, pastBesideNow},
	{"rewatch", 3, watching, rewatch},
	{"previous values", 3, watching, previousValues},
	{"one key and its neighbours", 3, watching, neighbours},
	{"future watch", 3, watching, futureWatch},
	{"watch under load", 2, watching, watchUnderLoad},
	{"progress at once", 4, asking, progressAtOnce},
	{"progress among writes", 3, asking, progressAmongWrites},
	{"quiet progress", 3, asking, quietProgress},
	{"tombstone compaction", 8, compacting, tombstoneCompaction},
	{"reads around a compaction", 5, compacting, readsAroundCompaction},
	{"compaction race", 4, compacting, compactionRace},
	{"watches around a compaction", 6, compacting, watchesAroundCompaction},
	{"pages across a compaction", 3, append(paging, targets.Compaction), pagesAcrossCompaction},
}
