package embedded_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/embedded"
)

const members = 3

// openMembers is a client on each member of one cluster.
func openMembers(t *testing.T) (targets.Target, []targets.Client) {
	t.Helper()
	target, err := embedded.Open(t.Context(), embedded.Options{Members: members})
	if err != nil {
		t.Fatal(err)
	}
	space, err := target.NewSpace(t.Context(), "0001")
	if err != nil {
		t.Fatal(err)
	}
	var clients []targets.Client
	t.Cleanup(func() {
		for _, client := range clients {
			if err := client.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := errors.Join(space.Remove(context.Background()), target.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	for endpoint := range members {
		client, err := space.Open(t.Context(), endpoint+1)
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, client)
	}
	return target, clients
}

func do(t *testing.T, client targets.Client, request histories.Request) histories.Answer {
	t.Helper()
	answer, err := client.Do(t.Context(), request)
	if err != nil || answer.Outcome != histories.OK {
		t.Fatalf("%s: %+v, %v", request.Kind, answer, err)
	}
	return answer
}

// arrivals hands on what a stream delivers.
type arrivals chan histories.Event

func (a arrivals) End(histories.End) { close(a) }
func (a arrivals) Batch(events []histories.Event) {
	for _, event := range events {
		a <- event
	}
}

func TestMembers(t *testing.T) {
	target, clients := openMembers(t)
	told := target.Describe()
	if told.URL != "embedded://?members=3" || told.Endpoints != members || !told.Exclusive || told.Unsupported[targets.ManyEndpoints] != "" {
		t.Errorf("got %+v", told)
	}
	var streams []arrivals
	for _, client := range clients {
		sink := make(arrivals, 100)
		request := histories.Request{Kind: histories.Watch, StartRevision: 1}
		if answer, _, err := client.Watch(t.Context(), request, sink); err != nil || answer.Outcome != histories.OK {
			t.Fatalf("watch: %+v, %v", answer, err)
		}
		streams = append(streams, sink)
	}
	// What one member acknowledges, all others show.
	for i, client := range clients {
		write := histories.Request{Kind: histories.Put, Key: histories.Key{Name: "a"}, Write: histories.WriteID("w" + string(rune('1'+i)))}
		revision := do(t, client, write).Revision
		for _, other := range clients {
			got := do(t, other, histories.Request{Kind: histories.Get, Key: write.Key})
			if len(got.Objects) != 1 || got.Objects[0].Write != write.Write || got.Revision != revision {
				t.Errorf("after %s at %v: %+v", write.Write, revision, got)
			}
		}
	}
	for i, stream := range streams {
		var writes []histories.WriteID
		for range members {
			writes = append(writes, next(t, stream).Object.Write)
		}
		if diff := cmp.Diff([]histories.WriteID{"w1", "w2", "w3"}, writes); diff != "" {
			t.Errorf("the watch on member %d: -want +got\n%s", i+1, diff)
		}
	}
}

func next(t *testing.T, stream arrivals) histories.Event {
	t.Helper()
	select {
	case event := <-stream:
		return event
	case <-time.After(10 * time.Second):
		t.Fatal("no event came")
		return histories.Event{}
	}
}

// Only the leader keeps the time of leases; the others ask it.
func TestLeasesOnAllMembers(t *testing.T) {
	_, clients := openMembers(t)
	for i, client := range clients {
		granted := do(t, client, histories.Request{Kind: histories.LeaseGrant, TTL: 1})
		if granted.TTL != 1 {
			t.Errorf("a lease of one second got %d", granted.TTL)
		}
		lease := do(t, client, histories.Request{Kind: histories.LeaseGrant, TTL: 600}).Lease
		key := histories.Key{Name: "a"}
		do(t, clients[(i+1)%members], histories.Request{Kind: histories.LeaseAttach, Key: key, Write: "w1", Lease: lease})
		for _, other := range clients {
			if got := do(t, other, histories.Request{Kind: histories.LeaseKeepAlive, Lease: lease}); got.TTL != 600 {
				t.Errorf("keepalive: %+v", got)
			}
			got := do(t, other, histories.Request{Kind: histories.LeaseTimeToLive, Lease: lease})
			if got.GrantedTTL != 600 || !cmp.Equal([]histories.Key{key}, got.Keys) {
				t.Errorf("timetolive: %+v", got)
			}
		}
		do(t, clients[(i+2)%members], histories.Request{Kind: histories.LeaseRevoke, Lease: lease})
		if got := do(t, client, histories.Request{Kind: histories.Get, Key: key}); len(got.Objects) != 0 {
			t.Errorf("the key outlives its lease: %+v", got)
		}
	}
}
