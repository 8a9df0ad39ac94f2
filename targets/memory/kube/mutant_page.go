package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// pageMutants are about lists in several pages.
var pageMutants = []Mutant{
	{
		ID: "page-unpinned", Family: 8, Primary: models.PagePinned,
		Sentence: "A following page shows the newest state, not the snapshot of the first page.",
		Source:   "kubernetes PR 94002 (commit 6e6045833)",
		make:     always(fault{step: unpinned(func(moment) bool { return true })}),
	},
	{
		ID: "page-unpinned-in-race", Family: 8, Primary: models.PagePinned, ConcurrencyOnly: true,
		Sentence: "While another client's call is in flight, a following page shows the newest state, not the snapshot of the first page.",
		Source:   "kubernetes PR 94002 (more than one fetch while others write)",
		make:     always(fault{step: unpinned(moment.races)}),
	},
	{
		ID: "page-repeats-last", Family: 8, Primary: models.PageNoGap,
		Sentence: "A following page begins with the last object of the page before.",
		Source:   "kubernetes issue 131011, PR 132876 (where a continuation begins)",
		make: always(fault{step: following(func(m moment, r histories.Request, a *histories.Answer, token kube.Token) {
			last := stored(m.state.At(a.Revision), token.Last)
			if last != nil {
				a.Objects = append([]histories.Object{kube.Shown(&r, *last)}, a.Objects...)
			}
		})}),
	},
	{
		ID: "page-skips-first", Family: 8, Primary: models.PageNoGap,
		Sentence: "A following page leaves out its first object.",
		Source:   "kine commits 19618f9 and b56c1e0 (a start that is taken for exclusive twice)",
		make: always(fault{step: following(func(_ moment, _ histories.Request, a *histories.Answer, _ kube.Token) {
			if len(a.Objects) > 0 {
				a.Objects = a.Objects[1:]
			}
		})}),
	},
	{
		ID: "selector-page-drops", Family: 8, Primary: models.PageNoGap,
		Sentence: "A page with a selector that is full goes on behind the object after its last one.",
		Source:   "kine, items dropped with a selector; kubernetes PR 94002",
		make: always(fault{answer: func(m moment, r histories.Request, a *histories.Answer) {
			if r.Options().LabelSelector == "" || a.Continue == "" || len(a.Objects) == 0 {
				return
			}
			token, _ := kube.ParseToken(a.Continue)
			for o := range m.state.At(a.Revision).All() {
				if r.Scope.Contains(o.Key) && token.Last.Compare(o.Key) < 0 {
					a.Continue = kube.Token{Revision: token.Revision, Last: o.Key}.String()
					return
				}
			}
		}}),
	},
	{
		ID: "limit-ignored-with-token", Family: 8, Primary: models.ListLimit,
		Sentence: "A page has one object more than its limit, and a token for the rest.",
		Source:   "kine PR 271, commits ab4df41 and 3773672 (one more than the limit)",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			if r.Kind != histories.List && r.Kind != histories.Next || r.Limit <= 0 {
				return nil, histories.Answer{}
			}
			_, honest := m.state.Apply(&r, m.cache)
			r.Limit++
			_, more := m.state.Apply(&r, m.cache)
			if honest.Continue == "" || more.Continue == "" {
				return m.state, honest
			}
			return m.state, more
		}}),
	},
	{
		ID: "token-invalid-after-write", Family: 13, Primary: models.PageToken,
		Sentence: "A token is refused as invalid as soon as something was written after its page.",
		Source:   "KEP-365 (a token is valid until its resource version expires)",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			token, ok := kube.ParseToken(r.Options().Continue)
			if r.Kind != histories.Next || !ok || token.Revision == 0 || token.Revision >= m.state.Newest() {
				return nil, histories.Answer{}
			}
			return m.state, refused(histories.Invalid, "400", "BadRequest")
		}}),
	},
	{
		ID: "token-used-up", Family: 8, Primary: models.PageNoGap,
		Sentence: "A token that is sent a second time gives an empty last page.",
		Source:   "kine, pages that do not end (a cursor kept in the server)",
		make: func() fault {
			used := map[string]bool{}
			return fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
				encoded := r.Options().Continue
				token, ok := kube.ParseToken(encoded)
				if r.Kind != histories.Next || !ok || !used[encoded] || token.Revision < m.state.Compacted() {
					used[encoded] = true
					return nil, histories.Answer{}
				}
				return m.state, histories.Answer{Outcome: histories.OK, Revision: token.Revision}
			}}
		},
	},
	{
		ID: "continue-with-version", Family: 13, Primary: models.ErrorStatus,
		Sentence: "A token together with a resource version is answered, though they exclude each other.",
		Source:   "kubernetes, ValidateListOptions in storage (the check left out)",
		make: always(fault{request: func(_ moment, r *histories.Request) {
			if r.Options().Continue != "" {
				r.Kube = with(*r, func(o *histories.KubeOptions) { o.ResourceVersion, o.ResourceVersionMatch = "", "" })
			}
		}}),
	},
	{
		ID: "match-without-version", Family: 13, Primary: models.ErrorStatus,
		Sentence: "A resourceVersionMatch without a resource version, or an unknown one, is ignored.",
		Source:   "Kubernetes API concepts, resourceVersionMatch (servers that do not know it ignore it)",
		make: always(fault{request: func(_ moment, r *histories.Request) {
			if mode, _ := kube.ReadMode(r); r.Kind == histories.List && mode == kube.Refused {
				r.Kube = with(*r, func(o *histories.KubeOptions) { o.ResourceVersionMatch = "" })
			}
		}}),
	},
	{
		ID: "remaining-with-selector", Family: 13, Primary: models.PageRemaining,
		Sentence: "A page with a selector tells how many items remain, as if nothing were selected.",
		Source:   "kubernetes, PrepareContinueToken in storage/continue.go (the condition left out)",
		make: always(fault{answer: func(m moment, r histories.Request, a *histories.Answer) {
			if a.Continue != "" && (r.Options().LabelSelector != "" || r.Options().FieldSelector != "") {
				left := int64(m.state.At(a.Revision).Len() - len(a.Objects))
				a.Kube = detailed(a, func(d *histories.KubeAnswer) { d.Remaining = &left })
			}
		}}),
	},
	{
		ID: "inconsistent-from-cache", Family: 4, Primary: models.PageInconsistent,
		Sentence: "The token that comes with an expired one goes on at the compaction, not at the latest resource version.",
		Source:   "kubernetes PRs 67284 and 132876",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			token, ok := kube.ParseToken(r.Options().Continue)
			if !ok || token.Revision != 0 || m.state.Compacted() == 0 {
				return nil, histories.Answer{}
			}
			token.Revision = m.state.Compacted()
			r.Kube = with(r, func(o *histories.KubeOptions) { o.Continue = token.String() })
			_, answer := m.state.Apply(&r, m.cache)
			return m.state, answer
		}}),
	},
	{
		ID: "inconsistent-unpinned", Family: 4, Primary: models.PageInconsistent,
		Sentence: "Each page behind an expired token shows the newest state.",
		Source:   "kubernetes issue 131011 (what a continuation is pinned to)",
		make: func() fault {
			loose := map[string]bool{}
			return fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
				encoded := r.Options().Continue
				token, ok := kube.ParseToken(encoded)
				if !ok || token.Revision != 0 && !loose[encoded] {
					return nil, histories.Answer{}
				}
				r.Kube = with(r, func(o *histories.KubeOptions) { o.Continue = kube.Token{Last: token.Last}.String() })
				_, answer := m.state.Apply(&r, m.cache)
				loose[answer.Continue] = true
				return m.state, answer
			}}
		},
	},
}

// unpinned answers a page that follows with the newest state, where it would not be
// refused.
func unpinned(when func(m moment) bool) func(m moment, r histories.Request) (*kube.State, histories.Answer) {
	return func(m moment, r histories.Request) (*kube.State, histories.Answer) {
		token, ok := kube.ParseToken(r.Options().Continue)
		if !ok || !when(m) || token.Revision < m.state.Compacted() {
			return nil, histories.Answer{}
		}
		r.Kube = with(r, func(o *histories.KubeOptions) { o.Continue = kube.Token{Last: token.Last}.String() })
		_, answer := m.state.Apply(&r, m.cache)
		return m.state, answer
	}
}

// following changes the answers of pages that follow another one.
func following(change func(m moment, r histories.Request, a *histories.Answer, token kube.Token)) func(m moment, r histories.Request) (*kube.State, histories.Answer) {
	return func(m moment, r histories.Request) (*kube.State, histories.Answer) {
		token, ok := kube.ParseToken(r.Options().Continue)
		if !ok {
			return nil, histories.Answer{}
		}
		_, answer := m.state.Apply(&r, m.cache)
		if answer.Outcome == histories.OK {
			change(m, r, &answer, token)
		}
		return m.state, answer
	}
}
