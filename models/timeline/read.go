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
	f := models.Finding{
		Property: property, Operations: []int{op.ID}, Revision: revision, Allowed: d.allowed, Observed: d.observed,
		Explanation: fmt.Sprintf("%s shows revision %d: it returned %s where the history has %s.", j.name(op.ID), revision, d.observed, d.allowed),
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
		return &difference{allowed: describe(present), observed: "nothing"}
	}
	o := &objects[0]
	switch {
	case len(objects) > 1:
		return &difference{allowed: "one object", observed: fmt.Sprintf("%d objects", len(objects))}
	case o.Key != key:
		return &difference{property: models.ListScope, allowed: fmt.Sprintf("key %q", key.Name), observed: fmt.Sprintf("key %q", o.Key.Name)}
	case present == nil:
		return &difference{allowed: "nothing", observed: describeObject(o)}
	default:
		return contentDiffers(present, o)
	}
}

// contentDiffers compares the content and the revision of an object.
func contentDiffers(present *effect, o *histories.Object) *difference {
	if o.RV == present.revision && o.Write == present.write && o.Foreign == present.foreign {
		return nil
	}
	d := &difference{allowed: describe(present), observed: describeObject(o)}
	if o.RV == present.revision {
		d.property = models.ObjectOneTruth
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
		return &difference{models.LeaseAttached, fmt.Sprintf("lease %d", present.lease), fmt.Sprintf("lease %d", o.Lease)}
	}
	return &difference{
		property: models.ObjectMetadata,
		allowed:  fmt.Sprintf("create revision %d, version %d", present.created, present.version),
		observed: fmt.Sprintf("create revision %d, version %d, lease %d", o.CreateRevision, o.Version, o.Lease),
	}
}

// metadataContradicts compares the parts of an object with each other: a first
// version, and only that, was created by its last change.
func (j *judge) metadataContradicts(o *histories.Object) *difference {
	j.exercise(models.ObjectMetadata)
	if o.CreateRevision >= 1 && versionFits(o) && (o.Lease == 0 || j.leased[j.ranks[o.Key]]) && j.mayBeCreatedAt(j.ranks[o.Key], o.CreateRevision) {
		return nil
	}
	return &difference{
		property: models.ObjectMetadata,
		allowed:  "a create revision, a version and a mod revision that fit each other",
		observed: fmt.Sprintf("create revision %d, version %d, lease %d, mod revision %d", o.CreateRevision, o.Version, o.Lease, o.RV),
	}
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
	return !j.covered.covers(revision-1, revision)
}

func describe(e *effect) string {
	if e == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s at revision %d", e.content, e.revision)
}

func describeObject(o *histories.Object) string {
	return fmt.Sprintf("%s at revision %d", content{write: o.Write, foreign: o.Foreign}, o.RV)
}
