package generators

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// vocabulary is what the plans of a layer are made of. Scenes speak of revisions, as
// etcd does; form says in a layer's own words what they mean.
type vocabulary struct {
	groups  []groupForm
	kinds   []kindForm
	options []optionForm
	scenes  []scene
	// patient: some plans wait until a lease expires.
	patient bool
	// keys draws the names that a plan uses.
	keys func(d dice, cfg Config) []string
	// sensible reports whether there is something that a random operation can be about,
	// random writes it, and anything is for plans whose every kind is left out or
	// unsupported: the plan has to do something.
	sensible func(*author, int, noiseKind) bool
	random   func(*author, int, noiseKind)
	anything func(*author, int)
	// form puts an operation in the layer's form; expected: it will do what it says.
	form func(a *author, op plans.Op, expected bool) plans.Op
}

// vocabularyOf is the vocabulary of a layer.
func vocabularyOf(layer histories.Layer) vocabulary {
	if layer == histories.KubeLayer {
		return vocabulary{
			groups: kubeGroups, kinds: kubeKinds, options: kubeOptions, scenes: kubeScenes, keys: drawObjects,
			sensible: (*author).kubeSensible, random: (*author).kubeRandom, anything: (*author).anything,
			form: (*author).kubeForm,
		}
	}
	return vocabulary{
		groups: groups, kinds: kinds, options: options, scenes: scenes, patient: true, keys: drawKeys,
		sensible: (*author).sensible, random: (*author).random, anything: (*author).anything,
		form: func(_ *author, op plans.Op, _ bool) plans.Op { return op },
	}
}
