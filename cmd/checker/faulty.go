package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/damaged"
	"github.com/rvcheck/rvcheck/targets/memory"
)

// faulty is a store with one known fault: a mutant of the memory store, or any target
// whose requests, answers or events are damaged.
type faulty struct {
	ID              string `json:"id"`
	Family          int    `json:"family"`
	Sentence        string `json:"sentence"`
	Source          string `json:"source"`
	Primary         string `json:"primary"`
	ConcurrencyOnly bool   `json:"concurrencyOnly"`
	// Target is the URL under which "checker run" finds it.
	Target string `json:"target"`

	// plan is the shortest plan known to show the fault, as text; empty if none is.
	plan string
	// open opens the store: a mutant with this seed, a damage of a target that is open.
	open func(seed uint64, on targets.Target) (targets.Target, error)
	// damage: the fault is a damage and needs a target.
	damage bool
}

// mutants are the faults of the memory store at a layer, by family.
func mutants(layer histories.Layer) []faulty {
	var all []faulty
	for _, m := range memory.MutantsOf(layer) {
		all = append(all, faulty{
			ID: m.ID, Family: m.Family, Sentence: m.Sentence, Source: m.Source, Primary: m.Primary, ConcurrencyOnly: m.ConcurrencyOnly,
			Target: targetOf(m), plan: m.Shortest(),
			open: func(seed uint64, _ targets.Target) (targets.Target, error) {
				return memory.Open(memory.Options{Mutant: m.ID, Layer: layer, Seed: seed})
			},
		})
	}
	return byFamily(all)
}

// targetOf is the URL of a mutant.
func targetOf(m memory.Mutant) string {
	if m.Layer == histories.EtcdLayer {
		return "memory://?mutant=" + m.ID
	}
	return "memory://?layer=" + string(m.Layer) + "&mutant=" + m.ID
}

// damages are the damages of any target, by family.
func damages() []faulty {
	var all []faulty
	for _, d := range damaged.Damages() {
		all = append(all, faulty{
			ID: d.ID, Family: d.Family, Sentence: d.Sentence, Source: d.Source, Primary: d.Primary, ConcurrencyOnly: d.ConcurrencyOnly,
			Target: "embedded://?damage=" + d.ID, damage: true,
			open: func(_ uint64, on targets.Target) (targets.Target, error) {
				return damaged.Wrap(borrowed{on}, d.ID)
			},
		})
	}
	return byFamily(all)
}

func byFamily(all []faulty) []faulty {
	slices.SortStableFunc(all, func(a, b faulty) int { return cmp.Compare(a.Family, b.Family) })
	return all
}

// borrowed is a target that others use too: whoever closes it leaves it open.
type borrowed struct{ targets.Target }

func (borrowed) Close(context.Context) error { return nil }

// shortest counts the operations of the shortest plan known to show the fault, nil
// where none is known.
func (f faulty) shortest() *int {
	if f.plan == "" {
		return nil
	}
	plan, err := plans.Parse(f.plan, f.ID)
	if err != nil {
		panic("internal fault of the checker: the shortest plan of a mutant: " + err.Error())
	}
	n := plan.Operations()
	return &n
}

// choose returns those with these ids, all without any.
func choose(kind string, all []faulty, ids []string) ([]faulty, error) {
	if len(ids) == 0 {
		return all, nil
	}
	var chosen []faulty
	for _, id := range ids {
		i := slices.IndexFunc(all, func(f faulty) bool { return f.ID == id })
		if _, damage := damaged.Lookup(id); i < 0 && damage {
			return nil, usage("%s is a damage; expected a target to run it on, such as --on embedded://", id)
		}
		if i < 0 {
			return nil, usage("unknown %s %q; expected one of checker mutants%s", kind, id, similar(all, id))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// similar names faults that share a word with the id.
func similar(all []faulty, id string) string {
	var found []string
	for _, f := range all {
		shares := func(word string) bool { return len(word) > 2 && strings.Contains(f.ID, word) }
		if slices.ContainsFunc(strings.Split(id, "-"), shares) {
			found = append(found, f.ID)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return ", near: " + strings.Join(found[:min(3, len(found))], ", ")
}
