package kube

import (
	"math/rand/v2"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models"
)

var changes = []histories.Kind{histories.Create, histories.Update, histories.Patch}

var writeDamages = []Damage{
	{ID: "update-without-condition", Property: models.WriteUpdateCAS, Calls: true, Apply: calls(simulation.Both(succeeded(histories.Update, histories.Patch), lasting, shows), otherExpect)},
	{ID: "update-of-another-uid", Property: models.WriteUpdateCAS, Calls: true, Apply: calls(simulation.Both(succeeded(histories.Update, histories.Patch), lasting, not(ofStatus)), otherUID)},
	{ID: "delete-without-condition", Property: models.WriteDeleteCAS, Calls: true, Apply: calls(simulation.Both(succeeded(histories.Delete), lasting, not(shows)), otherExpect)},
	{ID: "delete-of-another-uid", Property: models.WriteDeleteCAS, Calls: true, Apply: calls(simulation.Both(succeeded(histories.Delete), lasting), otherUID)},
	{ID: "deleted-again", Property: models.WriteDeleteCAS, Apply: calls(simulation.Both(refusedAs(histories.NotFound, histories.Delete), lasting), deletedAgain)},
	{ID: "create-over-another", Property: models.WriteCreateExclusive, Calls: true, Apply: calls(simulation.Both(succeeded(histories.Update), lasting, not(ofStatus), shows), created)},
	{ID: "refused-but-done", Property: models.WriteNoEffect, Apply: calls(simulation.Both(succeeded(changes...), lasting, shows), conflicting)},
	{ID: "refused-for-nothing", Property: models.WriteConflictOwed, Calls: true, Apply: calls(simulation.Both(succeeded(histories.Update, histories.Patch, histories.Delete), not(lasting)), missed)},
	{ID: "exists-but-does-not", Property: models.WriteConflictOwed, Calls: true, Apply: calls(simulation.Both(succeeded(histories.Create), not(lasting)), existing)},
	{ID: "dry-run-stores", Property: models.WriteDryRun, Apply: calls(simulation.Both(succeeded(changes...), lasting, shows), rehearsing)},
	{ID: "dry-run-deletes", Property: models.WriteDryRun, Apply: calls(simulation.Both(succeeded(histories.Delete), lasting, not(shows)), rehearsing)},
	{ID: "no-op-stores", Property: models.WriteNoOp, Apply: calls(simulation.Both(succeeded(histories.Update, histories.Patch), noOp, lasting, shows), newVersion)},
	{ID: "answer-without-effect", Property: models.WriteDurable, Apply: calls(simulation.Both(succeeded(histories.Update, histories.Patch), lasting, shows), otherValue)},
	{ID: "deleted-but-there", Property: models.WriteDurable, Calls: true, Apply: calls(simulation.Both(refusedAs(histories.Conflict, histories.Delete), lasting), deletedAgain)},
	{ID: "revisions-swapped", Property: models.WriteRevisionOrder, Apply: swappedRevisions},
	{ID: "collection-forgets", Property: models.WriteCollection, Apply: calls(simulation.Both(succeeded(histories.DeleteCollection), lasting), claimed)},
}

var objectDamages = []Damage{
	{ID: "uid-of-another", Property: models.WriteIdentity, Apply: uidOfAnother},
	{ID: "mark-forgotten", Property: models.WriteTwoPhase, Apply: markForgotten},
	{ID: "patch-loses-label", Property: models.WritePatch, Apply: calls(simulation.Both(succeeded(histories.Patch), lasting, shows, not(noOp)), labelLost)},
	{ID: "status-replaces-value", Property: models.WriteUpdateCAS, Apply: calls(simulation.Both(succeeded(histories.Update), lasting, shows, not(noOp)), sizeLost)},
	{ID: "two-contents", Property: models.ObjectOneTruth, Apply: calls(simulation.Both(succeeded(histories.Get, histories.List), shows), otherLabels)},
}

func ofStatus(op *histories.Operation) bool { return op.Request.Options().Status }
func noOp(op *histories.Operation) bool     { return op.Request.Options().NoOp }

// otherExpect makes a condition of a write that did not hold.
func otherExpect(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Request.Conditional = true
	if op.Request.Expect++; op.Request.Expect == 1 {
		op.Request.Expect = 1 << 30
	}
	return true
}

func otherUID(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Request.ExpectUID = "uid-0"
	return true
}

// deletedAgain says that a delete took an object away.
func deletedAgain(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	o, there := readLedger(h).before(op.Request.Key, 1<<40)
	if there {
		op.Answer = histories.Answer{Outcome: histories.OK, Kube: &histories.KubeAnswer{UID: o.UID}}
	}
	return there
}

// created makes a create of an update.
func created(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	r, o := &op.Request, &op.Answer.Objects[0]
	if r.Write == "" || o.Write != r.Write || o.Deleting || o.Meta().Status != "" {
		return false
	}
	r.Kind, r.Expect, r.Conditional, r.ExpectUID = histories.Create, 0, false, ""
	op.Answer.Revision = o.RV
	return true
}

