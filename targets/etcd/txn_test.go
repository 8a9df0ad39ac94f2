package etcd_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
)

func transact(t histories.Txn) histories.Request {
	return histories.Request{Kind: histories.Transact, Txn: &t}
}

func put(name string, write histories.WriteID) histories.Request {
	return histories.Request{Kind: histories.Put, Key: key(name), Write: write}
}

func get(name string) histories.Request {
	return histories.Request{Kind: histories.Get, Key: key(name)}
}

// told is the result of an operation, at a revision.
func told(at histories.Revision) histories.Answer {
	return histories.Answer{Outcome: histories.OK, Revision: at}
}

func read(at histories.Revision, objects ...histories.Object) histories.Answer {
	return histories.Answer{Outcome: histories.OK, Revision: at, Objects: objects, Count: int64(len(objects))}
}

func TestTransaction(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w1")).Revision
	first, second := object("a", "w1", r, r, 1), object("a", "w2", r, r+1, 2)
	got := do(t, client, transact(histories.Txn{
		Compares: []histories.Compare{{Key: key("a"), Target: "version", Op: "=", Value: "1"}},
		Then: []histories.Request{
			get("a"), put("a", "w2"), get("a"),
			{Kind: histories.Get, Key: key("a"), Revision: r},
			{Kind: histories.Delete, Key: key("absent")},
			transact(histories.Txn{
				Compares: []histories.Compare{{Key: key("a"), Target: "version", Op: "=", Value: "2"}},
				Then:     []histories.Request{put("b", "w3")},
				Else:     []histories.Request{{Kind: histories.List, KeysOnly: true}},
			}),
		},
	}))
	keysOnly := second
	keysOnly.Write, keysOnly.Size = "", 0
	want := histories.Answer{Outcome: histories.OK, Revision: r + 1, Succeeded: true, Results: []histories.Answer{
		read(r, first), told(r + 1), read(r+1, second), read(r+1, first), told(r + 1),
		// The comparisons of all levels are made before the first operation, and etcd
		// tells no header for the inner transaction.
		{Outcome: histories.OK, Results: []histories.Answer{read(r+1, keysOnly)}},
	}}
	wantAnswer(t, "transaction", got, want)
}

func TestTransactionOfDeletions(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w1")).Revision
	do(t, client, create("b", "w2"))
	got := do(t, client, transact(histories.Txn{
		Compares: []histories.Compare{{Key: key("a"), Target: "version", Op: ">", Value: "1"}},
		Else: []histories.Request{
			{Kind: histories.DeleteRange, PrevKV: true},
			put("c", "w3"),
		},
	}))
	if got.Outcome != histories.Fail || got.Error.Class != histories.Invalid {
		t.Errorf("a put of what the same transaction deletes: %+v", got)
	}
	got = do(t, client, transact(histories.Txn{
		Compares: []histories.Compare{{Key: key("a"), Target: "version", Op: ">", Value: "1"}},
		Else:     []histories.Request{{Kind: histories.DeleteRange, PrevKV: true}},
	}))
	deletion := told(r + 2)
	deletion.Deleted = 2
	deletion.Objects = []histories.Object{object("a", "w1", r, r, 1), object("b", "w2", r+1, r+1, 1)}
	want := histories.Answer{Outcome: histories.OK, Revision: r + 2, Results: []histories.Answer{deletion}}
	wantAnswer(t, "transaction", got, want)
}

