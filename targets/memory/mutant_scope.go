package memory

import (
	"slices"
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
	{
		ID: "filters-ignored", Family: 5, Primary: models.WatchFilters,
		Sentence: "A watch that filters out puts or deletes delivers them all the same.",
		Source:   "kine commits 5827b22 and 36e2db8 (an option that is not known is ignored)",
		make: func() fault {
			return fault{request: func(_ moment, r *histories.Request) { r.Filters = nil }}
		},
	},
	{
		ID: "watch-id-ignored", Family: 5, Primary: models.WatchIdentity,
		Sentence: "The store picks the ids of watches, also where the client has chosen one.",
		Source:   "kine commits 5827b22 and 36e2db8 (an option that is not known is ignored)",
		make: func() fault {
			return fault{answer: func(_ moment, r histories.Request, a *histories.Answer) {
				if r.Kind == histories.Watch && a.WatchID >= 0 && r.WatchID != 0 {
					a.WatchID = 0
				}
			}}
		},
	},
	{
		ID: "cancel-silences-another", Family: 5, Primary: models.WatchDelivers,
		Sentence: "When a client cancels a watch another one on the same transport stream falls silent.",
		Source:   "etcd PRs 14296 and 14563; kubebrain PRs 23 and 28",
		make: func() fault {
			return fault{stopped: func(_ moment, w *watch) {
				if others := w.transport.watches; len(others) > 0 {
					others[0].muted = true
				}
			}}
		},
	},
	{
		ID: "events-cross-in-race", Family: 5, Primary: models.WatchScope, ConcurrencyOnly: true,
		Sentence: "While calls overlap, what one watch delivers goes to another one on the same transport stream, of another scope.",
		Source:   "kine commit 3d4e697 (watches send on one stream at the same time)",
		make: func() fault {
			return fault{receiver: func(m moment, w *watch) *watch {
				for _, other := range w.transport.watches {
					if m.races() && other.request.Scope.Shape != w.request.Scope.Shape && other.request.Scope.Shape != histories.All {
						return other
					}
				}
				return w
			}}
		},
	},
	{
		ID: "reused-id-gets-leftovers", Family: 5, Primary: models.WatchIsolated,
		Sentence: "What was queued or just sent for a watch that is cancelled goes to the next one with its id on the transport stream.",
		Source:   "etcd v3.7.3, sendLoop in etcdserver/api/v3rpc/watch.go (docs/FINDINGS.md, F2)",
		make: func() fault {
			l := leftovers{left: map[seat][]histories.Event{}, sent: map[seat][]histories.Event{}}
			return fault{stopped: l.stopped, cut: l.cut}
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

// leftovers are what cancelled watches leave to the next one in their place.
type leftovers struct {
	left map[seat][]histories.Event
	// sent is the last response of each place.
	sent map[seat][]histories.Event
}

// seat is an id that a client chose on a transport stream.
type seat struct {
	transport *transport
	id        int64
}

// stopped keeps what the watch has not delivered, or what it has just sent.
func (l leftovers) stopped(_ moment, w *watch) {
	at := seat{w.transport, w.request.WatchID}
	if l.left[at] = w.queue; len(w.queue) == 0 {
		l.left[at] = l.sent[at]
	}
}

func (l leftovers) cut(m moment, w *watch, batch []histories.Event) (now, later []histories.Event) {
	at := seat{w.transport, w.request.WatchID}
	left := slices.Clone(l.left[at])
	delete(l.left, at)
	if len(left) == 0 || at.id == 0 {
		l.sent[at] = slices.Clone(batch)
		return batch, nil
	}
	for i := range left {
		left[i].Header = m.state.Newest()
	}
	return left, batch
}
