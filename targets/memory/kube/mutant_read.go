package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// readMutants are about the revision at which a read is answered.
var readMutants = []Mutant{
	{
		ID: "list-from-lagging-cache", Family: 3, Primary: models.ListFresh,
		Sentence: "A list without a resource version is answered by the watch cache, which does not wait for what was written.",
		Source:   "kubernetes commits 67b6245fc and 483da2032, PR 126139",
		make: always(fault{request: func(m moment, r *histories.Request) {
			if r.Kind == histories.List && plain(*r) && m.stale.Newest() > 1 {
				r.Kube = with(*r, func(o *histories.KubeOptions) {
					o.ResourceVersion, o.ResourceVersionMatch = m.stale.Newest().String(), "Exact"
				})
			}
		}}),
	},
	{
		ID: "get-from-lagging-cache", Family: 3, Primary: models.GetFresh,
		Sentence: "A get without a resource version is answered by the watch cache, which does not wait for what was written.",
		Source:   "kubernetes commit db00da87d (unset taken for 0)",
		make:     always(fault{step: getAt(func(m moment) *kube.State { return m.stale })}),
	},
	{
		ID: "get-stale-in-race", Family: 3, Primary: models.GetFresh, ConcurrencyOnly: true,
		Sentence: "While another client's call is in flight, a get overlooks the newest acknowledged write.",
		Source:   "etcd PRs 21378 and 21387",
		make: always(fault{step: getAt(func(m moment) *kube.State {
			if m.races() {
				return m.stale
			}
			return m.state
		})}),
	},
	{
		ID: "not-older-ignored", Family: 3, Primary: models.ReadNotOlder,
		Sentence: "A list at a resource version or later is answered where the cache stands, be it before.",
		Source:   "kubernetes commit eb3a20ad8",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			mode, asked := kube.ReadMode(&r)
			if r.Kind != histories.List || mode != kube.NotOlderThan || asked > m.state.Newest() || asked < 3 {
				return nil, histories.Answer{}
			}
			r.Kube = with(r, func(o *histories.KubeOptions) {
				o.ResourceVersion, o.ResourceVersionMatch = (asked - 1).String(), "Exact"
			})
			_, answer := m.state.Apply(&r, m.cache)
			return m.state, answer
		}}),
	},
	{
		ID: "get-not-older-ignored", Family: 3, Primary: models.ReadNotOlder,
		Sentence: "A get at a resource version or later shows the object as it was before its last change until then.",
		Source:   "kubernetes commit eb3a20ad8",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			mode, asked := kube.ReadMode(&r)
			now := stored(m.state.At(asked), r.Key)
			if r.Kind != histories.Get || mode != kube.NotOlderThan || asked > m.state.Newest() || now == nil {
				return nil, histories.Answer{}
			}
			old := stored(m.state.At(now.RV-1), r.Key)
			if old == nil {
				return m.state, refused(histories.NotFound, "404", "NotFound")
			}
			return m.state, histories.Answer{Outcome: histories.OK, Objects: []histories.Object{kube.Shown(&r, *old)}}
		}}),
	},
	{
		ID: "exact-is-newest", Family: 10, Primary: models.ListExact,
		Sentence: "A list at an exact resource version shows the newest state.",
		Source:   "Kubernetes API concepts, resourceVersionMatch (servers that do not know it ignore it)",
		make: always(fault{request: func(m moment, r *histories.Request) {
			if mode, asked := kube.ReadMode(r); r.Kind == histories.List && mode == kube.Exact && asked >= m.state.Compacted() && asked <= m.state.Newest() {
				r.Kube = with(*r, func(o *histories.KubeOptions) { o.ResourceVersion, o.ResourceVersionMatch = "", "" })
			}
		}}),
	},
	{
		ID: "future-read-answered", Family: 10, Primary: models.ReadFuture,
		Sentence: "A read at a resource version that does not exist yet is answered with the newest state.",
		Source:   "Xline commit f4b42e88 (the check of a range's revision)",
		make: always(fault{request: func(m moment, r *histories.Request) {
			if _, asked := kube.ReadMode(r); r.Kind.IsRead() && asked > m.state.Newest() {
				r.Kube = with(*r, func(o *histories.KubeOptions) { o.ResourceVersion, o.ResourceVersionMatch = "", "" })
			}
		}}),
	},
}

// plain reports whether a list asks for the newest state.
func plain(r histories.Request) bool {
	mode, _ := kube.ReadMode(&r)
	return mode == kube.MostRecent
}

// with changes the options of a request.
func with(r histories.Request, change func(o *histories.KubeOptions)) *histories.KubeOptions {
	options := r.Options()
	change(&options)
	return &options
}

// getAt answers gets of the newest state at another one, where the object was there.
func getAt(at func(m moment) *kube.State) func(m moment, r histories.Request) (*kube.State, histories.Answer) {
	return func(m moment, r histories.Request) (*kube.State, histories.Answer) {
		if r.Kind != histories.Get || !plain(r) {
			return nil, histories.Answer{}
		}
		_, answer := at(m).Apply(&r, at(m).Newest())
		return m.state, answer
	}
}
