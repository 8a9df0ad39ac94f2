package kube

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

func key(namespace, name string) histories.Key {
	return histories.Key{Namespace: namespace, Name: name}
}

func inNamespace(namespace string) histories.Scope {
	return histories.Scope{Shape: histories.Namespace, Key: key(namespace, "")}
}

// configMaps is the dialect of a plan on ConfigMaps.
func configMaps() *dialect {
	kind := builtIn["configmaps"]
	return &dialect{kind: &kind, names: names{prefix: "p-"}}
}

// widgets is the dialect of a plan on a type of the run's own.
func widgets() *dialect {
	kind := ownType("x")
	return &dialect{kind: &kind, names: names{prefix: "p-"}}
}

// gadgets is the dialect of a plan on a cluster-scoped type of the run's own.
func gadgets() *dialect {
	kind := ownType("x")
	kind.clusterScoped = true
	return &dialect{kind: &kind, names: names{none: true}}
}

// roles is the dialect of a plan on a cluster-scoped type in which there are others' objects.
func roles() *dialect {
	kind := objectType{group: "g", version: "v1", plural: "roles", kind: "Role", value: []string{"v"}, clusterScoped: true, prefix: "p-1-"}
	return &dialect{kind: &kind, names: names{none: true, objects: kind.prefix}}
}

