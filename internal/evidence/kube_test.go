package evidence

import (
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

func TestKubernetes(t *testing.T) {
	yes, left := true, int64(3)
	object := histories.Object{
		Key: histories.Key{Namespace: "a", Name: "x"}, Write: "1-1", RV: 5, UID: "u1", Labels: map[string]string{"x": "1"},
		Deleting: true, Kube: &histories.KubeMeta{Finalizers: []string{"f/1"}, Status: "1-2"},
	}
	ok := histories.Answer{Outcome: histories.OK}
	h := &histories.History{Header: histories.Header{Layer: histories.KubeLayer}, Operations: []histories.Operation{
		{ID: 1, Client: "c1", Label: "a1", Request: histories.Request{
			Kind: histories.Create, Key: object.Key, Kube: &histories.KubeOptions{Finalizers: []string{"f/1", "f/2"}},
		}, Answer: histories.Answer{Outcome: histories.OK, Revision: 5, Objects: []histories.Object{object}}},
		{ID: 2, Client: "c1", Label: "l1", Request: histories.Request{Kind: histories.List, Limit: 2, Kube: &histories.KubeOptions{
			ResourceVersion: "5", ResourceVersionMatch: "Exact", LabelSelector: "x=1",
		}}, Answer: histories.Answer{Outcome: histories.OK, Revision: 5, Continue: "T", Kube: &histories.KubeAnswer{Remaining: &left}}},
		{ID: 3, Client: "c1", Request: histories.Request{Kind: histories.Next, Of: 2, Kube: &histories.KubeOptions{
			Continue: "A", LabelSelector: "x=1",
		}}, Answer: histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: histories.Invalid, Reason: "BadRequest"}}},
		{ID: 4, Client: "c2", Endpoint: 2, Request: histories.Request{Kind: histories.Watch, Kube: &histories.KubeOptions{
			ResourceVersion: "01", SendInitialEvents: &yes, AllowWatchBookmarks: true,
		}}, Answer: ok},
		{ID: 5, Client: "c1", Request: histories.Request{Kind: histories.Delete, Key: object.Key, ExpectUID: "u1"}, Answer: histories.Answer{
			Outcome: histories.OK, Kube: &histories.KubeAnswer{UID: "u1"},
		}},
		{ID: 6, Client: "c1", Request: histories.Request{Kind: histories.Patch, Key: object.Key, Kube: &histories.KubeOptions{
			Patch: histories.MergePatch, NoOp: true,
		}}, Answer: ok},
	}}
	for i, want := range []string{
		`c1    a1: create a/x finalizers="f/1,f/2" → ok, revision 5, [a/x@5=1-1{x=1}/status=1-2/finalizers=f/1/deleting]`,
		`c1    l1: list all resourceVersion=5 match=Exact labelSelector="x=1" limit=2 → ok, revision 5, nothing, continues, 3 remaining`,
		`c1    next l1 damaged → fail: invalid (BadRequest)`,
		`c2@2  watch all rawResourceVersion=01 allowWatchBookmarks sendInitialEvents=true → ok`,
		`c1    delete a/x uid=uid(a1) → ok, uid u1`,
		`c1    patch a/x noop → ok`,
	} {
		op := &h.Operations[i]
		if got := operation(h, op) + " → " + answer(h, op, models.Finding{}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for want, event := range map[string]histories.Event{
		"added a/x@5=1-1{x=1}/status=1-2/finalizers=f/1/deleting": {Type: histories.AddedEvent, Object: object},
		"progress 7, the end of the initial events":               {Type: histories.ProgressEvent, Header: 7, Kube: &histories.KubeEvent{InitialEventsEnd: true}},
		"progress 7 (the bookmark has labels)":                    {Type: histories.ProgressEvent, Header: 7, Kube: &histories.KubeEvent{Form: []string{"the bookmark has labels"}}},
		"error compacted 410 Expired": {Type: histories.ErrorEvent, Kube: &histories.KubeEvent{
			Error: &histories.Error{Class: histories.Compacted, Code: "410", Reason: "Expired"},
		}},
	} {
		if got := Event(&event); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestInformers: what a client's library did has no form in a plan.
func TestInformers(t *testing.T) {
	yes := true
	space := histories.Scope{Shape: histories.Namespace, Key: histories.Key{Namespace: "a"}}
	h := &histories.History{Header: histories.Header{Layer: histories.KubeLayer}}
	for _, r := range []struct {
		request histories.Request
		want    string
	}{
		{histories.Request{Kind: histories.Inform, Kube: &histories.KubeOptions{SendInitialEvents: &yes}}, "informer, from a watch with initial events"},
		{histories.Request{Kind: histories.Inform}, "informer, from a list"},
		{histories.Request{Kind: histories.Stored, Of: 2, Revision: 9}, "store of #2, at resource version 9 or later"},
		{histories.Request{Kind: histories.ListPages, Scope: space, Limit: 3}, "pager of namespace a, 3 at a time"},
	} {
		if got := Call(h, &histories.Operation{Request: r.request}); got != r.want {
			t.Errorf("got %q, expected %q", got, r.want)
		}
	}
	object := histories.Object{Key: histories.Key{Namespace: "a", Name: "x"}, RV: 6, Write: "2", UID: "u"}
	before := histories.Object{Key: object.Key, RV: 5, Write: "1", UID: "u"}
	for _, e := range []struct {
		event histories.Event
		want  string
	}{
		{histories.Event{Type: histories.SyncedEvent}, "synced"},
		{histories.Event{Type: histories.ModifiedEvent, Object: object, Prev: &before}, "modified a/x@6=2 from a/x@5=1"},
		{histories.Event{Type: histories.AddedEvent, Object: before, Kube: &histories.KubeEvent{Initial: true}}, "added a/x@5=1, of the first list"},
		{histories.Event{Type: histories.DeleteEvent, Object: object, Kube: &histories.KubeEvent{FinalStateUnknown: true}}, "delete a/x@6=2, as last known"},
	} {
		if got := Event(&e.event); got != e.want {
			t.Errorf("got %q, expected %q", got, e.want)
		}
	}
}
