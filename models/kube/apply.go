package kube

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
)

// Apply performs a call at a moment of which only the state is known, and returns the
// state after it and its answer. cache is the revision at which the store's watch cache
// stands, not above Newest: reads that may be old are answered there. A deletecollection
// deletes everything at once here; a server may let other calls come between.
//
// It performs every kind of the Kubernetes layers but watches, for which there is
// Watch.
func (s *State) Apply(r *histories.Request, cache histories.Revision) (*State, histories.Answer) {
	switch r.Kind {
	case histories.Create, histories.Update, histories.Patch, histories.Delete:
		return s.write(r)
	case histories.DeleteCollection:
		return s.deleteCollection(r)
	case histories.Get:
		return s, s.get(r, cache)
	case histories.List, histories.Next:
		return s, s.list(r, cache)
	case histories.Compact:
		return s.compact(r.Revision)
	default:
		panic("models/kube: fault of this program: no call of the Kubernetes layers: " + string(r.Kind))
	}
}

// Takes reports whether Apply performs the kind.
func Takes(kind histories.Kind) bool {
	switch kind {
	case histories.Create, histories.Update, histories.Patch, histories.Delete, histories.DeleteCollection,
		histories.Get, histories.List, histories.Next, histories.Compact:
		return true
	default:
		return false
	}
}

func (s *State) write(r *histories.Request) (*State, histories.Answer) {
	named := *r
	if r.Options().GenerateName {
		named.Key.Name = fmt.Sprintf("%s%05x", r.Key.Name, int64(s.newest+1))
	}
	before := s.object(named.Key)
	out := Write(before, &named)
	if out.Refused() {
		return s, status(out.Refusal, fmt.Sprintf("the %s of %s/%s is refused", r.Kind, named.Key.Namespace, named.Key.Name))
	}
	next := s
	switch out.Change {
	case Stored:
		out.Object.RV = s.newest + 1
		next = s.push(before, identified(out.Object))
	case Removed:
		next = s.push(before, nil)
	case Unchanged:
	}
	answer := histories.Answer{Outcome: histories.OK}
	if r.Kind == histories.Create && out.Change == Stored {
		answer.Revision = next.newest
	}
	if out.Object == nil {
		answer.Kube = &histories.KubeAnswer{UID: before.UID}
		return next, answer
	}
	if out.Object.UID == "" { // a dry run
		out.Object.UID = fmt.Sprintf("uid-%d-dry", s.newest+1)
	}
	answer.Objects = []histories.Object{*out.Object}
	return next, show(r, answer)
}

// identified gives a new object its uid.
func identified(o *histories.Object) *histories.Object {
	if o.UID == "" {
		o.UID = fmt.Sprintf("uid-%d", o.RV)
	}
	return o
}

// deleteCollection answers with the objects as they were listed (WR-26).
func (s *State) deleteCollection(r *histories.Request) (*State, histories.Answer) {
	answer := s.list(&histories.Request{Kind: histories.List, Scope: r.Scope, Kube: selectors(r)}, s.newest)
	answer.Revision = 0
	if answer.Outcome != histories.OK {
		return s, answer
	}
	next := s
	for i := range answer.Objects {
		next, _ = next.write(DeleteOf(r, answer.Objects[i].Key))
	}
	return next, answer
}

// selectors are the options of a list that a deletecollection makes.
func selectors(r *histories.Request) *histories.KubeOptions {
	options := r.Options()
	return &histories.KubeOptions{LabelSelector: options.LabelSelector, FieldSelector: options.FieldSelector}
}

// DeleteOf is the delete of one object that a deletecollection makes.
func DeleteOf(r *histories.Request, key histories.Key) *histories.Request {
	return &histories.Request{Kind: histories.Delete, Key: key, Kube: &histories.KubeOptions{DryRun: r.Options().DryRun}}
}

// compact answers as a store does that is told to compact behind the API's back.
func (s *State) compact(to histories.Revision) (*State, histories.Answer) {
	switch {
	case to > s.newest:
		return s, tooLarge(to, s.newest)
	case to <= s.compacted:
		return s, status(histories.Compacted, "the revision has been compacted")
	}
	next := *s
	next.compacted = to
	return &next, histories.Answer{Outcome: histories.OK}
}

// show leaves out of an answer what its encoding does not show.
func show(r *histories.Request, a histories.Answer) histories.Answer {
	for i := range a.Objects {
		a.Objects[i] = Shown(r, a.Objects[i])
	}
	return a
}

// Shown is an object as an answer or an event in the encoding of the request shows it:
// of a table and of partial metadata there is nothing but metadata.
func Shown(r *histories.Request, o histories.Object) histories.Object {
	if e := r.Options().Encoding; e != histories.Table && e != histories.MetadataOnly {
		return o
	}
	o.Write, o.Size, o.Foreign = "", 0, ""
	if o.Kube != nil {
		o.Kube = &histories.KubeMeta{Finalizers: o.Kube.Finalizers, RawRV: o.Kube.RawRV}
	}
	return o
}
