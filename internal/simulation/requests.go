package simulation

import (
	"fmt"
	"math"

	"github.com/rvcheck/rvcheck/histories"
)

func (r *run) key() histories.Key {
	return histories.Key{Name: r.config.Keys[r.rng.IntN(len(r.config.Keys))]}
}

// writing completes a request that stores a value.
func (r *run) writing(req histories.Request) histories.Request {
	r.writes++
	req.Write = histories.WriteID(fmt.Sprintf("w%d", r.writes))
	if r.config.Labels && Chance(r.rng, 0.5) {
		req.Labels = map[string]string{"x": fmt.Sprint(r.rng.IntN(3))}
	}
	return req
}

func (r *run) create(l *lane) {
	r.call(l, r.writing(histories.Request{Kind: histories.Create, Key: r.key()}))
}

func (r *run) update(l *lane) {
	key := r.key()
	r.call(l, r.writing(histories.Request{Kind: histories.Update, Key: key, Expect: r.expect(key), Conditional: true}))
}

func (r *run) remove(l *lane) {
	key := r.key()
	r.call(l, histories.Request{Kind: histories.Delete, Key: key, Expect: r.expect(key), Conditional: true})
}

func (r *run) put(l *lane) {
	r.call(l, r.writing(histories.Request{Kind: histories.Put, Key: r.key()}))
}

func (r *run) erase(l *lane) {
	r.call(l, histories.Request{Kind: histories.Delete, Key: r.key()})
}

func (r *run) sweep(l *lane) {
	r.call(l, histories.Request{Kind: histories.DeleteRange, Scope: r.scope(), PrevKV: Chance(r.rng, 0.3)})
}

// expect draws the revision that a conditional write expects: the present one,
// or a wrong one: of the key's past, of another key, of nothing, of the future.
func (r *run) expect(key histories.Key) histories.Revision {
	if !Chance(r.rng, r.config.Stale) {
		return modified(r.store.current(key.Name))
	}
	chain := r.store.chains[key.Name]
	switch n := r.rng.IntN(5); {
	case n == 0:
		return 0
	case n == 1:
		return modified(r.store.current(r.key().Name))
	case n == 2:
		return r.store.newest + 1
	case len(chain) > 0:
		return r.store.log[chain[r.rng.IntN(len(chain))]].revision
	default:
		return 1
	}
}

func (r *run) get(l *lane) {
	r.call(l, histories.Request{
		Kind: histories.Get, Key: r.key(), Revision: r.readRevision(), Serializable: Chance(r.rng, r.config.Serializable),
	})
}

func (r *run) list(l *lane) {
	req := histories.Request{
		Kind: histories.List, Scope: r.scope(), Revision: r.readRevision(), Limit: r.limit(),
		Serializable: Chance(r.rng, r.config.Serializable),
	}
	if Chance(r.rng, r.config.StartKey) {
		req.HasStart, req.Start = true, max(first(req.Scope), r.startKey())
	}
	r.call(l, req)
}

func (r *run) startKey() string {
	switch r.rng.IntN(4) {
	case 0:
		return "\x01"
	case 1:
		return "\xff\xff"
	case 2:
		return r.key().Name + "\x00"
	default:
		return r.key().Name
	}
}

// next follows a page that somebody got, at the revision of its chain.
func (r *run) next(l *lane) {
	if len(r.pages) == 0 {
		r.list(l)
		return
	}
	page := r.history.Operations[r.pages[r.rng.IntN(len(r.pages))]-1]
	if page.Request.Revision < 0 {
		r.list(l)
		return
	}
	req := histories.Request{
		Kind: histories.Next, Of: page.ID, Scope: page.Request.Scope, Limit: page.Request.Limit,
		Revision: page.Request.Revision, HasStart: true,
		Start: page.Answer.Objects[len(page.Answer.Objects)-1].Key.Name + "\x00",
	}
	if req.Revision == 0 {
		req.Revision = page.Answer.Revision
	}
	if Chance(r.rng, 0.2) {
		req.Limit = r.limit()
	}
	r.call(l, req)
}

func (r *run) limit() int64 {
	if !Chance(r.rng, r.config.Limit) {
		return 0
	}
	switch r.rng.IntN(8) {
	case 0:
		return -1
	case 1:
		return math.MaxInt64
	default:
		return 1 + r.rng.Int64N(int64(len(r.config.Keys))+1)
	}
}

func (r *run) scope() histories.Scope {
	switch r.rng.IntN(6) {
	case 0:
		return histories.Scope{Shape: histories.Single, Key: r.key()}
	case 1:
		return histories.Scope{Shape: histories.Prefix, Key: histories.Key{Name: r.key().Name[:1]}}
	case 2: // sometimes empty
		return histories.Scope{Shape: histories.Range, Key: r.key(), End: r.key().Name + "\x00"}
	default:
		return histories.Scope{}
	}
}

func (r *run) readRevision() histories.Revision {
	switch {
	case Chance(r.rng, r.config.Negative):
		return [...]histories.Revision{-1, -5, math.MinInt64}[r.rng.IntN(3)]
	case Chance(r.rng, r.config.Future):
		return [...]histories.Revision{r.store.newest + 1, r.store.newest + 2, math.MaxInt64}[r.rng.IntN(3)]
	case Chance(r.rng, r.config.Past):
		return r.pastRevision()
	default:
		return 0
	}
}

// pastRevision draws a revision from 1 to the newest, often one near the
// compaction point or at a deletion.
func (r *run) pastRevision() histories.Revision {
	at := histories.Revision(1 + r.rng.Int64N(int64(r.store.newest)))
	switch r.rng.IntN(4) {
	case 0:
		at = r.store.compacted + histories.Revision(r.rng.IntN(3)) - 1
	case 1:
		if n := len(r.store.log); n > 0 {
			at = r.store.log[r.rng.IntN(n)].revision
		}
	case 2:
		at = r.store.newest - histories.Revision(r.rng.IntN(4))
	}
	return min(max(1, at), r.store.newest)
}

func (r *run) compact(l *lane) {
	at := r.pastRevision()
	if Chance(r.rng, r.config.Future) {
		at = r.store.newest + histories.Revision(1+r.rng.IntN(3))
	}
	r.call(l, histories.Request{Kind: histories.Compact, Revision: at, Physical: Chance(r.rng, 0.2)})
}
