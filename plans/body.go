package plans

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// body reads an operation behind its lane and label: its name, its argument, its
// options. Nested operations stand inside a transaction.
func (c *cursor) body(op *Op, nested bool) *Error {
	f, err := c.form(nested)
	if err != nil {
		return err
	}
	op.Kind = f.kind
	if err := c.argument(op, f); err != nil {
		return err
	}
	return c.options(op, nested)
}

// nestedKinds are the operations that a transaction may hold, the last one only
// where it is not nested itself.
var nestedKinds = []string{
	string(histories.Put), string(histories.Delete), string(histories.DeleteRange),
	string(histories.Get), string(histories.List), string(histories.Transact),
}

func (c *cursor) form(nested bool) (form, *Error) {
	names := kindNames(c.layer)
	if nested {
		names = nestedKinds
	}
	if c.depth == maxDepth {
		names = names[:len(names)-1]
	}
	name := c.peek()
	f, known := formOf(histories.Kind(name.text))
	switch {
	case c.done() || name.kind != word:
		return form{}, complain("one of "+or(names), "%s", c.here())
	case !known:
		return form{}, complain("one of "+or(names), "unknown operation %q", name.text)
	case nested && !slices.Contains(names, name.text):
		return form{}, complain("one of "+or(names), "a transaction cannot hold the operation %q", name.text)
	case !f.reach.includes(c.layer):
		return form{}, complain("one of "+or(names), "operation %q belongs to %s", name.text, f.reach)
	}
	c.pos++
	return f, nil
}

func (c *cursor) argument(op *Op, f form) (err *Error) {
	about := "the label of " + or(article(f.about))
	switch f.argument {
	case keyArgument:
		op.Key, err = c.key()
	case scopeArgument:
		op.Scope, err = c.scope()
	case ofArgument:
		op.Of, err = c.name(about)
	case awaitArgument:
		if op.Of, err = c.name(about); err == nil {
			op.Revision, err = c.ref(revisionRefs...)
		}
	case leaseArgument:
		op.Lease, err = c.lease()
	case revisionArgument:
		op.Revision, err = c.ref(revisionRefs...)
	case fillArgument:
		var n int64
		n, err = c.number("a number of revisions from 1 to 1000000", 1, 1_000_000)
		op.Fill = int(n)
	case txnArgument:
		op.Txn, err = c.txn()
	case noArgument:
	}
	return err
}

// article names kinds for people: "a list".
func article(kinds []histories.Kind) []string {
	var names []string
	for _, kind := range kinds {
		names = append(names, "a "+string(kind))
	}
	return names
}

// labels reads "x=1,y=2}", the opening brace being read.
func (c *cursor) labels() (map[string]string, *Error) {
	labels := map[string]string{}
	for !c.accept("}") {
		name, err := c.string("a label such as x=1, or }")
		if err != nil {
			return nil, err
		}
		if err := c.mark("=", "and the value of label "+quote(name)); err != nil {
			return nil, err
		}
		value, err := c.string("the value of label " + quote(name))
		if err != nil {
			return nil, err
		}
		if _, twice := labels[name]; twice {
			return nil, complain("each label once", "label %q is there twice", name)
		}
		labels[name] = value
		c.accept(",")
	}
	if len(labels) == 0 {
		return nil, nil
	}
	return labels, nil
}

// options reads the rest of the operation.
func (c *cursor) options(op *Op, nested bool) *Error {
	seen := map[string]bool{}
	for !c.done() && (!nested || !c.endsNested()) {
		name := c.peek()
		o, err := c.option(op, nested)
		if err != nil {
			return err
		}
		if seen[o.name] {
			return complain("each option once", "option %q is there twice", name.text)
		}
		seen[o.name] = true
		if err := c.value(op, o); err != nil {
			return err
		}
	}
	return c.missing(op, seen)
}

func (c *cursor) value(op *Op, o option) *Error {
	if !o.flag {
		if err := c.mark("=", "and the value of "+o.name); err != nil {
			return err
		}
	}
	return o.read(c, op)
}

// endsNested reports whether an operation inside a transaction ends here.
func (c *cursor) endsNested() bool {
	t := c.peek()
	return t.kind == mark && (t.text == ";" || t.text == ")") || t.kind == word && t.text == "else"
}

// lease takes the label of a grant, or the id of a lease.
func (c *cursor) lease() (string, *Error) {
	what := "the label of a grant, or the id of a lease"
	if t := c.peek(); t.kind == word && !isName(t.text) {
		id, err := c.number(what, math.MinInt64, math.MaxInt64)
		return strconv.FormatInt(id, 10), err
	}
	return c.name(what)
}

// option takes the name of an option that the operation may have.
func (c *cursor) option(op *Op, nested bool) (option, *Error) {
	allowed := optionsOf(op.Kind, c.layer, nested)
	t := c.peek()
	i := slices.IndexFunc(allowed, func(o option) bool { return t.kind == o.token && o.name == t.text })
	if i >= 0 {
		c.pos++
		return allowed[i], nil
	}
	var names []string
	for _, o := range allowed {
		names = append(names, o.String())
	}
	expected := "the end of the line"
	if len(names) > 0 {
		expected = or(names)
	}
	return option{}, complain(expected, "%s has no option %s", op.Kind, c.why(t))
}

// why quotes an unknown option, and says so when it belongs to another layer.
func (c *cursor) why(t token) sentence {
	for _, o := range options {
		if t.kind == word && o.name == t.text && !o.reach.includes(c.layer) {
			return sentence(`"` + t.text + `" here (it belongs to ` + o.reach.String() + ")")
		}
	}
	return sentence(`"` + clip(strings.TrimSpace(t.text)) + `"`)
}

// missing reports the option that the operation needs and does not have.
func (c *cursor) missing(op *Op, seen map[string]bool) *Error {
	for _, o := range options {
		needed := slices.Contains(o.required, op.Kind) && (o.name != "rv" || c.layer == histories.EtcdLayer)
		if needed && !seen[o.name] {
			return complain(o.name+"=…", "%s has no %s", op.Kind, o.name)
		}
	}
	return nil
}