// text is a call as a person would write it down.
func (c call) text(t *testing.T) string {
	t.Helper()
	query, err := url.QueryUnescape(c.query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{c.method + " " + c.path}
	for _, line := range []string{query, c.accept, c.contentType, string(c.body)} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func TestCalls(t *testing.T) {
	yes := true
	cases := []struct {
		name    string
		dialect *dialect
		request histories.Request
		want    string
	}{
		{"create", configMaps(), histories.Request{
			Kind: histories.Create, Key: key("a-b", "x"), Write: "w1", Labels: map[string]string{"l": "1"},
			Kube: &histories.KubeOptions{Finalizers: []string{"f"}, DryRun: true},
		}, `POST /api/v1/namespaces/p-a-b/configmaps
dryRun=All&fieldManager=rvcheck
{"apiVersion":"v1","data":{"value":"VALUE"},"kind":"ConfigMap","metadata":{"finalizers":["conformance.rvcheck.dev/f"],"labels":{"l":"1"},"name":"x","namespace":"p-a-b"}}`},
		{"generated name", widgets(), histories.Request{
			Kind: histories.Create, Key: key("a", "x-"), Write: "w1", Kube: &histories.KubeOptions{GenerateName: true},
		}, `POST /apis/conformance.rvcheck.dev/v1/namespaces/p-a/widgetsx
fieldManager=rvcheck
{"apiVersion":"conformance.rvcheck.dev/v1","kind":"WidgetX","metadata":{"generateName":"x-","namespace":"p-a"},"spec":{"value":"VALUE"}}`},
		{"update", configMaps(), histories.Request{
			Kind: histories.Update, Key: key("ab", "x"), Write: "w1", Conditional: true, Expect: 7, ExpectUID: "u",
		}, `PUT /api/v1/namespaces/p-ab/configmaps/x
fieldManager=rvcheck
{"apiVersion":"v1","data":{"value":"VALUE"},"kind":"ConfigMap","metadata":{"name":"x","namespace":"p-ab","resourceVersion":"7","uid":"u"}}`},
		{"status", widgets(), histories.Request{
			Kind: histories.Update, Key: key("a", "x"), Write: "w1", Conditional: true, Expect: 7, Kube: &histories.KubeOptions{Status: true},
		}, `PUT /apis/conformance.rvcheck.dev/v1/namespaces/p-a/widgetsx/x/status
fieldManager=rvcheck
{"apiVersion":"conformance.rvcheck.dev/v1","kind":"WidgetX","metadata":{"name":"x","namespace":"p-a","resourceVersion":"7"},"status":{"value":"VALUE"}}`},
		{"merge patch", configMaps(), histories.Request{
			Kind: histories.Patch, Key: key("a", "x"), Write: "w1", Kube: &histories.KubeOptions{Patch: histories.MergePatch, ClearFinalizers: true},
		}, `PATCH /api/v1/namespaces/p-a/configmaps/x
fieldManager=rvcheck
application/merge-patch+json
{"data":{"value":"VALUE"},"metadata":{"finalizers":null}}`},
		{"merge patch of nothing", configMaps(), histories.Request{
			Kind: histories.Patch, Key: key("a", "x"), Kube: &histories.KubeOptions{Patch: histories.MergePatch, NoOp: true},
		}, `PATCH /api/v1/namespaces/p-a/configmaps/x
fieldManager=rvcheck
application/merge-patch+json
{}`},
		{"JSON patch", configMaps(), histories.Request{
			Kind: histories.Patch, Key: key("a", "x"), Write: "w1", Conditional: true, Expect: 7, Labels: map[string]string{"l": "1"},
			Kube: &histories.KubeOptions{Patch: histories.JSONPatch, Finalizers: []string{"f"}},
		}, `PATCH /api/v1/namespaces/p-a/configmaps/x
fieldManager=rvcheck
application/json-patch+json
[{"op":"add","path":"/metadata/resourceVersion","value":"7"},{"op":"add","path":"/data","value":{"value":"VALUE"}},{"op":"add","path":"/metadata/labels","value":{"l":"1"}},{"op":"add","path":"/metadata/finalizers","value":["conformance.rvcheck.dev/f"]}]`},
		{"JSON patch of nothing", configMaps(), histories.Request{
			Kind: histories.Patch, Key: key("a", "x"), Kube: &histories.KubeOptions{Patch: histories.JSONPatch, NoOp: true},
		}, `PATCH /api/v1/namespaces/p-a/configmaps/x
fieldManager=rvcheck
application/json-patch+json
[]`},
		{"apply", widgets(), histories.Request{
			Kind: histories.Patch, Key: key("a", "x"), Write: "w1", Kube: &histories.KubeOptions{Patch: histories.ApplyPatch, Force: true},
		}, `PATCH /apis/conformance.rvcheck.dev/v1/namespaces/p-a/widgetsx/x
fieldManager=rvcheck.w1&force=true
application/apply-patch+yaml
{"apiVersion":"conformance.rvcheck.dev/v1","kind":"WidgetX","metadata":{"name":"x","namespace":"p-a"},"spec":{"value":"VALUE"}}`},
		{
			"delete", configMaps(),
			histories.Request{Kind: histories.Delete, Key: key("a", "x"), Conditional: true, Expect: 7},
			`DELETE /api/v1/namespaces/p-a/configmaps/x
{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"resourceVersion":"7"},"propagationPolicy":"Background"}`,
		},
		{"delete collection", configMaps(), histories.Request{
			Kind: histories.DeleteCollection, Scope: inNamespace("a"), Kube: &histories.KubeOptions{LabelSelector: "l=1"},
		}, `DELETE /api/v1/namespaces/p-a/configmaps
labelSelector=l=1
{"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Background"}`},
		{"get", configMaps(), histories.Request{
			Kind: histories.Get, Key: key("a", "x"), Kube: &histories.KubeOptions{ResourceVersion: "0", Encoding: histories.MetadataOnly},
		}, `GET /api/v1/namespaces/p-a/configmaps/x
resourceVersion=0
application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io`},
		{"list in protobuf", configMaps(), histories.Request{
			Kind: histories.List, Kube: &histories.KubeOptions{Encoding: histories.Protobuf},
		}, `GET /api/v1/configmaps
application/vnd.kubernetes.protobuf`},
		{"list of one", configMaps(), histories.Request{
			Kind: histories.List, Scope: histories.Scope{Shape: histories.Single, Key: key("a", "x")}, Limit: 2,
			Kube: &histories.KubeOptions{ResourceVersion: "7", ResourceVersionMatch: "Exact", FieldSelector: "metadata.namespace!=a"},
		}, `GET /api/v1/namespaces/p-a/configmaps
fieldSelector=metadata.name=x,metadata.namespace!=p-a&limit=2&resourceVersion=7&resourceVersionMatch=Exact`},
		{"next page of all", configMaps(), histories.Request{
			Kind: histories.Next, Limit: 1, Kube: &histories.KubeOptions{Continue: "token"},
		}, `GET /api/v1/configmaps
continue=token&limit=1`},
		{"watch", configMaps(), histories.Request{
			Kind: histories.Watch, Scope: inNamespace("a"),
			Kube: &histories.KubeOptions{AllowWatchBookmarks: true, SendInitialEvents: &yes, ResourceVersionMatch: "NotOlderThan", TimeoutSeconds: 5},
		}, `GET /api/v1/namespaces/p-a/configmaps
allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=5&watch=true`},
		{"create in no namespace", gadgets(), histories.Request{
			Kind: histories.Create, Key: key("", "x"), Write: "w1",
		}, `POST /apis/conformance.rvcheck.dev/v1/widgetsx
fieldManager=rvcheck
{"apiVersion":"conformance.rvcheck.dev/v1","kind":"WidgetX","metadata":{"name":"x"},"spec":{"value":"VALUE"}}`},
		{"list of one in no namespace", gadgets(), histories.Request{
			Kind: histories.List, Scope: histories.Scope{Shape: histories.Single, Key: key("", "x")},
		}, `GET /apis/conformance.rvcheck.dev/v1/widgetsx
fieldSelector=metadata.name=x`},
		{"delete collection in no namespace", gadgets(), histories.Request{
			Kind: histories.DeleteCollection,
		}, `DELETE /apis/conformance.rvcheck.dev/v1/widgetsx
{"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Background"}`},
		{"create beside others", roles(), histories.Request{
			Kind: histories.Create, Key: key("", "x-"), Write: "w1", Kube: &histories.KubeOptions{GenerateName: true},
		}, `POST /apis/g/v1/roles
fieldManager=rvcheck
{"apiVersion":"g/v1","kind":"Role","metadata":{"generateName":"p-1-x-"},"v":"VALUE"}`},
		{"patch beside others", roles(), histories.Request{
			Kind: histories.Patch, Key: key("", "x"), Kube: &histories.KubeOptions{Patch: histories.MergePatch, NoOp: true},
		}, `PATCH /apis/g/v1/roles/p-1-x
fieldManager=rvcheck
application/merge-patch+json
{}`},
		{"list beside others", roles(), histories.Request{
			Kind: histories.List, Scope: histories.Scope{Shape: histories.Single, Key: key("", "x")}, Kube: &histories.KubeOptions{FieldSelector: "metadata.name != y"},
		}, `GET /apis/g/v1/roles
fieldSelector=metadata.name=p-1-x,metadata.name !=p-1-y`},
	}
	value := encode("w1", 0)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.dialect.call(&c.request)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, strings.ReplaceAll(got.text(t), value, "VALUE")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestWhatTheAPIDoesNotHave(t *testing.T) {
	cases := []struct {
		name    string
		dialect *dialect
		request histories.Request
	}{
		{"a status of a ConfigMap", configMaps(), histories.Request{Kind: histories.Update, Key: key("a", "x"), Write: "w1", Kube: &histories.KubeOptions{Status: true}}},
		{"another namespace", configMaps(), histories.Request{Kind: histories.Get, Key: key("kube-system", "x")}},
		{"another type", configMaps(), histories.Request{Kind: histories.Get, Key: histories.Key{Resource: "secrets", Namespace: "a", Name: "x"}}},
		{"no name", configMaps(), histories.Request{Kind: histories.Delete, Key: key("a", "")}},
		{"all of the cluster", configMaps(), histories.Request{Kind: histories.DeleteCollection}},
		{"a prefix", configMaps(), histories.Request{Kind: histories.List, Scope: histories.Scope{Shape: histories.Prefix}}},
		{"a namespace of others", configMaps(), histories.Request{Kind: histories.List, Scope: inNamespace("kube-system")}},
		{"a namespace of what is in none", gadgets(), histories.Request{Kind: histories.List, Scope: inNamespace("a")}},
		{"an object in a namespace of what is in none", gadgets(), histories.Request{Kind: histories.Get, Key: key("a", "x")}},
		{"a custom resource in protobuf", widgets(), histories.Request{Kind: histories.List, Kube: &histories.KubeOptions{Encoding: histories.Protobuf}}},
		{"a collection with others' objects", roles(), histories.Request{Kind: histories.DeleteCollection}},
		{"put", configMaps(), histories.Request{Kind: histories.Put, Key: key("a", "x"), Write: "w1"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.dialect.call(&c.request)
			var missing *targets.Unsupported
			if !errors.As(err, &missing) {
				t.Errorf("got %s and the error %v; expected that it is unsupported", got.text(t), err)
			}
		})
	}
}

func TestValuesComeBack(t *testing.T) {
	for _, size := range []int{0, 1, 1000} {
		write, padding, ok := decode(encode("p1.7", size))
		if !ok || write != "p1.7" || padding != size {
			t.Errorf("size %d: got %q, %d, %v", size, write, padding, ok)
		}
	}
	for _, text := range []string{"", "x", encode("w", 10)[1:], strings.Replace(encode("w1", 10), "w1", "w2", 1)} {
		if write, _, ok := decode(text); ok {
			t.Errorf("%q was taken for what %q has written", text, write)
		}
	}
}
