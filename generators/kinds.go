package generators

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// group is a part of the vocabulary that a swarmed plan has as a whole or not at
// all: its kinds, options and scenes aim at one family of faults, and would only
// dilute the plans that aim at another.
type group string

// The groups. What belongs to none is in every plan.
const (
	everyPlan    group = ""
	transactions group = "transactions"
	leases       group = "leases"
	rangeOptions group = "range options"
	watchOptions group = "watch options"
	bulk         group = "bulk" // payloads up to the limit of the store, and beyond
)

// groupForm is a group, with the share of plans in a hundred that have it.
type groupForm struct {
	name  group
	share int
	needs []targets.Feature
}

// groups are all groups of the etcd layer.
var groups = []groupForm{
	{transactions, 55, []targets.Feature{targets.Transactions}},
	{leases, 50, []targets.Feature{targets.Leases}},
	{rangeOptions, 60, []targets.Feature{targets.Reads, targets.RangeOptions}},
	{watchOptions, 50, []targets.Feature{targets.Watches, targets.WatchOptions}},
	{bulk, 3, nil},
}

// noiseKind is a kind of random operation.
type noiseKind histories.Kind

// drop is the unconditional delete; the others are named like their operation.
const drop noiseKind = "drop"

// kindForm is a kind of random operation with its usual weight.
type kindForm struct {
	kind   noiseKind
	weight int
	group  group
	needs  []targets.Feature
	write  bool
}

// kinds are the random operations of the etcd layer.
var kinds = []kindForm{
	{kind: noiseKind(histories.Create), weight: 14, write: true, needs: []targets.Feature{targets.Writes}},
	{kind: noiseKind(histories.Update), weight: 14, write: true, needs: []targets.Feature{targets.Writes}},
	{kind: noiseKind(histories.Delete), weight: 10, write: true, needs: []targets.Feature{targets.Writes}},
	{kind: noiseKind(histories.Put), weight: 6, write: true, needs: []targets.Feature{targets.Puts}},
	{kind: drop, weight: 3, write: true, needs: []targets.Feature{targets.Deletes}},
	{kind: noiseKind(histories.DeleteRange), weight: 2, write: true, needs: []targets.Feature{targets.Deletes}},
	{kind: noiseKind(histories.Get), weight: 10, needs: []targets.Feature{targets.Reads}},
	{kind: noiseKind(histories.List), weight: 12, needs: []targets.Feature{targets.Reads}},
	{kind: noiseKind(histories.Next), weight: 8, needs: []targets.Feature{targets.Reads, targets.Ranges}},
	{kind: noiseKind(histories.Watch), weight: 7, needs: []targets.Feature{targets.Watches}},
	{kind: noiseKind(histories.Stop), weight: 2, needs: []targets.Feature{targets.Watches}},
	{kind: noiseKind(histories.Await), weight: 3, needs: []targets.Feature{targets.Watches}},
	{kind: noiseKind(histories.Progress), weight: 5, needs: []targets.Feature{targets.Watches, targets.ProgressOnCall}},
	{kind: noiseKind(histories.Compact), weight: 4, needs: []targets.Feature{targets.Compaction}},
	{kind: noiseKind(histories.Status), weight: 2, needs: []targets.Feature{targets.StatusCalls}},
	{kind: noiseKind(histories.Transact), weight: 18, write: true, group: transactions},
	{kind: noiseKind(histories.LeaseGrant), weight: 5, group: leases},
	{kind: noiseKind(histories.LeaseAttach), weight: 8, group: leases},
	{kind: noiseKind(histories.LeaseKeepAlive), weight: 3, group: leases},
	{kind: noiseKind(histories.LeaseTimeToLive), weight: 4, group: leases},
	{kind: noiseKind(histories.LeaseRevoke), weight: 3, group: leases},
}

// optionName is something that an operation may have or not.
type optionName string

// The options. hostile stands for values that no well-meaning client sends:
// negative, far in the future, larger than anything.
const (
	atRevision     optionName = "revision"
	withLimit      optionName = "limit"
	withStartKey   optionName = "startKey"
	countOnly      optionName = "countOnly"
	keysOnly       optionName = "keysOnly"
	serializable   optionName = "serializable"
	sorted         optionName = "sort"
	filtered       optionName = "revision filters"
	fromRevision   optionName = "startRevision"
	withPrevKV     optionName = "prevKV"
	progressNotify optionName = "progress"
	onTransport    optionName = "on"
	withID         optionName = "id"
	withFilter     optionName = "event filters"
	fragmented     optionName = "fragment"
	physical       optionName = "physical"
	withSize       optionName = "size"
	withBulk       optionName = "bulk"
	withLabels     optionName = "labels"
	withLease      optionName = "lease"
	absentKey      optionName = "absentKey"
	stale          optionName = "stale"
	hostile        optionName = "hostile"
)

// optionForm is an option with its usual chance in a hundred.
type optionForm struct {
	name   optionName
	chance int
	group  group
	needs  []targets.Feature
}

// options are all options of the etcd layer.
var options = []optionForm{
	{name: atRevision, chance: 40},
	{name: withLimit, chance: 40, needs: []targets.Feature{targets.Ranges}},
	{name: withStartKey, chance: 15, needs: []targets.Feature{targets.Ranges}},
	{name: countOnly, chance: 15, group: rangeOptions},
	{name: keysOnly, chance: 12, group: rangeOptions},
	{name: serializable, chance: 20, group: rangeOptions, needs: []targets.Feature{targets.Serializable}},
	{name: sorted, chance: 25, group: rangeOptions, needs: []targets.Feature{targets.SortedReads}},
	{name: filtered, chance: 20, group: rangeOptions, needs: []targets.Feature{targets.RevisionBounds}},
	{name: fromRevision, chance: 65},
	{name: withPrevKV, chance: 40},
	{name: progressNotify, chance: 20},
	{name: onTransport, chance: 40, group: watchOptions, needs: []targets.Feature{targets.SharedStreams}},
	{name: withID, chance: 20, group: watchOptions, needs: []targets.Feature{targets.WatchIDs}},
	{name: withFilter, chance: 25, group: watchOptions},
	{name: fragmented, chance: 45, group: watchOptions},
	{name: physical, chance: 30},
	{name: withSize, chance: 8},
	{name: withBulk, chance: 12, group: bulk},
	{name: withLabels, chance: 15},
	{name: withLease, chance: 25, group: leases},
	{name: absentKey, chance: 15},
	{name: stale, chance: 25},
	{name: hostile, chance: 16},
}
