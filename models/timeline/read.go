package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// difference is how an answer deviates from the timeline.
type difference struct {
	property          string // empty: the caller's
	allowed, observed string
	// story says what is wrong as the end of a sentence that begins with where the
	// answer is, empty: the key held what is allowed, and the answer shows what was observed.
	story string
	// involved are the operations that made what is compared.
	involved []int
}

// judgeGet holds a get against the state that it shows.
func (j *judge) judgeGet(state *table, v visit) {
	op := v.op
	property := models.GetSnapshot
	if op.Request.Revision > 0 {
		property = models.GetExact
	}
	j.exercise(property)
	if op.Request.Serializable {
		j.exercise(models.ReadSerializable)
	} else {
		j.exercise(models.GetFresh)
	}
	rank := j.ranks[op.Request.Key]
	hidden := j.mayHide(rank, lastRevision(state, rank), v.revision, op.Return)
	d := j.differs(state.object(rank), op.Answer.Objects, op.Request.Key, hidden)
	if d == nil {
		if len(op.Answer.Objects) == 0 {
			if present := state.object(rank); present != nil {
				j.noteAbsence(op, present, v.revision)
			}
			return
		}
		if d = j.metadataDiffers(state.object(rank), &op.Answer.Objects[0]); d == nil {
			return
		}
	}
	if d.property != "" {
		property = d.property
	}
	if op.Request.Serializable {
		property = models.ReadSerializable
	}
	j.reportRead(op, property, v.revision, rank, d)
}

func (j *judge) reportRead(op *histories.Operation, property string, revision histories.Revision, rank int, d *difference) {
	story := d.story
	if story == "" {
		story = fmt.Sprintf(", when %s held %s, but it returned %s", j.quoted(rank), d.allowed, d.observed)
	}
	f := models.Finding{
		Property: property, Operations: append([]int{op.ID}, d.involved...), Revision: revision, Allowed: d.allowed, Observed: d.observed,
		Explanation: j.asked(op, revision) + story + ".",
	}
	if rank >= 0 {
		f.Key = &j.keys[rank]
	}
	j.report(f)
}

// differs compares the objects that an answer shows of one key with the present
// one. An object that was shown is in the timeline; hidden says that an unseen
// delete may lie before.
func (j *judge) differs(present *effect, objects []histories.Object, key histories.Key, hidden bool) *difference {
	if len(objects) == 0 {
		if present == nil || hidden {
			return nil
		}
		return &difference{allowed: j.held(present), observed: "nothing", involved: authorIDs(present)}
	}
	o := &objects[0]
	switch {
	case len(objects) > 1:
		return &difference{
			allowed: "one object", observed: fmt.Sprintf("%d objects", len(objects)),
			story: fmt.Sprintf(" and returned %d objects for one key", len(objects)),
		}
	case o.Key != key:
		return &difference{
			property: models.ListScope, allowed: fmt.Sprintf("key %q", key.Name), observed: fmt.Sprintf("key %q", o.Key.Name),
			story: fmt.Sprintf(" and asked for %q, but returned %q", key.Name, o.Key.Name),
		}
	case present == nil:
		return &difference{allowed: "nothing", observed: j.returned(o), involved: j.writerIDs(o)}
	default:
		return j.contentDiffers(present, o)
	}
}

// contentDiffers compares the content and the revision of an object.
func (j *judge) contentDiffers(present *effect, o *histories.Object) *difference {
	if o.RV == present.revision && o.Write == present.write && o.Foreign == present.foreign {
		return nil
	}
	d := &difference{allowed: j.held(present), observed: j.returned(o), involved: append(authorIDs(present), j.writerIDs(o)...)}
	if o.RV == present.revision {
		d.property = models.ObjectOneTruth
		d.story = fmt.Sprintf(" and returned %q at revision %d with %s, which elsewhere is %s: one revision has one value",
			o.Key.Name, o.RV, j.value(content{write: o.Write, foreign: o.Foreign}), j.value(present.content))
	}
	return d
}

// metadataDiffers compares what follows from the writes before (ETCD-08).
func (j *judge) metadataDiffers(present *effect, o *histories.Object) *difference {
	if present == nil {
		return nil
	}
	if !present.known {
		return j.metadataContradicts(o)
	}
	j.exercise(models.ObjectMetadata)
	j.exercise(models.ObjectOneTruth)
	if present.lease != 0 || o.Lease != 0 {
		j.exercise(models.LeaseAttached)
	}
	if o.CreateRevision == present.created && (o.Version == present.version || o.Version == histories.NoVersion) {
		if o.Lease == present.lease {
			return nil
		}
		return j.leaseDiffers(present, o)
	}
	d := &difference{
		property: models.ObjectMetadata, involved: authorIDs(present),
		allowed:  fmt.Sprintf("create revision %d, version %d", present.created, present.version),
		observed: fmt.Sprintf("create revision %d, version %d", o.CreateRevision, o.Version),
	}
	d.story = fmt.Sprintf(" and returned %q with %s, but its writes make that %s", o.Key.Name, d.observed, d.allowed)
	return d
}

// metadataContradicts compares the parts of an object with each other: a first
// version, and only that, was created by its last change.
func (j *judge) metadataContradicts(o *histories.Object) *difference {
	j.exercise(models.ObjectMetadata)
	if o.CreateRevision >= 1 && versionFits(o) && (o.Lease == 0 || j.leased[j.ranks[o.Key]]) && j.mayBeCreatedAt(j.ranks[o.Key], o.CreateRevision) {
		return nil
	}
	d := &difference{
		property: models.ObjectMetadata,
		allowed:  "a create revision, a version and a mod revision that fit each other",
		observed: fmt.Sprintf("create revision %d, version %d, lease %d, mod revision %d", o.CreateRevision, o.Version, o.Lease, o.RV),
	}
	d.story = fmt.Sprintf(" and returned %q with %s, which no writes of it can have made", o.Key.Name, d.observed)
	return d
}

// versionFits reports whether an object may have been written as often as it says
// between its creation and its last change.
func versionFits(o *histories.Object) bool {
	if o.Version == histories.NoVersion {
		return o.RV >= o.CreateRevision
	}
	first, between := o.CreateRevision == o.RV, int64(o.RV-o.CreateRevision)
	return o.Version >= 1 && first == (o.Version == 1) && o.Version-1 <= between
}

// mayBeCreatedAt reports whether a key may have been written at a revision: it was, or
// no watch of everything went past.
func (j *judge) mayBeCreatedAt(rank int, revision histories.Revision) bool {
	if i, ok := j.at[place{revision, rank}]; ok {
		return !j.effects[i].deleted
	}
	return !j.covered.Covers(revision-1, revision)
}

// leaseDiffers says that an object is bound to another lease than its last write said.
func (j *judge) leaseDiffers(present *effect, o *histories.Object) *difference {
	d := &difference{
		property: models.LeaseAttached, involved: authorIDs(present),
		allowed: fmt.Sprintf("lease %d", present.lease), observed: fmt.Sprintf("lease %d", o.Lease),
	}
	d.story = fmt.Sprintf(" and returned %q as bound to %s, but its last write, %s, bound it to %s",
		o.Key.Name, leaseName(o.Lease), j.writer(present.write), leaseName(present.lease))
	return d
}

func leaseName(id int64) string {
	if id == 0 {
		return "no lease"
	}
	return fmt.Sprintf("lease %d", id)
}

// writerIDs are the operations that an object says it was written by.
func (j *judge) writerIDs(o *histories.Object) []int {
	if d, ok := j.authors[o.Write]; ok && o.Write != "" {
		return []int{d.op.ID}
	}
	return nil
}
