package kube

import (
	"maps"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// Change says what a write does to what is stored.
type Change int

// The changes of a write.
const (
	// Unchanged: nothing is stored, and no event tells of the write.
	Unchanged Change = iota
	// Stored: the object is new, or has a new version.
	Stored
	// Removed: the object is gone.
	Removed
)

// Outcome is what a write does to one object.
type Outcome struct {
	// Refusal is the class of the error that answers the write, empty where it succeeds.
	Refusal histories.ErrorClass
	// Or are classes with which a server may refuse the write instead.
	Or []histories.ErrorClass
	// Optional: a server may also refuse the write with one of Or although Refusal is
	// empty, as types that need a resource version in every update do (WR-10).
	Optional bool
	Change   Change
	// Object is what the answer shows, nil where it shows no object. Where Change is
	// Stored it is what is stored as well, and its RV is zero: the revision of the write.
	// Otherwise its RV is as the answer shows it, that of an older version (WR-16,
	// WR-25); a dry run's create has none. The UID of a new object is empty: the server
	// picks it.
	Object *histories.Object
	// Loose: which labels and finalizers the object has, and its size, depends on who
	// owns which field, as for a server-side apply (WR-15). The write id is certain.
	Loose bool
}

// Refused reports whether the write fails.
func (o *Outcome) Refused() bool { return o.Refusal != "" }

// MayRefuse reports whether the write may fail with an error of this class.
func (o *Outcome) MayRefuse(class histories.ErrorClass) bool {
	if class == o.Refusal && o.Refused() {
		return true
	}
	return (o.Refused() || o.Optional) && slices.Contains(o.Or, class)
}

// WriteTo is Write on the objects that a history is about: updates of some types, such as
// Leases, create what is not there, whatever their condition (WR-11).
func WriteTo(h *histories.Header, before *histories.Object, r *histories.Request) Outcome {
	out := Write(before, r)
	_, creates := h.Unsupported[histories.StrictUpdates]
	if !creates || before != nil || r.Kind != histories.Update || r.Options().Status {
		return out
	}
	made := create(nil, r)
	made.Optional, made.Or = true, append(out.Or, out.Refusal)
	return made
}

// Write says what a create, update, patch or delete does to an object, nil where there
// is none. The request's key is that of the object, with the whole name. It is for the
// moment at which the write takes effect. Two writes of a real server take effect in
// two steps, so that another write may come between: a delete looks for finalizers
// before it deletes, and an update that takes the last finalizer from an object whose
// deletion has begun deletes it later, whatever it is by then.
func Write(before *histories.Object, r *histories.Request) Outcome {
	var out Outcome
	switch r.Kind {
	case histories.Create:
		out = create(before, r)
	case histories.Update:
		out = update(before, r)
	case histories.Patch:
		out = patch(before, r)
	case histories.Delete:
		out = remove(before, r)
	default:
		panic("models/kube: fault of this program: no write of one object: " + string(r.Kind))
	}
	if r.Options().DryRun {
		return rehearsed(out, before)
	}
	return out
}

// rehearsed is a dry run: it answers as the write would, and changes nothing (WR-06).
func rehearsed(out Outcome, before *histories.Object) Outcome {
	if out.Change == Stored && before != nil {
		out.Object.RV = before.RV
	}
	out.Change = Unchanged
	return out
}

func refuse(class histories.ErrorClass, or ...histories.ErrorClass) Outcome {
	return Outcome{Refusal: class, Or: or}
}

func create(before *histories.Object, r *histories.Request) Outcome {
	if before != nil {
		return refuse(histories.Exists)
	}
	return Outcome{Change: Stored, Object: created(r)}
}

// created is a new object. A status in its body is ignored.
func created(r *histories.Request) *histories.Object {
	o := &histories.Object{Key: r.Key, Write: r.Write, Labels: labels(r.Labels), Size: r.Size, Generation: 1}
	setFinalizers(o, r.Options().Finalizers)
	return o
}

func update(before *histories.Object, r *histories.Request) Outcome {
	switch {
	case before == nil:
		// The uid may be looked at before, and whether there has to be a resource version.
		return refuse(histories.NotFound, histories.Conflict, histories.Invalid)
	case r.Conditional && r.Expect != 0 && r.Expect != before.RV:
		return refuse(histories.Conflict)
	case r.ExpectUID != "" && r.ExpectUID != before.UID:
		return refuse(histories.Conflict, histories.Invalid)
	}
	out := replace(before, r)
	if !r.Conditional || r.Expect == 0 {
		out.Optional = !out.Refused()
		out.Or = append(out.Or, histories.Invalid)
	}
	return out
}

// replace puts a body in the place of the object, or of its status.
func replace(before *histories.Object, r *histories.Request) Outcome {
	options := r.Options()
	switch {
	case options.NoOp:
		return unchanged(before)
	case options.Status:
		return put(before, withStatus(before, r.Write))
	}
	after := *before
	after.Write, after.Labels, after.Size = r.Write, labels(r.Labels), r.Size
	after.Generation = next(before.Generation)
	setFinalizers(&after, options.Finalizers)
	return put(before, &after)
}

func patch(before *histories.Object, r *histories.Request) Outcome {
	options := r.Options()
	applies := options.Patch == histories.ApplyPatch
	switch {
	case before == nil && applies && !options.Status && r.ExpectUID == "":
		return applied(r)
	case before == nil && applies:
		return refuse(histories.NotFound, histories.Conflict, histories.Invalid)
	case before == nil:
		return refuse(histories.NotFound)
	case r.Conditional && r.Expect != 0 && r.Expect != before.RV:
		return refuse(histories.Conflict)
	}
	other := r.ExpectUID != "" && r.ExpectUID != before.UID
	if other && !options.Status {
		return refuse(histories.Invalid, histories.Conflict)
	}
	out := amend(before, r)
	if applies {
		// Who owns what is told by no history (WR-15).
		out.Loose = true
		out.Optional = !out.Refused() && !options.Force
		out.Or = append(out.Or, histories.Conflict)
	}
	if other {
		// A patch of the status of a custom resource takes no notice of other metadata
		// than the resource version; types of Kubernetes' own refuse it.
		out.Optional = !out.Refused()
		out.Or = append(out.Or, histories.Invalid, histories.Conflict)
	}
	return out
}

// applied is what an apply makes where there is nothing. kube-apiserver makes it even if
// the body names a resource version; nobody promises that, nor a refusal.
func applied(r *histories.Request) Outcome {
	out := Outcome{Change: Stored, Object: created(r)}
	if r.Conditional && r.Expect != 0 {
		out.Optional, out.Or = true, []histories.ErrorClass{histories.NotFound, histories.Conflict, histories.Invalid}
	}
	return out
}

// amend changes a part of the object. A patch that stores a write id sets the size with
// it. Of the labels a merge and an apply set those that they name, a JSON patch
// replaces them all if it names any; finalizers are replaced by all but an apply.
func amend(before *histories.Object, r *histories.Request) Outcome {
	options := r.Options()
	switch {
	case options.NoOp:
		return unchanged(before)
	case options.Status:
		return put(before, withStatus(before, r.Write))
	}
	after := *before
	if r.Write != "" {
		after.Write, after.Size, after.Generation = r.Write, r.Size, next(before.Generation)
	}
	if len(r.Labels) > 0 {
		after.Labels = maps.Clone(r.Labels)
		if options.Patch != histories.JSONPatch {
			after.Labels = merged(before.Labels, r.Labels)
		}
	}
	switch held := before.Meta().Finalizers; {
	case options.ClearFinalizers:
		setFinalizers(&after, nil)
	case options.Patch == histories.ApplyPatch:
		setFinalizers(&after, union(held, options.Finalizers))
	case len(options.Finalizers) > 0:
		setFinalizers(&after, options.Finalizers)
	}
	return put(before, &after)
}

// put stores a new version of an object. One whose deletion has begun gets no new
// finalizer, and is removed with the last one (WR-24, WR-25).
func put(before, after *histories.Object) Outcome {
	held, left := before.Meta().Finalizers, after.Meta().Finalizers
	if before.Deleting {
		if slices.ContainsFunc(left, func(f string) bool { return !slices.Contains(held, f) }) {
			return refuse(histories.Invalid)
		}
		if len(left) == 0 {
			return Outcome{Change: Removed, Object: after}
		}
	}
	if same(before, after) {
		return unchanged(before)
	}
	after.RV = 0
	return Outcome{Change: Stored, Object: after}
}

// same reports whether a write left everything as it was (WR-16).
func same(before, after *histories.Object) bool {
	return before.Write == after.Write && before.Size == after.Size && before.Foreign == after.Foreign &&
		before.Meta().Status == after.Meta().Status && maps.Equal(before.Labels, after.Labels) &&
		slices.Equal(before.Meta().Finalizers, after.Meta().Finalizers)
}

func remove(before *histories.Object, r *histories.Request) Outcome {
	switch {
	case before == nil:
		return refuse(histories.NotFound)
	case r.Conditional && r.Expect != before.RV, r.ExpectUID != "" && r.ExpectUID != before.UID:
		return refuse(histories.Conflict)
	case len(before.Meta().Finalizers) == 0:
		return Outcome{Change: Removed}
	case before.Deleting:
		return unchanged(before)
	}
	after := *before
	after.Deleting, after.RV = true, 0
	after.Generation = next(before.Generation)
	return Outcome{Change: Stored, Object: &after}
}

func unchanged(before *histories.Object) Outcome {
	shown := *before
	return Outcome{Object: &shown}
}

// next is the generation after a change of more than metadata and status, where the type
// has one (WR-30).
func next(generation int64) int64 {
	if generation == 0 {
		return 0
	}
	return generation + 1
}

func withStatus(before *histories.Object, write histories.WriteID) *histories.Object {
	after := *before
	meta := before.Meta()
	meta.Status = write
	after.Kube = &meta
	return &after
}

// setFinalizers never changes what the object shares with an older version.
func setFinalizers(o *histories.Object, finalizers []string) {
	meta := o.Meta()
	meta.Finalizers = slices.Clone(finalizers)
	if len(finalizers) == 0 {
		meta.Finalizers = nil
	}
	if o.Kube = &meta; meta.Finalizers == nil && meta.Status == "" && meta.RawRV == "" {
		o.Kube = nil
	}
}

// labels is nil where there are none.
func labels(of map[string]string) map[string]string {
	if len(of) == 0 {
		return nil
	}
	return maps.Clone(of)
}

func merged(old, set map[string]string) map[string]string {
	all := maps.Clone(old)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, set)
	return all
}

func union(held, more []string) []string {
	all := slices.Clone(held)
	for _, f := range more {
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}
