package etcd_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

// everything is all keys of the shared server.
func everything(t *testing.T) (keys []string) {
	t.Helper()
	page, err := raw(t).Range(context.Background(), &pb.RangeRequest{Key: []byte{0}, RangeEnd: []byte{0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range page.GetKvs() {
		keys = append(keys, string(pair.GetKey()))
	}
	return keys
}

func putRaw(t *testing.T, keys ...string) {
	t.Helper()
	for _, name := range keys {
		if _, err := raw(t).Put(t.Context(), &pb.PutRequest{Key: []byte(name), Value: []byte("another's")}); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, name := range keys {
			_, _ = raw(t).DeleteRange(context.Background(), &pb.DeleteRangeRequest{Key: []byte(name)})
		}
	})
}

func TestARunLeavesOthersAlone(t *testing.T) {
	others := []string{"/mine", "/mine/", "/mine/rvcheck", "/mine/rvcheck/", "/mine/rvcheck0", "/mine0", "/rvcheck/other/x", "a"}
	putRaw(t, others...)
	config := sharedConfig()
	config.Prefix = "/mine"
	target, err := etcd.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	first, second := openSpace(t, target, "0001"), openSpace(t, target, "0001x")
	one, two := openClient(t, first), openClient(t, second)
	do(t, one, create("a", "w1"))
	do(t, two, create("a", "w2"))
	do(t, two, create("\xff\xff", "w3"))
	run := strings.TrimSuffix(theirs(t, others)[0], "0001/a")
	if !strings.HasPrefix(run, "/mine/rvcheck/") || len(run) < len("/mine/rvcheck/")+20 {
		t.Errorf("the run's prefix is %q", run)
	}
	siblings := []string{strings.TrimSuffix(run, "/"), strings.TrimSuffix(run, "/") + "0", strings.TrimSuffix(run, "/") + "x/y"}
	putRaw(t, siblings...)

	if err := first.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := do(t, two, list(histories.Scope{})); got.Count != 2 {
		t.Errorf("the removal of one space took from another: %+v", got)
	}
	if got := do(t, one, list(histories.Scope{})); got.Count != 0 {
		t.Errorf("the removal left %+v", got)
	}
	if err := target.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(slices.Values(slices.Concat(others, siblings)))
	if diff := cmp.Diff(want, everything(t)); diff != "" {
		t.Errorf("after the run: -want +got\n%s", diff)
	}
}

// theirs are the keys that the test did not put itself.
func theirs(t *testing.T, mine []string) []string {
	t.Helper()
	return slices.DeleteFunc(everything(t), func(name string) bool { return slices.Contains(mine, name) })
}

func TestHostileNamesStayInside(t *testing.T) {
	client := newClient(t)
	hostile := []string{"", "\x00", "../x", "/", "a%2F", "\xff", strings.Repeat("n", 2000)}
	for _, name := range hostile {
		if got := do(t, client, create(name, "w1")); got.Outcome != histories.OK {
			t.Errorf("create %q: %+v", name, got)
		}
	}
	slices.Sort(hostile)
	if diff := cmp.Diff(hostile, names(do(t, client, list(histories.Scope{})))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestOpenAndCloseWriteNothing(t *testing.T) {
	revision := func() int64 {
		page, err := raw(t).Range(t.Context(), &pb.RangeRequest{Key: []byte("a")})
		if err != nil {
			t.Fatal(err)
		}
		return page.GetHeader().GetRevision()
	}
	before := revision()
	target, err := etcd.Open(t.Context(), sharedConfig())
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := revision(); after != before {
		t.Errorf("the revision went from %d to %d", before, after)
	}
}
