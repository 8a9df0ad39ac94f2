package generators

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// kubeStore writes something that is expected to succeed: a create where the object is
// not there, else an update, a patch, or an update without a resource version.
func (a *author) kubeStore(lane int, name string) string {
	switch {
	case a.alive[name] == "":
		return a.create(lane, name)
	case a.mix.has[patches] && a.cfg.can(targets.Patches) && a.chance(40):
		return a.patch(lane, name, plans.Op{})
	case a.cfg.can(targets.UnconditionalUpdates) && a.chance(15):
		return a.update(lane, name, plans.Ref{})
	default:
		return a.update(lane, name, a.current(lane, name))
	}
}

// patch writes a patch that stores a write id, of the type and with the options that
// are given.
func (a *author) patch(lane int, name string, op plans.Op) string {
	op.Kind, op.Key = histories.Patch, object(name)
	if a.mix.has[patches] && op.Patch == "" && !op.ClearFinalizers {
		op.Patch = a.patchType()
	}
	if op.Labels == nil && !op.NoOp && !op.Status && a.chance(a.mix.options[withLabels]) {
		op.Labels = a.labels()
	}
	applies := op.Patch == histories.ApplyPatch
	op.Force = applies && a.chance(60)
	there := a.alive[name] != ""
	expected := (there || applies) && !op.DryRun && (op.Expect.Kind == plans.Unset || a.matches(name, op.Expect))
	label := a.say(lane, op, expected)
	switch {
	case !expected || op.NoOp:
	case op.ClearFinalizers && a.doomed[name]:
		a.unmade(name)
	default:
		a.made(name, label, "")
		if op.ClearFinalizers || op.Finalizers != "" {
			a.setFinalized(name, op.Finalizers != "")
		}
	}
	return label
}

func (a *author) patchType() string {
	types := []string{"", histories.MergePatch, histories.JSONPatch}
	if a.cfg.can(targets.Applies) {
		types = append(types, histories.ApplyPatch)
	}
	return pick(a.dice, types...)
}

func (a *author) labels() map[string]string {
	return pick(a.dice, map[string]string{"x": "1"}, map[string]string{"x": "2"}, map[string]string{"x": "1", "y": ""}, map[string]string{"y": "1"})
}

// kubeErase writes a delete that is expected to succeed, of an object that is there,
// and takes its finalizers away, before or after. It returns the delete.
func (a *author) kubeErase(lane int, name string) string {
	held := a.finalized[name]
	if held && a.chance(25) {
		a.release(lane, name)
		held = false
	}
	label := a.delete(lane, name, a.preconditions(lane, name))
	if held && a.chance(85) {
		a.release(lane, name)
	}
	return label
}

// preconditions draws preconditions of a delete that hold.
func (a *author) preconditions(lane int, name string) plans.Op {
	var op plans.Op
	if a.alive[name] == "" {
		return op
	}
	if a.chance(40) {
		op.Expect = a.current(lane, name)
	}
	if a.chance(a.mix.options[withUID]) {
		op.UID = plans.Ref{Kind: plans.Last}
	}
	return op
}

// delete writes a delete with the preconditions that are given.
func (a *author) delete(lane int, name string, op plans.Op) string {
	op.Kind, op.Key = histories.Delete, object(name)
	holds := a.alive[name] != "" && (op.Expect.Kind == plans.Unset || a.matches(name, op.Expect)) &&
		(op.UID.Kind == plans.Unset || op.UID.Kind == plans.Last)
	label := a.say(lane, op, holds && !op.DryRun)
	if holds && !op.DryRun {
		a.removed(name)
	}
	return label
}

// release takes the finalizers of an object away.
func (a *author) release(lane int, name string) string {
	if a.cfg.can(targets.Patches) {
		return a.patch(lane, name, plans.Op{ClearFinalizers: true})
	}
	doomed := a.doomed[name]
	label := a.say(lane, plans.Op{Kind: histories.Update, Key: object(name), Expect: a.current(lane, name)}, true)
	if a.setFinalized(name, false); doomed {
		a.unmade(name)
	}
	return label
}

// collect deletes what is in a namespace, all or what a selector takes.
func (a *author) collect(lane int, op plans.Op) string {
	op.Kind = histories.DeleteCollection
	covered := a.inside(op.Scope)
	label := a.say(lane, op, len(covered) > 0)
	if op.LabelSelector == "" && op.FieldSelector == "" && !op.DryRun {
		for _, name := range covered {
			a.removed(name)
		}
	}
	return label
}

// kubeUpdate draws an update; a status changes nothing else.
func (a *author) kubeUpdate(lane int, expect plans.Ref, name string) {
	if a.chance(a.mix.options[withStatus]) {
		a.say(lane, plans.Op{Kind: histories.Update, Key: object(name), Expect: expect, Status: true}, a.matches(name, expect))
		return
	}
	var uid plans.Ref
	if a.chance(a.mix.options[withUID] / 2) {
		uid = a.someUID(lane, name)
	}
	a.op(a.update(lane, name, expect)).UID = uid
}

// someUID draws a precondition on the uid: that of the object, one of an object that
// was there before, or one that nothing has.
func (a *author) someUID(lane int, name string) plans.Ref {
	choices := []choice[plans.Ref]{{6, plans.Ref{Kind: plans.Last}}, {1, number(1)}}
	for _, m := range a.within(lane, func(m mark) bool {
		return m.expected && path(m.op.Key) == name && (m.op.Kind == histories.Create || m.op.Kind == histories.Update || m.op.Kind == histories.Get)
	}) {
		choices = append(choices, choice[plans.Ref]{2, uidOf(m.label)})
	}
	return choose(a.dice, choices)
}

func uidOf(label string) plans.Ref { return plans.Ref{Kind: plans.UIDOf, Label: label} }
