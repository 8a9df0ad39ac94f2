package etcd_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

// A tap shows the keys of others as they are, with what was there before.
func TestTap(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tap, err := etcd.OpenTap(ctx, sharedConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tap.Close() }()
	connection, err := grpc.NewClient(shared.Endpoint(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	kv := pb.NewKVClient(connection)
	watch, err := tap.Watch(ctx, "/tap/")
	if err != nil {
		t.Fatal(err)
	}
	put := func(key, value string) {
		t.Helper()
		if _, err := kv.Put(ctx, &pb.PutRequest{Key: []byte(key), Value: []byte(value)}); err != nil {
			t.Fatal(err)
		}
	}
	put("/tap/x", "one")
	put("/other", "no")
	put("/tap/x", "two")
	if there, err := tap.Has(ctx, "/tap/x"); err != nil || !there {
		t.Errorf("Has(/tap/x) = %t, %v", there, err)
	}
	if there, err := tap.Has(ctx, "/tap/"); err != nil || there {
		t.Errorf("Has(/tap/) = %t, %v", there, err)
	}
	if _, err := kv.DeleteRange(ctx, &pb.DeleteRangeRequest{Key: []byte("/tap/x")}); err != nil {
		t.Fatal(err)
	}
	var got []etcd.Change
	for len(got) < 3 {
		changes, err := watch.Next()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, changes...)
	}
	first := watch.Created() + 1
	want := []etcd.Change{
		{Key: "/tap/x", Value: []byte("one"), Revision: first},
		{Key: "/tap/x", Value: []byte("two"), Revision: first + 2, Before: first, BeforeValue: []byte("one")},
		{Key: "/tap/x", Revision: first + 3, Deleted: true, Before: first + 2, BeforeValue: []byte("two")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes: -want +got\n%s", diff)
	}
	if first <= histories.Revision(1) {
		t.Errorf("the watch was created at revision %d", first-1)
	}
}

func TestTapOfNobody(t *testing.T) {
	_, err := etcd.OpenTap(t.Context(), etcd.Config{Endpoints: []string{"127.0.0.1:1"}})
	var setup *targets.SetupError
	if !errors.As(err, &setup) || setup.Where != "127.0.0.1:1" {
		t.Errorf("got %v, want a set-up error of the endpoint", err)
	}
}
