package linear

import (
	"fmt"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/kube"
)

// evidence is what a history tells of its operations before any order is known.
type evidence struct {
	// header tells of the objects' type.
	header *histories.Header
	// seen are the writes whose value somebody was shown, with the object's key. What
	// may be old may be of before the history, where a store is used again and ids come
	// again: only fresh ones certainly took effect.
	seen  map[histories.WriteID]histories.Key
	fresh map[histories.WriteID]bool
	// wild are the objects that the judge does not look at; outside says why, of one.
	wild    map[histories.Key]bool
	outside string
	// uncovered says what keeps the judge from looking at the history at all.
	uncovered string
	pages     map[int]page
}

// gather reads the evidence of a history.
func gather(h *histories.History) *evidence {
	e := &evidence{
		header: &h.Header,
		seen:   make(map[histories.WriteID]histories.Key), fresh: make(map[histories.WriteID]bool),
		wild: make(map[histories.Key]bool), pages: make(map[int]page),
	}
	known := make(map[histories.Key]bool)
	eachObject(h, func(o *histories.Object, fresh bool) {
		known[o.Key] = true
		e.sight(o, fresh)
	})
	for i := range h.Operations {
		e.look(&h.Operations[i])
		known[e.key(&h.Operations[i])] = true
	}
	for i := range h.Operations {
		e.lookAtCollection(&h.Operations[i], known)
		e.lookAtNameless(&h.Operations[i], known)
		e.chain(h, &h.Operations[i])
	}
	return e
}

// sight notes an object that was shown.
func (e *evidence) sight(o *histories.Object, fresh bool) {
	for _, id := range []histories.WriteID{o.Write, o.Meta().Status} {
		if id == "" {
			continue
		}
		if other, found := e.seen[id]; found && other != o.Key {
			e.leave(other, "two objects hold the same value")
			e.leave(o.Key, "two objects hold the same value")
		}
		e.seen[id] = o.Key
		e.fresh[id] = e.fresh[id] || fresh
	}
	if o.Deleting || len(o.Meta().Finalizers) > 0 {
		e.leave(o.Key, "finalizers delay its deletion")
	}
}

// eachObject visits every object that an answer or an event of the store shows, and says whether it
// certainly was there while the history lasted.
func eachObject(h *histories.History, visit func(o *histories.Object, fresh bool)) {
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Kind.IsDerived() {
			continue
		}
		fresh := single(op.Request.Kind) || op.Request.Kind.IsRead() && mode(&op.Request) == kube.MostRecent
		for j := range op.Answer.Objects {
			visit(&op.Answer.Objects[j], fresh)
		}
	}
	for i := range h.Streams {
		if op := h.Operation(h.Streams[i].Op); op != nil && op.Request.Kind.IsDerived() {
			continue
		}
		for j := range h.Streams[i].Events {
			event := &h.Streams[i].Events[j]
			if event.Object.Key.Name != "" {
				visit(&event.Object, false)
			}
			if event.Prev != nil {
				visit(event.Prev, false)
			}
		}
	}
}

// clusterScoped reports whether the objects are in no namespaces.
func (e *evidence) clusterScoped() bool {
	_, scoped := e.header.Unsupported[histories.Namespaces]
	return scoped
}

// leave leaves an object out.
func (e *evidence) leave(key histories.Key, why string) {
	e.wild[key] = true
	if e.outside == "" {
		e.outside = fmt.Sprintf("what became of \"%s/%s\" follows from no order: %s", key.Namespace, key.Name, why)
	}
}

// look finds what a write of one object keeps the judge from knowing.
func (e *evidence) look(op *histories.Operation) {
	r, a := &op.Request, &op.Answer
	options := r.Options()
	if !single(r.Kind) || options.DryRun || a.Outcome == histories.Fail {
		return
	}
	key := e.key(op)
	switch {
	case key.Name == "" && a.Outcome == histories.OK:
		e.uncovered = fmt.Sprintf("the answer to operation %d does not show under which name it made its object", op.ID)
	case len(options.Finalizers) > 0 || options.ClearFinalizers:
		e.leave(key, "finalizers delay its deletion")
	case r.Kind == histories.Patch && options.Patch == histories.ApplyPatch && (a.Outcome != histories.OK || len(a.Objects) != 1 || isPartial(r)):
		e.leave(key, "an apply whose result is not known depends on who owns which field")
	}
}

