package kube

import (
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// listMutants are about what a list shows of its revision.
var listMutants = []Mutant{
	{
		ID: "list-torn-in-race", Family: 8, Primary: models.ListSnapshot, ConcurrencyOnly: true,
		Sentence: "A list reads the second half of its objects after another client's write, with the resource version from before.",
		Source:   "kine commit 3e3686d",
		make: always(fault{late: func(m moment, r histories.Request, a *histories.Answer) {
			if r.Kind != histories.List || a.Revision != m.began.Newest() {
				return
			}
			for i := len(a.Objects) / 2; i < len(a.Objects); i++ {
				if now := stored(m.state.Now(), a.Objects[i].Key); now != nil {
					a.Objects[i] = kube.Shown(&r, *now)
				}
			}
		}}),
	},
	{
		ID: "list-without-last", Family: 8, Primary: models.ListSnapshot,
		Sentence: "A list of everything lacks the object that was written last.",
		Source:   "kine, a streamed list cut short is reported as complete (the RangeStream of 2025)",
		make: always(fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
			if r.Kind != histories.List || r.Scope.Shape != histories.All || len(a.Objects) < 2 || a.Continue != "" {
				return
			}
			newest := slices.MaxFunc(a.Objects, func(x, y histories.Object) int { return int(x.RV - y.RV) })
			a.Objects = slices.DeleteFunc(a.Objects, func(o histories.Object) bool { return o.Key == newest.Key })
		}}),
	},
	{
		ID: "namespace-crosses-separator", Family: 5, Primary: models.ListScope,
		Sentence: "A list of a namespace shows the objects of those too whose names begin with its name.",
		Source:   "kubernetes PRs 25342 and 28966",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			if r.Kind != histories.List || r.Scope.Shape != histories.Namespace || r.Limit > 0 {
				return nil, histories.Answer{}
			}
			within := r.Scope.Key.Namespace
			r.Scope = histories.Scope{}
			_, answer := m.state.Apply(&r, m.cache)
			answer.Objects = slices.DeleteFunc(answer.Objects, func(o histories.Object) bool {
				return !strings.HasPrefix(o.Key.Namespace, within)
			})
			return m.state, answer
		}}),
	},
	{
		ID: "list-repeats-first", Family: 8, Primary: models.ListOrder,
		Sentence: "A list of everything shows its first object again at the end.",
		Source:   "kine commits 19618f9 and b56c1e0 (pages that begin again)",
		make: always(fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
			if r.Kind == histories.List && r.Scope.Shape == histories.All && len(a.Objects) > 1 && a.Continue == "" {
				a.Objects = append(a.Objects, a.Objects[0])
			}
		}}),
	},
	{
		ID: "selector-on-old-version", Family: 8, Primary: models.ListSelector,
		Sentence: "A list with a label selector shows the objects whose version before the last matched it.",
		Source:   "kubernetes PR 94002 (a selector over several revisions)",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			sel, err := kube.ParseSelector(r.Options().LabelSelector, "")
			if r.Kind != histories.List || !plain(r) || err != nil || sel.Empty() || r.Limit > 0 || r.Options().FieldSelector != "" {
				return nil, histories.Answer{}
			}
			r.Kube = with(r, func(o *histories.KubeOptions) { o.LabelSelector = "" })
			_, answer := m.state.Apply(&r, m.cache)
			answer.Objects = slices.DeleteFunc(answer.Objects, func(o histories.Object) bool {
				old := stored(m.state.At(o.RV-1), o.Key)
				return old != nil && !sel.Matches(old) || old == nil && !sel.Matches(&o)
			})
			return m.state, answer
		}}),
	},
	{
		ID: "notin-needs-label", Family: 8, Primary: models.ListSelector,
		Sentence: "A requirement that a label is not some value leaves out the objects that do not have the label.",
		Source:   "Kubernetes API concepts, labels and selectors (objects without the label match)",
		make: always(fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
			label, _, negated := strings.Cut(r.Options().LabelSelector, "!=")
			if negated && r.Kind == histories.List && a.Continue == "" {
				a.Objects = slices.DeleteFunc(a.Objects, func(o histories.Object) bool { return o.Labels[label] == "" })
			}
		}}),
	},
	{
		ID: "empty-list-without-version", Family: 3, Primary: models.VersionForm,
		Sentence: "An empty list has the resource version 0.",
		Source:   "kubernetes issue 64147, PR 64150",
		make: always(fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
			if (r.Kind == histories.List || r.Kind == histories.Next) && a.Outcome == histories.OK && len(a.Objects) == 0 {
				a.Revision, a.Kube = 0, detailed(a, func(d *histories.KubeAnswer) { d.RawRV = "0" })
			}
		}}),
	},
	{
		ID: "list-version-of-objects", Family: 3, Primary: models.ListFresh,
		Sentence: "A list has the greatest resource version of its objects, not that of the store.",
		Source:   "ark aggregated server, PR 2760; kubernetes issue 64147",
		make: always(fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
			if r.Kind != histories.List || !plain(r) || len(a.Objects) == 0 || a.Continue != "" {
				return
			}
			a.Revision = 0
			for _, o := range a.Objects {
				a.Revision = max(a.Revision, o.RV)
			}
		}}),
	},
	{
		ID: "items-null", Family: 13, Primary: models.ListForm,
		Sentence: "The items of an empty list are null.",
		Source:   "kubernetes, storage/etcd3 and storage/cacher (an explicit empty array)",
		make: always(fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
			if r.Kind == histories.List && a.Outcome == histories.OK && len(a.Objects) == 0 {
				a.Kube = detailed(a, func(d *histories.KubeAnswer) { d.Form = []string{"items is null"} })
			}
		}}),
	},
}

// detailed changes what only answers of this layer say.
func detailed(a *histories.Answer, change func(d *histories.KubeAnswer)) *histories.KubeAnswer {
	details := a.Details()
	change(&details)
	return &details
}
