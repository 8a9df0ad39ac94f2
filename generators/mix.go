package generators

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// mix is what one plan consists of: how often each kind of operation, each option
// and each scene comes.
type mix struct {
	// kinds are weights; zero leaves a kind out.
	kinds map[noiseKind]int
	// options are chances in a hundred.
	options map[optionName]int
	// scenes are weights by index of scenes.
	scenes []int
	// sceneShare is how many of a hundred parts of the plan are scenes, and barrier
	// how often a barrier follows a part.
	sceneShare int
	barrier    int
}

// noiseKind is a kind of random operation.
type noiseKind histories.Kind

// drop is the unconditional delete; the others are named like their operation.
const drop noiseKind = "drop"

// kinds are the random operations with their usual weights.
var kinds = []struct {
	kind   noiseKind
	weight int
	needs  []targets.Feature
	write  bool
}{
	{kind: noiseKind(histories.Create), weight: 14, write: true, needs: []targets.Feature{targets.Writes}},
	{kind: noiseKind(histories.Update), weight: 14, write: true, needs: []targets.Feature{targets.Writes}},
	{kind: noiseKind(histories.Delete), weight: 10, write: true, needs: []targets.Feature{targets.Writes}},
	{kind: noiseKind(histories.Put), weight: 6, write: true, needs: []targets.Feature{targets.Puts}},
	{kind: drop, weight: 3, write: true, needs: []targets.Feature{targets.Puts}},
	{kind: noiseKind(histories.Get), weight: 10, needs: []targets.Feature{targets.Reads}},
	{kind: noiseKind(histories.List), weight: 12, needs: []targets.Feature{targets.Reads}},
	{kind: noiseKind(histories.Next), weight: 8, needs: []targets.Feature{targets.Reads, targets.Ranges}},
	{kind: noiseKind(histories.Watch), weight: 7, needs: []targets.Feature{targets.Watches}},
	{kind: noiseKind(histories.Stop), weight: 2, needs: []targets.Feature{targets.Watches}},
	{kind: noiseKind(histories.Await), weight: 3, needs: []targets.Feature{targets.Watches}},
	{kind: noiseKind(histories.Progress), weight: 5, needs: []targets.Feature{targets.Watches, targets.ProgressOnCall}},
	{kind: noiseKind(histories.Compact), weight: 4, needs: []targets.Feature{targets.Compaction}},
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
	fromRevision   optionName = "startRevision"
	withPrevKV     optionName = "prevKV"
	progressNotify optionName = "progress"
	physical       optionName = "physical"
	withSize       optionName = "size"
	withLabels     optionName = "labels"
	absentKey      optionName = "absentKey"
	stale          optionName = "stale"
	hostile        optionName = "hostile"
)

var options = []struct {
	name   optionName
	chance int
	needs  []targets.Feature
}{
	{name: atRevision, chance: 40},
	{name: withLimit, chance: 40, needs: []targets.Feature{targets.Ranges}},
	{name: withStartKey, chance: 15, needs: []targets.Feature{targets.Ranges}},
	{name: countOnly, chance: 5, needs: []targets.Feature{targets.RangeOptions}},
	{name: keysOnly, chance: 5, needs: []targets.Feature{targets.RangeOptions}},
	{name: serializable, chance: 8, needs: []targets.Feature{targets.RangeOptions}},
	{name: fromRevision, chance: 65},
	{name: withPrevKV, chance: 40},
	{name: progressNotify, chance: 20},
	{name: physical, chance: 30},
	{name: withSize, chance: 8},
	{name: withLabels, chance: 15},
	{name: absentKey, chance: 15},
	{name: stale, chance: 25},
	{name: hostile, chance: 8},
}

// drawMix draws the mix of one plan.
func drawMix(d dice, cfg Config) mix {
	m := mix{kinds: map[noiseKind]int{}, options: map[optionName]int{}, barrier: 15}
	for _, k := range kinds {
		if cfg.can(k.needs...) {
			m.kinds[k.kind] = k.weight
		}
	}
	for _, o := range options {
		if cfg.can(o.needs...) {
			m.options[o.name] = o.chance
		}
	}
	for _, s := range scenes {
		m.scenes = append(m.scenes, s.weight(cfg))
	}
	if cfg.Scenes {
		m.sceneShare = 50
	}
	if cfg.Swarm {
		m.swarm(d)
	}
	return m
}

// swarm leaves out a part of the mix and weighs the rest anew.
func (m *mix) swarm(d dice) {
	whole := m.kinds
	m.kinds = map[noiseKind]int{}
	for _, k := range kinds {
		if whole[k.kind] > 0 && d.chance(75) {
			m.kinds[k.kind] = whole[k.kind] * pick(d, 1, 2, 4, 8) / 2
		}
	}
	if !m.writes() {
		for _, k := range kinds {
			if k.write {
				m.kinds[k.kind] = whole[k.kind]
			}
		}
	}
	for _, o := range options {
		m.options[o.name] = min(90, m.options[o.name]*pick(d, 0, 0, 1, 1, 2)*pick(d, 1, 1, 2))
	}
	for i, weight := range m.scenes {
		m.scenes[i] = weight * pick(d, 0, 1, 1, 3)
	}
	if m.sceneShare > 0 {
		m.sceneShare = pick(d, 20, 50, 70, 85)
	}
	m.barrier = pick(d, 0, 10, 20, 50)
}

func (m *mix) writes() bool {
	for _, k := range kinds {
		if k.write && m.kinds[k.kind] > 0 {
			return true
		}
	}
	return false
}
