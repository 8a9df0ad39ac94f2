package kube

import (
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// logical are the namespaces that each plan has. One begins with the name of another,
// and "a-b/x" sorts before "a/x" (LIST-11, LIST-13).
var logical = []string{"a", "a-b", "ab"}

// names maps the namespaces of a plan to those in the cluster: a prefix stands before
// each, which keeps their order.
type names struct {
	prefix string
	// none: the objects are cluster-scoped, in a namespace without a name as it were.
	none bool
	// objects stands before the names of objects where there are others'.
	objects string
}

// object is the name of an object in the cluster.
func (n names) object(name string) string { return n.objects + name }

// planObject is the plan's name of an object, false if it does not belong to the plan.
func (n names) planObject(name string) (string, bool) { return strings.CutPrefix(name, n.objects) }

// logical are the plan's namespaces.
func (n names) logical() []string {
	if n.none {
		return []string{""}
	}
	return logical
}

// home is the scope of the first namespace.
func (n names) home() histories.Scope {
	if n.none {
		return histories.Scope{}
	}
	return histories.Scope{Shape: histories.Namespace, Key: histories.Key{Namespace: logical[0]}}
}

// real is the name in the cluster. It stands as well for a namespace that there is not.
func (n names) real(namespace string) string { return n.prefix + namespace }

// plan is the plan's name of a namespace, false if it does not belong to the plan.
func (n names) plan(namespace string) (string, bool) {
	name, found := strings.CutPrefix(namespace, n.prefix)
	if !found {
		return "", false
	}
	for _, known := range n.logical() {
		if name == known {
			return name, true
		}
	}
	return "", false
}

// all are the namespaces in the cluster, the empty one where objects are in none.
func (n names) all() []string {
	var all []string
	for _, name := range n.logical() {
		all = append(all, n.real(name))
	}
	return all
}

const (
	nameField      = "metadata.name"
	namespaceField = "metadata.namespace"
)

// fieldSelector puts the namespaces and the names of the cluster into a field selector.
func (n names) fieldSelector(selector string) string {
	terms := strings.Split(selector, ",")
	for i, term := range terms {
		field, value, found := strings.Cut(term, "=")
		name := strings.TrimSpace(strings.TrimSuffix(field, "!"))
		real, known := map[string]func(string) string{namespaceField: n.real, nameField: n.object}[name]
		if !found || !known {
			continue
		}
		value, doubled := strings.CutPrefix(value, "=")
		if doubled {
			field += "="
		}
		terms[i] = field + "=" + real(strings.TrimSpace(value))
	}
	return strings.Join(terms, ",")
}

// finalizerPrefix makes a plan's finalizer a name that every type takes, and that no
// controller minds. A name with a prefix of its own is sent as it is.
const finalizerPrefix = domain + "/"

func realFinalizers(plan []string) []string {
	names := make([]string, len(plan))
	for i, name := range plan {
		if names[i] = name; !strings.Contains(name, "/") {
			names[i] = finalizerPrefix + name
		}
	}
	return names
}

func planFinalizers(names []string) []string {
	var plan []string
	for _, name := range names {
		plan = append(plan, strings.TrimPrefix(name, finalizerPrefix))
	}
	return plan
}

// narrow is the field selector of a scope that is one object.
func (n names) narrow(scope histories.Scope, selector string) string {
	selector = n.fieldSelector(selector)
	if scope.Shape != histories.Single {
		return selector
	}
	one := nameField + "=" + n.object(scope.Key.Name)
	if selector == "" {
		return one
	}
	return one + "," + selector
}