func conflicting(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	class, reason := histories.Conflict, "Conflict"
	if op.Request.Kind == histories.Create {
		class, reason = histories.Exists, "AlreadyExists"
	}
	op.Answer = refusal(class, "409", reason)
	return op.Request.Write != ""
}

func existing(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer = refusal(histories.Exists, "409", "AlreadyExists")
	return !op.Request.Options().GenerateName
}

func rehearsing(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	otherOptions(&op.Request, func(o *histories.KubeOptions) { o.DryRun = true })
	if op.Request.Kind == histories.Create {
		op.Answer.Revision = 0
	}
	return true
}

func newVersion(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	o := &op.Answer.Objects[0]
	o.RV = readLedger(h).free(o.RV)
	return true
}

func otherValue(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	o := &op.Answer.Objects[0]
	old, there := readLedger(h).before(o.Key, o.RV)
	o.Write = old.Write
	return there && op.Request.Write != "" && !op.Request.Options().Status && old.Write != op.Request.Write && old.Write != ""
}

// creates are those that made an object.
func creates(h *histories.History) []*histories.Operation {
	var found []*histories.Operation
	for i := range h.Operations {
		if op := &h.Operations[i]; succeeded(histories.Create)(op) && lasting(op) {
			found = append(found, op)
		}
	}
	return found
}

// swappedRevisions gives two creates, one after the other, the revision of each other.
func swappedRevisions(rng *rand.Rand, h *histories.History) bool {
	found := creates(h)
	first, _ := one(rng, found)
	second, _ := one(rng, found)
	if first == nil || first.Return >= second.Call || first.Request.Key == second.Request.Key {
		return false
	}
	a, b := first.Answer.Objects[0].RV, second.Answer.Objects[0].RV
	first.Answer.Revision, second.Answer.Revision = b, a
	everyObject(h, func(o *histories.Object) {
		switch {
		case o.RV == a && o.Key == first.Answer.Objects[0].Key:
			o.RV = b
		case o.RV == b && o.Key == second.Answer.Objects[0].Key:
			o.RV = a
		}
	})
	return true
}

// claimed adds an object to those that a deletion of a collection says it deleted, which a
// list shows later.
func claimed(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	for i := range h.Operations {
		list := &h.Operations[i]
		if list.Call <= op.Return || !simulation.Both(succeeded(histories.List), inMode("most recent"), not(partial))(list) {
			continue
		}
		for _, o := range list.Answer.Objects {
			if op.Request.Scope.Contains(o.Key) && !o.Deleting && !slices.ContainsFunc(op.Answer.Objects, func(s histories.Object) bool { return s.Key == o.Key }) {
				insert(op, o)
				return true
			}
		}
	}
	return false
}

func partial(op *histories.Operation) bool {
	e := op.Request.Options().Encoding
	return e == histories.Table || e == histories.MetadataOnly
}

// uidOfAnother gives every version of an object the uid of an older one.
func uidOfAnother(rng *rand.Rand, h *histories.History) bool {
	found := creates(h)
	older, _ := one(rng, found)
	newer, ok := one(rng, found)
	if !ok || older == newer {
		return false
	}
	from, to := newer.Answer.Objects[0].UID, older.Answer.Objects[0].UID
	everyObject(h, func(o *histories.Object) {
		if o.UID == from {
			o.UID = to
		}
	})
	for i := range h.Operations {
		if d := h.Operations[i].Answer.Kube; d != nil && d.UID == from {
			h.Operations[i].Answer.Kube = &histories.KubeAnswer{UID: to}
		}
	}
	return true
}

// markForgotten takes the mark of a deletion from a version that has it, behind one that
// has it as well.
func markForgotten(_ *rand.Rand, h *histories.History) bool {
	l := readLedger(h)
	for _, v := range l.sorted() {
		o := l.objects[v]
		old, there := l.before(v.key, v.rv)
		if o.Deleting && there && old.Deleting && old.UID == o.UID {
			eachSighting(h, v, func(o *histories.Object) { o.Deleting = false })
			return true
		}
	}
	return false
}

// eachSighting visits whatever shows one version of an object.
func eachSighting(h *histories.History, v version, change func(o *histories.Object)) {
	eachStored(h, func(o *histories.Object) {
		if o.Key == v.key && o.RV == v.rv {
			change(o)
		}
	})
}

// labelLost takes the labels from what a patch made.
func labelLost(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	o := op.Answer.Objects[0]
	eachSighting(h, version{o.Key, o.RV}, func(o *histories.Object) { o.Labels = nil })
	return len(o.Labels) > 0 && op.Request.Options().Patch != histories.ApplyPatch
}

func sizeLost(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	o := op.Answer.Objects[0]
	eachSighting(h, version{o.Key, o.RV}, func(o *histories.Object) { o.Labels = map[string]string{"z": "1"} })
	return true
}

func otherLabels(rng *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer.Objects[rng.IntN(len(op.Answer.Objects))].Labels = map[string]string{"z": "1"}
	return true
}
