package timeline

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// authorOf returns the write that made an effect though its answer does not show that, nil if that
// is not certain: a later change of the object keeps the value of an earlier one.
func (j *judge) authorOf(e, b *effect, certain bool) *histories.Operation {
	if e.deleted() || e.partial || !certain || b != nil && b.partial {
		return nil
	}
	if op := j.writers[e.object.Write]; hasHiddenEffect(op) && !op.Request.Options().Status && (b == nil || b.object.Write != e.object.Write) {
		return j.alone(op, e)
	}
	if op := j.keeperOf(e, b); op != nil {
		return op
	}
	status := e.object.Meta().Status
	if op := j.writers[status]; hasHiddenEffect(op) && op.Request.Options().Status && (b == nil || b.object.Meta().Status != status) {
		return j.alone(op, e)
	}
	return nil
}

// keeperOf returns the only write that can have made a version which keeps the values of the one
// before, as one that takes finalizers away does, nil if there is none.
func (j *judge) keeperOf(e, b *effect) *histories.Operation {
	if !j.closed() || b == nil || b.uid != e.uid || b.object.Deleting != e.object.Deleting || b.object.Write != e.object.Write || b.object.Meta().Status != e.object.Meta().Status {
		return nil
	}
	var keeper *histories.Operation
	for _, s := range e.sources {
		op := j.history.Operation(s.op)
		if s.event > 0 || !keepsValue(&op.Request) || op.Request.Options().Status {
			continue
		}
		if keeper != nil {
			return nil
		}
		keeper = op
	}
	if slices.ContainsFunc(j.unseen[e.rank], func(op *histories.Operation) bool { return keepsValue(&op.Request) }) {
		return nil
	}
	return keeper
}

// alone is the operation if nobody else may have made the effect.
func (j *judge) alone(op *histories.Operation, e *effect) *histories.Operation {
	if j.mayBeOfAnother(e, op) {
		return nil
	}
	return op
}

// hasHiddenEffect reports whether a write may have an effect that its answer does not show.
func hasHiddenEffect(op *histories.Operation) bool {
	return op != nil && op.Answer.Outcome == histories.Unknown && !op.Request.Options().DryRun
}

// mayHaveMade reports whether a write may have made an object where there was none,
// whatever its condition (WR-11, WR-15).
func (j *judge) mayHaveMade(op *histories.Operation, at histories.Revision) bool {
	if !j.mayCreate(&op.Request) {
		return false
	}
	known := j.byUID[op.Answer.Objects[0].UID]
	return len(known) == 0 || known[0].revision >= at
}

// judgeMade holds a version whose writer is known, but not what it found, against what the
// write makes of whatever it finds: done again, it would change nothing.
func (j *judge) judgeMade(e *effect) {
	op := e.author
	if op == nil || e.deleted() || e.partial {
		return
	}
	property := conditionProperty(&op.Request)
	if op.Request.Kind == histories.Patch {
		property = models.WritePatch
	}
	j.Exercise(property)
	out := j.doneAgain(op, e)
	if out.Refused() || out.Loose || out.Change != kube.Stored {
		return
	}
	wanted := *out.Object
	wanted.UID = e.object.UID
	if differs := difference(&wanted, e.object, false); differs != "" {
		j.Report(models.Finding{
			Property: property, Operations: append([]int{op.ID}, opsOf(e)...), Revision: e.revision, Key: &j.keys[e.rank],
			Allowed: j.state(&wanted, false), Observed: j.state(e.object, false),
			Explanation: fmt.Sprintf("%s should have made %s of %s, whatever it found, but at resource version %d it is %s: they differ in %s.",
				j.name(op.ID), j.state(&wanted, false), j.quoted(e.rank), e.revision, j.state(e.object, false), differs),
		})
	}
}

// doneAgain is what a write makes of what it has made, or, where it created that, of nothing.
func (j *judge) doneAgain(op *histories.Operation, e *effect) kube.Outcome {
	r, found := *named(&op.Request, j.keys[e.rank]), e.object
	if r.Kind == histories.Create {
		found = nil
	}
	r.Conditional, r.Expect, r.ExpectUID = false, 0, ""
	return kube.WriteTo(&j.history.Header, found, &r)
}
