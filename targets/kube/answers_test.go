package kube

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
)

const (
	createKind = histories.Create
	getKind    = histories.Get
)

func TestRefusals(t *testing.T) {
	cases := []struct {
		name string
		kind histories.Kind
		code int
		body string
		want string // outcome and class
	}{
		{"missing", getKind, 404, `{"kind":"Status","reason":"NotFound","details":{"name":"x","kind":"configmaps"}}`, "fail notFound"},
		{"missing namespace", createKind, 404, `{"kind":"Status","reason":"NotFound","details":{"name":"p-a","kind":"namespaces"}}`, "fail other"},
		{"missing type", getKind, 404, `404 page not found`, "fail other"},
		{"there", createKind, 409, `{"kind":"Status","reason":"AlreadyExists"}`, "fail exists"},
		{"changed", histories.Update, 409, `{"kind":"Status","reason":"Conflict"}`, "fail conflict"},
		{"expired", histories.Next, 410, `{"kind":"Status","reason":"Expired","metadata":{"continue":"token"}}`, "fail compacted token"},
		{"future", histories.List, 504, `{"kind":"Status","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge"}]}}`, "fail future"},
		{"future, of old", histories.List, 500, `{"kind":"Status","message":"etcdserver: mvcc: required revision is a future revision"}`, "fail future"},
		{"late read", getKind, 504, `{"kind":"Status","reason":"Timeout"}`, "fail timeout"},
		{"late write", createKind, 504, `{"kind":"Status","reason":"Timeout"}`, "unknown timeout"},
		{"no form", createKind, 422, `{"kind":"Status","reason":"Invalid"}`, "fail invalid"},
		{"busy", createKind, 429, `{"kind":"Status","reason":"TooManyRequests"}`, "fail busy"},
		{"large", createKind, 413, ``, "fail tooLarge"},
		{"broken write", histories.Patch, 500, `{"kind":"Status","reason":"InternalError"}`, "unknown other"},
		{"no number", histories.Update, 500, `{"kind":"Status","message":"strconv.ParseUint: parsing \"-1\": invalid syntax"}`, "fail invalid"},
		{"broken read", getKind, 500, `{"kind":"Status","reason":"InternalError"}`, "fail other"},
		{"elsewhere", createKind, 302, ``, "unknown other"},
		{"not allowed", createKind, 403, `{"kind":"Status","reason":"Forbidden"}`, "fail other"},
		{"nonsense of a write", createKind, 200, `<html>`, "unknown other"},
		{"nonsense of a read", histories.List, 200, `[]`, "fail other"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := &histories.Request{Kind: c.kind, Key: key("a", "x")}
			got := configMaps().answer(r, reply{status: c.code, body: []byte(c.body)})
			text := strings.TrimSpace(string(got.Outcome) + " " + string(got.Error.Class) + " " + got.Continue)
			if text != c.want {
				t.Errorf("got %s; expected %s", text, c.want)
			}
		})
	}
}

// anObject is an object of the plan as a server shows it.
func anObject(rv, value string) string {
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","namespace":"p-a","uid":"u","resourceVersion":"` + rv +
		`","labels":{"l":"1"},"finalizers":["conformance.rvcheck.dev/f","other/g"],"deletionTimestamp":"2026-01-01T00:00:00Z"},"data":{"value":"` + value + `"}}`
}

func TestObjects(t *testing.T) {
	shown := histories.Object{
		Key: key("a", "x"), UID: "u", RV: 7, Deleting: true, Write: "w1", Size: 3, Labels: map[string]string{"l": "1"},
		Kube: &histories.KubeMeta{Finalizers: []string{"f", "other/g"}},
	}
	got := configMaps().answer(&histories.Request{Kind: createKind}, reply{status: http.StatusCreated, body: []byte(anObject("7", encode("w1", 3)))})
	want := histories.Answer{Outcome: histories.OK, Revision: 7, Objects: []histories.Object{shown}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("create (-want +got)\n%s", diff)
	}

	got = configMaps().answer(&histories.Request{Kind: getKind}, reply{status: http.StatusOK, body: []byte(anObject("07", "secret"))})
	if got.Revision != 0 || got.Objects[0].RV != 0 || got.Objects[0].Meta().RawRV != "07" {
		t.Errorf("a resource version of another form: got %+v", got)
	}
	if o := got.Objects[0]; o.Write != "" || o.Foreign == "" || strings.Contains(o.Foreign, "secret") {
		t.Errorf("a value of others: got %+v; expected a digest", o)
	}
}

