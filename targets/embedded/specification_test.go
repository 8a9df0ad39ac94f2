package embedded_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/embedded"
)

// sequentialOperations is how many operations the specification is compared by, and
// expiries how many leases expire meanwhile, which takes a second or two each.
const (
	sequentialOperations = 20_000
	expiries             = 5
)

// TestSpecification compares the sequential specification with etcd itself: random
// operations one after the other, every answer equal, field by field. Of errors
// the class counts; what a server calls it is the target's matter.
func TestSpecification(t *testing.T) {
	n, often := sequentialOperations, sequentialOperations/expiries
	if testing.Short() {
		n /= 10
	}
	c := &comparison{
		client: openClient(t),
		draw:   &requests{rng: rand.New(rand.NewPCG(1, 2)), state: models.Empty()},
		told:   make(map[string]int), start: time.Now(),
	}
	for i := range n {
		c.compare(t, i, c.draw.request(i))
		if i%often == often/20 {
			c.expire(t, i)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.told)) {
		t.Logf("%6d %s", c.told[name], name)
	}
}

// comparison holds answers of a client against the specification.
type comparison struct {
	client targets.Client
	draw   *requests
	told   map[string]int // how often each kind of answer was compared
	start  time.Time
}

// compare performs the i-th operation on both sides.
func (c *comparison) compare(t *testing.T, i int, request histories.Request) histories.Answer {
	t.Helper()
	got, err := c.client.Do(t.Context(), request)
	if err != nil {
		t.Fatalf("operation %d, %+v: %v", i, request, err)
	}
	before := c.draw.state
	state, want := c.apply(t, request, got)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(histories.Error{}, "Code", "Message")); diff != "" {
		t.Fatalf("operation %d, %s, at revision %s, compacted at %s: the specification (-) and etcd (+) differ:\n%s",
			i, describe(request), before.Newest(), before.Compacted(), diff)
	}
	if stepped, reason := before.Step(request, got); reason != "" || !stepped.Equal(state) {
		t.Fatalf("operation %d, %s: a step over etcd's answer leads elsewhere: %s", i, describe(request), reason)
	}
	c.draw.follow(state, request, got)
	c.told[label(request, got)]++
	return got
}

// apply is what the specification answers. What it leaves to a server it takes from
// etcd: the id of a lease, how much of a lease is left, the name of a version.
func (c *comparison) apply(t *testing.T, request histories.Request, got histories.Answer) (*models.State, histories.Answer) {
	t.Helper()
	if request.Kind == histories.LeaseGrant && request.Lease == 0 {
		request.Lease = got.Lease
	}
	state, want := c.draw.state.Apply(request, c.draw.state.Newest()+1)
	switch request.Kind {
	case histories.LeaseTimeToLive:
		passed := int64(time.Since(c.start)/time.Second) + 1
		if got.TTL != want.TTL && got.TTL <= want.TTL && got.TTL >= want.TTL-passed {
			want.TTL = got.TTL
		}
	case histories.Status:
		want.Version = "3.7.3"
	}
	return state, want
}

// expire lets a lease expire that holds some keys.
func (c *comparison) expire(t *testing.T, i int) {
	t.Helper()
	lease := c.compare(t, i, histories.Request{Kind: histories.LeaseGrant, TTL: 1}).Lease
	for _, name := range []string{"a", "b", "\xff"} {
		c.compare(t, i, histories.Request{
			Kind: histories.LeaseAttach, Key: histories.Key{Name: name}, Write: histories.WriteID(fmt.Sprintf("e%d", i)), Lease: lease,
		})
	}
	deadline := time.Now().Add(20 * time.Second)
	for {
		left, err := c.client.Do(t.Context(), histories.Request{Kind: histories.LeaseTimeToLive, Lease: lease})
		if err != nil || left.Outcome != histories.OK {
			t.Fatalf("%+v, %v", left, err)
		}
		// An expired lease may have less than no time left until it goes.
		if left.TTL == -1 && left.GrantedTTL == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the lease does not expire: %+v", left)
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.draw.state = c.draw.state.Expire(lease, c.draw.state.Newest()+1)
	c.compare(t, i, histories.Request{Kind: histories.LeaseTimeToLive, Lease: lease})
	c.compare(t, i, histories.Request{Kind: histories.List})
}

func openClient(t *testing.T) targets.Client {
	t.Helper()
	target, err := embedded.Open(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	space, err := target.NewSpace(t.Context(), "specification")
	if err != nil {
		t.Fatal(err)
	}
	client, err := space.Open(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		if err := target.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return client
}

// describe is a request for who reads a failure.
func describe(r histories.Request) string {
	text := fmt.Sprintf("%+v", r)
	if r.Txn != nil {
		text += fmt.Sprintf(" of %+v", *r.Txn)
	}
	return text
}

// label says what kind of answer was compared.
func label(r histories.Request, a histories.Answer) string {
	name := fmt.Sprintf("%s %s", r.Kind, a.Outcome)
	switch {
	case a.Error != nil:
		name += " " + string(a.Error.Class)
	case a.Succeeded:
		name += ", succeeded"
	}
	if a.More {
		name += ", more"
	}
	return name
}
