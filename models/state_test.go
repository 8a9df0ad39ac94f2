package models

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
)

// TestStateKeepsEveryRevision holds the persistent structures against plain maps,
// one a revision.
func TestStateKeepsEveryRevision(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s, content := Empty(), map[string]histories.Object{}
	at := map[histories.Revision]map[string]histories.Object{1: {}}
	for i := range 600 {
		name := fmt.Sprint("k", rng.IntN(40))
		revision := s.Newest() + 1 + histories.Revision(rng.IntN(3))
		request := histories.Request{Kind: histories.Put, Key: histories.Key{Name: name}, Write: histories.WriteID(fmt.Sprint(i))}
		if rng.IntN(3) == 0 {
			request = histories.Request{Kind: histories.Delete, Key: histories.Key{Name: name}}
		}
		for gap := s.Newest() + 1; gap < revision; gap++ {
			at[gap] = maps.Clone(content)
		}
		before := s
		s, _ = s.Apply(request, revision)
		for _, e := range s.Effects(before.Newest() + 1) {
			content[name] = e.Object
			if e.Deleted {
				delete(content, name)
			}
		}
		at[s.Newest()] = maps.Clone(content)
	}
	for revision := histories.Revision(1); revision <= s.Newest(); revision++ {
		checkSnapshot(t, s, revision, at[revision])
	}
	if _, ok := s.At(s.Newest() + 1); ok {
		t.Error("a future revision has a snapshot")
	}
}

func checkSnapshot(t *testing.T, s *State, revision histories.Revision, want map[string]histories.Object) {
	t.Helper()
	snapshot, ok := s.At(revision)
	if !ok {
		t.Fatalf("there is no snapshot at revision %s", revision)
	}
	names := slices.Sorted(maps.Keys(want))
	var got []string
	for o := range snapshot.All() {
		got = append(got, o.Key.Name)
		if diff := cmp.Diff(want[o.Key.Name], o); diff != "" {
			t.Fatalf("at revision %s (-want +got):\n%s", revision, diff)
		}
	}
	if !slices.Equal(names, got) || snapshot.Len() != len(want) {
		t.Fatalf("at revision %s: got the keys %v, expected %v", revision, got, names)
	}
	for i, name := range names {
		if rank := snapshot.root.rank(histories.Key{Name: name}); rank != i {
			t.Fatalf("at revision %s: %s has rank %d, expected %d", revision, name, rank, i)
		}
	}
}

// Equal contents have equal digests whatever way led to them.
func TestDigestIsOfTheContent(t *testing.T) {
	objects := make([]*histories.Object, 50)
	for i := range objects {
		objects[i] = &histories.Object{Key: histories.Key{Name: fmt.Sprint(i)}, RV: histories.Revision(i)}
	}
	var one, other *node
	for i := range objects {
		one = one.put(objects[i])
		other = other.put(objects[len(objects)-1-i])
	}
	other = other.put(&histories.Object{Key: histories.Key{Name: "more"}}).remove(histories.Key{Name: "more"})
	if one.digest != other.digest {
		t.Error("equal contents have different digests")
	}
	if less := other.remove(histories.Key{Name: "7"}); less.digest == one.digest || less.count() != 49 {
		t.Error("different contents have equal digests")
	}
}

func TestContains(t *testing.T) {
	key := func(name string) histories.Key { return histories.Key{Name: name} }
	for _, c := range []struct {
		scope   histories.Scope
		in, out []string
	}{
		{histories.Scope{}, []string{"", "a", "\xff\xff"}, nil},
		{histories.Scope{Shape: histories.Single, Key: key("a")}, []string{"a"}, []string{"", "a\x00", "aa", "A"}},
		{histories.Scope{Shape: histories.Prefix, Key: key("a")}, []string{"a", "a\xff", "a/b"}, []string{"b", "A", ""}},
		{histories.Scope{Shape: histories.Prefix, Key: key("a\xff")}, []string{"a\xff", "a\xff\xff"}, []string{"a", "b"}},
		{histories.Scope{Shape: histories.Prefix, Key: key("\xff")}, []string{"\xff", "\xff\xff"}, []string{"a", ""}},
		{histories.Scope{Shape: histories.Range, Key: key("a"), End: "b"}, []string{"a", "az"}, []string{"b", "A"}},
		{histories.Scope{Shape: histories.Range, Key: key("b"), End: "a"}, nil, []string{"a", "b", "c"}},
		{histories.Scope{Shape: histories.Range, Key: key("a")}, nil, []string{"a", "b", ""}},
	} {
		for _, name := range c.in {
			if !Contains(c.scope, key(name)) {
				t.Errorf("%+v lacks %q", c.scope, name)
			}
		}
		for _, name := range c.out {
			if Contains(c.scope, key(name)) {
				t.Errorf("%+v holds %q", c.scope, name)
			}
		}
	}
}
