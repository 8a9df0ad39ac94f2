package embedded_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/embedded"
)

// sequentialOperations is how many operations the specification is compared by.
const sequentialOperations = 20_000

// TestSpecification compares the sequential specification with etcd itself: random
// operations one after the other, every answer equal, field by field. Of errors
// the class counts; what a server calls it is the target's matter.
func TestSpecification(t *testing.T) {
	n := sequentialOperations
	if testing.Short() {
		n /= 10
	}
	client := openClient(t)
	draw := &requests{rng: rand.New(rand.NewPCG(1, 2)), state: models.Empty()}
	told := make(map[string]int)
	for i := range n {
		request := draw.request(i)
		got, err := client.Do(t.Context(), request)
		if err != nil {
			t.Fatalf("operation %d, %+v: %v", i, request, err)
		}
		state, want := draw.state.Apply(request, draw.state.Newest()+1)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(histories.Error{}, "Code", "Message")); diff != "" {
			t.Fatalf("operation %d, %+v, at revision %s, compacted at %s: the specification (-) and etcd (+) differ:\n%s",
				i, request, draw.state.Newest(), draw.state.Compacted(), diff)
		}
		if stepped, reason := draw.state.Step(request, got); reason != "" || !stepped.Equal(state) {
			t.Fatalf("operation %d, %+v: a step over etcd's answer leads elsewhere: %s", i, request, reason)
		}
		draw.follow(state, request, got)
		told[label(request, got)]++
	}
	for _, name := range slices.Sorted(maps.Keys(told)) {
		t.Logf("%6d %s", told[name], name)
	}
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

// label says what kind of answer was compared.
func label(r histories.Request, a histories.Answer) string {
	name := fmt.Sprintf("%s %s", r.Kind, a.Outcome)
	if a.Error != nil {
		name += " " + string(a.Error.Class)
	}
	if a.More {
		name += ", more"
	}
	return name
}

// requests draws requests that matter to a state: keys that collide, revisions
// around those that mean something, limits around the number of keys.
type requests struct {
	rng   *rand.Rand
	state *models.State
	// page is the last list that was cut, at its revision.
	page *histories.Request
}

var names = []string{
	"a", "a/b", "a/b/c", "ab", "a_b", "a%", "A", "a/", "a\x00", "b", "b\xff", "\xff", "\xff\xff", "é", "z",
}

func (r *requests) name() string { return names[r.rng.IntN(len(names))] }

// request draws the i-th request. A value knows its write by i.
func (r *requests) request(i int) histories.Request {
	key := histories.Key{Name: r.name()}
	write := histories.WriteID(fmt.Sprintf("w%d", i))
	switch n := r.rng.IntN(100); {
	case n < 12:
		return r.sized(histories.Request{Kind: histories.Create, Key: key, Write: write})
	case n < 30:
		return r.sized(histories.Request{Kind: histories.Update, Key: key, Write: write, Expect: r.expect(key), Conditional: true})
	case n < 36:
		return r.sized(histories.Request{Kind: histories.Put, Key: key, Write: write})
	case n < 46:
		return histories.Request{Kind: histories.Delete, Key: key, Expect: r.expect(key), Conditional: true}
	case n < 49:
		return histories.Request{Kind: histories.Delete, Key: key}
	case n < 65:
		return histories.Request{Kind: histories.Get, Key: key, Revision: r.revision()}
	case n < 88:
		return r.list()
	case n < 96:
		return r.next()
	default:
		return histories.Request{Kind: histories.Compact, Revision: r.compaction()}
	}
}

func (r *requests) sized(request histories.Request) histories.Request {
	switch r.rng.IntN(8) {
	case 0:
		request.Size = r.rng.IntN(3000)
	case 1:
		request.Labels = map[string]string{"x": "1", "y z": "ü"}
	}
	return request
}

// expect draws what a write is conditional on: mostly the truth.
func (r *requests) expect(key histories.Key) histories.Revision {
	object, _ := r.state.Now().Get(key)
	switch r.rng.IntN(12) {
	case 0:
		return 0
	case 1:
		return object.RV - 1
	case 2:
		return object.RV + 1
	case 3:
		return r.state.Newest()
	case 4:
		return r.revision()
	default:
		return object.RV
	}
}

// revision draws where to read.
func (r *requests) revision() histories.Revision {
	newest, compacted := r.state.Newest(), r.state.Compacted()
	switch r.rng.IntN(16) {
	case 0:
		return newest
	case 1:
		return newest + 1
	case 2:
		return compacted
	case 3:
		return compacted - 1
	case 4:
		return compacted + 1
	case 5:
		return histories.Revision(-r.rng.Int64N(3))
	case 6:
		return []histories.Revision{1, math.MaxInt64, math.MinInt64, newest + 1000}[r.rng.IntN(4)]
	case 7, 8, 9:
		return compacted + histories.Revision(r.rng.Int64N(int64(newest-compacted)+1))
	default:
		return 0
	}
}

func (r *requests) compaction() histories.Revision {
	if r.rng.IntN(3) == 0 {
		return r.revision()
	}
	newest, compacted := r.state.Newest(), r.state.Compacted()
	return compacted + 1 + histories.Revision(r.rng.Int64N(max(1, int64(newest-compacted)/4)))
}

func (r *requests) list() histories.Request {
	request := histories.Request{Kind: histories.List, Scope: r.scope(), Revision: r.revision(), Limit: r.limit()}
	if r.rng.IntN(4) == 0 {
		request.Start, request.HasStart = r.name(), true
	}
	return request
}

func (r *requests) scope() histories.Scope {
	key := histories.Key{Name: r.name()}
	switch r.rng.IntN(5) {
	case 0:
		return histories.Scope{Shape: histories.Single, Key: key}
	case 1:
		return histories.Scope{Shape: histories.Prefix, Key: key}
	case 2:
		return histories.Scope{Shape: histories.Range, Key: key, End: r.name()}
	default:
		return histories.Scope{}
	}
}

func (r *requests) limit() int64 {
	present := int64(r.state.Now().Len())
	switch r.rng.IntN(8) {
	case 0:
		return 1
	case 1:
		return 2
	case 2:
		return present - 1
	case 3:
		return present
	case 4:
		return present + 1
	case 5:
		return []int64{-1, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64}[r.rng.IntN(4)]
	default:
		return 0
	}
}

// next follows the last list that was cut.
func (r *requests) next() histories.Request {
	if r.page == nil {
		return r.list()
	}
	request := *r.page
	request.Kind = histories.Next
	return request
}

// follow remembers where the next page begins.
func (r *requests) follow(state *models.State, request histories.Request, answer histories.Answer) {
	r.state = state
	if !answer.More {
		if request.Kind == histories.Next {
			r.page = nil
		}
		return
	}
	if request.Revision <= 0 {
		request.Revision = answer.Revision
	}
	request.Start, request.HasStart = answer.Objects[len(answer.Objects)-1].Key.Name+"\x00", true
	r.page = &request
}
