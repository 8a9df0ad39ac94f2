package kube

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/targets"
)

// Removed is what Clean has removed of one run.
type Removed struct {
	Run string
	// Namespaces and Types are the names in the cluster.
	Namespaces []string
	Types      []string
	// Objects are those of the cluster-scoped type that the configuration names.
	Objects []string
}

// Clean removes the namespaces and types of runs that were cut short: those that carry
// the label of a run and were made longer than age ago. Where the configuration names a
// cluster-scoped type, it also removes the objects there that a run has written, by their
// name and their value. A run that is younger may still be at work. Its errors are those of Open; what it has removed before is told beside.
func Clean(ctx context.Context, config Config, age time.Duration) ([]Removed, error) {
	endpoints, err := config.endpoints()
	if err != nil {
		return nil, err
	}
	if _, _, err := versionOf(ctx, endpoints[0], config); err != nil {
		return nil, err
	}
	a, err := newAdmin(endpoints[0])
	if err != nil {
		return nil, err
	}
	defer a.close()
	types, err := a.cleanedTypes(ctx, config)
	if err != nil {
		return nil, err
	}
	runs, err := a.leftovers(ctx, types, time.Now().Add(-age))
	if err != nil {
		return nil, err
	}
	var done []Removed
	var failures []error
	for _, run := range runs {
		if err := a.removeRun(ctx, run.Run, slices.Concat(run.of(types), run.ownTypes())); err != nil {
			failures = append(failures, &targets.SetupError{Where: a.endpoint.String(), Expected: "expected to remove what is left of the run " + run.Run, Err: err})
			continue
		}
		done = append(done, run)
	}
	return done, errors.Join(failures...)
}

// cleanedTypes are those of which a run may have left objects with finalizers, beside
// types of its own.
func (a *admin) cleanedTypes(ctx context.Context, c Config) ([]*objectType, error) {
	var types []*objectType
	for _, known := range builtIn {
		types = append(types, &known)
	}
	if _, known := builtIn[c.Resource]; known || c.Resource == "" {
		return types, nil
	}
	named, err := typeNamed(c.Resource)
	if err == nil {
		err = a.learnType(ctx, &named)
	}
	return append(types, &named), err
}

// of are the types as the run knows them.
func (r Removed) of(types []*objectType) []*objectType {
	var all []*objectType
	for _, t := range types {
		if its := *t; t.clusterScoped {
			its.prefix = runPrefix(r.Run)
			t = &its
		}
		all = append(all, t)
	}
	return all
}

// ownTypes are the types of a run's own that were found.
func (r Removed) ownTypes() []*objectType {
	var types []*objectType
	for _, name := range r.Types {
		named, found := strings.CutPrefix(strings.TrimSuffix(name, "."+domain), ownPlural)
		if own := ownType(r.Run + strings.TrimPrefix(named, r.Run)); found && own.name() == name {
			types = append(types, &own)
		}
	}
	return types
}

// leftovers are the runs that have left something that was made before a time.
func (a *admin) leftovers(ctx context.Context, types []*objectType, before time.Time) ([]Removed, error) {
	runs, err := a.labelled(ctx, before)
	if err != nil {
		return nil, err
	}
	for _, t := range types {
		if !t.clusterScoped {
			continue
		}
		objects, err := a.find(ctx, t.path(""), "")
		if err != nil {
			return nil, a.setup("list "+t.name(), err)
		}
		runs = append(runs, t.writers(objects, before)...)
	}
	return runs, nil
}

// writers are the runs that have written some of the objects, all of theirs before a time.
func (t *objectType) writers(objects []found, before time.Time) []Removed {
	names, young := map[string][]string{}, map[string]bool{}
	for i := range objects {
		run, ours := runOf(objects[i].Name)
		if !ours || !t.ofRun(&objects[i]) {
			continue
		}
		names[run] = append(names[run], objects[i].Name)
		young[run] = young[run] || objects[i].CreationTimestamp.After(before)
	}
	var runs []Removed
	for _, run := range slices.Sorted(maps.Keys(names)) {
		if !young[run] {
			runs = append(runs, Removed{Run: run, Objects: names[run]})
		}
	}
	return runs
}

// runOf is the run whose prefix a name has.
func runOf(name string) (run string, found bool) {
	rest, ours := strings.CutPrefix(name, manager+"-")
	run, _, found = strings.Cut(rest, "-")
	return run, ours && found && len(run) == runLength
}

// labelled are the runs that have left namespaces or types, by their labels.
func (a *admin) labelled(ctx context.Context, before time.Time) ([]Removed, error) {
	selector := managedBy + "=" + manager + "," + runLabel
	namespaces, err := a.find(ctx, namespacesPath, selector)
	if err != nil && !isCode(err, http.StatusNotFound) {
		return nil, a.setup("list namespaces", err)
	}
	types, err := a.find(ctx, typesPath, selector)
	if err != nil && !isCode(err, http.StatusForbidden) {
		return nil, a.setup("list types", err)
	}
	var runs []Removed
	of := func(made found) *Removed {
		run := made.Labels[runLabel]
		if run == "" || made.CreationTimestamp.After(before) {
			return &Removed{}
		}
		at := slices.IndexFunc(runs, func(r Removed) bool { return r.Run == run })
		if at < 0 {
			at, runs = len(runs), append(runs, Removed{Run: run})
		}
		return &runs[at]
	}
	for _, made := range namespaces {
		run := of(made)
		run.Namespaces = append(run.Namespaces, made.Name)
	}
	for _, made := range types {
		run := of(made)
		run.Types = append(run.Types, made.Name)
	}
	return runs, nil
}
