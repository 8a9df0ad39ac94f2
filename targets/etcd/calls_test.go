package etcd_test

import (
	"context"
	"errors"
	"math"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// asTold compares answers but for what is free: the message of an error.
var asTold = cmp.Options{cmpopts.IgnoreFields(histories.Error{}, "Message", "Code"), cmpopts.EquateEmpty()}

func wantAnswer(t *testing.T, what string, got, want histories.Answer) {
	t.Helper()
	if diff := cmp.Diff(want, got, asTold); diff != "" {
		t.Errorf("%s: -want +got\n%s", what, diff)
	}
}

func conflict(at histories.Revision, objects ...histories.Object) histories.Answer {
	return histories.Answer{
		Outcome: histories.Fail, Error: &histories.Error{Class: histories.Conflict}, Revision: at, Objects: objects,
	}
}

func failed(class histories.ErrorClass) histories.Answer {
	return histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: class}}
}

func object(name string, write histories.WriteID, created, modified histories.Revision, version int64) histories.Object {
	return histories.Object{
		Key: key(name), Write: write, RV: modified, CreateRevision: created, Version: version,
		Size: len(histories.EncodeValue(write, nil, 0)),
	}
}

func TestConditionalWrites(t *testing.T) {
	client := newClient(t)
	update := func(write histories.WriteID, expect histories.Revision) histories.Request {
		return histories.Request{Kind: histories.Update, Key: key("a"), Write: write, Expect: expect, Conditional: true}
	}
	remove := func(expect histories.Revision) histories.Request {
		return histories.Request{Kind: histories.Delete, Key: key("a"), Expect: expect, Conditional: true}
	}
	ok := func(at histories.Revision) histories.Answer {
		return histories.Answer{Outcome: histories.OK, Revision: at}
	}

	made := do(t, client, create("a", "w1"))
	r := made.Revision
	wantAnswer(t, "create", made, ok(r))
	wantAnswer(t, "create again", do(t, client, create("a", "w2")), conflict(r))
	wantAnswer(t, "update", do(t, client, update("w3", r)), ok(r+1))
	wantAnswer(t, "update of old", do(t, client, update("w4", r)), conflict(r+1, object("a", "w3", r, r+1, 2)))
	wantAnswer(t, "delete of old", do(t, client, remove(r)), conflict(r+1, object("a", "w3", r, r+1, 2)))
	deleted := ok(r + 2)
	deleted.Deleted = 1
	wantAnswer(t, "delete", do(t, client, remove(r+1)), deleted)
	wantAnswer(t, "delete of absent", do(t, client, remove(r+1)), conflict(r+2))
	wantAnswer(t, "update of absent", do(t, client, update("w5", r+1)), conflict(r+2))
	wantAnswer(t, "update expecting none", do(t, client, update("w6", 0)), ok(r+3))
}

func TestUnconditionalWrites(t *testing.T) {
	client := newClient(t)
	put := histories.Request{Kind: histories.Put, Key: key("a"), Write: "w1", Labels: map[string]string{"x": "1"}, Size: 200}
	r := do(t, client, put).Revision
	want := object("a", "w1", r, r, 1)
	want.Labels, want.Size = put.Labels, 200
	wantAnswer(t, "get", do(t, client, histories.Request{Kind: histories.Get, Key: key("a")}),
		histories.Answer{Outcome: histories.OK, Revision: r, Objects: []histories.Object{want}, Count: 1})
	remove := histories.Request{Kind: histories.Delete, Key: key("a")}
	wantAnswer(t, "delete", do(t, client, remove), histories.Answer{Outcome: histories.OK, Revision: r + 1, Deleted: 1})
	wantAnswer(t, "delete of absent", do(t, client, remove), histories.Answer{Outcome: histories.OK, Revision: r + 1})
}

