package kube

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestWriters: an object of a cluster-scoped type is a run's if its name says so and it holds a
// value of a run, and a run is cut short if all of its objects are old.
func TestWriters(t *testing.T) {
	kind := roles().kind
	kind.prefix = ""
	now := time.Now()
	object := func(name, value string, age time.Duration) found {
		return found{metadata{Name: name, CreationTimestamp: now.Add(-age)}, tree{"v": value}}
	}
	ours := encode("w1", 0)
	objects := []found{
		object("admin", ours, 2*time.Hour),
		object("rvcheck-abcdefghij-1-x", ours, 2*time.Hour),
		object("rvcheck-abcdefghij-2-y", ours, 3*time.Hour),
		object("rvcheck-abcdefghij-1-z", "somebody else's", 3*time.Hour),
		object("rvcheck-short-1-x", ours, 3*time.Hour),
		object("rvcheck-2222222222-1-x", ours, 2*time.Hour),
		object("rvcheck-2222222222-1-y", ours, time.Minute),
	}
	got := kind.writers(objects, now.Add(-time.Hour))
	want := []Removed{{Run: "abcdefghij", Objects: []string{"rvcheck-abcdefghij-1-x", "rvcheck-abcdefghij-2-y"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	known := want[0].of([]*objectType{kind})
	for i, removed := range []bool{false, true, true, false, false, false, false} {
		if known[0].ofRun(&objects[i]) != removed {
			t.Errorf("%s: expected %v", objects[i].Name, removed)
		}
	}
	if kind.prefix != "" {
		t.Error("the type itself has changed")
	}
}
