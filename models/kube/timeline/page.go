package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// chain says where a page stands in its list.
type chain struct {
	// root is the list that began it, zero where that is not known.
	root int
	// revision is that of the pages before, zero where the page chooses its own.
	revision histories.Revision
	// from and last are the greatest keys that were returned before and with this page,
	// as their order knows them; empty is before the first.
	from, last string
	// inconsistent: the page goes on at the latest state (PAGE-10).
	inconsistent bool
	// foreign: the token is not the one that belongs here, or was sent with another
	// scope or selector; what it gives is not known.
	foreign bool
}

// orderOf is a key as the order of lists knows it (LIST-11).
func orderOf(k histories.Key) string { return k.Namespace + "/" + k.Name }

// chainOf finds the place of a list or a page from the page before.
func (j *judge) chainOf(op *histories.Operation) chain {
	c := chain{root: op.ID}
	if op.Request.Kind == histories.Next {
		c = j.following(op)
	}
	if op.Answer.Outcome != histories.OK {
		c.last = c.from // an error may offer to go on from here
		return c
	}
	c.last = c.from
	for i := range op.Answer.Objects {
		c.last = max(c.last, orderOf(op.Answer.Objects[i].Key))
	}
	return c
}

func (j *judge) following(op *histories.Operation) chain {
	before := j.history.Operation(op.Request.Of)
	of, known := j.chains[op.Request.Of]
	if before == nil || !known || of.foreign {
		return chain{foreign: true}
	}
	c := chain{root: of.root, from: of.last, inconsistent: of.inconsistent, revision: of.revision}
	first := j.history.Operation(of.root)
	mine, theirs := op.Request.Options(), first.Request.Options()
	if op.Request.Options().Continue != before.Answer.Continue || before.Answer.Continue == "" || op.Request.Scope != withoutExtra(first.Request.Scope, op.Request.Scope) ||
		mine.LabelSelector != theirs.LabelSelector || mine.FieldSelector != theirs.FieldSelector {
		c.foreign = true
	}
	switch {
	case before.Answer.Outcome == histories.OK:
		c.revision = before.Answer.Revision
	case isError(before, histories.Compacted):
		c.inconsistent, c.revision = true, 0
	default:
		c.foreign = true
	}
	return c
}

// withoutExtra is a scope with what a file holds beyond it taken from the other.
func withoutExtra(s, other histories.Scope) histories.Scope {
	s.Extra = other.Extra
	return s
}

// judgePage holds a page against the ones before it; false where its content cannot be
// judged.
func (j *judge) judgePage(op *histories.Operation) bool {
	c := j.chains[op.ID]
	a := &op.Answer
	switch {
	case c.foreign:
		return true
	case c.inconsistent && c.revision == 0:
		j.Exercise(models.PageInconsistent)
		if known := j.time.learned(op.Call); a.Revision < known {
			j.reportPage(op, models.PageInconsistent, fmt.Sprintf("the latest state, resource version %d or later", known), a.Revision)
			return false
		}
	case a.Revision != c.revision:
		property := models.PagePinned
		if c.inconsistent {
			property = models.PageInconsistent
		}
		j.Exercise(property)
		j.reportPage(op, property, fmt.Sprintf("resource version %d, as the page before", c.revision), a.Revision)
		return false
	}
	for i := range a.Objects {
		if o := &a.Objects[i]; orderOf(o.Key) <= c.from {
			property := models.PageNoGap
			if c.inconsistent {
				property = models.PageInconsistent
			}
			j.Report(models.Finding{
				Property: property, Operations: []int{op.ID, op.Request.Of}, Revision: a.Revision, Key: &o.Key,
				Allowed: fmt.Sprintf("objects behind %q", c.from), Observed: quote(o.Key),
				Explanation: fmt.Sprintf("%s goes on behind %q, but returned %s again.", j.name(op.ID), c.from, quote(o.Key)),
			})
			return false
		}
	}
	return true
}

