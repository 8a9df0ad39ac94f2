package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// place is where an effect is: one key at one revision.
type place struct {
	revision histories.Revision
	rank     int
}

// content is what a claim says happened at a place.
type content struct {
	write   histories.WriteID
	foreign string // digest of a value that the run did not write
	deleted bool
}

// effect is one entry of the timeline: a change of one key at one revision.
type effect struct {
	place
	content
	// author is the operation that asked for it, nil if nobody known did.
	author *histories.Operation
	// acked: the author's answer names this revision.
	acked bool
	// seen counts the events, previous values and read objects that show it.
	seen int
	// implied: nobody told of it, the number that a range delete removed says so.
	implied bool
	// lost: the author was told that it is done, but nothing else agrees.
	lost bool
	// gone: a read showed that it was removed, though nobody told of that.
	gone bool
	// created and version are the metadata that follow from the timeline; known
	// is false where an unseen effect may lie before.
	created histories.Revision
	version int64
	known   bool
	// lease is the lease that the write bound the key to, zero if none.
	lease int64
}

// claim counts who says that something happened at a place.
type claim struct {
	place
	content
	seen   int
	author *histories.Operation // whose answer says so, nil for observers only
}

func (c *claim) votes() int {
	if c.author != nil {
		return c.seen + 1
	}
	return c.seen
}

// attested reports whether both the writer and an observer make the claim.
func (c *claim) attested() bool { return c.author != nil && c.seen > 0 }

// outvotes orders claims that exclude each other: the one that both the writer and an
// observer make is believed, else the one with more sources, among equals the one that
// the writer's own answer makes. Many observers may repeat one lie of the store, such as
// a previous value that never was.
func (c *claim) outvotes(other *claim) bool {
	if c.attested() != other.attested() {
		return c.attested()
	}
	if c.votes() != other.votes() {
		return c.votes() > other.votes()
	}
	if (c.author != nil) != (other.author != nil) {
		return c.author != nil
	}
	return c.revision < other.revision
}

// collectEffects builds the timeline from every claim about what happened when.
// Claims that contradict each other are put to the vote; a writer whose answer
// names the wrong revision is reported here, observers where they are judged.
func (j *judge) collectEffects() {
	claims := j.collectClaims()
	byWrite := map[histories.WriteID]*claim{}
	for _, c := range claims {
		if c.write == "" {
			continue
		}
		if best := byWrite[c.write]; best == nil || c.outvotes(best) {
			byWrite[c.write] = c
		}
	}
	winners := map[place]*claim{}
	for _, c := range claims {
		if c.write != "" && byWrite[c.write] != c {
			continue
		}
		if best := winners[c.place]; best == nil || c.outvotes(best) {
			winners[c.place] = c
		}
	}
	for _, c := range winners {
		j.effects = append(j.effects, j.effectOf(c))
	}
	slices.SortFunc(j.effects, func(a, b effect) int {
		return cmp.Or(cmp.Compare(a.revision, b.revision), cmp.Compare(a.rank, b.rank))
	})
	j.implyDeletes()
	j.indexEffects()
	j.judgeAnswersOfWrites(claims, winners)
	j.findUnseen()
}

// effectOf makes the timeline's entry from the claim that won its place.
func (j *judge) effectOf(c *claim) effect {
	e := effect{place: c.place, content: c.content, seen: c.seen, acked: c.author != nil, author: c.author}
	if e.author == nil && c.write != "" {
		if d, ok := j.authors[c.write]; ok && j.ranks[d.request.Key] == c.rank {
			e.author = d.op
		}
	}
	if d, ok := j.authors[c.write]; ok && c.write != "" {
		e.lease = d.request.Lease
	}
	return e
}

func (j *judge) indexEffects() {
	j.byKey = make([][]int, len(j.keys))
	j.at = make(map[place]int, len(j.effects))
	j.placed = make(map[histories.WriteID]histories.Revision, len(j.effects))
	for i := range j.effects {
		e := &j.effects[i]
		j.byKey[e.rank] = append(j.byKey[e.rank], i)
		j.at[e.place] = i
		if d, ok := j.authors[e.write]; ok && j.ranks[d.request.Key] == e.rank {
			j.placed[e.write] = e.revision
		}
	}
}