func TestCompares(t *testing.T) {
	client := newClient(t)
	lease := do(t, client, histories.Request{Kind: histories.LeaseGrant, TTL: 600}).Lease
	labels := map[string]string{"x": "1"}
	do(t, client, histories.Request{Kind: histories.Put, Key: key("a"), Write: "w1", Labels: labels, Size: 100, Lease: lease})
	r := do(t, client, histories.Request{Kind: histories.Put, Key: key("a"), Write: "w2", Labels: labels, Size: 100, Lease: lease}).Revision
	at := func(n histories.Revision) string { return n.String() }
	for _, test := range []struct {
		compare histories.Compare
		want    bool
	}{
		{histories.Compare{Target: "version", Op: "=", Value: "2"}, true},
		{histories.Compare{Target: "version", Op: "<", Value: "2"}, false},
		{histories.Compare{Target: "version", Op: "!=", Value: "1"}, true},
		{histories.Compare{Target: "create", Op: "<", Value: at(r)}, true},
		{histories.Compare{Target: "create", Op: "=", Value: at(r - 1)}, true},
		{histories.Compare{Target: "mod", Op: ">", Value: at(r)}, false},
		{histories.Compare{Target: "mod", Op: ">", Value: at(r - 1)}, true},
		{histories.Compare{Target: "lease", Op: "=", Value: at(histories.Revision(lease))}, true},
		{histories.Compare{Target: "lease", Op: "=", Value: "0"}, false},
		{histories.Compare{Target: "value", Op: "=", Value: "w2", Labels: labels, Size: 100}, true},
		{histories.Compare{Target: "value", Op: "=", Value: "w2", Labels: labels}, false},
		{histories.Compare{Target: "value", Op: "!=", Value: "w1", Labels: labels, Size: 100}, true},
	} {
		test.compare.Key = key("a")
		got := do(t, client, transact(histories.Txn{Compares: []histories.Compare{test.compare}}))
		if want := (histories.Answer{Outcome: histories.OK, Revision: r, Succeeded: test.want}); !cmp.Equal(want, got) {
			t.Errorf("%+v: %+v, want %v", test.compare, got, test.want)
		}
	}
}

func TestTransactionsThatAreRefused(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w1")).Revision
	for what, test := range map[string]struct {
		then  []histories.Request
		class histories.ErrorClass
	}{
		"one key twice":   {[]histories.Request{put("a", "w2"), put("a", "w3")}, histories.Invalid},
		"the future":      {[]histories.Request{put("a", "w2"), {Kind: histories.Get, Key: key("a"), Revision: r + 9}}, histories.Future},
		"below the start": {[]histories.Request{put("a", "w2"), {Kind: histories.Get, Key: key("a"), Revision: -2}}, histories.Compacted},
		"no such lease":   {[]histories.Request{put("a", "w2"), {Kind: histories.Put, Key: key("b"), Lease: 77}}, histories.NoLease},
		"too many":        {make([]histories.Request, 129), histories.Invalid},
	} {
		for i := range test.then {
			if test.then[i].Kind == "" {
				test.then[i] = get("a")
			}
		}
		wantAnswer(t, what, do(t, client, transact(histories.Txn{Then: test.then})), failed(test.class))
	}
	wantAnswer(t, "get", do(t, client, get("a")), read(r, object("a", "w1", r, r, 1)))
}

func TestTransactionsThatCannotBeSent(t *testing.T) {
	client := newClient(t)
	for part, txn := range map[string]histories.Txn{
		"inside a transaction": {Then: []histories.Request{{Kind: histories.Watch}}},
		"not delete":           {Else: []histories.Request{{Kind: histories.Delete, Key: key("a"), Conditional: true}}},
		"decimal":              {Compares: []histories.Compare{{Key: key("a"), Target: "mod", Op: "=", Value: "x"}}},
		"expected one of [=":   {Compares: []histories.Compare{{Key: key("a"), Target: "mod", Op: "=="}}},
		"expected one of [v":   {Compares: []histories.Compare{{Key: key("a"), Target: "size", Op: "=", Value: "1"}}},
	} {
		if _, err := client.Do(t.Context(), transact(txn)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%+v: %v, want something about %q", txn, err, part)
		}
	}
}

func TestOddResultsAreRecordedAsTheyAre(t *testing.T) {
	s := &stub{}
	client, _ := stubClient(t, s)
	s.answerWith(func(proto.Message) (proto.Message, error) {
		return &pb.TxnResponse{Header: header(5), Succeeded: true, Responses: []*pb.ResponseOp{
			{Response: &pb.ResponseOp_ResponsePut{ResponsePut: &pb.PutResponse{Header: header(4)}}},
			{},
			{Response: &pb.ResponseOp_ResponseTxn{ResponseTxn: &pb.TxnResponse{}}},
		}}, nil
	})
	got := do(t, client, transact(histories.Txn{Then: []histories.Request{get("a")}}))
	want := histories.Answer{Outcome: histories.OK, Revision: 5, Succeeded: true, Results: []histories.Answer{
		told(4), {Outcome: histories.Unknown, Error: &histories.Error{Class: histories.Other}}, {Outcome: histories.OK},
	}}
	wantAnswer(t, "transaction", got, want)
}
