package kube

import (
	"testing"

	"github.com/rvcheck/rvcheck/histories"
)

// TestPlaced: a list of everything that names one object reads one key where objects are
// in no namespaces (LIST-12), and is an exact one for its limit where they are.
func TestPlaced(t *testing.T) {
	r := &histories.Request{Kind: histories.List, Limit: 1, Kube: &histories.KubeOptions{
		ResourceVersion: "5", FieldSelector: "metadata.name=x",
	}}
	for clusterScoped, want := range map[bool]Mode{false: Exact, true: NotOlderThan} {
		if got, _ := ReadMode(Placed(r, clusterScoped)); got != want {
			t.Errorf("cluster-scoped %v: got %s, expected %s", clusterScoped, got, want)
		}
	}
	if r.Scope.Shape != histories.All {
		t.Error("the request itself has changed")
	}
}
