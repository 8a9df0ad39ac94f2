package reducer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// simplify makes what is left plainer. Some of it opens the way for removing more.
// Where each candidate costs many runs the single operations wait for the thorough
// round, when there are few of them.
func (r *reduction) simplify(e effort) {
	r.accept(plain(r.best), e)
	r.accept(oneEndpoint(r.best), e)
	r.accept(sequential(r.best), e)
	if brief, some := briefLeases(r.best); some {
		r.accept(brief, e)
	}
	r.removeReferred(e)
	if e == quick && r.rate.estimate() < often {
		return
	}
	for i := 0; i < len(r.best.Steps) && !r.over(); i++ {
		r.simplifyStep(i, e)
	}
	r.shortenChains(e)
	if one, ok := oneTransaction(r.best); ok {
		r.accept(one, e)
	}
	r.accept(oneNamespace(r.best), e)
	r.accept(plainKeys(r.best), e)
	r.accept(plainNames(r.best), e)
}

// simplifyStep tries the variants of one operation, again after each that was taken.
func (r *reduction) simplifyStep(i int, e effort) {
	for again := true; again && !r.over(); {
		again = false
		op := r.best.Steps[i].Op
		if op == nil {
			return
		}
		if bare := bare(op); len(op.Options()) > 1 && r.accept(replaced(r.best, i, bare), e) {
			op = bare
		}
		count := len(r.best.Steps)
		for _, variant := range variants(r.best.Layer, op) {
			if r.accept(replaced(r.best, i, variant), e) {
				again = len(r.best.Steps) == count // else others were pruned or tidied away
				break
			}
		}
		if len(r.best.Steps) != count || i >= len(r.best.Steps) {
			return
		}
	}
}

// replaced puts another operation into the place of a step.
func replaced(plan plans.Plan, i int, op *plans.Op) plans.Plan {
	all := slices.Clone(plan.Steps)
	all[i].Op = op
	return withSteps(plan, all)
}

// mapped changes a copy of each operation.
func mapped(plan plans.Plan, change func(*plans.Op)) plans.Plan {
	all := slices.Clone(plan.Steps)
	for i := range all {
		if all[i].Op != nil {
			all[i].Op = all[i].Op.Clone()
			change(all[i].Op)
		}
	}
	return withSteps(plan, all)
}

// bare is the operation without any option that it can do without.
func bare(op *plans.Op) *plans.Op {
	c := op.Clone()
	for _, option := range op.Options() {
		c.Unset(option)
	}
	return c
}

// plain leaves out what most often does not matter: what is stored beside the write's
// id, and how it is read.
func plain(plan plans.Plan) plans.Plan {
	return mapped(plan, func(op *plans.Op) {
		for _, option := range []string{"{", "size", "startKey", "sort", "prevKV", "fragment", "physical", "keysOnly", "serializable", "id"} {
			if slices.Contains(op.Options(), option) {
				op.Unset(option)
			}
		}
	})
}

func oneEndpoint(plan plans.Plan) plans.Plan {
	return mapped(plan, func(op *plans.Op) { op.Endpoint = 1 })
}

// briefTTL is a short time to live, in seconds.
const briefTTL = 2

// briefLeases lets all leases end soon, so that more of what they do falls into the run; false
// where there are none.
func briefLeases(plan plans.Plan) (plans.Plan, bool) {
	some := false
	return mapped(plan, func(op *plans.Op) {
		if op.TTL > briefTTL {
			op.TTL, some = briefTTL, true
		}
	}), some
}

// sequential lets all lanes meet after each operation.
func sequential(plan plans.Plan) plans.Plan {
	var all []plans.Step
	for _, step := range plan.Steps {
		if step.Op != nil {
			all = append(all, step, plans.Step{Barrier: true})
		}
	}
	return withSteps(plan, all)
}

// removeReferred leaves out one operation that others refer to, which then take the
// newest that is known in its place, or the oldest that there can be; or compactions the
// one and all others the other.
func (r *reduction) removeReferred(e effort) {
	for i := len(r.best.Steps) - 1; i >= 0; i-- {
		for _, stands := range []func(*plans.Op, *plans.Ref) plans.Ref{newest, oldest, apart} {
			if i >= len(r.best.Steps) || r.over() {
				break
			}
			op := r.best.Steps[i].Op
			if op == nil || op.Label == "" {
				break
			}
			rest := without(r.best, func(n int, _ plans.Step) bool { return n == i })
			if r.accept(mapped(rest, forget(op.Label, stands)), e) {
				break
			}
		}
	}
}

// forget replaces references to a revision of a label.
func forget(label string, stands func(*plans.Op, *plans.Ref) plans.Ref) func(*plans.Op) {
	return func(op *plans.Op) {
		for _, ref := range op.Refs() {
			revision := ref.Kind == plans.RV || ref.Kind == plans.Tombstone || ref.Kind == plans.After
			if revision && ref.Label == label {
				*ref = stands(op, ref)
			}
		}
	}
}

func newest(op *plans.Op, ref *plans.Ref) plans.Ref {
	if ref == &op.Expect {
		return plans.Ref{Kind: plans.Last}
	}
	return plans.Ref{Kind: plans.Now, Offset: ref.Offset}
}

func oldest(*plans.Op, *plans.Ref) plans.Ref { return plans.Ref{Kind: plans.Number, Offset: 1} }

// apart keeps what is compacted away from what is asked for.
func apart(op *plans.Op, ref *plans.Ref) plans.Ref {
	if op.Kind == histories.Compact {
		return plans.Ref{Kind: plans.Now}
	}
	return oldest(op, ref)
}

// plainNamespace is one that every space of the Kubernetes layers has.
const plainNamespace = "a"

// oneNamespace puts all objects of a Kubernetes layer into one namespace.
func oneNamespace(plan plans.Plan) plans.Plan {
	return mapped(plan, func(op *plans.Op) {
		for _, key := range []*histories.Key{&op.Key, &op.Scope.Key} {
			if key.Namespace != "" {
				key.Namespace = plainNamespace
			}
		}
	})
}

// plainKeys calls the keys a, b, c and so on, in their order; at the Kubernetes layers
// those of one name in several namespaces alike.
func plainKeys(plan plans.Plan) plans.Plan {
	names := map[string]string{}
	mapped(plan, func(op *plans.Op) {
		for _, key := range keysOf(op) {
			names[key.Name] = ""
		}
	})
	delete(names, "")
	if len(names) > 'z'-'a' {
		return plan
	}
	for i, name := range slices.Sorted(maps.Keys(names)) {
		names[name] = string(rune('a' + i))
	}
	return mapped(plan, func(op *plans.Op) {
		op.Rekey(func(key histories.Key) histories.Key {
			if name, known := names[key.Name]; known {
				key.Name = name
			}
			return key
		})
	})
}

// plainNames numbers the lanes and the labels in the order of the text.
func plainNames(plan plans.Plan) plans.Plan {
	lanes, labels := map[string]string{}, map[string]string{}
	place := 0
	for _, step := range plan.Steps {
		if step.Op == nil {
			continue
		}
		place++
		if lanes[step.Op.Lane] == "" {
			lanes[step.Op.Lane] = fmt.Sprintf("c%d", len(lanes)+1)
		}
		if label := step.Op.Label; label != "" {
			labels[label] = fmt.Sprintf("%s%d", strings.TrimRight(label, "0123456789"), place)
		}
	}
	return mapped(plan, func(op *plans.Op) {
		op.Lane = lanes[op.Lane]
		op.Relabel(func(label string) string { return labels[label] })
	})
}
