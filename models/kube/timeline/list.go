package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// mode is what a read asks for.
type mode int

const (
	recent   mode = iota // the most recent state
	anyState             // any that the server has
	notOlder             // at a resource version or later
	exactly              // at exactly a resource version
	pinned               // what a token says
	refused              // nothing: the request has to be refused
)

// modeOf says what a get or a list asks for, and the resource version that it names.
func modeOf(r *histories.Request) (mode, histories.Revision) {
	o := r.Options()
	rv, ok := parseRV(o.ResourceVersion)
	switch {
	case !ok:
		return refused, 0
	case r.Kind == histories.Next:
		return pinned, 0
	case o.ResourceVersion == "" && (o.ResourceVersionMatch == "" || r.Kind == histories.Get):
		return recent, 0
	case r.Kind == histories.Get && rv == 0:
		return anyState, 0
	case r.Kind == histories.Get:
		return notOlder, rv
	}
	switch match := o.ResourceVersionMatch; {
	case match == "Exact" && rv > 0, match == "" && rv > 0 && r.Limit > 0 && !isSingle(r): // LIST-06
		return exactly, rv
	case match == "NotOlderThan" && o.ResourceVersion != "", match == "":
		return ifZero(rv)
	default:
		return refused, 0
	}
}

func ifZero(rv histories.Revision) (mode, histories.Revision) {
	if rv == 0 {
		return anyState, 0
	}
	return notOlder, rv
}

// isSingle reports whether a list may be a read of one key, which is not exact for its
// limit (LIST-12).
func isSingle(r *histories.Request) bool {
	if r.Scope.Shape == histories.Single {
		return true
	}
	selector, err := kube.ParseSelector(r.Options().LabelSelector, r.Options().FieldSelector)
	if err != nil {
		return true
	}
	_, named := selector.Name()
	return named
}

// judgeReads holds gets that may be old, and every list and page, against the timeline.
func (j *judge) judgeReads() {
	j.chains = map[int]chain{}
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		switch op.Request.Kind {
		case histories.Get:
			j.judgeOldGet(op)
		case histories.List, histories.Next:
			j.judgeList(op)
		case histories.DeleteCollection:
			j.judgeCollection(op)
		default:
		}
	}
}

// judgeOldGet holds a get that names a resource version (GET-02, GET-03).
func (j *judge) judgeOldGet(op *histories.Operation) {
	asked, n := modeOf(&op.Request)
	rank, known := j.ranks[op.Request.Key]
	if asked != anyState && asked != notOlder || !known || !hasAnswer(op) || j.Blamed(op.ID) {
		return
	}
	if asked == notOlder {
		j.Exercise(models.ReadNotOlder)
		if j.judgeFuture(op, n) {
			return
		}
	}
	ceiling := j.time.ceiling(j.surely(op.Return))
	of := nothing
	if op.Answer.Outcome == histories.OK {
		if len(op.Answer.Objects) != 1 || op.Answer.Objects[0].RV <= 0 {
			return
		}
		of = shownAt(op.Answer.Objects[0].RV)
	}
	for _, s := range j.segments(rank, op.Return) {
		if from, ok := s.opens(of); ok && max(from, n) <= min(s.to, ceiling) {
			return
		}
	}
	observed := "nothing"
	if op.Answer.Outcome == histories.OK {
		observed = fmt.Sprintf("resource version %d", op.Answer.Objects[0].RV)
	}
	property := models.ReadNotOlder
	if asked == anyState {
		property = models.GetSnapshot
	}
	held := j.before(rank, n+1)
	j.Report(models.Finding{
		Property: property, Operations: append([]int{op.ID}, opsOf(held)...), Revision: n, Key: &j.keys[rank],
		Allowed: fmt.Sprintf("a state at resource version %d or later, where %s held %s", n, j.quoted(rank), j.held(held)), Observed: observed,
		Explanation: fmt.Sprintf("%s asked for a state not older than resource version %d, where %s held %s, but was shown %s.", j.name(op.ID), n, j.quoted(rank), j.held(held), observed),
	})
}

