package kube

import (
	"context"
	"net/url"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// kubeconfigVariable names the kubeconfig of a cluster that tests may use. They make
// and remove what a run makes and removes.
const kubeconfigVariable = "RVCHECK_KUBECONFIG"

func clusterURL(t *testing.T, more string) string {
	t.Helper()
	file := os.Getenv(kubeconfigVariable)
	if file == "" {
		t.Skip(kubeconfigVariable + " names no cluster for tests")
	}
	return Scheme + "://?kubeconfig=" + url.QueryEscape(file) + more
}

// openOn opens a target on the cluster, and says at the end of the test what is left of
// the run.
func openOn(t *testing.T, more string) *target {
	t.Helper()
	opened, err := OpenURL(t.Context(), clusterURL(t, more))
	if err != nil {
		t.Fatal(err)
	}
	run := opened.(*target)
	t.Cleanup(func() { checkGone(t, run) })
	return run
}

func checkGone(t *testing.T, run *target) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // the test is over
	if err := run.Close(ctx); err != nil {
		t.Error(err)
	}
	for _, path := range []string{namespacesPath, typesPath} {
		left, err := run.admin.find(ctx, path, runLabel+"="+run.run)
		if err != nil {
			t.Error(err)
		}
		for _, object := range left {
			if object.DeletionTimestamp == "" {
				t.Errorf("%s is left", object.Name)
			}
		}
	}
}

func openClient(t *testing.T, run targets.Target) (targets.Space, targets.Client) {
	t.Helper()
	space, err := run.NewSpace(t.Context(), "0001")
	if err != nil {
		t.Fatal(err)
	}
	client, err := space.Open(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return space, client
}

// must does a request that has to succeed.
func must(t *testing.T, client targets.Client, r histories.Request) histories.Answer {
	t.Helper()
	answer, err := client.Do(t.Context(), r)
	if err != nil || answer.Outcome != histories.OK {
		t.Fatalf("%s %v: got %+v %+v, %v", r.Kind, r.Key, answer, answer.Error, err)
	}
	return answer
}

// clusterRoles are a cluster-scoped type in which there are others' objects.
const clusterRoles = "&resource=rbac.authorization.k8s.io/v1/clusterroles"

func TestServer(t *testing.T) {
	for name, more := range map[string]string{
		"own type": "", "cluster-scoped": "&scope=cluster", "ClusterRoles": clusterRoles, "ConfigMaps": "&resource=configmaps", "Secrets": "&resource=secrets", "Leases": "&resource=leases",
	} {
		t.Run(name, func(t *testing.T) { lifeOfAnObject(t, openOn(t, more)) })
	}
}

// lifeOfAnObject makes, changes and deletes an object in two phases, beside a watch.
func lifeOfAnObject(t *testing.T, run *target) {
	namespaces := run.free[0].names.logical()
	x, left := key(namespaces[len(namespaces)/2], "x"), key(namespaces[0], "left")
	space, client := openClient(t, run)
	begin := must(t, client, histories.Request{Kind: histories.List})
	if len(begin.Objects) != 0 || begin.Revision == 0 || len(begin.Details().Form) != 0 {
		t.Fatalf("the space begins with %+v", begin)
	}
	sink := newCollector()
	from := &histories.KubeOptions{ResourceVersion: begin.Revision.String(), AllowWatchBookmarks: true}
	if answer, _, err := client.Watch(t.Context(), histories.Request{Kind: histories.Watch, Kube: from}, sink); err != nil || answer.Outcome != histories.OK {
		t.Fatalf("watch: got %+v, %v", answer, err)
	}

	held := &histories.KubeOptions{Finalizers: []string{"f"}}
	made := must(t, client, histories.Request{Kind: histories.Create, Key: x, Write: "w1", Size: 10, Labels: map[string]string{"l": "1"}, Kube: held})
	object := made.Objects[0]
	if made.Revision != object.RV || object.RV <= begin.Revision || object.Write != "w1" || object.Size != 10 || object.Labels["l"] != "1" {
		t.Errorf("create: got %+v", made)
	}
	merge := &histories.KubeOptions{Patch: histories.MergePatch}
	patched := must(t, client, histories.Request{Kind: histories.Patch, Key: object.Key, Write: "w2", Kube: merge}).Objects[0]
	if patched.Write != "w2" || patched.RV <= object.RV || patched.Labels["l"] != "1" || patched.Size != 0 {
		t.Errorf("patch: got %+v", patched)
	}
	nothing := &histories.KubeOptions{Patch: histories.JSONPatch, NoOp: true}
	if same := must(t, client, histories.Request{Kind: histories.Patch, Key: object.Key, Kube: nothing}).Objects[0]; same.RV != patched.RV {
		t.Errorf("a patch of nothing: got the RV %d after %d", same.RV, patched.RV)
	}
	marked := must(t, client, histories.Request{Kind: histories.Delete, Key: object.Key, ExpectUID: object.UID}).Objects[0]
	if !marked.Deleting || marked.RV <= patched.RV {
		t.Errorf("delete: got %+v", marked)
	}
	free := &histories.KubeOptions{Patch: histories.MergePatch, ClearFinalizers: true}
	must(t, client, histories.Request{Kind: histories.Patch, Key: object.Key, Write: "w3", Kube: free})
	gone, err := client.Do(t.Context(), histories.Request{Kind: histories.Get, Key: object.Key})
	if err != nil || gone.Outcome != histories.Fail || gone.Error.Class != histories.NotFound {
		t.Errorf("get of what is gone: got %+v, %v", gone, err)
	}
	want := []histories.EventType{histories.AddedEvent, histories.ModifiedEvent, histories.ModifiedEvent, histories.DeleteEvent}
	if diff := cmp.Diff(want, sink.await(t, len(want))); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}

	must(t, client, histories.Request{Kind: histories.Create, Key: left, Write: "w4", Kube: held})
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if end := <-sink.ended; end.Reason != histories.EndCancelled {
		t.Errorf("the watch ended as %+v", end)
	}
	if err := space.Remove(t.Context()); err != nil {
		t.Error(err)
	}
	_, client = openClient(t, run)
	if found := must(t, client, histories.Request{Kind: histories.List}); len(found.Objects) != 0 {
		t.Errorf("the next plan finds %+v", found.Objects)
	}
	_ = client.Close()
}

