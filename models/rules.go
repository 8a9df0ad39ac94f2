package models

import (
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// May is the strength of a freedom: the contract leaves it to the store, so no
// check may forbid it and no check may count on it.
const May Strength = "MAY"

// Rule is one sentence of the contract between Kubernetes and its store, in this
// project's words. Properties say which rules they decide; a rule that none
// decides says why not. The ids are this project's and stay as they are.
type Rule struct {
	// ID is a family and a number such as "LIST-01".
	ID string
	// Level is the lowest layer at which a history shows whether the rule is kept.
	// A rule that was written for a higher layer but has a side that etcd's API
	// shows stands at the etcd layer, with that side as its statement.
	Level    histories.Layer
	Strength Strength
	// Statement says in one sentence what holds.
	Statement string
	// Source is the public document that promises it, or whose behaviour it is.
	Source string
	// Excuse says why no property decides the rule, empty if one does or if it is a
	// freedom.
	Excuse string
}

// Rules returns the rules of the contract, family by family: those of etcd's API,
// those for resource versions, writes, gets, lists, pages, watches, bookmarks and
// expiry, and those for watch lists, errors and informers, which exist at the
// Kubernetes layers alone.
func Rules() []Rule {
	return slices.Concat(
		etcdRules, versionRules, writeRules, getRules, listRules, pageRules, watchRules, bookmarkRules, expiryRules,
		watchListRules, errorRules, informerRules,
	)
}

// LookupRule returns the rule with this id.
func LookupRule(id string) (Rule, bool) {
	for _, r := range Rules() {
		if r.ID == id {
			return r, true
		}
	}
	return Rule{}, false
}

// Family returns the part of the id before the dash.
func (r Rule) Family() string {
	for i := range r.ID {
		if r.ID[i] == '-' {
			return r.ID[:i]
		}
	}
	return r.ID
}

// Claims returns the properties that decide the rule, in the catalogue's order.
func (r Rule) Claims() []Property {
	return slices.DeleteFunc(Catalogue(), func(p Property) bool { return !slices.Contains(p.Rules, r.ID) })
}

// Standing says in a few words who decides the rule, or why nobody does.
func (r Rule) Standing() string {
	claims := r.Claims()
	switch {
	case len(claims) == 0 && r.Strength == May:
		return "a freedom"
	case len(claims) == 0:
		return r.Excuse
	}
	names := make([]string, 0, len(claims))
	for _, p := range claims {
		names = append(names, p.ID)
	}
	text := strings.Join(names, ", ")
	if !slices.ContainsFunc(claims, decidable) {
		text += " (unsupported for now: needs a crash or a partition)"
	}
	return text
}

// decidable reports whether a run without faults can put the property to the test.
func decidable(p Property) bool { return !slices.Contains(p.Needs, "faults") }

// The layers, as short as a table wants them.
const (
	atEtcd    = histories.EtcdLayer
	atStorage = histories.StorageLayer
	atKube    = histories.KubeLayer
)

// Excuses that several rules share.
const (
	// higherLayer excuses the rules of storage.Interface, which no target speaks yet.
	higherLayer = "belongs to storage.Interface, which no target speaks yet"
)

// Where the rules stand.
const (
	inDataModel    = "etcd documentation, data model"
	inAPIReference = "etcd API reference"
	inMaintenance  = "etcd documentation, maintenance, history compaction"
	inConcepts     = "Kubernetes API concepts"
	inVersions     = inConcepts + ", resource versions"
	inDetection    = inConcepts + ", efficient detection of changes"
	inChunks       = inConcepts + ", retrieving large results sets in chunks"
	inBookmarks    = inConcepts + ", watch bookmarks"
	inGone         = inConcepts + ", 410 Gone responses"
	inConventions  = "Kubernetes API conventions"
	inInterface    = "storage.Interface"
	inEtcdStore    = "k8s.io/apiserver, storage/etcd3"
	inCacher       = "k8s.io/apiserver, storage/cacher"
	inRegistry     = "k8s.io/apiserver, registry/generic"
	inHandlers     = "k8s.io/apiserver, endpoints/handlers"
)
