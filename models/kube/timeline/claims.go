package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// place is where a change is: one key at one revision.
type place struct {
	revision histories.Revision
	rank     int
}

// source is who says something: an operation, or the n-th event of its stream,
// counted from 1.
type source struct{ op, event int }

// effect is one entry of the timeline.
type effect struct {
	place
	// object is the state after the change, nil where the object was removed.
	object *histories.Object
	uid    string
	// partial: nobody showed more than the object's metadata.
	partial bool
	// author is the write whose value the object holds, where this is the effect that
	// its answer names.
	author *histories.Operation
	// sources are who told of it.
	sources []source
	// lost: its author was told that it is done, but nothing else agrees.
	lost bool
}

func (e *effect) deleted() bool { return e.object == nil }

// claim is what sources agree on at a place.
type claim struct {
	place
	object  *histories.Object // nil: removed
	uid     string
	partial bool
	author  *histories.Operation
	sources []source
}

// eachShown calls f for every object that somebody showed as it was stored at its RV:
// answers of reads and of writes, and events but for deletions. What a dry run, the
// update that takes the last finalizer and a deletion's object show was never stored so
// (WR-06, WR-25, A-10).
func (j *judge) eachShown(f func(from source, o *histories.Object, partial bool)) {
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op.Answer.Outcome != histories.OK || !showsStored(op) {
			continue
		}
		for k := range op.Answer.Objects {
			f(source{op: op.ID}, &op.Answer.Objects[k], isPartial(op.Request.Options().Encoding))
		}
	}
	for _, s := range j.streams {
		for i := range s.Events {
			if e := &s.Events[i]; e.Type == histories.AddedEvent || e.Type == histories.ModifiedEvent {
				f(source{s.Op, i + 1}, &e.Object, s.partial)
			}
		}
	}
}

// showsStored reports whether the objects of a successful answer are states that were
// stored.
func showsStored(op *histories.Operation) bool {
	if op.Request.Options().DryRun {
		return false
	}
	switch op.Request.Kind {
	case histories.Get, histories.List, histories.Next:
		return true
	case histories.Create, histories.Update, histories.Patch, histories.Delete:
		return len(op.Answer.Objects) == 1 && !isLastBreath(&op.Answer.Objects[0])
	default:
		return false
	}
}

// isLastBreath reports whether an object is one whose deletion has begun and that no
// finalizer holds: it is never stored so.
func isLastBreath(o *histories.Object) bool { return o.Deleting && len(o.Meta().Finalizers) == 0 }

// madeBy reports whether an object holds what a write was to store.
func madeBy(op *histories.Operation, o *histories.Object) bool {
	w := op.Request.Write
	return w != "" && (!op.Request.Options().Status && o.Write == w || op.Request.Options().Status && o.Meta().Status == w)
}

// collect builds the timeline from every claim about what happened when. Claims that
// contradict each other are put to the vote, and the losers are reported.
func (j *judge) collect() {
	byPlace := map[place][]*claim{}
	j.eachShown(func(from source, o *histories.Object, partial bool) {
		rank, ok := j.ranks[o.Key]
		if !ok || o.RV <= 0 || j.isOld(o.Key, o.RV) {
			return
		}
		c := claim{place: place{o.RV, rank}, object: o, uid: o.UID, partial: partial, sources: []source{from}}
		if op := j.history.Operation(from.op); from.event == 0 && op.Request.Kind.IsWrite() && madeBy(op, o) {
			c.author = op
		}
		byPlace[c.place] = join(byPlace[c.place], c)
	})
	j.eachRemoval(func(from source, o *histories.Object) {
		if rank, ok := j.ranks[o.Key]; ok && o.RV > j.base.revision {
			c := claim{place: place{o.RV, rank}, uid: o.UID, sources: []source{from}}
			byPlace[c.place] = join(byPlace[c.place], c)
		}
	})
	for _, claims := range byPlace {
		j.effects = append(j.effects, elect(claims))
	}
	j.indexEffects()
	for _, e := range j.effects {
		for _, c := range byPlace[e.place] {
			if !agree(&claim{object: e.object, uid: e.uid, partial: e.partial}, c) {
				j.reportDispute(c, e)
			}
		}
	}
}

// eachRemoval calls f for what a watch without a selector told of a deletion. What one
// with a selector tells may be that the object no longer matches.
func (j *judge) eachRemoval(f func(from source, o *histories.Object)) {
	for _, s := range j.streams {
		if !s.legible || !s.selector.Empty() {
			continue
		}
		for i := range s.Events {
			if e := &s.Events[i]; e.Type == histories.DeleteEvent && e.Object.RV > 0 {
				f(source{s.Op, i + 1}, &e.Object)
			}
		}
	}
}

// join adds a claim to those of its place, or its source to an equal one.
func join(claims []*claim, c claim) []*claim {
	for _, other := range claims {
		if other.partial == c.partial && agree(other, &c) {
			other.sources = append(other.sources, c.sources...)
			if other.author == nil {
				other.author = c.author
			}
			return claims
		}
	}
	return append(claims, &c)
}

