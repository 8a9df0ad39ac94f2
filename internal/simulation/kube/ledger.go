package kube

import (
	"maps"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// version names a state of an object.
type version struct {
	key histories.Key
	rv  histories.Revision
}

// ledger is what a history shows of the versions of objects: each as it was stored, and
// the tombstones that watches tell.
type ledger struct {
	objects map[version]histories.Object
	// chains are the revisions of each object, tombstones included, in order.
	chains map[histories.Key][]histories.Revision
	newest histories.Revision
}

func readLedger(h *histories.History) *ledger {
	l := &ledger{objects: map[version]histories.Object{}, chains: map[histories.Key][]histories.Revision{}}
	seen := map[version]bool{}
	eachStored(h, func(o *histories.Object) {
		l.objects[version{o.Key, o.RV}] = *o
		seen[version{o.Key, o.RV}] = true
	})
	for i := range h.Streams {
		for k := range h.Streams[i].Events {
			e := &h.Streams[i].Events[k]
			l.newest = max(l.newest, e.Header, e.Object.RV)
			if e.Type == histories.DeleteEvent {
				seen[version{e.Object.Key, e.Object.RV}] = true
			}
		}
	}
	for v := range seen {
		l.newest = max(l.newest, v.rv)
		l.chains[v.key] = append(l.chains[v.key], v.rv)
	}
	for i := range h.Operations {
		l.newest = max(l.newest, h.Operations[i].Answer.Revision)
	}
	for _, chain := range l.chains {
		slices.Sort(chain)
	}
	return l
}

// eachStored visits the objects that answers and events show as they were stored.
func eachStored(h *histories.History, visit func(o *histories.Object)) {
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Options().DryRun || op.Request.Kind == histories.DeleteCollection {
			continue
		}
		for k := range op.Answer.Objects {
			o := &op.Answer.Objects[k]
			if !o.Deleting || len(o.Meta().Finalizers) > 0 {
				visit(o)
			}
		}
	}
	for i := range h.Streams {
		for k := range h.Streams[i].Events {
			if e := &h.Streams[i].Events[k]; e.Type == histories.AddedEvent || e.Type == histories.ModifiedEvent {
				visit(&e.Object)
			}
		}
	}
}

// everyObject visits all objects that answers and events show.
func everyObject(h *histories.History, visit func(o *histories.Object)) {
	for i := range h.Operations {
		for k := range h.Operations[i].Answer.Objects {
			visit(&h.Operations[i].Answer.Objects[k])
		}
	}
	for i := range h.Streams {
		for k := range h.Streams[i].Events {
			visit(&h.Streams[i].Events[k].Object)
		}
	}
}

// before returns a version of the object below a revision, the last one that is known.
func (l *ledger) before(key histories.Key, rv histories.Revision) (histories.Object, bool) {
	for _, at := range slices.Backward(l.chains[key]) {
		if o, there := l.objects[version{key, at}]; at < rv && there {
			return o, true
		}
	}
	return histories.Object{}, false
}

// next is the revision of the version behind one, a large one if there is none.
func (l *ledger) next(v version) histories.Revision {
	chain := l.chains[v.key]
	if i := slices.Index(chain, v.rv); i+1 < len(chain) {
		return chain[i+1]
	}
	return 1 << 40
}

// free is a revision at which nobody saw anything, from one on.
func (l *ledger) free(from histories.Revision) histories.Revision {
	for ; ; from++ {
		taken := false
		for _, chain := range l.chains {
			taken = taken || slices.Contains(chain, from)
		}
		if !taken {
			return from
		}
	}
}

// sorted are the versions that are known, in a fixed order.
func (l *ledger) sorted() []version {
	return slices.SortedFunc(maps.Keys(l.objects), func(a, b version) int {
		if c := a.key.Compare(b.key); c != 0 {
			return c
		}
		return int(a.rv - b.rv)
	})
}
