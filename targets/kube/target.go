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
	// sets counts the sets of namespaces that were made. Those in free are empty and
	// belong to no plan.
	sets int
	free []names
}

func (t *target) Describe() targets.Description { return t.description }

// NewSpace takes a set of namespaces that is empty, and makes one where there is none.
func (t *target) NewSpace(ctx context.Context, _ string) (targets.Space, error) {
	set, found := t.take()
	if !found {
		if err := t.makeNamespaces(ctx, set); err != nil {
			return nil, err
		}
	}
	return &space{target: t, dialect: dialect{kind: &t.kind, names: set}}, nil
}

func (t *target) makeNamespaces(ctx context.Context, set names) error {
	if t.bare {
		return nil
	}
	return t.admin.makeNamespaces(ctx, t.run, set)
}

// take is a free set of namespaces, or the names of one that has to be made.
func (t *target) take() (set names, found bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if last := len(t.free) - 1; last >= 0 {
		set, t.free = t.free[last], t.free[:last]
		return set, true
	}
	t.sets++
	prefix := "rvcheck-" + t.run + "-"
	if t.sets > 1 {
		prefix += strconv.Itoa(t.sets) + "-"
	}
	return names{prefix: prefix}, false
}

func (t *target) giveBack(set names) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, set)
}

// Close removes all that the run made: objects, namespaces and the type.
func (t *target) Close(ctx context.Context) error {
	defer t.admin.close()
	return t.admin.removeRun(ctx, t.run, []*objectType{&t.kind})
}

// space is what one plan uses: three namespaces.
type space struct {
	target  *target
	dialect dialect
	streams atomic.Int64 // counts the watches
	// uncertain: a write may still have its effect. Nobody else gets these namespaces.
	uncertain atomic.Bool
}

func (s *space) Open(_ context.Context, endpoint int) (targets.Client, error) {
	endpoints := s.target.endpoints
	if endpoint < 1 || endpoint > len(endpoints) {
		return nil, usage("endpoint "+strconv.Itoa(endpoint), fmt.Sprintf("expected one of the target's endpoints, 1 to %d", len(endpoints)))
	}
	return s.newClient(endpoints[endpoint-1])
}

// Remove deletes the objects of the plan, and lets another plan have the namespaces.
func (s *space) Remove(ctx context.Context) error {
	var failures []error
	for _, namespace := range s.dialect.names.all() {
		failures = append(failures, s.target.admin.empty(ctx, &s.target.kind, namespace))
	}
	if err := errors.Join(failures...); err != nil {
		return &targets.SetupError{Where: s.target.description.URL, Expected: "objects of the plan are left", Err: err}
	}
	if !s.uncertain.Load() {
		s.target.giveBack(s.dialect.names)
	}
	return nil
}