// agree reports whether two claims can both be true.
func agree(a, b *claim) bool {
	if (a.object == nil) != (b.object == nil) || a.uid != b.uid {
		return false
	}
	return a.object == nil || difference(a.object, b.object, a.partial || b.partial) == ""
}

// elect makes the timeline's entry from the claims of a place: the one that most agree
// with, and among equals the whole one, and the one of the writer's own answer. A partial
// one agrees with several that exclude each other; one of those is the entry then.
func elect(claims []*claim) *effect {
	best := most(claims, claims)
	if best.partial {
		whole := slices.DeleteFunc(slices.Clone(claims), func(c *claim) bool { return c.partial || !agree(best, c) })
		if len(whole) > 0 {
			best = most(whole, claims)
		}
	}
	e := &effect{place: best.place, object: best.object, uid: best.uid, partial: best.partial, author: best.author}
	for _, c := range claims {
		if agree(best, c) {
			e.sources = append(e.sources, c.sources...)
		}
	}
	slices.SortFunc(e.sources, compareSources)
	return e
}

// most returns the one of some claims that most of all agree with.
func most(some, all []*claim) *claim {
	votes := func(c *claim) (n int) {
		for _, other := range all {
			if agree(c, other) {
				n += len(other.sources)
			}
		}
		return n
	}
	best := some[0]
	for _, c := range some[1:] {
		if cmp.Or(cmp.Compare(votes(c), votes(best)), -compareBools(c.partial, best.partial),
			compareBools(c.author != nil, best.author != nil), earlier(c, best)) > 0 {
			best = c
		}
	}
	return best
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

func compareSources(a, b source) int {
	return cmp.Or(cmp.Compare(a.op, b.op), cmp.Compare(a.event, b.event))
}

func earlier(a, b *claim) int { return -compareSources(a.sources[0], b.sources[0]) }

// difference names what two pictures of one state do not agree in, empty if nothing.
// Whatever is not shown is not compared.
func difference(a, b *histories.Object, partial bool) string {
	var parts []string
	note := func(differs bool, what string) {
		if differs {
			parts = append(parts, what)
		}
	}
	note(a.UID != b.UID, "the uid")
	note(a.Deleting != b.Deleting, "whether it is being deleted")
	note(!maps.Equal(a.Labels, b.Labels), "the labels")
	note(!slices.Equal(a.Meta().Finalizers, b.Meta().Finalizers), "the finalizers")
	if !partial {
		note(a.Write != b.Write || a.Foreign != b.Foreign, "the value")
		note(a.Meta().Status != b.Meta().Status, "the status")
		note(a.Size != b.Size, "the size")
	}
	return strings.Join(parts, ", ")
}

func (j *judge) reportDispute(c *claim, e *effect) {
	for _, s := range c.sources {
		f := models.Finding{
			Property: models.ObjectOneTruth, Operations: append([]int{s.op}, opsOf(e)...), Revision: c.revision, Key: &j.keys[c.rank],
			Allowed: j.state(e.object, e.partial), Observed: j.state(c.object, c.partial),
			Explanation: fmt.Sprintf("%s showed %s at resource version %d as %s, which elsewhere is %s: one resource version has one content.",
				j.name(s.op), j.quoted(c.rank), c.revision, j.state(c.object, c.partial), j.state(e.object, e.partial)),
		}
		if s.event > 0 {
			f.Property = models.WatchContent
			j.ReportStream(f)
			continue
		}
		j.Report(f)
	}
}

// opsOf are the first operations that told of an effect.
func opsOf(e *effect) []int {
	if e == nil || len(e.sources) == 0 {
		return nil
	}
	return []int{e.sources[0].op}
}

func (j *judge) indexEffects() {
	slices.SortFunc(j.effects, func(a, b *effect) int {
		return cmp.Or(cmp.Compare(a.revision, b.revision), cmp.Compare(a.rank, b.rank))
	})
	j.byKey = make([][]*effect, len(j.keys))
	j.at, j.byUID = map[place]*effect{}, map[string][]*effect{}
	for _, e := range j.effects {
		j.byKey[e.rank] = append(j.byKey[e.rank], e)
		j.at[e.place] = e
		if e.uid != "" {
			j.byUID[e.uid] = append(j.byUID[e.uid], e)
		}
		if len(e.sources) > 1 {
			j.Exercise(models.ObjectOneTruth)
		}
	}
}

// before returns the last effect of a key below a revision, nil if there is none.
func (j *judge) before(rank int, revision histories.Revision) *effect {
	at, _ := slices.BinarySearchFunc(j.byKey[rank], revision, func(e *effect, r histories.Revision) int { return cmp.Compare(e.revision, r) })
	for at--; at >= 0; at-- {
		if e := j.byKey[rank][at]; !e.lost {
			return e
		}
	}
	return nil
}

// after returns the first effect of a key above a revision, nil if there is none.
func (j *judge) after(rank int, revision histories.Revision) *effect {
	at, _ := slices.BinarySearchFunc(j.byKey[rank], revision+1, func(e *effect, r histories.Revision) int { return cmp.Compare(e.revision, r) })
	for ; at < len(j.byKey[rank]); at++ {
		if e := j.byKey[rank][at]; !e.lost {
			return e
		}
	}
	return nil
}