// judgeFuture reports a read that was answered though the store had not come so far
// (GET-06).
func (j *judge) judgeFuture(op *histories.Operation, n histories.Revision) bool {
	ceiling := j.time.ceiling(j.surely(op.Return))
	if ceiling == unbounded {
		return false
	}
	j.Exercise(models.ReadFuture)
	if n <= ceiling {
		return false
	}
	j.Report(models.Finding{
		Property: models.ReadFuture, Operations: []int{op.ID}, Revision: n,
		Allowed: "a refusal: resource version " + n.String() + " does not exist yet", Observed: "an answer",
		Explanation: fmt.Sprintf("%s asked for resource version %d and was answered, but what was sent later lies at resource version %d at most.", j.name(op.ID), n, ceiling+1),
	})
	return true
}

// judgeList holds a list or a page.
func (j *judge) judgeList(op *histories.Operation) {
	j.chains[op.ID] = j.chainOf(op)
	if op.Answer.Outcome != histories.OK || j.Blamed(op.ID) {
		return
	}
	asked, n := modeOf(&op.Request)
	r := op.Answer.Revision
	if r <= 0 || asked == refused {
		return
	}
	if j.judgeShape(op) {
		return
	}
	switch asked {
	case notOlder:
		j.Exercise(models.ReadNotOlder)
		if j.judgeFuture(op, n) || j.reportOlder(op, n) {
			return
		}
	case exactly:
		j.Exercise(models.ListExact)
		if j.judgeFuture(op, n) {
			return
		}
		if r != n {
			j.Report(models.Finding{
				Property: models.ListExact, Operations: []int{op.ID}, Revision: n,
				Allowed: "resource version " + n.String(), Observed: "resource version " + r.String(),
				Explanation: fmt.Sprintf("%s asked for exactly resource version %d, but was answered at resource version %d.", j.name(op.ID), n, r),
			})
			return
		}
	case pinned:
		if !j.judgePage(op) {
			return
		}
	default:
	}
	j.judgeContent(op)
}

func (j *judge) reportOlder(op *histories.Operation, n histories.Revision) bool {
	if op.Answer.Revision >= n {
		return false
	}
	j.Report(models.Finding{
		Property: models.ReadNotOlder, Operations: []int{op.ID}, Revision: n,
		Allowed: "resource version " + n.String() + " or a later one", Observed: "resource version " + op.Answer.Revision.String(),
		Explanation: fmt.Sprintf("%s asked for a state not older than resource version %d, but was answered at resource version %d.", j.name(op.ID), n, op.Answer.Revision),
	})
	return true
}

// contentProperty is what a list breaks whose content is wrong.
func (j *judge) contentProperty(op *histories.Operation) string {
	switch asked, n := modeOf(&op.Request); {
	case asked == exactly && n < j.compactedBefore(op), asked == pinned && j.chains[op.ID].revision > 0 && j.chains[op.ID].revision < j.compactedBefore(op):
		return models.ExpiryOwed
	case !plainList(op):
		return models.ListSelector
	case op.Request.Kind == histories.Next && j.chains[op.ID].inconsistent:
		return models.PageInconsistent
	case op.Request.Kind == histories.Next:
		return models.PagePinned
	case asked == exactly:
		return models.ListExact
	default:
		return models.ListSnapshot
	}
}

// judgeShape holds what a list shows by itself: its limit, scope, selector and RVs.
func (j *judge) judgeShape(op *histories.Operation) bool {
	r, a := &op.Request, &op.Answer
	selector, err := kube.ParseSelector(r.Options().LabelSelector, r.Options().FieldSelector)
	held := int64(len(a.Objects)) + a.Details().Outside
	seen := map[histories.Key]bool{}
	fail := func(property, allowed, observed string, o *histories.Object) bool {
		f := models.Finding{
			Property: property, Operations: []int{op.ID}, Revision: a.Revision, Allowed: allowed, Observed: observed,
			Explanation: fmt.Sprintf("%s should return %s, but returned %s.", j.name(op.ID), allowed, observed),
		}
		if o != nil {
			f.Key = &o.Key
		}
		j.Report(f)
		return true
	}
	if r.Limit > 0 && a.Continue != "" {
		j.Exercise(models.ListLimit)
		if held > r.Limit {
			return fail(models.ListLimit, "at most "+plural(int(r.Limit), "object")+" where there are more", plural(int(held), "object"), nil)
		}
	}
	j.Exercise(models.ListScope)
	j.Exercise(models.ListOrder)
	for i := range a.Objects {
		o := &a.Objects[i]
		switch {
		case !r.Scope.Contains(o.Key):
			return fail(models.ListScope, "objects of "+models.Span(r.Scope), quote(o.Key), o)
		case seen[o.Key]:
			return fail(models.ListOrder, "each object once", quote(o.Key)+" twice", o)
		case j.strict && i > 0 && o.Key.Compare(a.Objects[i-1].Key) < 0: // LIST-11
			return fail(models.ListOrder, "objects in the order of their keys", quote(o.Key)+" behind "+quote(a.Objects[i-1].Key), o)
		case err == nil && !selector.Empty() && !selector.Matches(o):
			return fail(models.ListSelector, "objects that match its selector", quote(o.Key)+" as "+j.state(o, false), o)
		case o.RV > a.Revision:
			return fail(j.shapeProperty(op), "objects up to resource version "+a.Revision.String(), fmt.Sprintf("%s at resource version %d", quote(o.Key), o.RV), o)
		}
		seen[o.Key] = true
	}
	return false
}