// lookAtCollection leaves out what a deletion of a collection met: it is many writes.
func (e *evidence) lookAtCollection(op *histories.Operation, known map[histories.Key]bool) {
	if op.Request.Kind != histories.DeleteCollection || op.Request.Options().DryRun {
		return
	}
	for key := range known {
		if op.Request.Scope.Contains(key) {
			e.wild[key] = true
			e.outside = "the deletion of a collection is many writes"
		}
	}
}

// lookAtNameless leaves out what a create may have made of which nobody was shown the
// name: only an answer with its value tells it.
func (e *evidence) lookAtNameless(op *histories.Operation, known map[histories.Key]bool) {
	r := &op.Request
	if !r.Options().GenerateName || r.Options().DryRun || op.Answer.Outcome != histories.Unknown || e.key(op).Name != "" {
		return
	}
	for key := range known {
		if key.Namespace == r.Key.Namespace && strings.HasPrefix(key.Name, r.Key.Name) {
			e.leave(key, "a create whose answer was lost may have given it its name")
		}
	}
}

// isPartial reports whether answers to the request show metadata only.
func isPartial(r *histories.Request) bool {
	encoding := r.Options().Encoding
	return encoding == histories.Table || encoding == histories.MetadataOnly
}

// saw reports whether somebody was certainly shown what a write stored.
func (e *evidence) saw(op *histories.Operation) bool { return e.fresh[op.Request.Write] }

// key is that of the object that a write is about, without a name where the server
// completed it and nobody was shown how.
func (e *evidence) key(op *histories.Operation) histories.Key {
	switch {
	case !op.Request.Options().GenerateName:
		return op.Request.Key
	case op.Answer.Outcome == histories.OK && len(op.Answer.Objects) == 1:
		return op.Answer.Objects[0].Key
	default:
		return e.seen[op.Request.Write]
	}
}

// named is the request of an operation with the whole name.
func (e *evidence) named(op *histories.Operation) *histories.Request {
	if !op.Request.Options().GenerateName {
		return &op.Request
	}
	r := op.Request
	r.Key = e.key(op)
	return &r
}

// page is what part of a list an answer shows: the keys behind from, up to upTo where
// there are more.
type page struct {
	from, upTo *histories.Key
	// foreign: what the page shows is not known, as its token is not the one that
	// belongs here.
	foreign  bool
	takes    func(*histories.Object) bool
	revision histories.Revision
}

// holds reports whether an object belongs to the page.
func (p *page) holds(o *histories.Object) bool {
	return (p.from == nil || o.Key.Compare(*p.from) > 0) && (p.upTo == nil || o.Key.Compare(*p.upTo) <= 0) && p.takes(o)
}

func (e *evidence) pageOf(op *histories.Operation) page { return e.pages[op.ID] }

// chain finds what part of its list a page shows, from the page before.
func (e *evidence) chain(h *histories.History, op *histories.Operation) {
	r, a := &op.Request, &op.Answer
	if r.Kind != histories.List && r.Kind != histories.Next {
		return
	}
	options := r.Options()
	selector, err := kube.ParseSelector(options.LabelSelector, options.FieldSelector)
	p := page{
		takes:   func(o *histories.Object) bool { return r.Scope.Contains(o.Key) && selector.Matches(o) },
		foreign: err != nil || mode(r) == kube.Refused || (r.Kind == histories.Next) != (mode(r) == kube.Continuation),
	}
	if r.Kind == histories.Next {
		before := h.Operation(r.Of)
		earlier, known := e.pages[r.Of]
		p.foreign = p.foreign || !known || earlier.foreign || !follows(r, before)
		if p.from = earlier.upTo; !p.foreign {
			p.revision = before.Answer.Revision
		}
	}
	for i := range a.Objects {
		if key := &a.Objects[i].Key; a.Continue != "" && (p.upTo == nil || key.Compare(*p.upTo) > 0) {
			p.upTo = key
		}
	}
	if a.Continue != "" && p.upTo == nil {
		p.foreign = true // an empty page does not say how far it has come
	}
	e.pages[op.ID] = p
}

// follows reports whether a page continues the answer that it names with the same scope
// and selectors.
func follows(r *histories.Request, before *histories.Operation) bool {
	if before == nil || before.Answer.Outcome != histories.OK || before.Answer.Continue == "" {
		return false
	}
	mine, theirs := r.Options(), before.Request.Options()
	a, b := r.Scope, before.Request.Scope
	return mine.Continue == before.Answer.Continue && mine.LabelSelector == theirs.LabelSelector && mine.FieldSelector == theirs.FieldSelector &&
		a.Shape == b.Shape && a.Key == b.Key && a.End == b.End
}
