package reducer

import (
	"slices"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// kubePlan parses a plan of the Kubernetes layer.
func kubePlan(t *testing.T, steps string) plans.Plan {
	t.Helper()
	plan, err := plans.Parse("# rvcheck plan v1 · layer kube\n"+steps, "test")
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// The keys of a plan of the Kubernetes layer get plain names, and all may go into one
// namespace.
func TestPlainKubeKeys(t *testing.T) {
	plan := kubePlan(t, "c1    create ab/xxx\nc1    create a-b/k10\nc1    list a-b/*\nc1    watch ab/xxx\n")
	want := kubePlan(t, "c1    create a/b\nc1    create a/a\nc1    list a/*\nc1    watch a/b\n")
	if got := plans.Format(plainKeys(oneNamespace(plan))); got != plans.Format(want) {
		t.Errorf("got\n%sexpected\n%s", got, plans.Format(want))
	}
}

// A write with a condition is tried without one, and with one that never holds, a read with
// the oldest resource version, and a page as a list of its own; none of the variants is an operation that this layer does not have.
func TestKubeVariants(t *testing.T) {
	for write, want := range map[string][]string{
		"update a/a rv=last":                    {"update a/a", "update a/a rv=1"},
		"patch a/a rv=last":                     {"patch a/a", "patch a/a rv=1"},
		"delete a/a uid=uid(x)":                 {"delete a/a", "delete a/a uid=1"},
		"fill 1":                                {"create a/a"},
		"get a/a resourceVersion=rv(x)":         {"get a/a resourceVersion=1"},
		"watch all resourceVersion=compacted+1": {"watch all resourceVersion=1"},
		"next l":                                {"list all resourceVersion=1 match=Exact"},
	} {
		op := kubePlan(t, "c1    x: create a/a\nc1    l: list all limit=1\nc1    "+write+"\n").Steps[2].Op
		var got []string
		for _, variant := range variants(histories.KubeLayer, op) {
			step := plans.Step{Op: variant}
			if variant.Kind == histories.Put {
				t.Errorf("%s: there is no put at this layer", write)
			}
			got = append(got, plans.Format(withSteps(kubePlan(t, ""), []plans.Step{step})))
		}
		for _, one := range want {
			if text := plans.Format(kubePlan(t, "c1    "+one+"\n")); !slices.Contains(got, text) {
				t.Errorf("%s: expected the variant %s among %q", write, one, got)
			}
		}
	}
}
