package reducer

import (
	"testing"

	"github.com/rvcheck/rvcheck/plans"
)

// A page gets shorter with what it lists, and a chain with what its pages show.
func TestShortened(t *testing.T) {
	for name, test := range map[string]struct {
		plan, want  string
		page, write int
	}{
		"limit": {
			"c1    put a\nc1    put b\nc1    l1: list all limit=2\nc1    next l1",
			"c1    put b\nc1    l1: list all limit=1\nc1    next l1", 2, 0,
		},
		"chain": {
			"c1    put a\nc1    put b\nc1    l1: list all limit=1\nc1    n1: next l1\nc1    next n1",
			"c1    put a\nc1    l1: list all limit=1\nc1    next l1", 3, 1,
		},
		"no page": {"c1    put a\nc1    put b", "", 1, 0},
		"no write": {
			"c1    get a\nc1    list all limit=2", "", 1, 0,
		},
	} {
		const header = "# rvcheck plan v1 · layer etcd\n"
		plan, err := plans.Parse(header+test.plan, name)
		if err != nil {
			t.Fatal(err)
		}
		before := plans.Format(plan)
		got, ok := shortened(plan, test.page, test.write)
		if ok != (test.want != "") {
			t.Errorf("%s: is shortened: %v", name, ok)
		}
		if want := header + test.want + "\n"; ok && plans.Format(got) != want {
			t.Errorf("%s: got\n%sexpected\n%s", name, plans.Format(got), want)
		}
		if plans.Format(plan) != before {
			t.Errorf("%s: the plan itself was changed", name)
		}
	}
}
