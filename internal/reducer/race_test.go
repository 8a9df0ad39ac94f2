package reducer

import (
	"maps"
	"slices"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
)

const together = `# rvcheck plan v1 · layer etcd
c1    put a
c1    put b
--
c1    put c
c2    get a
--
c1    put d
`

// What overlapped the operation that failed stays beside it; all else, even what
// overlapped too, goes before or after it.
func TestRaced(t *testing.T) {
	plan, err := plans.Parse("# rvcheck plan v1 · layer etcd\nc1    put a\nc2    put b\nc3    put c\nc1    get a\nc2    put d\n", "plan")
	if err != nil {
		t.Fatal(err)
	}
	h := &histories.History{Plan: plans.Format(plan), Operations: []histories.Operation{
		{ID: 1, Line: 2, Client: "c1", Call: 1, Return: 4},
		{ID: 2, Line: 3, Client: "c2", Call: 2, Return: 5},
		{ID: 3, Line: 4, Client: "c3", Call: 6, Return: 9},
		{ID: 4, Line: 5, Client: "c1", Call: 7, Return: 10},
		{ID: 5, Line: 6, Client: "c2", Call: 11, Return: 12},
	}}
	racing := rivals(h, []int{4}, 0)
	if !racing[4] || len(racing) != 1 {
		t.Errorf("the rivals of the get stand in the lines %v, expected line 4", racing)
	}
	racing[5] = true
	if got := plans.Format(raced(plan, observed(plan, h), racing)); got != together {
		t.Errorf("got\n%s\nexpected\n%s", got, together)
	}
}

// What read a revision comes after what made it, also where it returned before.
func TestOrderOfOneRevision(t *testing.T) {
	plan, err := plans.Parse("# rvcheck plan v1 · layer etcd\nc1    list all\nc2    put a\n", "plan")
	if err != nil {
		t.Fatal(err)
	}
	at := histories.Answer{Outcome: histories.OK, Revision: 2}
	order := observed(plan, &histories.History{Plan: plans.Format(plan), Operations: []histories.Operation{
		{ID: 1, Line: 2, Client: "c1", Call: 1, Return: 3, Request: histories.Request{Kind: histories.List}, Answer: at},
		{ID: 2, Line: 3, Client: "c2", Call: 2, Return: 4, Request: histories.Request{Kind: histories.Put}, Answer: at},
	}})
	if order[0].line != 3 {
		t.Errorf("line %d comes first, expected the put in line 3", order[0].line)
	}
}

// What a stream delivered late has the rivals of that time.
func TestRivalsOfStream(t *testing.T) {
	h := &histories.History{
		Operations: []histories.Operation{
			{ID: 1, Line: 2, Client: "c1", Call: 1, Return: 2, Request: histories.Request{Kind: histories.Watch}},
			{ID: 2, Line: 3, Client: "c2", Call: 3, Return: 4},
			{ID: 3, Line: 4, Client: "c2", Call: 7, Return: 9},
		},
		Streams: []histories.Stream{{Op: 1, Events: []histories.Event{
			{Time: 5, Header: 2}, {Time: 8, Header: 3},
		}}},
	}
	if racing := rivals(h, []int{1}, 3); !racing[4] || len(racing) != 1 {
		t.Errorf("the rivals of the second response stand in the lines %v, expected line 4", racing)
	}
}

const watched = `# rvcheck plan v1 · layer etcd
c1    w1: watch all
c1    progress w1
c1    fill 20
c2    fill 20
`

// The busiest plan is one at either layer.
func TestBusiest(t *testing.T) {
	if got := plans.Format(busiest(plans.Plan{Layer: histories.EtcdLayer})); got != watched {
		t.Errorf("got\n%s\nexpected\n%s", got, watched)
	}
	for _, layer := range []histories.Layer{histories.EtcdLayer, histories.KubeLayer} {
		if err := busiest(plans.Plan{Layer: layer}).Validate(); err != nil {
			t.Errorf("at the layer %s: %v", layer, err)
		}
	}
}

// What is tried for a family of faults is a plan at each layer.
func TestLeapsOfFamilies(t *testing.T) {
	for layer, lines := range map[histories.Layer]string{
		histories.EtcdLayer: "c1    w1: watch all\nc1    watch all on=w1\nc1    compact now\nc1    create a\nc1    l1: list all limit=3 serializable\nc1    next l1\n",
		histories.KubeLayer: "c1    w1: watch all\nc1    compact now\nc1    create a/a\nc1    l1: list all limit=3 resourceVersion=1 match=Exact\nc1    next l1\n",
	} {
		plan, err := plans.Parse("# rvcheck plan v1 · layer "+string(layer)+"\n"+lines, "plan")
		if err != nil {
			t.Fatal(err)
		}
		last := plans.Line(len(plan.Steps) - 1)
		create, list, next := plan.Steps[len(plan.Steps)-3].Op, plan.Steps[len(plan.Steps)-2].Op, plan.Steps[len(plan.Steps)-1].Op
		all := slices.Concat(backlogs(plan), shared(plan), readings(plan, next), readings(plan, list), contests(plan, create), outright(plan, []deed{{step: plan.Steps[0], line: last}}, last))
		if len(all) < 11 {
			t.Errorf("at the layer %s there are %d candidates", layer, len(all))
		}
		for _, kind := range []histories.Kind{histories.Update, histories.Delete, histories.Get} {
			create.Kind = kind
			all = append(all, contests(plan, create)...)
		}
		for _, candidate := range all {
			if err := candidate.Validate(); err != nil {
				t.Errorf("at the layer %s: %v in\n%s", layer, err, plans.Format(candidate))
			}
		}
		if readings(plan, plan.Steps[0].Op) != nil {
			t.Errorf("at the layer %s a watch is taken for a read", layer)
		}
	}
}

// What is about the lease of the operation that failed is related to it, also where the
// finding names none of that.
func TestLeasesAreRelated(t *testing.T) {
	plan, err := plans.Parse("# rvcheck plan v1 · layer etcd\nc1    g1: grant ttl=60\nc1    put b\nc2    attach a lease=g1\nc2    revoke g1\nc1    timetolive g1\n", "plan")
	if err != nil {
		t.Fatal(err)
	}
	h := &histories.History{Plan: plans.Format(plan), Operations: []histories.Operation{{ID: 1, Line: 6, Client: "c1", Call: 1, Return: 2}}}
	c := coneOf(plan, h, models.Finding{Culprit: 1, Operations: []int{1}})
	if want := map[int]bool{2: true, 4: true, 5: true, 6: true}; !maps.Equal(c.related, want) {
		t.Errorf("the lines %v are related, expected %v", c.related, want)
	}
}

// What is tried for leases are plans, whatever was asked of one.
func TestLeased(t *testing.T) {
	plan := plans.Plan{Layer: histories.EtcdLayer}
	for _, kind := range []histories.Kind{histories.LeaseGrant, histories.LeaseKeepAlive, histories.LeaseTimeToLive, histories.LeaseRevoke, histories.LeaseAttach} {
		all := leased(plan, &plans.Op{Kind: kind, Endpoint: 1, Lease: "g1"})
		if len(all) == 0 {
			t.Errorf("nothing is tried for %s", kind)
		}
		for _, candidate := range all {
			if err := candidate.Validate(); err != nil {
				t.Errorf("%v in\n%s", err, plans.Format(candidate))
			}
		}
	}
	if all := leased(plan, &plans.Op{Kind: histories.Put}); all != nil {
		t.Errorf("%d plans of leases are tried for a put without one", len(all))
	}
}
