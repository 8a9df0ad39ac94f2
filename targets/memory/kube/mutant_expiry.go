package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// expiryMutants are about what is no longer there.
var expiryMutants = []Mutant{
	{
		ID: "compacted-exact-answered", Family: 4, Primary: models.ExpiryOwed,
		Sentence: "A list at an exact resource version that is compacted shows the state at the compaction, with the resource version that was asked for.",
		Source:   "kubernetes commit d2387bc56; Xline commits f14b88fd and f4b42e88",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			mode, asked := kube.ReadMode(&r)
			if r.Kind != histories.List || mode != kube.Exact || asked >= m.state.Compacted() {
				return nil, histories.Answer{}
			}
			r.Kube = with(r, func(o *histories.KubeOptions) {
				o.ResourceVersion, o.ResourceVersionMatch = m.state.Compacted().String(), "Exact"
			})
			_, answer := m.state.Apply(&r, m.cache)
			if answer.Outcome == histories.OK {
				answer.Revision = asked
			}
			return m.state, answer
		}}),
	},
	{
		ID: "compacted-watch-skips", Family: 4, Primary: models.WatchNoGap,
		Sentence: "A watch from a resource version that is compacted begins at the compaction, without an error.",
		Source:   "kubernetes issue 137089, PR 137307; Grafana PRs 130332 and 132951",
		make: always(fault{opened: func(m moment, w *kube.Opened) {
			if w.Refused != nil && w.Refused.Class == histories.Compacted {
				w.Refused, w.After = nil, m.state.Compacted()
			}
		}}),
	},
	{
		ID: "exact-refused-in-race", Family: 10, Primary: models.ExpiryJustified, ConcurrencyOnly: true,
		Sentence: "While another client's call is in flight, a list at an exact resource version that is still there is refused as too old.",
		Source:   "kubernetes issue 54878, commit d3536986d; Grafana PR 130440",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			mode, asked := kube.ReadMode(&r)
			if r.Kind != histories.List || mode != kube.Exact || asked > m.state.Newest() || !m.races() {
				return nil, histories.Answer{}
			}
			return m.state, refused(histories.Compacted, "410", "Expired")
		}}),
	},
	{
		ID: "token-refused-at-once", Family: 10, Primary: models.ExpiryJustified,
		Sentence: "A token is refused as too old as soon as something was written after its page.",
		Source:   "kubernetes issue 131011, PR 132876; Grafana PR 130440",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			token, ok := kube.ParseToken(r.Options().Continue)
			if r.Kind != histories.Next || !ok || token.Revision == 0 || token.Revision >= m.state.Newest() {
				return nil, histories.Answer{}
			}
			answer := refused(histories.Compacted, "410", "Expired")
			answer.Continue = kube.Token{Last: token.Last}.String()
			return m.state, answer
		}}),
	},
	{
		ID: "get-refused-as-expired", Family: 10, Primary: models.ExpiryJustified,
		Sentence: "A get at an old resource version or later is refused as too old.",
		Source:   "Kubernetes API concepts, 410 Gone (never owed by a get)",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			if mode, asked := kube.ReadMode(&r); r.Kind != histories.Get || mode != kube.NotOlderThan || asked >= m.state.Newest() {
				return nil, histories.Answer{}
			}
			return m.state, refused(histories.Compacted, "410", "Expired")
		}}),
	},
}
