package generators

import (
	"math"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// kube reports whether the plan is of the Kubernetes layer.
func (a *author) kube() bool { return a.cfg.Layer == histories.KubeLayer }

// kubeForm says in the words of the Kubernetes layer what an operation of a scene means:
// a read at a revision is an exact list, a watch from a revision on begins behind the
// one before, a delete's revision is that of its tombstone. What only this layer has is
// drawn.
func (a *author) kubeForm(op plans.Op, expected bool) plans.Op {
	if op.Key.Namespace == "" && op.Key.Name != "" {
		op.Key = object(op.Key.Name)
	}
	op.Scope = objectScope(op.Scope)
	op.PrevKV, op.ProgressNotify, op.Fragment, op.Physical = false, false, false, false
	for _, ref := range []*plans.Ref{&op.Expect, &op.Revision, &op.StartRevision} {
		*ref = a.kubeRef(*ref)
	}
	switch op.Kind {
	case histories.Create, histories.Update:
		a.finalize(&op, expected)
	case histories.Get:
		op.ResourceVersion, op.Revision = op.Revision, plans.Ref{}
		a.encode(&op)
	case histories.List:
		a.kubeList(&op)
	case histories.Watch:
		a.kubeWatch(&op)
	default:
	}
	return op
}

// kubeRef puts the revision of a delete in the place of what its answer does not tell.
func (a *author) kubeRef(ref plans.Ref) plans.Ref {
	if ref.Kind == plans.RV && a.op(ref.Label).Kind == histories.Delete {
		ref.Kind = plans.Tombstone
	}
	return ref
}

// finalize gives a write finalizers now and then. An update that names none takes those
// away that there are, which is right only while the object's deletion has not begun.
func (a *author) finalize(op *plans.Op, expected bool) {
	name := path(op.Key)
	there := op.Kind == histories.Update && a.finalized[name]
	if a.doomed[name] || a.chance(a.mix.options[withFinalizers]) || there && a.chance(60) {
		op.Finalizers = firstFinalizer
	}
	if expected && op.Kind == histories.Create || expected && op.Kind == histories.Update {
		a.setFinalized(name, op.Finalizers != "")
	}
}

const (
	firstFinalizer = "rvcheck.dev/one"
	twoFinalizers  = "rvcheck.dev/one,rvcheck.dev/two"
)

// setFinalized notes whether an object has finalizers.
func (a *author) setFinalized(name string, has bool) {
	delete(a.finalized, name)
	if has {
		a.finalized[name] = true
	}
}

// encode asks for an encoding now and then.
func (a *author) encode(op *plans.Op) {
	if a.chance(a.mix.options[withEncoding]) {
		encodings := []string{histories.Table, histories.MetadataOnly, histories.Protobuf}
		if !a.cfg.can(targets.ProtobufEncoding) {
			encodings = encodings[:2]
		}
		op.Encoding = pick(a.dice, encodings...)
	}
}

// kubeList makes a list at a revision an exact one, and now and then one that may be
// newer.
func (a *author) kubeList(op *plans.Op) {
	if op.Revision.Kind != plans.Unset {
		op.ResourceVersion, op.Revision = op.Revision, plans.Ref{}
		op.Match = pick(a.dice, "Exact", "Exact", "Exact", "Exact", "NotOlderThan", "")
	}
	a.selectSome(op)
	a.encode(op)
}

// kubeWatch lets a watch begin behind the revision before, and draws the rest.
func (a *author) kubeWatch(op *plans.Op) {
	if from := op.StartRevision; from.Kind != plans.Unset {
		op.ResourceVersion, op.StartRevision = plus(from, -1), plans.Ref{}
		if from.Kind == plans.After {
			op.ResourceVersion = from // it names what the API calls the resource version
		}
	}
	op.AllowWatchBookmarks = op.AllowWatchBookmarks || a.chance(a.mix.options[withBookmarks])
	a.selectSome(op)
	a.encode(op)
	if a.chance(a.mix.options[withTimeout]) {
		op.TimeoutSeconds = int64(a.between(1, 3))
	}
	op.Slow = a.chance(a.mix.options[slowly])
}

// selectSome gives an operation a selector now and then.
func (a *author) selectSome(op *plans.Op) {
	if op.LabelSelector != "" || op.FieldSelector != "" || !a.chance(a.mix.options[withSelector]) {
		return
	}
	if op.LabelSelector = a.labelSelector(); a.chance(20) {
		op.FieldSelector = a.fieldSelector()
		if a.chance(60) {
			op.LabelSelector = ""
		}
	}
}

func (a *author) labelSelector() string {
	return pick(a.dice, "x=1", "x=1", "x=2", "x==2", "x!=1", "x", "!x", "x in (1,2)", "x notin (1)", "x=1,y", "y!=,x")
}

func (a *author) fieldSelector() string {
	one := object(a.someKey())
	if !a.cfg.can(targets.Namespaces) {
		return pick(a.dice, "metadata.name="+one.Name, "metadata.name="+one.Name, "metadata.name!="+one.Name)
	}
	return pick(a.dice, "metadata.name="+one.Name, "metadata.name="+one.Name, "metadata.name!="+one.Name,
		"metadata.namespace="+one.Namespace, "metadata.namespace!="+one.Namespace, "metadata.name="+one.Name+",metadata.namespace="+one.Namespace)
}

// kubeTells: the answer will carry an RV, or its tombstone can be named.
func kubeTells(m mark) bool {
	op := m.op
	switch op.Kind {
	case histories.Create, histories.Update, histories.Patch, histories.Delete:
		return m.expected && !op.DryRun
	case histories.Get, histories.List, plans.FillKind:
		return m.expected
	default:
		return false
	}
}

// kubeRevision draws a revision with something about it: around a write or a delete, a
// list's own, a compaction, the newest, none at all.
func (a *author) kubeRevision(lane int) plans.Ref {
	choices := []choice[plans.Ref]{{4, now}, {2, plus(now, -1)}, {2, plus(now, -a.between(2, 9))}, {1, number(1)}}
	if marks := a.within(lane, kubeTells); len(marks) > 0 {
		r := a.at(a.recent(marks).label)
		choices = append(choices, choice[plans.Ref]{10, r}, choice[plans.Ref]{3, plus(r, -1)}, choice[plans.Ref]{2, plus(r, 1)})
	}
	if marks := a.within(lane, mark.compacts); len(marks) > 0 {
		choices = append(choices, choice[plans.Ref]{4, compacted}, choice[plans.Ref]{3, plus(compacted, -1)}, choice[plans.Ref]{2, plus(compacted, 1)})
	}
	if a.chance(a.mix.options[hostile]) {
		choices = append(choices, choice[plans.Ref]{3, plus(now, 100)}, choice[plans.Ref]{2, number(math.MaxInt64)}, choice[plans.Ref]{1, plus(now, 1)})
	}
	return choose(a.dice, choices)
}

// spaces are the namespaces that the plan uses.
func (a *author) spaces() []string {
	var found []string
	for _, name := range a.keys {
		if namespace := object(name).Namespace; !slices.Contains(found, namespace) {
			found = append(found, namespace)
		}
	}
	return found
}

// kubeScope draws everything, a namespace, or one object.
func (a *author) kubeScope() histories.Scope {
	switch a.below(10) {
	case 0, 1, 2, 3:
		return everything
	case 4:
		return histories.Scope{Shape: histories.Single, Key: object(a.someKey())}
	case 5:
		if !a.cfg.can(targets.Namespaces) {
			return everything
		}
		return inNamespace(pick(a.dice, namespaces...))
	default:
		return inNamespace(pick(a.dice, a.spaces()...))
	}
}
