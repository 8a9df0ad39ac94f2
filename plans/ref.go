package plans

import (
	"slices"
	"strconv"
	"strings"
)

// revisionRefs are the kinds of references that stand for a revision, besides numbers.
var revisionRefs = []RefKind{RV, Tombstone, After, Now, Compacted, Last}

// labelled reports whether references of the kind name an operation.
func (k RefKind) labelled() bool {
	return k == RV || k == Tombstone || k == After || k == Written || k == Granted || k == UIDOf
}

// String is the reference's text form, empty when it is unset.
func (r Ref) String() string {
	switch {
	case r.Kind == Unset:
		return ""
	case r.Kind == Number:
		return strconv.FormatInt(r.Offset, 10)
	case r.Kind.labelled():
		return string(r.Kind) + "(" + r.Label + ")" + offset(r.Offset)
	}
	return string(r.Kind) + offset(r.Offset)
}

// offset writes what is added to a base, with its sign; nothing for zero.
func offset(n int64) string {
	switch {
	case n == 0:
		return ""
	case n > 0:
		return "+" + strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10)
}

// ref takes a reference of one of the kinds, or a number.
func (c *cursor) ref(kinds ...RefKind) (Ref, *Error) {
	expected := refForms(kinds)
	t := c.peek()
	if c.done() || t.kind != word {
		return Ref{}, complain(expected, "%s", c.here())
	}
	if n, err := strconv.ParseInt(t.text, 10, 64); err == nil {
		c.pos++
		return Ref{Kind: Number, Offset: n}, nil
	}
	base, rest := splitOffset(t.text)
	kind := RefKind(base)
	if !slices.Contains(kinds, kind) {
		return Ref{}, complain(expected, "%q is no reference that can stand here", t.text)
	}
	c.pos++
	r := Ref{Kind: kind}
	if kind.labelled() {
		label, err := c.label()
		if err != nil {
			return Ref{}, err
		}
		r.Label = label
		rest = c.gluedOffset()
	}
	n, err := parseOffset(rest)
	r.Offset = n
	return r, err
}

// splitOffset cuts "now+100" into "now" and "+100".
func splitOffset(text string) (base, rest string) {
	if i := strings.IndexAny(text, "+-"); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

// label takes "(label)".
func (c *cursor) label() (string, *Error) {
	if err := c.mark("(", "and the label of an operation"); err != nil {
		return "", err
	}
	label, err := c.name("the label of an operation")
	if err != nil {
		return "", err
	}
	return label, c.mark(")", "after the label")
}

// gluedOffset takes the "+1" of "rv(a)+1", if it is there.
func (c *cursor) gluedOffset() string {
	t := c.peek()
	if c.done() || t.kind != word || !t.glued {
		return ""
	}
	c.pos++
	return t.text
}

func parseOffset(text string) (int64, *Error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || text[0] != '+' && text[0] != '-' {
		return 0, complain("an offset such as +1 or -100", "%q follows a reference", text)
	}
	return n, nil
}

// refForms names the references for an error message.
func refForms(kinds []RefKind) string {
	forms := []string{"a number"}
	for _, kind := range kinds {
		if kind.labelled() {
			forms = append(forms, string(kind)+"(label)")
		} else {
			forms = append(forms, string(kind))
		}
	}
	return or(forms)
}

// refs are the references of an operation, those inside a transaction included.
func (o *Op) refs() []*Ref {
	refs := []*Ref{
		&o.Expect, &o.UID, &o.Revision, &o.StartRevision, &o.ResourceVersion,
		&o.MinMod, &o.MaxMod, &o.MinCreate, &o.MaxCreate,
	}
	if o.Txn == nil {
		return refs
	}
	for i := range o.Txn.Compares {
		refs = append(refs, &o.Txn.Compares[i].Value)
	}
	for _, branch := range [][]Op{o.Txn.Then, o.Txn.Else} {
		for i := range branch {
			refs = append(refs, branch[i].refs()...)
		}
	}
	return refs
}