// await waits until so many events are there, bookmarks aside, and says of which types.
func (c *collector) await(t *testing.T, n int) []histories.EventType {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var types []histories.EventType
		c.mu.Lock()
		for i := range c.events {
			if c.events[i].Type != histories.ProgressEvent {
				types = append(types, c.events[i].Type)
			}
		}
		c.mu.Unlock()
		if len(types) >= n || time.Now().After(deadline) {
			return types
		}
	}
}

// TestFurtherPlace: while a plan works on a cluster-scoped type another one gets a type of
// its own, which is removed as well.
func TestFurtherPlace(t *testing.T) {
	run := openOn(t, "&scope=cluster")
	for _, name := range []string{"x", "y"} {
		_, client := openClient(t, run)
		held := &histories.KubeOptions{Finalizers: []string{"f"}}
		must(t, client, histories.Request{Kind: histories.Create, Key: key("", name), Write: "w1", Kube: held})
		all := must(t, client, histories.Request{Kind: histories.List})
		if len(all.Objects) != 1 || all.Objects[0].Key != key("", name) {
			t.Errorf("got %+v", all.Objects)
		}
		_ = client.Close()
	}
	if types := run.types(); len(types) != 2 {
		t.Fatalf("got %d types", len(types))
	}
	left := Removed{Run: run.run, Types: []string{run.further[0].name(), "widgetsother." + domain}}
	if types := left.ownTypes(); len(types) != 1 || types[0].name() != run.further[0].name() {
		t.Errorf("clean would remove %+v", types)
	}
}

func TestCleanOfObjects(t *testing.T) {
	run := openOn(t, clusterRoles)
	config, err := ParseURL(clusterURL(t, clusterRoles))
	if err != nil {
		t.Fatal(err)
	}
	_, client := openClient(t, run)
	held := &histories.KubeOptions{Finalizers: []string{"f"}}
	must(t, client, histories.Request{Kind: histories.Create, Key: key("", "x"), Write: "w1", Kube: held})
	_ = client.Close()
	want := []Removed{{Run: run.run, Objects: []string{run.kind.prefix + "1-x"}}}
	for _, c := range []struct {
		age  time.Duration
		want []Removed
	}{{time.Hour, nil}, {0, want}} {
		got, err := Clean(t.Context(), config, c.age)
		got = slices.DeleteFunc(got, func(r Removed) bool { return r.Run != run.run })
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("older than %s: %v (-want +got)\n%s", c.age, err, diff)
		}
	}
	left, err := run.admin.find(t.Context(), run.kind.path(""), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range left {
		if run.kind.ofRun(&object) {
			t.Errorf("%s is left", object.Name)
		}
	}
}

func TestClean(t *testing.T) {
	run := openOn(t, "")
	config, err := ParseURL(clusterURL(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	_, client := openClient(t, run)
	must(t, client, histories.Request{
		Kind: histories.Create, Key: key("a", "x"), Write: "w1", Kube: &histories.KubeOptions{Finalizers: []string{"f"}},
	})
	_ = client.Close()
	young, err := Clean(t.Context(), config, time.Hour)
	if err != nil || len(young) != 0 {
		t.Errorf("what is young: removed %+v, %v", young, err)
	}
	old, err := Clean(t.Context(), config, 0)
	old = slices.DeleteFunc(old, func(r Removed) bool { return r.Run != run.run })
	want := []Removed{{Run: run.run, Namespaces: names{prefix: "rvcheck-" + run.run + "-"}.all(), Types: []string{run.kind.name()}}}
	if diff := cmp.Diff(want, old); diff != "" || err != nil {
		t.Errorf("what is old: %v (-want +got)\n%s", err, diff)
	}
}
