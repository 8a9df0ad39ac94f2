package coverage

import (
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// shape is a shape of the universe and the features that it needs.
type shape struct {
	name  string
	needs []string
}

// Universe lists the shapes of a layer that a target can be asked for,
// unsupported naming the features that it lacks. "Ranges of one key" and the
// like, which no generator draws and no client sends, are not in it.
func Universe(layer histories.Layer, unsupported map[string]string) []string {
	every := all()
	if layer == histories.KubeLayer {
		every = kube()
	}
	var names []string
	for _, s := range every {
		if !slices.ContainsFunc(s.needs, func(need string) bool { _, lacking := unsupported[need]; return lacking }) {
			names = append(names, s.name)
		}
	}
	return names
}

func all() []shape { return slices.Concat(writes(), reads(), watches(), compactions()) }

func writes() []shape {
	return slices.Concat(
		shapes("writes", "create ok", "create conflict",
			"update ok", "update conflict present", "update conflict absent",
			"delete ok", "delete conflict present", "delete conflict absent"),
		shapes("puts", "put ok"),
		shapes("deletes", "delete unconditional", "delete unconditional absent"),
	)
}

func reads() []shape {
	list := shapes("reads", "get newest present", "get newest absent", "get past present", "get past absent", "get future", "list future")
	for _, at := range []string{"newest", "past"} {
		for _, scope := range []string{"all", "prefix", "range"} {
			for _, size := range []string{"empty", "whole", "cut"} {
				list = append(list, shape{words("list", at, scope, size), []string{"ranges"}})
			}
		}
		list = append(list, shapes("ranges", "list "+at+" all whole startKey", "list "+at+" all cut startKey")...)
	}
	return append(list, shapes("ranges", "next ok whole", "next ok cut")...)
}

func watches() []shape {
	var list []shape
	for _, from := range []string{"now", "past", "future", "compacted"} {
		for _, scope := range []string{"all", "prefix", "key", "range"} {
			s := shape{words("watch", from, scope), []string{"watches"}}
			if from == "compacted" {
				s.needs = append(s.needs, "compaction")
			}
			list = append(list, s, shape{s.name + " prevKV", s.needs})
		}
	}
	return append(list, shape{"stop", []string{"watches"}}, shape{"progress", []string{"watches", "progress"}})
}

func compactions() []shape {
	return shapes("compaction", "compact ok", "compact compacted", "compact future",
		"get compacted", "list compacted", "next compacted")
}

func shapes(need string, names ...string) []shape {
	list := make([]shape, 0, len(names))
	for _, name := range names {
		list = append(list, shape{name, []string{need}})
	}
	return list
}