// collectClaims gathers the claims of acknowledged writes, events, previous
// values and read objects, in a fixed order.
func (j *judge) collectClaims() []*claim {
	var list []*claim
	known := map[claimKey]*claim{}
	get := func(p place, c content) *claim {
		k := claimKey{p, c}
		if known[k] == nil {
			known[k] = &claim{place: p, content: c}
			list = append(list, known[k])
		}
		return known[k]
	}
	for i := range j.history.Operations {
		for _, d := range deeds(&j.history.Operations[i]) {
			if d.answer == nil {
				continue
			}
			if p, c, ok := j.acknowledged(d); ok {
				j.acknowledge(get(p, c), d.op)
			}
			for k := range d.answer.Objects {
				if p, c, ok := j.shown(&d.answer.Objects[k]); ok {
					get(p, c).seen++
				}
			}
		}
	}
	for _, s := range j.streams {
		for i := range s.events {
			e := &s.events[i]
			if p, c, ok := j.told(e); ok {
				get(p, c).seen++
			}
			if e.Prev != nil {
				if p, c, ok := j.shown(e.Prev); ok {
					get(p, c).seen++
				}
			}
		}
	}
	return list
}

// acknowledge makes an operation the author of a claim. Two that were told of the
// same effect cannot both be right.
func (j *judge) acknowledge(c *claim, op *histories.Operation) {
	if c.author == nil {
		c.author = op
		return
	}
	j.reportShared(op, &effect{place: c.place, author: c.author})
}

// reportShared reports an operation that was told of the revision of another's effect.
func (j *judge) reportShared(op *histories.Operation, e *effect) {
	j.report(models.Finding{
		Property: models.WriteOwnRevision, Operations: []int{op.ID, e.author.ID}, Revision: e.revision, Key: &j.keys[e.rank],
		Allowed: "one write at a revision", Observed: fmt.Sprintf("%s and %s at revision %d", j.name(e.author.ID), j.name(op.ID), e.revision),
		Explanation: fmt.Sprintf("%s and %s are two writes, each with a revision of its own, but both were told that they made revision %d.", j.name(e.author.ID), j.name(op.ID), e.revision),
	})
}

type claimKey struct {
	place
	content
}

// acknowledged returns the effect that the answer of a write claims. What a range
// delete removed is found out later (imply.go).
func (j *judge) acknowledged(d deed) (place, content, bool) {
	header := d.op.Answer.Revision
	if d.op.Answer.Outcome != histories.OK || header <= 0 {
		return place{}, content{}, false
	}
	at := place{header, j.ranks[d.request.Key]}
	switch {
	case stores(d.request):
		return at, content{write: d.request.Write}, true
	case d.request.Kind == histories.Delete:
		return at, content{deleted: true}, !removedNothing(d.request, d.answer)
	default:
		return place{}, content{}, false
	}
}

// shown returns the effect that an object in an answer proves.
func (j *judge) shown(o *histories.Object) (place, content, bool) {
	if o.RV <= 0 || o.Write == "" && o.Foreign == "" {
		return place{}, content{}, false
	}
	return place{o.RV, j.ranks[o.Key]}, content{write: o.Write, foreign: o.Foreign}, true
}

// told returns the effect that an event tells.
func (j *judge) told(e *histories.Event) (place, content, bool) {
	switch e.Type {
	case histories.PutEvent:
		return j.shown(&e.Object)
	case histories.DeleteEvent:
		return place{e.Object.RV, j.ranks[e.Object.Key]}, content{deleted: true}, e.Object.RV > 0
	default:
		return place{}, content{}, false
	}
}

// judgeAnswersOfWrites reports the writers whose answer lost the vote, and the
// revisions that two writers share.
func (j *judge) judgeAnswersOfWrites(claims []*claim, winners map[place]*claim) {
	for _, c := range claims {
		if c.author == nil {
			continue
		}
		j.exercise(models.WriteOwnRevision)
		if c.revision <= beginning {
			j.reportAtBeginning(c)
			continue
		}
		if winners[c.place] == c {
			continue
		}
		observed := "elsewhere"
		if at, ok := j.placeOf(c.write); ok {
			observed = fmt.Sprintf("its effect is at revision %d", at)
		} else if w := winners[c.place]; w != nil {
			observed = "at that revision the key holds " + j.value(w.content)
		}
		property := models.WriteOwnRevision
		if j.isSplit(c) {
			property = models.TxnAtomic
		}
		j.report(models.Finding{
			Property: property, Operations: []int{c.author.ID}, Revision: c.revision, Key: &j.keys[c.rank],
			Allowed: fmt.Sprintf("the answer says revision %d", c.revision), Observed: observed,
			Explanation: j.misplaced(c, observed),
		})
	}
}