func TestLists(t *testing.T) {
	body := `{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"9","continue":"token","remainingItemCount":4},"items":[` +
		anObject("7", encode("w1", 3)) + `,{"metadata":{"name":"other","namespace":"kube-system","resourceVersion":"1"}}]}`
	got := configMaps().answer(&histories.Request{Kind: histories.List}, reply{status: http.StatusOK, body: []byte(body)})
	if got.Outcome != histories.OK || got.Revision != 9 || len(got.Objects) != 1 || got.Continue != "token" || !got.More {
		t.Errorf("got %+v", got)
	}
	if d := got.Details(); d.Outside != 1 || d.Remaining == nil || *d.Remaining != 4 || len(d.Form) != 0 {
		t.Errorf("got the details %+v", d)
	}

	body = `{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":"0"},"items":null}`
	got = configMaps().answer(&histories.Request{Kind: histories.List}, reply{status: http.StatusOK, body: []byte(body)})
	want := []string{"items is null", `kind "List" of apiVersion "v1" instead of "ConfigMapList" of "v1"`}
	if diff := cmp.Diff(want, got.Details().Form); diff != "" || got.Details().RawRV != "0" || got.Revision != 0 {
		t.Errorf("got %+v (-want +got)\n%s", got, diff)
	}
}

func TestListsOfMetadata(t *testing.T) {
	body := `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"9"},"items":null}`
	r := &histories.Request{Kind: histories.List, Kube: &histories.KubeOptions{Encoding: histories.MetadataOnly}}
	got := configMaps().answer(r, reply{status: http.StatusOK, body: []byte(body)})
	want := histories.Answer{Outcome: histories.OK, Revision: 9, Kube: &histories.KubeAnswer{Form: []string{"items is null"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestTables(t *testing.T) {
	body := `{"apiVersion":"meta.k8s.io/v1","kind":"Table","metadata":{"resourceVersion":"9"},"rows":[{"cells":["x"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"x","namespace":"p-ab","resourceVersion":"7"}}}]}`
	r := &histories.Request{Kind: histories.List, Kube: &histories.KubeOptions{Encoding: histories.Table}}
	got := configMaps().answer(r, reply{status: http.StatusOK, body: []byte(body)})
	want := histories.Answer{Outcome: histories.OK, Revision: 9, Objects: []histories.Object{{Key: key("ab", "x"), RV: 7}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDeletions(t *testing.T) {
	body := `{"apiVersion":"v1","kind":"Status","status":"Success","details":{"name":"x","uid":"u"}}`
	got := configMaps().answer(&histories.Request{Kind: histories.Delete}, reply{status: http.StatusOK, body: []byte(body)})
	want := histories.Answer{Outcome: histories.OK, Kube: &histories.KubeAnswer{UID: "u"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	got = configMaps().answer(&histories.Request{Kind: histories.Delete}, reply{status: http.StatusOK, body: []byte(anObject("7", encode("w1", 3)))})
	if len(got.Objects) != 1 || !got.Objects[0].Deleting || got.Revision != 0 {
		t.Errorf("an object that was marked: got %+v", got)
	}
}

// TestObjectsOfOthers: in a cluster-scoped type an object belongs to the plan by its name.
func TestObjectsOfOthers(t *testing.T) {
	item := func(name string) string {
		return `{"apiVersion":"g/v1","kind":"Role","metadata":{"name":"` + name + `","resourceVersion":"7"},"v":"x"}`
	}
	body := `{"apiVersion":"g/v1","kind":"RoleList","metadata":{"resourceVersion":"9"},"items":[` +
		item("admin") + "," + item("p-1-x") + "," + item("p-11-x") + "," + item("p-2-x") + `]}`
	got := roles().answer(&histories.Request{Kind: histories.List}, reply{status: http.StatusOK, body: []byte(body)})
	if len(got.Objects) != 1 || got.Objects[0].Key != key("", "x") || got.Details().Outside != 3 {
		t.Errorf("got %+v %+v", got, got.Details())
	}
}
