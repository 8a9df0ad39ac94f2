package etcd_test

import (
	"context"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

func about(kind histories.Kind, lease int64) histories.Request {
	return histories.Request{Kind: kind, Lease: lease}
}

func grant(t *testing.T, client targets.Client, ttl int64) int64 {
	t.Helper()
	got := do(t, client, histories.Request{Kind: histories.LeaseGrant, TTL: ttl})
	if got.Outcome != histories.OK || got.Lease == 0 || got.TTL < ttl {
		t.Fatalf("grant: %+v", got)
	}
	return got.Lease
}

func attach(name string, write histories.WriteID, lease int64) histories.Request {
	return histories.Request{Kind: histories.LeaseAttach, Key: key(name), Write: write, Lease: lease}
}

func TestLease(t *testing.T) {
	client := newClient(t)
	lease := grant(t, client, 600)
	s, _, _ := watch(t, t.Context(), client, histories.Request{})
	r := do(t, client, attach("b", "w1", lease)).Revision
	bound := create("a", "w2")
	bound.Lease = lease
	do(t, client, bound)

	held := object("b", "w1", r, r, 1)
	held.Lease = lease
	wantAnswer(t, "get", do(t, client, get("b")), read(r+1, held))
	left := do(t, client, about(histories.LeaseTimeToLive, lease))
	if left.TTL < 590 || left.TTL > 600 {
		t.Errorf("%d seconds are left of 600", left.TTL)
	}
	left.TTL = 0
	wantAnswer(t, "timetolive", left, histories.Answer{
		Outcome: histories.OK, Revision: r + 1, Lease: lease, GrantedTTL: 600, Keys: []histories.Key{key("a"), key("b")},
	})
	wantAnswer(t, "keepalive", do(t, client, about(histories.LeaseKeepAlive, lease)), histories.Answer{
		Outcome: histories.OK, Revision: r + 1, Lease: lease, TTL: 600,
	})
	wantAnswer(t, "revoke", do(t, client, about(histories.LeaseRevoke, lease)), histories.Answer{
		Outcome: histories.OK, Revision: r + 2, Lease: lease,
	})
	s.await(t, "four events", func() bool { return len(s.events()) == 4 })
	for _, event := range s.events()[2:] {
		if event.Type != histories.DeleteEvent || event.Object.RV != r+2 {
			t.Errorf("got %+v, want a deletion at %v", event, r+2)
		}
	}
}

func TestLeaseThatIsNotThere(t *testing.T) {
	client := newClient(t)
	r := do(t, client, create("a", "w1")).Revision
	wantAnswer(t, "attach", do(t, client, attach("a", "w2", 4711)), failed(histories.NoLease))
	wantAnswer(t, "revoke", do(t, client, about(histories.LeaseRevoke, 4711)), failed(histories.NoLease))
	wantAnswer(t, "keepalive", do(t, client, about(histories.LeaseKeepAlive, 4711)),
		histories.Answer{Outcome: histories.OK, Revision: r, Lease: 4711})
	wantAnswer(t, "timetolive", do(t, client, about(histories.LeaseTimeToLive, 4711)),
		histories.Answer{Outcome: histories.OK, Revision: r, Lease: 4711, TTL: -1})
}

func TestLeaseOfAGivenID(t *testing.T) {
	client := newClient(t)
	request := histories.Request{Kind: histories.LeaseGrant, TTL: 600, Lease: 4712}
	if got := do(t, client, request); got.Outcome != histories.OK || got.Lease != 4712 {
		t.Errorf("got %+v", got)
	}
	wantAnswer(t, "again", do(t, client, request), failed(histories.Exists))
	request.Lease, request.TTL = 4713, 1<<40
	wantAnswer(t, "too long", do(t, client, request), failed(histories.Invalid))
}

func TestLeaseExpires(t *testing.T) {
	client := newClient(t)
	lease := grant(t, client, 1)
	s, _, _ := watch(t, t.Context(), client, histories.Request{PrevKV: true})
	r := do(t, client, attach("a", "w1", lease)).Revision
	do(t, client, attach("b", "w2", lease))
	s.await(t, "four events", func() bool { return len(s.events()) == 4 })
	for _, event := range s.events()[2:] {
		if event.Type != histories.DeleteEvent || event.Object.RV != r+2 || event.Prev == nil || event.Prev.Lease != lease {
			t.Errorf("got %+v, want a deletion at %v", event, r+2)
		}
	}
	if got := do(t, client, about(histories.LeaseTimeToLive, lease)); got.TTL != -1 {
		t.Errorf("timetolive after the expiry: %+v", got)
	}
}

// leaseExists asks past the target.
func leaseExists(t *testing.T, id int64) bool {
	t.Helper()
	got, err := pb.NewLeaseClient(rawConnection(t, shared.Endpoint())).
		LeaseTimeToLive(context.Background(), &pb.LeaseTimeToLiveRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return got.GetTTL() != -1
}

func TestLeasesAreNotLeft(t *testing.T) {
	target, err := etcd.Open(t.Context(), sharedConfig())
	if err != nil {
		t.Fatal(err)
	}
	first, second := openSpace(t, target, "0001"), openSpace(t, target, "0002")
	one, two := grant(t, openClient(t, first), 600), grant(t, openClient(t, second), 600)
	if err := first.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if leaseExists(t, one) || !leaseExists(t, two) {
		t.Error("the removal of a space does not revoke its own leases alone")
	}
	if err := target.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if leaseExists(t, two) {
		t.Error("the run left a lease")
	}
}

func TestForeignLeasesAreLeftAlone(t *testing.T) {
	foreign, err := pb.NewLeaseClient(rawConnection(t, shared.Endpoint())).LeaseGrant(t.Context(), &pb.LeaseGrantRequest{TTL: 600})
	if err != nil {
		t.Fatal(err)
	}
	config := sharedConfig()
	config.Exclusive = false
	client := openClient(t, openSpace(t, open(t, config), "0001"))
	for _, kind := range []histories.Kind{
		histories.LeaseRevoke, histories.LeaseAttach, histories.LeaseKeepAlive, histories.LeaseTimeToLive,
	} {
		if got, err := client.Do(t.Context(), about(kind, foreign.GetID())); err == nil {
			t.Errorf("%s of a foreign lease: %+v", kind, got)
		}
	}
	own := grant(t, client, 600)
	if got := do(t, client, about(histories.LeaseRevoke, own)); got.Outcome != histories.OK {
		t.Errorf("revoke of an own lease: %+v", got)
	}
	wantAnswer(t, "revoke again", do(t, client, about(histories.LeaseRevoke, own)), failed(histories.NoLease))
	if !leaseExists(t, foreign.GetID()) {
		t.Error("the foreign lease is gone")
	}
}
