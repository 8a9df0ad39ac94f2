package kube

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/targets"
)

const typesPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// ownType is a type of objects that belongs to one run: nobody else knows it. Its name is
// the run's, with something behind it where the run has several.
func ownType(name string) objectType {
	return objectType{
		group: domain, version: "v1", plural: ownPlural + name, kind: "Widget" + strings.ToUpper(name[:1]) + name[1:],
		own: true, strict: true, value: []string{"spec", valueField}, status: true,
	}
}

// ownPlural begins the plural of a type of a run's own.
const ownPlural = "widgets"

// definition is the CustomResourceDefinition of a run's own type.
func (t *objectType) definition(run string) tree {
	anything := func(properties tree) tree {
		return tree{"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": properties}
	}
	value := tree{valueField: tree{"type": "string"}}
	schema := tree{"type": "object", "properties": tree{"spec": anything(value), "status": anything(value)}}
	version := tree{
		"name": t.version, "served": true, "storage": true,
		"subresources":     tree{"status": tree{}},
		"schema":           tree{"openAPIV3Schema": schema},
		"selectableFields": []tree{{"jsonPath": ".spec." + valueField}},
	}
	scope := "Namespaced"
	if t.clusterScoped {
		scope = "Cluster"
	}
	return tree{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": tree{"name": t.name(), "labels": runLabels(run)},
		"spec": tree{
			"group": t.group, "scope": scope, "versions": []tree{version},
			"names": tree{"plural": t.plural, "singular": strings.ToLower(t.kind), "kind": t.kind, "listKind": t.kind + "List"},
		},
	}
}

// makeType makes a run's own type. It is false where the run may not.
func (a *admin) makeType(ctx context.Context, run string, t *objectType) (bool, error) {
	err := a.create(ctx, call{method: http.MethodPost, path: typesPath, body: encoded(t.definition(run))})
	switch {
	case isCode(err, http.StatusForbidden), isCode(err, http.StatusNotFound):
		return false, nil
	case err != nil:
		return false, a.setup("make the type "+t.name(), err)
	}
	return true, nil
}

// typeTimeout bounds how long a new type may take until it is served.
const typeTimeout = time.Minute

// awaitType waits until the server lists objects of the type several times in a row: one
// that several servers answer for is served by all by then.
func (a *admin) awaitType(ctx context.Context, t *objectType, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, typeTimeout)
	defer cancel()
	const enough = 3
	served := 0
	var last error
	err := poll(ctx, func() (bool, error) {
		if _, last = a.find(ctx, t.path(namespace), ""); last != nil {
			served = 0
			return false, stopsWaiting(last)
		}
		served++
		return served == enough, nil
	})
	if err == nil {
		return nil
	}
	if last == nil {
		last = err
	}
	return a.setup("list "+t.name(), last)
}

// stopsWaiting is an error that no patience mends.
func stopsWaiting(err error) error {
	if isCode(err, http.StatusForbidden) || isCode(err, http.StatusUnauthorized) {
		return err
	}
	return nil
}

// learnType finds out the kind of a type that the user named.
func (a *admin) learnType(ctx context.Context, t *objectType) error {
	body, err := a.do(ctx, call{method: http.MethodGet, path: strings.TrimSuffix(t.path(""), "/"+t.plural)})
	if err != nil {
		return a.setup("find the type "+t.name(), err)
	}
	resources, _ := body["resources"].([]any)
	for _, resource := range resources {
		if at(resource, "name") != t.plural {
			continue
		}
		t.clusterScoped = at(resource, "namespaced") != true
		t.kind, _ = at(resource, "kind").(string)
		return nil
	}
	return &targets.SetupError{Where: a.endpoint.String(), Expected: "expected the type " + t.name() + ", which it does not serve"}
}
