package linear_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/models/kube/linear"
	etcd "github.com/rvcheck/rvcheck/models/linear"
	"github.com/rvcheck/rvcheck/targets/memory"
)

// TestReferenceStoreIsAccepted: the judge finds no fault in what overlapping clients did
// to the honest store, nor where the answers to some calls are lost and nobody watched.
func TestReferenceStoreIsAccepted(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"kube", "kube-uncached"} {
		rng := rand.New(rand.NewPCG(1, 2))
		whole, lost := map[etcd.Verdict]int{}, map[etcd.Verdict]int{}
		run(t, memory.Options{Profile: profile}, 4, plans(t), func(n int, h *histories.History) bool {
			accept(t, n, h, whole)
			for range 2 {
				accept(t, n, lossy(rng, h), lost)
			}
			return true
		})
		t.Logf("%s: whole %v, with answers lost %v", profile, whole, lost)
		if whole[etcd.OK] == 0 || lost[etcd.OK] == 0 {
			t.Error("expected some to be decided")
		}
	}
}

func plans(t *testing.T) int {
	t.Helper()
	if testing.Short() {
		return 20
	}
	return 60
}

func accept(t *testing.T, n int, h *histories.History, verdicts map[etcd.Verdict]int) {
	t.Helper()
	result := linear.Judge(h, etcd.Options{Timeout: time.Second})
	if verdicts[result.Verdict]++; result.Verdict == etcd.Violated {
		t.Errorf("plan %d: %+v\n%s", n, result.Finding, h.Plan)
	}
}

// lossy is the history without streams and without the answers of some operations.
func lossy(rng *rand.Rand, h *histories.History) *histories.History {
	lost := *h
	lost.Streams, lost.Operations = nil, slices.Clone(h.Operations)
	for i := range lost.Operations {
		if rng.IntN(10) == 0 {
			lost.Operations[i].Answer = histories.Answer{Outcome: histories.Unknown}
		}
	}
	return &lost
}

// TestMutantsAreRefused: faults of writes and reads show in what the judge looks at.
func TestMutantsAreRefused(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs some hundred plans")
	}
	all, refused := 0, 0
	for _, m := range memory.MutantsOf(histories.KubeLayer) {
		if group, _, _ := strings.Cut(m.Primary, "/"); !slices.Contains([]string{"write", "get", "list", "read"}, group) {
			continue
		}
		all++
		caught := 0
		run(t, memory.Options{Mutant: m.ID}, 4, 40, func(n int, h *histories.History) bool {
			if linear.Judge(h, etcd.Options{Timeout: time.Second}).Verdict == etcd.Violated {
				caught = n
				refused++
			}
			return caught == 0
		})
		t.Logf("%s (%s): plan %d", m.ID, m.Primary, caught)
	}
	if refused*3 < all*2 {
		t.Errorf("%d of %d mutants refused, expected two thirds", refused, all)
	}
	t.Logf("%d of %d mutants refused", refused, all)
}

// run executes plans of the default mix against a store, until then says no.
func run(t *testing.T, options memory.Options, clients, plans int, then func(n int, h *histories.History) bool) {
	t.Helper()
	options.Layer, options.Seed = histories.KubeLayer, max(options.Seed, 1)
	target, err := memory.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close(context.Background()) }()
	draw := session.Drawn(options.Seed, session.Mix{Clients: clients, Steps: 60}, target.Describe())
	limits := engine.Options{StopTimeout: time.Second, CallTimeout: time.Second} // silence is what some mutants do
	for n := 1; n <= plans; n++ {
		limits.Number = n
		h, err := engine.Execute(t.Context(), target, draw(n), limits)
		if err != nil {
			t.Fatal(err)
		}
		if !then(n, h) {
			return
		}
	}
}
