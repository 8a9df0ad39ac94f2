package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/rvcheck/rvcheck/histories"
	models "github.com/rvcheck/rvcheck/models/kube"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory/kube"
)

// target makes a store for each space.
type target struct {
	options Options
	mutant  Mutant
	profile models.Profile

	mu     sync.Mutex
	spaces map[string]*space
}

// Describe says that the store belongs to the run alone: nobody else writes to
// it or compacts it.
func (t *target) Describe() targets.Description {
	unsupported := map[targets.Feature]string{
		targets.ManyEndpoints: "the reference store has one endpoint",
		targets.Faults:        "the reference store is in this process and does not fail",
	}
	missing, reason := []targets.Feature{targets.KubeOptions}, "the reference store speaks etcd's interface"
	if t.options.Layer == histories.KubeLayer {
		missing, reason = etcdOnly, "the reference store speaks the interface of Kubernetes"
	}
	for _, feature := range missing {
		unsupported[feature] = reason
	}
	if t.options.ClusterScoped {
		unsupported[targets.Namespaces] = "the objects are cluster-scoped"
	}
	profile := reference
	if t.options.Profile != "" {
		profile = t.options.Profile
	}
	server := "reference"
	if t.mutant.ID != "" {
		server += " with the fault " + t.mutant.ID
	}
	return targets.Description{
		URL: t.options.url(), Layer: t.options.Layer, Server: server, Profile: profile,
		World: histories.Closed, Endpoints: 1, Exclusive: true, Unsupported: unsupported,
	}
}

// etcdOnly are the features that the Kubernetes layer has no words for.
var etcdOnly = []targets.Feature{
	targets.BinaryKeys, targets.Leases, targets.ProgressOnCall, targets.Puts, targets.RangeOptions, targets.RevisionBounds,
	targets.Serializable, targets.SharedStreams, targets.SortedReads, targets.StatusCalls, targets.Transactions,
	targets.Versions, targets.WatchIDs, targets.WatchOptions,
}

// content is the store of one space, whatever interface it speaks.
type content interface {
	// Connect opens the connection of the client with this name.
	Connect(name string) targets.Client
	// Close ends what the store does by itself, after all clients are closed.
	Close()
}

// content makes an empty store.
func (t *target) content(name string) content {
	if t.options.Layer == histories.KubeLayer {
		return kube.New(name, kube.Options{
			Seed: t.options.Seed, Probability: t.options.Probability, Profile: t.profile, ClusterScoped: t.options.ClusterScoped,
		}, t.mutant.kube)
	}
	f := t.mutant.make()
	f.races = t.mutant.ConcurrencyOnly
	return newStore(name, t.options, f)
}

// NewSpace makes an empty store. A name that is in use is an error.
func (t *target) NewSpace(_ context.Context, name string) (targets.Space, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.spaces[name] != nil {
		return nil, fmt.Errorf("space %q: expected a name that is not in use", name)
	}
	if t.spaces == nil {
		t.spaces = map[string]*space{}
	}
	s := &space{target: t, name: name, store: t.content(name)}
	t.spaces[name] = s
	return s, nil
}

// Close removes the spaces that are left.
func (t *target) Close(ctx context.Context) error {
	t.mu.Lock()
	left := slices.Collect(maps.Values(t.spaces))
	t.mu.Unlock()
	var errs []error
	for _, s := range left {
		errs = append(errs, s.Remove(ctx))
	}
	return errors.Join(errs...)
}

// space is one store and the clients that were opened on it.
type space struct {
	target *target
	name   string
	store  content

	mu      sync.Mutex
	clients []targets.Client
}

// Open connects a client. The store has one endpoint.
func (s *space) Open(_ context.Context, endpoint int) (targets.Client, error) {
	if endpoint != 1 {
		return nil, &targets.SetupError{Where: fmt.Sprintf("endpoint %d", endpoint), Expected: "expected 1, the only endpoint of the reference store"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.store.Connect(fmt.Sprintf("client %d", len(s.clients)+1))
	s.clients = append(s.clients, c)
	return c, nil
}

// Remove closes the clients that are left and forgets the store.
func (s *space) Remove(context.Context) error {
	s.mu.Lock()
	clients := s.clients
	s.mu.Unlock()
	for _, c := range clients {
		if err := c.Close(); err != nil {
			return err
		}
	}
	s.store.Close()
	s.target.mu.Lock()
	defer s.target.mu.Unlock()
	delete(s.target.spaces, s.name)
	return nil
}