func (j *judge) reportPage(op *histories.Operation, property, allowed string, observed histories.Revision) {
	j.Report(models.Finding{
		Property: property, Operations: []int{op.ID, op.Request.Of}, Revision: observed,
		Allowed: allowed, Observed: "resource version " + observed.String(),
		Explanation: fmt.Sprintf("%s should be at %s, but was answered at resource version %d.", j.name(op.ID), allowed, observed),
	})
}

// window is the part of a scope that a page has to show whole.
type window struct {
	after, upTo string // upTo empty: to the end
	// isPage: the page is one of several.
	isPage bool
	none   bool
}

func (w *window) holds(k histories.Key) bool {
	at := orderOf(k)
	return !w.none && at > w.after && (w.upTo == "" || at <= w.upTo)
}

// windowOf is the part of its scope that a list has to show: behind the page before, and
// up to its last object where there are more.
func (j *judge) windowOf(op *histories.Operation) *window {
	c := j.chains[op.ID]
	w := &window{after: c.from, isPage: op.Request.Kind == histories.Next || op.Answer.Continue != ""}
	if op.Answer.Continue == "" {
		return w
	}
	w.upTo = c.last
	w.none = c.last == c.from
	return w
}

// sameToken reports whether two pages were asked for alike.
func sameToken(a, b *histories.Operation) bool {
	x, y := a.Request.Options(), b.Request.Options()
	return x.Continue == y.Continue && a.Request.Limit == b.Request.Limit && a.Request.Scope.Shape == b.Request.Scope.Shape &&
		a.Request.Scope.Key == b.Request.Scope.Key && x.LabelSelector == y.LabelSelector && x.FieldSelector == y.FieldSelector &&
		x.ResourceVersion == "" && y.ResourceVersion == ""
}

// judgeTokens holds pages that were asked for twice, and tokens that were refused
// (PAGE-05, PAGE-06).
func (j *judge) judgeTokens() {
	earlier := map[string][]*histories.Operation{}
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		token := op.Request.Options().Continue
		if op.Request.Kind != histories.Next || token == "" {
			continue
		}
		c, o := j.chains[op.ID], op.Request.Options()
		if !c.foreign && o.ResourceVersion == "" && o.ResourceVersionMatch == "" && op.Answer.Outcome != histories.Unknown {
			j.Exercise(models.PageToken)
			if isError(op, histories.Invalid) {
				j.Report(models.Finding{
					Property: models.PageToken, Operations: []int{op.ID, op.Request.Of},
					Allowed: "the page that follows, or 410", Observed: "a refusal of the token",
					Explanation: fmt.Sprintf("%s sent the token of %s as it was, but was refused as invalid.", j.name(op.ID), j.name(op.Request.Of)),
				})
			}
		}
		if op.Answer.Outcome != histories.OK || c.inconsistent || j.Blamed(op.ID) {
			continue
		}
		for _, other := range earlier[token] {
			if sameToken(op, other) && !samePage(op, other) {
				j.Report(models.Finding{
					Property: models.PageToken, Operations: []int{op.ID, other.ID}, Revision: op.Answer.Revision,
					Allowed: "the same page again", Observed: "other objects",
					Explanation: fmt.Sprintf("%s asked for the same page as %s, with the same token, limit and selectors, but got other objects.", j.name(op.ID), j.name(other.ID)),
				})
				break
			}
		}
		earlier[token] = append(earlier[token], op)
	}
}

func samePage(a, b *histories.Operation) bool {
	if len(a.Answer.Objects) != len(b.Answer.Objects) || a.Answer.Revision != b.Answer.Revision {
		return false
	}
	for i := range a.Answer.Objects {
		if a.Answer.Objects[i].Key != b.Answer.Objects[i].Key || a.Answer.Objects[i].RV != b.Answer.Objects[i].RV {
			return false
		}
	}
	return true
}
