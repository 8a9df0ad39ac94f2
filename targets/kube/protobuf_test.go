package kube

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"

	"github.com/rvcheck/rvcheck/histories"
)

// inProtobuf is an object or a list, given in JSON, as a server sends it in protobuf.
func inProtobuf(t *testing.T, text string) []byte {
	t.Helper()
	var named metav1.TypeMeta
	if err := json.Unmarshal([]byte(text), &named); err != nil {
		t.Fatal(err)
	}
	object, err := protobufTypes.New(schema.FromAPIVersionAndKind(named.APIVersion, named.Kind))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), object); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := protobufObjects.Encode(object, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestProtobuf: an answer in protobuf says what it says in JSON.
func TestProtobuf(t *testing.T) {
	const (
		list   = `{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"9","continue":"token","remainingItemCount":4},"items":[`
		secret = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x","namespace":"p-a","uid":"u","resourceVersion":"7"},"data":{"value":`
		lease  = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"x","namespace":"p-a","uid":"u","resourceVersion":"7"},"spec":{`
		others = `{"metadata":{"name":"kube-root-ca.crt","namespace":"p-ab","uid":"u2","resourceVersion":"3"},"data":{"ca.crt":"x","a":"y"}}`
	)
	secrets := builtIn["secrets"]
	written, _ := json.Marshal(secrets.wire(encode("w1", 3)))
	cases := []struct{ name, resource, body string }{
		{"object", "configmaps", anObject("7", encode("w1", 3))},
		{"resource version of another form", "configmaps", anObject("07", encode("w1", 3))},
		{"object of another kind", "configmaps", strings.Replace(anObject("7", ""), `"ConfigMap"`, `"Secret"`, 1)},
		{"secret", "secrets", secret + string(written) + `}}`},
		{"somebody else's secret", "secrets", secret + `"c2VzYW1l"}}`},
		{"lease", "leases", lease + `"holderIdentity":"` + encode("w1", 0) + `"}}`},
		{"lease of nobody", "leases", lease + `}}`},
		{"list", "configmaps", list + anObject("7", encode("w1", 3)) + `,` + others + `]}`},
		{"list of nothing", "configmaps", list + `]}`},
		{"list without a resource version", "configmaps", `{"apiVersion":"v1","kind":"ConfigMapList","metadata":{},"items":[]}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			kind := builtIn[c.resource]
			d := &dialect{kind: &kind, names: names{prefix: "p-"}}
			r := &histories.Request{Kind: histories.Get}
			if strings.Contains(c.body, "items") {
				r.Kind = histories.List
			}
			want := d.answer(r, reply{status: http.StatusOK, body: []byte(c.body)})
			r.Kube = &histories.KubeOptions{Encoding: histories.Protobuf}
			got := d.answer(r, reply{status: http.StatusOK, body: inProtobuf(t, c.body)})
			if diff := cmp.Diff(want, got); diff != "" || got.Outcome != histories.OK {
				t.Errorf("%+v (-JSON +protobuf)\n%s", got.Error, diff)
			}
		})
	}
}

// TestRefusalsInProtobuf are read whatever was asked for.
func TestRefusalsInProtobuf(t *testing.T) {
	const expired = `{"apiVersion":"v1","kind":"Status","metadata":{"continue":"token"},"reason":"Expired","code":410,"message":"too old"}`
	r := &histories.Request{Kind: histories.List, Kube: &histories.KubeOptions{Encoding: histories.Protobuf}}
	for name, body := range map[string][]byte{"JSON": []byte(expired), "protobuf": inProtobuf(t, expired)} {
		got := configMaps().answer(r, reply{status: http.StatusGone, body: body})
		if got.Outcome != histories.Fail || got.Error.Class != histories.Compacted || got.Error.Reason != "Expired" || got.Continue != "token" {
			t.Errorf("%s: got %+v %+v", name, got, got.Error)
		}
	}
}

// TestOtherThanProtobuf: an answer in another encoding than was asked for makes no sense.
func TestOtherThanProtobuf(t *testing.T) {
	r := &histories.Request{Kind: histories.Get, Kube: &histories.KubeOptions{Encoding: histories.Protobuf}}
	whole := inProtobuf(t, anObject("7", encode("w1", 0)))
	for name, body := range map[string][]byte{"JSON": []byte(anObject("7", "sesame")), "half": whole[:len(whole)/2], "nothing": nil} {
		got := configMaps().answer(r, reply{status: http.StatusOK, body: body})
		if got.Outcome != histories.Fail || got.Error.Class != histories.Other || strings.Contains(got.Error.Message, "sesame") {
			t.Errorf("%s: got %+v %+v", name, got, got.Error)
		}
	}
}

// TestEventsInProtobuf: a watch in protobuf tells what it tells in JSON.
func TestEventsInProtobuf(t *testing.T) {
	events := []struct{ kind, object string }{
		{"ADDED", anObject("7", encode("w1", 2000))},
		{"BOOKMARK", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}`},
		{"DELETED", anObject("11", encode("w1", 2000))},
		{"ERROR", `{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired","message":"too old"}`},
	}
	var plain, framed bytes.Buffer
	frames := protobuf.LengthDelimitedFramer.NewFrameWriter(&framed)
	for _, e := range events {
		plain.WriteString(event(e.kind, e.object))
		sent := metav1.WatchEvent{Type: e.kind}
		sent.Object.Raw = inProtobuf(t, e.object)
		message, err := sent.Marshal()
		if err == nil {
			_, err = frames.Write(message)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	want, wantEnd := watchingIn(t, "", plain.String())
	got, end := watchingIn(t, histories.Protobuf, framed.String())
	if diff := cmp.Diff(want, got); diff != "" || len(got) != len(events) {
		t.Errorf("%d events (-JSON +protobuf)\n%s", len(got), diff)
	}
	if diff := cmp.Diff(wantEnd, end); diff != "" {
		t.Errorf("the end (-JSON +protobuf)\n%s", diff)
	}

	for name, body := range map[string]string{"half a frame": framed.String()[:20], "JSON": plain.String()} {
		if events, end := watchingIn(t, histories.Protobuf, body); len(events) > 0 || end.Reason != histories.EndError {
			t.Errorf("%s: got %+v and the end %+v", name, events, end)
		}
	}
	_, end = watchingIn(t, histories.Protobuf, "")
	if end.Reason != histories.EndClosed {
		t.Errorf("the stream ended as %+v; expected that the server closed it", end)
	}
}
