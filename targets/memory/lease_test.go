package memory

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

func do(t *testing.T, c targets.Client, r histories.Request) histories.Answer {
	t.Helper()
	a, err := c.Do(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func named(name string) histories.Key { return histories.Key{Name: name} }

func TestLeaseExpires(t *testing.T) {
	c := openClients(t, "", 1)[0]
	s := newSink()
	if _, _, err := c.Watch(t.Context(), histories.Request{Kind: histories.Watch}, s); err != nil {
		t.Fatal(err)
	}
	granted := do(t, c, histories.Request{Kind: histories.LeaseGrant, TTL: 1})
	began := time.Now()
	for _, name := range []string{"b", "a"} {
		do(t, c, histories.Request{Kind: histories.LeaseAttach, Key: named(name), Write: histories.WriteID(name), Lease: granted.Lease})
	}
	left := do(t, c, histories.Request{Kind: histories.LeaseTimeToLive, Lease: granted.Lease})
	want := histories.Answer{
		Outcome: histories.OK, Revision: 3, Lease: granted.Lease, GrantedTTL: 1, Keys: []histories.Key{named("a"), named("b")},
	}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	s.until(t, func(e histories.Event) bool { return e.Type == histories.DeleteEvent && e.Object.Key.Name == "b" })
	if took := time.Since(began); took < 900*time.Millisecond {
		t.Errorf("the lease lived for %s, expected a second", took)
	}
	events := s.all()[2:]
	if len(events) != 2 || events[0].Object.RV != 4 || events[1].Object.RV != 4 || events[0].Last || !events[1].Last {
		t.Errorf("expected both deletions at revision 4 in one batch: %+v", events)
	}
	if a := do(t, c, histories.Request{Kind: histories.LeaseKeepAlive, Lease: granted.Lease}); a.TTL != 0 {
		t.Errorf("expected no lease to be left: %+v", a)
	}
}

func TestKeepAliveProlongs(t *testing.T) {
	c := openClients(t, "", 1)[0]
	do(t, c, histories.Request{Kind: histories.LeaseGrant, TTL: 1, Lease: 7})
	do(t, c, histories.Request{Kind: histories.LeaseAttach, Key: named("a"), Write: "w", Lease: 7})
	for range 4 {
		time.Sleep(400 * time.Millisecond)
		if a := do(t, c, histories.Request{Kind: histories.LeaseKeepAlive, Lease: 7}); a.TTL != 1 {
			t.Fatalf("the lease is lost: %+v", a)
		}
	}
	if a := do(t, c, histories.Request{Kind: histories.Get, Key: named("a")}); len(a.Objects) != 1 || a.Objects[0].Lease != 7 {
		t.Errorf("expected the key to be there: %+v", a)
	}
	do(t, c, histories.Request{Kind: histories.LeaseRevoke, Lease: 7})
	if a := do(t, c, histories.Request{Kind: histories.Get, Key: named("a")}); len(a.Objects) != 0 {
		t.Errorf("expected the key to be gone: %+v", a)
	}
}

// A lease that has not ended when the store is removed holds nothing up.
func TestNoAlarmIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	target, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	space, err := target.NewSpace(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	c, err := space.Open(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, ttl := range []int64{1, 1000} {
		do(t, c, histories.Request{Kind: histories.LeaseGrant, TTL: ttl})
	}
	if err := target.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the goroutines end", func() bool { return runtime.NumGoroutine() <= before })
}

func TestStatusTellsTheVersion(t *testing.T) {
	c := openClients(t, "", 1)[0]
	if a := do(t, c, histories.Request{Kind: histories.Status}); a.Outcome != histories.OK || a.Version != version || a.Revision != 1 {
		t.Errorf("unexpected status %+v", a)
	}
}
