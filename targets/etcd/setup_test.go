package etcd_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/embedded"
	"github.com/rvcheck/rvcheck/targets/etcd"
)

// patience is how long a test waits for what must happen.
const patience = 10 * time.Second

// shared is the server of the tests that do not disturb each other.
var shared *embedded.Server

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if shared, err = embedded.Start(context.Background(), embedded.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := shared.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func sharedConfig() etcd.Config {
	return etcd.Config{Endpoints: []string{shared.Endpoint()}, Exclusive: true, Profile: "etcd"}
}

func open(t *testing.T, config etcd.Config) targets.Target {
	t.Helper()
	target, err := etcd.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := target.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return target
}

func openSpace(t *testing.T, target targets.Target, name string) targets.Space {
	t.Helper()
	space, err := target.NewSpace(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return space
}

func openClient(t *testing.T, space targets.Space) targets.Client {
	t.Helper()
	client, err := space.Open(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("Close of the client: %v", err)
		}
	})
	return client
}

// newClient is a client in a fresh space of the shared server.
func newClient(t *testing.T) targets.Client {
	t.Helper()
	return openClient(t, openSpace(t, open(t, sharedConfig()), "0001"))
}

func do(t *testing.T, client targets.Client, request histories.Request) histories.Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	answer, err := client.Do(ctx, request)
	if err != nil {
		t.Fatalf("%s %q: %v", request.Kind, request.Key.Name, err)
	}
	return answer
}

// raw is a connection to the shared server past the target.
func raw(t *testing.T) pb.KVClient { return pb.NewKVClient(rawConnection(t, shared.Endpoint())) }

func rawConnection(t *testing.T, endpoint string) *grpc.ClientConn {
	t.Helper()
	connection, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

func key(name string) histories.Key { return histories.Key{Name: name} }

func create(name string, write histories.WriteID) histories.Request {
	return histories.Request{Kind: histories.Create, Key: key(name), Write: write}
}

func list(scope histories.Scope) histories.Request {
	return histories.Request{Kind: histories.List, Scope: scope}
}

func names(answer histories.Answer) []string {
	names := []string{}
	for _, o := range answer.Objects {
		names = append(names, o.Key.Name)
	}
	return names
}

// sink collects what a stream delivers.
type sink struct {
	mu      sync.Mutex
	batches [][]histories.Event
	ends    []histories.End
	changed chan struct{} // one token when something came
}

func newSink() *sink { return &sink{changed: make(chan struct{}, 1)} }

func (s *sink) Batch(events []histories.Event) {
	s.change(func() { s.batches = append(s.batches, events) })
}

func (s *sink) End(end histories.End) { s.change(func() { s.ends = append(s.ends, end) }) }

func (s *sink) change(do func()) {
	s.mu.Lock()
	do()
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// events are those that came so far, without the progress notifications.
func (s *sink) events() (events []histories.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, batch := range s.batches {
		for _, e := range batch {
			if e.Type != histories.ProgressEvent {
				events = append(events, e)
			}
		}
	}
	return events
}

func (s *sink) progress() (revisions []histories.Revision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, batch := range s.batches {
		for _, e := range batch {
			if e.Type == histories.ProgressEvent {
				revisions = append(revisions, e.Header)
			}
		}
	}
	return revisions
}

func (s *sink) ended() []histories.End {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ends
}

// await waits until the claim about the sink holds.
func (s *sink) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(patience)
	for !holds() {
		select {
		case <-s.changed:
		case <-deadline:
			t.Fatalf("waited %v for %s; batches %+v, ends %+v", patience, what, s.batches, s.ends)
		}
	}
}

func (s *sink) awaitEnd(t *testing.T) histories.End {
	t.Helper()
	s.await(t, "the end of the stream", func() bool { return len(s.ended()) > 0 })
	return s.ended()[0]
}