// misplaced says where a write took effect instead of where its answer says.
func (j *judge) misplaced(c *claim, observed string) string {
	text := fmt.Sprintf("%s was told that it made revision %d, but %s", j.name(c.author.ID), c.revision, observed)
	if j.isSplit(c) {
		text += ": its writes did not take effect together"
	}
	return text + "."
}

// reportAtBeginning reports a write that says that it made a revision which is there
// from the start.
func (j *judge) reportAtBeginning(c *claim) {
	j.report(models.Finding{
		Property: models.WriteOwnRevision, Operations: []int{c.author.ID}, Revision: c.revision, Key: &j.keys[c.rank],
		Allowed: fmt.Sprintf("a revision above %d, that of the empty store", beginning), Observed: fmt.Sprintf("revision %d", c.revision),
		Explanation: fmt.Sprintf("%s was told that it made revision %d, which every store has before its first write.", j.name(c.author.ID), c.revision),
	})
}

// isSplit reports whether a claim of a transaction is wrong that holds for another
// of its writes: they took effect at different revisions.
func (j *judge) isSplit(c *claim) bool {
	return c.author.Request.Kind == histories.Transact && slices.ContainsFunc(j.effects, func(e effect) bool {
		return e.author == c.author && e.revision == c.revision && e.rank != c.rank && e.seen > 0
	})
}

// placeOf returns the revision at which the timeline has this write.
func (j *judge) placeOf(write histories.WriteID) (histories.Revision, bool) {
	revision, found := j.placed[write]
	return revision, found
}

// findUnseen lists, by key, the writes of unknown outcome whose effect nobody
// saw: such an effect may hide wherever the timeline is not covered. So may that of
// a range delete of which nobody knows what it removed.
func (j *judge) findUnseen() {
	j.unseen = make([][]deed, len(j.keys))
	for _, v := range j.vague {
		j.unseen[v.rank] = append(j.unseen[v.rank], v.deed)
	}
	for i := range j.history.Operations {
		if op := &j.history.Operations[i]; op.Answer.Outcome == histories.Unknown {
			for _, d := range deeds(op) {
				j.noteUnseen(d)
			}
		}
	}
}

func (j *judge) noteUnseen(d deed) {
	if stores(d.request) {
		if _, found := j.placeOf(d.request.Write); !found {
			rank := j.ranks[d.request.Key]
			j.unseen[rank] = append(j.unseen[rank], d)
		}
		return
	}
	if d.request.Kind == histories.Delete {
		rank := j.ranks[d.request.Key]
		j.unseen[rank] = append(j.unseen[rank], d)
		return
	}
	for rank, key := range j.keys {
		if removes(d.request, key) || d.request.Kind == histories.LeaseRevoke && j.leased[rank] {
			j.unseen[rank] = append(j.unseen[rank], d)
		}
	}
}

// before returns the last effect of a key below a revision, nil if there is none.
func (j *judge) before(rank int, revision histories.Revision) *effect {
	for i := j.countUpTo(rank, revision-1) - 1; i >= 0; i-- {
		if e := &j.effects[j.byKey[rank][i]]; !e.lost {
			return e
		}
	}
	return nil
}

// after returns the first effect of a key above a revision, nil if there is none.
func (j *judge) after(rank int, revision histories.Revision) *effect {
	for _, i := range j.byKey[rank][j.countUpTo(rank, revision):] {
		if e := &j.effects[i]; !e.lost {
			return e
		}
	}
	return nil
}

func (j *judge) countUpTo(rank int, revision histories.Revision) int {
	at, _ := slices.BinarySearchFunc(j.byKey[rank], revision+1, func(i int, r histories.Revision) int {
		return cmp.Compare(j.effects[i].revision, r)
	})
	return at
}