func TestReads(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w1")).Revision
	do(t, client, create("a/b", "w2"))
	do(t, client, create("ab", "w3"))
	do(t, client, create("\xff", "w4"))
	newest := r + 3
	for what, test := range map[string]struct {
		request histories.Request
		names   []string
		count   int64
		more    bool
	}{
		"all":            {histories.Request{}, []string{"a", "a/b", "ab", "\xff"}, 4, false},
		"limit":          {histories.Request{Limit: 3}, []string{"a", "a/b", "ab"}, 4, true},
		"limit of all":   {histories.Request{Limit: 4}, []string{"a", "a/b", "ab", "\xff"}, 4, false},
		"page":           {histories.Request{Limit: 1, Start: "a\x00", HasStart: true}, []string{"a/b"}, 3, true},
		"past the last":  {histories.Request{Start: "\xff\x00", HasStart: true}, nil, 0, false},
		"at a revision":  {histories.Request{Revision: r + 1}, []string{"a", "a/b"}, 2, false},
		"negative":       {histories.Request{Revision: -1, Limit: -1}, []string{"a", "a/b", "ab", "\xff"}, 4, false},
		"one key":        {histories.Request{Scope: histories.Scope{Shape: histories.Single, Key: key("a")}}, []string{"a"}, 1, false},
		"prefix":         {histories.Request{Scope: histories.Scope{Shape: histories.Prefix, Key: key("a")}}, []string{"a", "a/b", "ab"}, 3, false},
		"range":          {histories.Request{Scope: histories.Scope{Shape: histories.Range, Key: key("a/"), End: "b"}}, []string{"a/b", "ab"}, 2, false},
		"empty range":    {histories.Request{Scope: histories.Scope{Shape: histories.Range, Key: key("b"), End: "a"}}, nil, 0, false},
		"start in scope": {histories.Request{Scope: histories.Scope{Shape: histories.Prefix, Key: key("a/")}, Start: "", HasStart: true}, []string{"a/b"}, 1, false},
	} {
		t.Run(what, func(t *testing.T) {
			test.request.Kind = histories.List
			got := do(t, client, test.request)
			if diff := cmp.Diff(test.names, names(got), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("names: -want +got\n%s", diff)
			}
			if got.Outcome != histories.OK || got.Count != test.count || got.More != test.more || got.Revision != newest {
				t.Errorf("got %+v, want count %d, more %v, revision %d", got, test.count, test.more, newest)
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w1")).Revision
	do(t, client, histories.Request{Kind: histories.Delete, Key: key("a")})
	compact := func(at histories.Revision) histories.Answer {
		return do(t, client, histories.Request{Kind: histories.Compact, Revision: at, Physical: true})
	}
	wantAnswer(t, "compact", compact(r+1), histories.Answer{Outcome: histories.OK, Revision: r + 1})
	wantAnswer(t, "compact again", compact(r+1), failed(histories.Compacted))
	wantAnswer(t, "compact the future", compact(r+100), failed(histories.Future))
	get := func(at histories.Revision) histories.Answer {
		return do(t, client, histories.Request{Kind: histories.Get, Key: key("a"), Revision: at})
	}
	wantAnswer(t, "get below", get(r), failed(histories.Compacted))
	wantAnswer(t, "get at", get(r+1), histories.Answer{Outcome: histories.OK, Revision: r + 1})
	wantAnswer(t, "get above", get(r+2), failed(histories.Future))
	wantAnswer(t, "get far above", get(math.MaxInt64), failed(histories.Future))
}

func TestTooLarge(t *testing.T) {
	client := newClient(t)
	request := create("a", "w1")
	for _, size := range []int{1_600_000, 4_000_000} { // etcd's limit, and that of its gRPC server
		request.Size = size
		wantAnswer(t, "create", do(t, client, request), failed(histories.TooLarge))
	}
}

func TestForeignValues(t *testing.T) {
	target := open(t, sharedConfig())
	client := openClient(t, openSpace(t, target, "0001"))
	do(t, client, create("a", "w1"))
	page, err := raw(t).Range(t.Context(), &pb.RangeRequest{Key: []byte("/rvcheck/"), RangeEnd: []byte("/rvcheck0"), KeysOnly: true})
	if err != nil || len(page.GetKvs()) != 1 {
		t.Fatalf("expected the one key of this test: %v, %v", page, err)
	}
	if _, err := raw(t).Put(t.Context(), &pb.PutRequest{Key: page.GetKvs()[0].GetKey(), Value: []byte("secret")}); err != nil {
		t.Fatal(err)
	}
	got := do(t, client, histories.Request{Kind: histories.Get, Key: key("a")}).Objects[0]
	if got.Write != "" || got.Foreign == "" || got.Foreign == "secret" || got.Size != 6 {
		t.Errorf("got %+v, want a digest of a foreign value", got)
	}
}

func TestUnsupported(t *testing.T) {
	config := sharedConfig()
	config.Exclusive = false
	client := openClient(t, openSpace(t, open(t, config), "0001"))
	for _, test := range []struct {
		request histories.Request
		want    targets.Feature
	}{
		{histories.Request{Kind: histories.Compact, Revision: 1}, targets.Compaction},
		{histories.Request{Kind: histories.Put, Lease: 1}, targets.Leases},
		{histories.Request{Kind: histories.LeaseRevoke, Lease: 1}, targets.Leases},
		{histories.Request{Kind: histories.Transact, Txn: &histories.Txn{Else: []histories.Request{{Kind: histories.Put, Lease: 1}}}}, targets.Leases},
		{histories.Request{Kind: histories.List, Scope: histories.Scope{Shape: histories.Namespace}}, targets.KubeOptions},
	} {
		_, err := client.Do(t.Context(), test.request)
		var unsupported *targets.Unsupported
		if !errors.As(err, &unsupported) || unsupported.Feature != test.want {
			t.Errorf("%+v: %v, want %s unsupported", test.request, err, test.want)
		}
	}
}

func TestCallWithoutTimeIsUnknown(t *testing.T) {
	client := newClient(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := client.Do(ctx, create("a", "w1"))
	if err != nil || got.Outcome != histories.Unknown || got.Error.Class != histories.Timeout {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestClosedClient(t *testing.T) {
	client := newClient(t)
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if got := do(t, client, create("a", "w1")); got.Outcome != histories.Fail || got.Error.Class != histories.Unavailable {
		t.Errorf("got %+v", got)
	}
}
