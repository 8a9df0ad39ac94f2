package histories_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rvcheck/rvcheck/histories"
	"pgregory.net/rapid"
)

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := drawHistory(rt)
		file := write(rt, want)
		if diff := cmp.Diff(want, read(rt, file)); diff != "" {
			rt.Logf("the file\n%s", file)
			rt.Logf("differs (-want +got)\n%s", diff)
			rt.Fatal("a history differs after Write and Read")
		}
	})
}

// FuzzRead holds the reader to two promises: it never panics, and what it accepts
// it accepts again, unchanged, after Write.
func FuzzRead(f *testing.F) {
	example := exampleFile(f)
	f.Add(example)
	f.Add(example[:len(example)-10])
	f.Add(compressed(f, example))
	f.Add([]byte(watched + `{"record":"return","id":1,"time":6,"outcome":"ok","new":[{"a":null}],"objects":[{"key":{"b64":"/w=="}}]}`))
	f.Add([]byte(minimal + `{"record":"invoke","id":2,"kind":"txn","txn":{"compares":[{"target":"mod","op":"="}],"else":[{"kind":"put"}]}}` + "\n"))
	f.Add([]byte(minimal + `{"record":"invoke","id":2,"kind":"txn","txn":{"then":[{"kind":"deleterange"},{"kind":"list","sortTarget":"mod","sortOrder":"descend"}]}}` +
		"\n" + `{"record":"return","id":2,"outcome":"ok","succeeded":true,"results":[{"outcome":"ok","deleted":1},{"outcome":"ok","results":[{"outcome":"fail"}]}],"keys":["a",{"b64":"/w=="}]}`))
	f.Add([]byte(minimal + `{"record":"invoke","id":2,"kind":"watch","watchID":7,"filters":["noput","nodelete"],"fragment":true,"transport":"w1"}`))
	f.Add([]byte(minimal + `{"record":"invoke","id":2,"kind":"create","labels":[[{"b64":"/w=="},"\ud83d\ude00"]],"kube":{"sendInitialEvents":false}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		want, err := histories.Read(bytes.NewReader(file), "fuzz")
		if err != nil {
			return
		}
		got := read(t, write(t, want))
		got.Truncated = want.Truncated
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Write and Read differ (-want +got)\n%s", diff)
		}
	})
}

func drawHistory(t *rapid.T) *histories.History {
	h := &histories.History{Header: drawHeader(t), Plan: byteString().Draw(t, "plan")}
	id := 0
	for range rapid.IntRange(0, 5).Draw(t, "operations") {
		id += rapid.SampledFrom([]int{1, 1, 2, 5000}).Draw(t, "step")
		op := drawOperation(t, id)
		h.Operations = append(h.Operations, op)
		if op.Request.Kind.OpensStream() {
			if s := drawStream(t, &op); op.Answer.Outcome == histories.OK || len(s.Events) > 0 || s.End != nil {
				h.Streams = append(h.Streams, s)
			}
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "faults") {
		h.Faults = append(h.Faults, histories.Fault{
			Time: drawTime(t, 0), Action: byteString().Draw(t, "action"), Args: byteStringMap().Draw(t, "args"), Line: drawInt(t),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "notes") {
		h.Notes = append(h.Notes, histories.Note{
			Time: drawTime(t, 0), Kind: "info", Label: byteString().Draw(t, "label"), Line: drawInt(t),
			Text: byteString().Draw(t, "text"),
		})
	}
	return h
}

func drawHeader(t *rapid.T) histories.Header {
	return histories.Header{
		Format: histories.FormatVersion, Run: byteString().Draw(t, "run"), Plan: drawInt(t),
		Layer:  rapid.SampledFrom([]histories.Layer{histories.EtcdLayer, histories.StorageLayer, histories.KubeLayer}).Draw(t, "layer"),
		Target: byteString().Draw(t, "target"), Server: byteString().Draw(t, "server"), Profile: byteString().Draw(t, "profile"),
		World:     rapid.SampledFrom([]histories.World{histories.Closed, histories.Open}).Draw(t, "world"),
		Exclusive: rapid.Bool().Draw(t, "exclusive"), Seed: rapid.Uint64().Draw(t, "seed"),
		Options: byteStringMap().Draw(t, "options"), Unsupported: byteStringMap().Draw(t, "unsupported"),
		ClockUncertainty: drawTime(t, 0),
	}
}

func drawOperation(t *rapid.T, id int) histories.Operation {
	op := histories.Operation{
		ID: id, Label: byteString().Draw(t, "label"), Line: drawInt(t), Client: byteString().Draw(t, "client"),
		Endpoint: drawInt(t), Call: drawTime(t, 0), Request: drawRequest(t, 2),
		Return: histories.Never, Answer: histories.Answer{Outcome: histories.Unknown},
	}
	if rapid.Bool().Draw(t, "returns") {
		op.Return, op.Answer = drawTime(t, op.Call), drawAnswer(t, 2)
	}
	return op
}

func drawRequest(t *rapid.T, depth int) histories.Request {
	r := histories.Request{
		Kind: rapid.SampledFrom(histories.Kinds).Draw(t, "kind"), Key: drawKey(t), Scope: drawScope(t),
		Write: histories.WriteID(byteString().Draw(t, "write")), Labels: byteStringMap().Draw(t, "labels"), Size: drawInt(t),
		Expect: drawRevision(t), ExpectUID: byteString().Draw(t, "uid"), Revision: drawRevision(t), Limit: drawInt64(t),
		Start: byteString().Draw(t, "start"), Of: drawInt(t), StartRevision: drawRevision(t), Lease: drawInt64(t), TTL: drawInt64(t),
	}
	for _, flag := range []*bool{
		&r.Conditional, &r.HasStart, &r.CountOnly, &r.KeysOnly, &r.Serializable, &r.PrevKV, &r.ProgressNotify, &r.Fragment, &r.Physical,
	} {
		*flag = rapid.Bool().Draw(t, "flag")
	}
	if rapid.Bool().Draw(t, "etcd options") {
		drawEtcdOptions(t, &r)
	}
	if rapid.Bool().Draw(t, "kube") {
		r.Kube = drawKube(t)
	}
	if depth > 0 && rapid.Bool().Draw(t, "txn") {
		r.Txn = drawTxn(t, depth-1)
	}
	if r.Kind == histories.Transact && r.Txn == nil {
		r.Txn = &histories.Txn{}
	}
	return r
}

func drawEtcdOptions(t *rapid.T, r *histories.Request) {
	targets := []histories.SortTarget{
		"", histories.SortByKey, histories.SortByVersion, histories.SortByCreate, histories.SortByMod, histories.SortByValue,
	}
	r.SortTarget = rapid.SampledFrom(targets).Draw(t, "sort target")
	r.SortOrder = rapid.SampledFrom([]histories.SortOrder{"", histories.Ascend, histories.Descend}).Draw(t, "sort order")
	for _, bound := range []*histories.Revision{&r.MinModRevision, &r.MaxModRevision, &r.MinCreateRevision, &r.MaxCreateRevision} {
		*bound = drawRevision(t)
	}
	r.WatchID, r.Transport = drawInt64(t), byteString().Draw(t, "transport")
	for range rapid.IntRange(0, 2).Draw(t, "filters") {
		r.Filters = append(r.Filters, rapid.SampledFrom([]string{histories.NoPut, histories.NoDelete}).Draw(t, "filter"))
	}
}

func drawKube(t *rapid.T) *histories.KubeOptions {
	k := &histories.KubeOptions{
		ResourceVersion: byteString().Draw(t, "rv"), ResourceVersionMatch: byteString().Draw(t, "match"),
		Continue: byteString().Draw(t, "continue"), LabelSelector: byteString().Draw(t, "label selector"),
		FieldSelector: byteString().Draw(t, "field selector"), AllowWatchBookmarks: rapid.Bool().Draw(t, "bookmarks"),
		TimeoutSeconds: drawInt64(t), DryRun: rapid.Bool().Draw(t, "dry run"),
	}
	if rapid.Bool().Draw(t, "sends") {
		sends := rapid.Bool().Draw(t, "initial events")
		k.SendInitialEvents = &sends
	}
	k.Patch = rapid.SampledFrom([]string{"", histories.MergePatch, histories.JSONPatch, histories.ApplyPatch}).Draw(t, "patch")
	k.Encoding = rapid.SampledFrom([]string{"", histories.Protobuf, histories.Table, histories.MetadataOnly}).Draw(t, "encoding")
	k.Finalizers = drawTexts(t, "finalizers")
	for _, flag := range []*bool{&k.Force, &k.ClearFinalizers, &k.NoOp, &k.Status, &k.GenerateName, &k.Slow} {
		*flag = rapid.Bool().Draw(t, "flag")
	}
	return k
}

// drawTexts draws a list as a file returns it: nil if it is empty.
func drawTexts(t *rapid.T, label string) []string {
	var texts []string
	for range rapid.IntRange(0, 2).Draw(t, label) {
		texts = append(texts, byteString().Draw(t, label))
	}
	return texts
}

func drawKubeAnswer(t *rapid.T) *histories.KubeAnswer {
	k := &histories.KubeAnswer{
		UID: byteString().Draw(t, "uid"), RawRV: byteString().Draw(t, "raw rv"), Outside: drawInt64(t), Form: drawTexts(t, "form"),
	}
	if rapid.Bool().Draw(t, "told") {
		remaining := drawInt64(t)
		k.Remaining = &remaining
	}
	return k
}

func drawKubeEvent(t *rapid.T) *histories.KubeEvent {
	return &histories.KubeEvent{
		InitialEventsEnd: rapid.Bool().Draw(t, "initial events end"), Error: drawError(t), Form: drawTexts(t, "form"),
		Initial: rapid.Bool().Draw(t, "initial"), FinalStateUnknown: rapid.Bool().Draw(t, "final state unknown"),
	}
}

func drawTxn(t *rapid.T, depth int) *histories.Txn {
	txn := &histories.Txn{}
	for range rapid.IntRange(0, 2).Draw(t, "compares") {
		txn.Compares = append(txn.Compares, histories.Compare{
			Key: drawKey(t), Target: rapid.SampledFrom(histories.CompareTargets).Draw(t, "target"),
			Op: rapid.SampledFrom(histories.CompareOps).Draw(t, "op"), Value: byteString().Draw(t, "value"),
			Labels: byteStringMap().Draw(t, "labels"), Size: drawInt(t),
		})
	}
	for _, branch := range []*[]histories.Request{&txn.Then, &txn.Else} {
		for range rapid.IntRange(0, 1).Draw(t, "requests") {
			*branch = append(*branch, drawRequest(t, depth))
		}
	}
	return txn
}

func drawAnswer(t *rapid.T, depth int) histories.Answer {
	outcomes := []histories.Outcome{histories.OK, histories.Fail, histories.Unknown}
	a := histories.Answer{
		Outcome: rapid.SampledFrom(outcomes).Draw(t, "outcome"), Error: drawError(t), Revision: drawRevision(t),
		Count: drawInt64(t), More: rapid.Bool().Draw(t, "more"), Continue: byteString().Draw(t, "continue"),
		Deleted: drawInt64(t), ObjectRV: byteString().Draw(t, "objectRV"), Lease: drawInt64(t), TTL: drawInt64(t),
		GrantedTTL: drawInt64(t), WatchID: drawInt64(t), Version: byteString().Draw(t, "version"),
		Succeeded: rapid.Bool().Draw(t, "succeeded"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "objects") {
		a.Objects = append(a.Objects, drawObject(t))
	}
	for range rapid.IntRange(0, 2).Draw(t, "keys") {
		a.Keys = append(a.Keys, drawKey(t))
	}
	if rapid.Bool().Draw(t, "kube") {
		a.Kube = drawKubeAnswer(t)
	}
	for range rapid.IntRange(0, depth).Draw(t, "results") {
		a.Results = append(a.Results, drawAnswer(t, depth-1))
	}
	return a
}

func drawError(t *rapid.T) *histories.Error {
	if rapid.Bool().Draw(t, "no error") {
		return nil
	}
	return &histories.Error{
		Class: rapid.SampledFrom([]histories.ErrorClass{histories.Conflict, histories.Other, histories.NoLease}).Draw(t, "class"),
		Code:  byteString().Draw(t, "code"), Message: byteString().Draw(t, "message"),
		Reason: byteString().Draw(t, "reason"), Causes: drawTexts(t, "causes"),
	}
}

func drawStream(t *rapid.T, op *histories.Operation) histories.Stream {
	s := histories.Stream{Op: op.ID}
	types := []histories.EventType{
		histories.PutEvent, histories.DeleteEvent, histories.ProgressEvent, histories.AddedEvent, histories.ModifiedEvent, histories.ErrorEvent,
		histories.SyncedEvent,
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "events") {
		e := histories.Event{
			Type: rapid.SampledFrom(types).Draw(t, "type"), Time: drawTime(t, op.Call), Batch: i + 1, Last: rapid.Bool().Draw(t, "last"),
			Header: drawRevision(t), Transport: byteString().Draw(t, "transport"), Object: drawObject(t),
		}
		if rapid.Bool().Draw(t, "has prev") {
			prev := drawObject(t)
			e.Prev = &prev
		}
		if rapid.Bool().Draw(t, "kube") {
			e.Kube = drawKubeEvent(t)
		}
		s.Events = append(s.Events, e)
	}
	if rapid.Bool().Draw(t, "ends") {
		reasons := []histories.EndReason{
			histories.EndCancelled, histories.EndClosed, histories.EndError, histories.EndRun, histories.EndCompacted,
		}
		s.End = &histories.End{
			Time: drawTime(t, op.Call), Reason: rapid.SampledFrom(reasons).Draw(t, "reason"), Error: drawError(t),
			CompactRevision: drawRevision(t), Header: drawRevision(t),
		}
	}
	return s
}

func drawObject(t *rapid.T) histories.Object {
	if rapid.Bool().Draw(t, "empty") {
		return histories.Object{}
	}
	o := histories.Object{
		Key: drawKey(t), Write: histories.WriteID(byteString().Draw(t, "write")), RV: drawRevision(t),
		CreateRevision: drawRevision(t), Version: drawInt64(t), Lease: drawInt64(t), UID: byteString().Draw(t, "uid"),
		Generation: drawInt64(t), Deleting: rapid.Bool().Draw(t, "deleting"), Labels: byteStringMap().Draw(t, "labels"),
		Size: drawInt(t), Foreign: byteString().Draw(t, "foreign"),
	}
	if rapid.Bool().Draw(t, "kube") {
		o.Kube = &histories.KubeMeta{
			Finalizers: drawTexts(t, "finalizers"), Status: histories.WriteID(byteString().Draw(t, "status")),
			RawRV: byteString().Draw(t, "raw rv"),
		}
	}
	return o
}

func drawKey(t *rapid.T) histories.Key {
	k := histories.Key{Name: byteString().Draw(t, "name")}
	if rapid.Bool().Draw(t, "kube key") {
		k.Resource, k.Namespace = byteString().Draw(t, "resource"), byteString().Draw(t, "namespace")
	}
	return k
}

func drawScope(t *rapid.T) histories.Scope {
	shapes := []histories.Shape{histories.All, histories.Single, histories.Prefix, histories.Namespace, histories.Range}
	return histories.Scope{
		Shape: rapid.SampledFrom(shapes).Draw(t, "shape"), Key: drawKey(t), End: byteString().Draw(t, "end"),
	}
}

// The numbers that files get wrong: zero, negative, beyond 2^53, the ends.
var hostileNumbers = []int64{0, 0, 1, -1, 7, 1<<53 + 1, math.MaxInt64, math.MinInt64}

func drawInt64(t *rapid.T) int64 { return rapid.SampledFrom(hostileNumbers).Draw(t, "number") }

func drawInt(t *rapid.T) int { return int(drawInt64(t)) }

func drawRevision(t *rapid.T) histories.Revision { return histories.Revision(drawInt64(t)) }

// drawTime draws a time that is not below the earliest, nor Never.
func drawTime(t *rapid.T, earliest int64) int64 {
	times := []int64{0, 1, 2, 3, 1<<53 + 1, math.MaxInt64 - 1}
	times = slices.DeleteFunc(times, func(time int64) bool { return time < earliest })
	return rapid.SampledFrom(times).Draw(t, "time")
}
