package kube

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/rvcheck/rvcheck/targets"
)

// target is one run's use of a cluster.
type target struct {
	config    Config
	endpoints []endpoint
	admin     *admin
	kind      objectType
	// bare: the servers have no namespaces to make, and take any.
	bare bool
	// run names the run in the cluster.
	run         string
	description targets.Description

	mu sync.Mutex
	// places counts those that were made. Those in free are empty and belong to no plan.
	places int
	free   []place
	// further are the types beside kind that the run has made.
	further []*objectType
}

// place is where a plan works: a set of namespaces, a cluster-scoped type of the run's
// own, or those objects of another one whose names begin with the place's.
type place struct {
	kind  *objectType
	names names
}

func (t *target) Describe() targets.Description { return t.description }

// NewSpace takes a place that is empty, and makes one where there is none.
func (t *target) NewSpace(ctx context.Context, _ string) (targets.Space, error) {
	p, found := t.take()
	if !found {
		if err := t.makePlace(ctx, p); err != nil {
			return nil, err
		}
	}
	return &space{target: t, dialect: dialect(p)}, nil
}

// makePlace makes the namespaces of a place. One without has a type of its own, which is
// ready when it was asked how it behaves.
func (t *target) makePlace(ctx context.Context, p place) error {
	switch {
	case p.kind.own && p.kind != &t.kind:
		if err := t.makeFurtherType(ctx, p.kind); err != nil {
			return err
		}
		_, err := t.settle(ctx, p)
		return err
	case p.names.none, t.bare:
		return nil
	default:
		return t.admin.makeNamespaces(ctx, t.run, p.names)
	}
}

// runPrefix begins the names of what belongs to a run in the cluster.
func runPrefix(run string) string { return manager + "-" + run + "-" }

// take is a free place, or one that has to be made.
func (t *target) take() (p place, found bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if last := len(t.free) - 1; last >= 0 {
		p, t.free = t.free[last], t.free[:last]
		return p, true
	}
	t.places++
	first := t.places == 1
	switch {
	case !t.kind.clusterScoped && first:
		return place{&t.kind, names{prefix: runPrefix(t.run)}}, false
	case !t.kind.clusterScoped:
		return place{&t.kind, names{prefix: runPrefix(t.run) + strconv.Itoa(t.places) + "-"}}, false
	case !t.kind.own:
		named := t.kind
		named.prefix += strconv.Itoa(t.places) + "-"
		return place{&named, names{none: true, objects: named.prefix}}, false
	case first:
		return place{&t.kind, names{none: true}}, false
	default:
		further := ownType(fmt.Sprintf("%sx%d", t.run, t.places))
		further.clusterScoped = true
		t.further = append(t.further, &further)
		return place{&further, names{none: true}}, false
	}
}

func (t *target) giveBack(p place) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, p)
}

// types are those of which the run may have made objects.
func (t *target) types() []*objectType {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]*objectType{&t.kind}, t.further...)
}

// Close removes all that the run made: objects, namespaces and types.
func (t *target) Close(ctx context.Context) error {
	defer t.admin.close()
	return t.admin.removeRun(ctx, t.run, t.types())
}

// space is what one plan uses: three namespaces, or objects without any.
type space struct {
	target  *target
	dialect dialect
	streams atomic.Int64 // counts the watches
	// uncertain: a write may still have its effect. Nobody else gets this place.
	uncertain atomic.Bool
}

func (s *space) Open(_ context.Context, endpoint int) (targets.Client, error) {
	endpoints := s.target.endpoints
	if endpoint < 1 || endpoint > len(endpoints) {
		return nil, usage("endpoint "+strconv.Itoa(endpoint), fmt.Sprintf("expected one of the target's endpoints, 1 to %d", len(endpoints)))
	}
	return s.newClient(endpoints[endpoint-1])
}

// Remove deletes the objects of the plan, and lets another plan have the place.
func (s *space) Remove(ctx context.Context) error {
	var failures []error
	for _, namespace := range s.dialect.names.all() {
		failures = append(failures, s.target.admin.empty(ctx, s.dialect.kind, namespace))
	}
	if err := errors.Join(failures...); err != nil {
		return &targets.SetupError{Where: s.target.description.URL, Expected: "objects of the plan are left", Err: err}
	}
	if !s.uncertain.Load() {
		s.target.giveBack(place(s.dialect))
	}
	return nil
}