// judgeContent holds what a list shows against the state at its resource version, from
// where the page begins to where it ends.
func (j *judge) judgeContent(op *histories.Operation) {
	r, a := &op.Request, &op.Answer
	selector, err := kube.ParseSelector(r.Options().LabelSelector, r.Options().FieldSelector)
	if err != nil {
		return
	}
	window := j.windowOf(op)
	property := j.contentProperty(op)
	j.Exercise(property)
	if r.Kind == histories.Next {
		j.Exercise(models.PageNoGap)
	}
	shown := make(map[histories.Key]*histories.Object, len(a.Objects))
	for i := range a.Objects {
		shown[a.Objects[i].Key] = &a.Objects[i]
	}
	wants := selects(&op.Request, selector)
	for rank, k := range j.keys {
		if !r.Scope.Contains(k) || r.Kind == histories.Next && j.chains[op.ID].foreign && shown[k] == nil {
			continue
		}
		o, s := shown[k], j.segmentAt(rank, a.Revision, op.Return)
		if s.allows(view{o, window.holds(k), wants}, a.Revision) {
			continue
		}
		e := s.effect
		if o == nil && window.isPage && !(e == nil || e.deleted()) {
			property = gapProperty(op, property, k)
		}
		j.reportContent(op, property, rank, e, o)
		return
	}
}

// gapProperty is what a page breaks that leaves out an object: with a selector it may be
// the selector that is wrong, but for what is missing between two pages.
func gapProperty(op *histories.Operation, property string, missing histories.Key) string {
	objects := op.Answer.Objects
	between := op.Request.Kind == histories.Next && (len(objects) == 0 || orderOf(missing) < orderOf(objects[0].Key))
	switch {
	case property == models.PagePinned, property == models.ListSelector && between, op.Answer.Continue != "" && plainList(op) && property != models.ExpiryOwed:
		return models.PageNoGap
	default:
		return property
	}
}

// shapeProperty is what a list breaks that shows what is newer than itself.
func (j *judge) shapeProperty(op *histories.Operation) string {
	if property := j.contentProperty(op); property == models.ExpiryOwed {
		return property
	}
	return models.ListSnapshot
}

// view is what a list, or the beginning of a watch, shows of a key.
type view struct {
	// object is nil where it shows nothing. Within: it would show the key if it were there.
	object *histories.Object
	within bool
	wants  selection
}

// allows reports whether a view can be right at a revision of the segment.
func (s *segment) allows(v view, at histories.Revision) bool {
	certain, present := at <= s.clear, s.object() != nil
	switch {
	case v.object != nil && present:
		return v.object.RV == s.effect.revision || !certain && v.object.RV > s.effect.revision
	case v.object != nil:
		return !certain && (s.effect == nil || v.object.RV > s.effect.revision)
	case !present || !v.within:
		return true
	case certain || at <= s.kept && !v.wants.byLabels:
		return !v.wants.takes(s.object())
	default:
		return true
	}
}

func (j *judge) reportContent(op *histories.Operation, property string, rank int, e *effect, o *histories.Object) {
	observed := "nothing"
	if o != nil {
		observed = fmt.Sprintf("%s, resource version %d", j.state(o, isPartial(op.Request.Options().Encoding)), o.RV)
	}
	j.Report(models.Finding{
		Property: property, Operations: append([]int{op.ID}, opsOf(e)...), Revision: op.Answer.Revision, Key: &j.keys[rank],
		Allowed: j.held(e), Observed: observed,
		Explanation: fmt.Sprintf("%s was answered at resource version %d, where %s held %s, but it shows %s.", j.name(op.ID), op.Answer.Revision, j.quoted(rank), j.held(e), observed),
	})
}
