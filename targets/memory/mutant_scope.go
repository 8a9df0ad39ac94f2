package memory

import (
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var scopeMutants = []Mutant{
	{
		ID: "watch-bound-ignored", Family: 5, Primary: models.WatchScope,
		Sentence: "The end of a watch's range is ignored: it delivers every key from its first one on.",
		Source:   "kine commit fd1c6ca; t4 v0.17.5",
		make: func() fault {
			return fault{request: func(_ moment, r *histories.Request) {
				if r.Kind == histories.Watch && r.Scope.Shape != histories.All {
					r.Scope.Shape, r.Scope.End = histories.Range, beyond
				}
			}}
		},
	},
	{
		ID: "key-is-pattern", Family: 5, Primary: models.WriteConflictOwed,
		Sentence: "A create compares its key with those that exist by the LIKE of SQL: _ stands for any character, % for any text, and case does not count.",
		Source:   "kine commits fbdb75f and 0058529",
		make: func() fault {
			return fault{step: func(m moment, r histories.Request) (*models.State, histories.Answer) {
				if r.Kind != histories.Create || !met(m.state, r) {
					return nil, histories.Answer{}
				}
				for o := range m.state.Now().All() {
					if like(o.Key.Name, r.Key.Name) {
						r.Key = o.Key
						return m.state.Apply(r, m.state.Newest()+1)
					}
				}
				return nil, histories.Answer{}
			}}
		},
	},
	{
		ID: "prefix-crosses-separator", Family: 5, Primary: models.ListScope,
		Sentence: "A list of a prefix forgets the slash at its end: ns1/ also lists ns11.",
		Source:   "kubernetes PRs 25342 and 28966",
		make: func() fault {
			return fault{request: func(_ moment, r *histories.Request) {
				if r.Kind.IsRead() && r.Scope.Shape == histories.Prefix {
					r.Scope.Key.Name = strings.TrimSuffix(r.Scope.Key.Name, "/")
				}
			}}
		},
	},
	{
		ID: "refused-watch-silences-another", Family: 5, Primary: models.WatchDelivers,
		Sentence: "A watch that is refused as compacted takes the store's first watch with it, which stays open and silent.",
		Source:   "etcd PRs 14296 and 14563",
		make: func() fault {
			return fault{expired: func(_ moment, s *store, _ *histories.End) bool {
				if w := s.oldest(); w != nil {
					w.muted = true
				}
				return true
			}}
		},
	},
}

// beyond is a name after all that occur.
const beyond = "\xff\xff\xff\xff\xff\xff\xff\xff"

// oldest returns the open watch that was opened first, nil if there is none.
func (s *store) oldest() *watch {
	var first *watch
	for w := range s.watches {
		if first == nil || w.number < first.number {
			first = w
		}
	}
	return first
}

// like reports whether a name matches a pattern, as in SQL, where letters match
// in either case.
func like(name, pattern string) bool {
	if pattern == "" {
		return name == ""
	}
	if pattern[0] == '%' {
		return like(name, pattern[1:]) || name != "" && like(name[1:], pattern)
	}
	if name == "" || pattern[0] != '_' && !strings.EqualFold(name[:1], pattern[:1]) {
		return false
	}
	return like(name[1:], pattern[1:])
}
