package etcd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// target is one run's use of a store.
type target struct {
	config      Config
	description targets.Description
	run         keyspace
	// used is set when the run may have left keys in the store.
	used atomic.Bool
	// uncounted: the version of an object says nothing.
	uncounted bool
	leases    leases
}

func newTarget(config Config, statuses []*pb.StatusResponse) *target {
	return &target{
		config: config,
		run:    keyspace(config.topPrefix() + strings.ToLower(rand.Text()) + "/"),
		description: targets.Description{
			URL:         config.publicURL(),
			Layer:       histories.EtcdLayer,
			Server:      versions(statuses),
			Profile:     profile(statuses),
			World:       histories.Closed,
			Endpoints:   len(config.Endpoints),
			Exclusive:   config.Exclusive && !config.SelfCompacting,
			Unsupported: unsupported(config),
		},
	}
}

// topPrefix is where the prefixes of all runs are.
func (c Config) topPrefix() string { return strings.TrimSuffix(c.Prefix, "/") + "/rvcheck/" }

// versions names each version once, in the order of the endpoints.
func versions(statuses []*pb.StatusResponse) string {
	var names []string
	for _, s := range statuses {
		if v := s.GetVersion(); v != "" && !slices.Contains(names, v) {
			names = append(names, v)
		}
	}
	return strings.Join(names, ", ")
}

// profile is the oldest minor version among the endpoints, such as "etcd-3.7". A
// store that stands in for etcd reports a version that it does not have; those
// known name no cluster in their status, and promise just "etcd".
func profile(statuses []*pb.StatusResponse) string {
	oldest := ""
	lowest := [2]uint64{^uint64(0), ^uint64(0)}
	for _, s := range statuses {
		minor, ok := minorVersion(s.GetVersion())
		if !ok || s.GetHeader().GetClusterId() == 0 {
			return "etcd"
		}
		if slices.Compare(minor[:], lowest[:]) < 0 {
			lowest = minor
			oldest = fmt.Sprintf("etcd-%d.%d", minor[0], minor[1])
		}
	}
	return oldest
}

func minorVersion(version string) (minor [2]uint64, ok bool) {
	parts := strings.Split(version, ".")
	if len(parts) < 3 {
		return minor, false
	}
	for i := range minor {
		n, err := strconv.ParseUint(parts[i], 10, 32)
		if err != nil {
			return minor, false
		}
		minor[i] = n
	}
	return minor, true
}

const (
	notYet       = "not offered by this target yet"
	noKubernetes = "the target speaks etcd's API"
	notExclusive = "the store is not exclusive to the run; say ?exclusive=true"
)

func unsupported(config Config) map[targets.Feature]string {
	missing := map[targets.Feature]string{
		targets.Faults:      notYet,
		targets.KubeOptions: noKubernetes,
	}
	if !config.Exclusive {
		missing[targets.Compaction] = notExclusive
	}
	if len(config.Endpoints) < 2 {
		missing[targets.ManyEndpoints] = "the target URL names one endpoint"
	}
	return missing
}

func (t *target) Describe() targets.Description { return t.description }

// NewSpace makes a space of the name's own prefix. A name is used once in a run, so
// the space is empty.
func (t *target) NewSpace(_ context.Context, name string) (targets.Space, error) {
	t.used.Store(true)
	return &space{target: t, keys: t.run + keyspace(url.PathEscape(name)+"/")}, nil
}

// Close removes everything below the run's prefix, the leases that the run was
// granted, and nothing else.
func (t *target) Close(ctx context.Context) error {
	if !t.used.Load() {
		return nil
	}
	return t.remove(ctx, t.run, nil)
}

// space is one plan's part of the run's prefix.
type space struct {
	target     *target
	keys       keyspace
	transports atomic.Int64 // names the transport streams
}

func (s *space) Open(ctx context.Context, endpoint int) (targets.Client, error) {
	endpoints := s.target.config.Endpoints
	if endpoint < 1 || endpoint > len(endpoints) {
		return nil, usage("endpoint "+strconv.Itoa(endpoint), fmt.Sprintf("expected one of the target's endpoints, 1 to %d", len(endpoints)))
	}
	c := newClient(s, endpoints[endpoint-1])
	if err := c.arrive(ctx); err != nil {
		return nil, &targets.SetupError{Where: c.endpoint, Expected: "expected a connection", Err: errors.Join(err, c.Close())}
	}
	return c, nil
}

// Remove deletes the keys of the space and revokes the leases that were granted in it.
func (s *space) Remove(ctx context.Context) error { return s.target.remove(ctx, s.keys, s) }
