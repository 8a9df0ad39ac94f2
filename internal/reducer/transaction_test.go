package reducer

import (
	"slices"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

func parsed(t *testing.T, text string) plans.Plan {
	t.Helper()
	plan, err := plans.Parse("# rvcheck plan v1 · layer etcd\n"+text, "test")
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// What takes effect at one revision is tried as one transaction.
func TestOneTransaction(t *testing.T) {
	for name, test := range map[string]struct{ plan, want string }{
		"lease":          {"c1    g1: grant ttl=60\nc1    attach a lease=g1\nc1    attach b lease=g1\nc1    revoke g1\nc1    list all", "c1    txn then put a; put b\nc1    list all"},
		"range":          {"c1    get a\nc2    put a\nc1    put b\nc1    deleterange all", "c1    get a\nc2    txn then put a; put b"},
		"one key":        {"c1    put a\nc1    put a", ""},
		"no more needed": {"c1    put a\nc1    txn then put b", ""},
	} {
		plan := parsed(t, test.plan)
		before := plans.Format(plan)
		got, ok := oneTransaction(plan)
		if ok != (test.want != "") || ok && plans.Format(got) != plans.Format(parsed(t, test.want)) {
			t.Errorf("%s: got %v\n%sexpected\n%s", name, ok, plans.Format(got), test.want)
		}
		if plans.Format(plan) != before {
			t.Errorf("%s: the plan itself was changed", name)
		}
	}
}

// A revision that others have to compact is tried as one that is compacted or not there
// anyway, and a page as a read of its own.
func TestExtremes(t *testing.T) {
	const (
		watch = "c1    watch a startRevision=-1"
		get   = "c1    get a revision=1"
		list  = "c1    list all revision=1"
	)
	for _, test := range []struct {
		plan string
		step int
		want string
	}{
		{"c1    a1: put a\nc1    watch a startRevision=rv(a1)", 1, watch},
		{"c1    watch a startRevision=1", 0, watch},
		{"c1    a1: put a\nc1    get a revision=rv(a1)", 1, get},
		{"c1    l1: list all limit=1\nc1    next l1", 1, list},
	} {
		var found []string
		for _, variant := range variants(histories.EtcdLayer, parsed(t, test.plan).Steps[test.step].Op) {
			found = append(found, plans.Format(plans.Plan{Layer: histories.EtcdLayer, Steps: []plans.Step{{Op: variant}}}))
		}
		if want := plans.Format(parsed(t, test.want)); !slices.Contains(found, want) {
			t.Errorf("%s: expected %q among %q", test.plan, want, found)
		}
	}
}
