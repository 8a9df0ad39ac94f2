package kube

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// Selector says which objects a list or a watch takes. The zero value takes all.
type Selector struct {
	terms []term
	// fields says how many of the terms are about fields.
	fields int
}

// term is one requirement on a label or a field.
type term struct {
	name string
	// field: the term is about metadata.name or metadata.namespace, not a label.
	field bool
	// negated: the values are those that the object must not have. An object without
	// the label fulfils that.
	negated bool
	// any: the label has to be there, or, negated, must not; values is empty.
	any    bool
	values []string
}

// ParseSelector reads a label and a field selector as the API takes them. Its error is
// one that a server has to refuse the request for, except that a server may know more
// fields than metadata.name and metadata.namespace: then it is an *UnknownFieldError.
func ParseSelector(labelSelector, fieldSelector string) (Selector, error) {
	var s Selector
	for _, text := range splitTerms(labelSelector) {
		t, err := parseLabelTerm(text)
		if err != nil {
			return Selector{}, fmt.Errorf("label selector %.80q: %w", labelSelector, err)
		}
		s.terms = append(s.terms, t)
	}
	for _, text := range splitTerms(fieldSelector) {
		t, err := parseFieldTerm(text)
		if err != nil {
			return Selector{}, fmt.Errorf("field selector %.80q: %w", fieldSelector, err)
		}
		s.terms = append(s.terms, t)
		s.fields++
	}
	return s, nil
}

// UnknownFieldError is a field that not every type of objects can be selected by.
type UnknownFieldError struct{ Field string }

func (u *UnknownFieldError) Error() string {
	return fmt.Sprintf("field %.60q: expected metadata.name or metadata.namespace", u.Field)
}

// Empty reports whether the selector takes everything.
func (s Selector) Empty() bool { return len(s.terms) == 0 }

// Matches reports whether the selector takes an object.
func (s Selector) Matches(o *histories.Object) bool {
	for i := range s.terms {
		if !s.terms[i].matches(o) {
			return false
		}
	}
	return true
}

// Shows reports whether a list or a watch shows an object that is there.
func Shows(request *histories.Request, o *histories.Object) bool {
	options := request.Options()
	selector, err := ParseSelector(options.LabelSelector, options.FieldSelector)
	return err == nil && selector.Matches(o) && request.Scope.Contains(o.Key)
}

// Example returns an object of the name that a watch shows, in the namespace where it needs
// none other. It is false where none is found.
func Example(watch *histories.Request, key histories.Key) (histories.Object, bool) {
	o := histories.Object{Key: key, Labels: map[string]string{}}
	if of := watch.Scope.Key.Namespace; of != "" {
		o.Key.Namespace = of
	}
	options := watch.Options()
	selector, err := ParseSelector(options.LabelSelector, options.FieldSelector)
	if err != nil {
		return o, false
	}
	for _, t := range selector.terms {
		switch {
		case t.negated:
		case t.field && t.name == namespaceField:
			o.Key.Namespace = t.values[0]
		case t.field:
		case !t.any:
			o.Labels[t.name] = t.values[0]
		case o.Labels[t.name] == "":
			o.Labels[t.name] = "1"
		}
	}
	return o, Shows(watch, &o)
}

// Name returns the one name that an object must have that the selector takes, if the
// selector says so by metadata.name. Within one namespace a server then reads a single
// key (LIST-12).
func (s Selector) Name() (string, bool) {
	for _, t := range s.terms {
		if t.field && t.name == nameField && !t.negated {
			return t.values[0], true
		}
	}
	return "", false
}

const (
	nameField      = "metadata.name"
	namespaceField = "metadata.namespace"
)

func (t *term) matches(o *histories.Object) bool {
	value, there := o.Labels[t.name]
	if t.field {
		value, there = o.Key.Name, true
		if t.name == namespaceField {
			value = o.Key.Namespace
		}
	}
	if t.any {
		return there != t.negated
	}
	return (there && slices.Contains(t.values, value)) != t.negated
}

// splitTerms cuts a selector at its commas, but for those within parentheses.
func splitTerms(selector string) []string {
	var terms []string
	depth, start := 0, 0
	for i, c := range selector {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			terms = append(terms, strings.TrimSpace(selector[start:i]))
			start = i + 1
		}
	}
	if last := strings.TrimSpace(selector[start:]); last != "" || len(terms) > 0 {
		terms = append(terms, last)
	}
	return terms
}

// parseLabelTerm reads x=1, x==1, x!=1, x in (1,2), x notin (1,2), x or !x.
func parseLabelTerm(text string) (term, error) {
	if name, values, ok := cutSet(text); ok {
		name, operator, _ := strings.Cut(name, " ")
		t := term{name: name, negated: strings.TrimSpace(operator) == "notin"}
		for value := range strings.SplitSeq(values, ",") {
			t.values = append(t.values, strings.TrimSpace(value))
		}
		return t, checkLabel(t, t.negated || strings.TrimSpace(operator) == "in")
	}
	if t, ok := comparison(text); ok {
		return t, checkLabel(t, true)
	}
	name, negated := strings.CutPrefix(text, "!")
	t := term{name: strings.TrimSpace(name), negated: negated, any: true}
	return t, checkLabel(t, true)
}

// cutSet takes "x in (1,2)" apart into "x in" and "1,2".
func cutSet(text string) (head, values string, ok bool) {
	text, ok = strings.CutSuffix(text, ")")
	if !ok {
		return "", "", false
	}
	head, values, ok = strings.Cut(text, "(")
	return strings.TrimSpace(head), values, ok
}

// comparison reads x=1, x==1 or x!=1.
func comparison(text string) (term, bool) {
	name, value, found := strings.Cut(text, "=")
	if !found {
		return term{}, false
	}
	name, negated := strings.CutSuffix(name, "!")
	if !negated {
		value = strings.TrimPrefix(value, "=")
	}
	return term{name: strings.TrimSpace(name), negated: negated, values: []string{strings.TrimSpace(value)}}, true
}

func parseFieldTerm(text string) (term, error) {
	t, ok := comparison(text)
	if !ok {
		return term{}, fmt.Errorf("%.60q: expected FIELD=VALUE or FIELD!=VALUE", text)
	}
	if t.field = true; t.name != nameField && t.name != namespaceField {
		return term{}, &UnknownFieldError{t.name}
	}
	return t, nil
}

// checkLabel refuses what is no name or no value of a label.
func checkLabel(t term, operatorKnown bool) error {
	if !operatorKnown || t.name == "" || !isLabelText(t.name) {
		return fmt.Errorf("%.60q: expected a requirement such as x=1, x!=1, x in (1,2), x notin (1,2), x or !x", t.name)
	}
	for _, value := range t.values {
		if value != "" && !isLabelText(value) {
			return fmt.Errorf("%.60q: expected a value of a label", value)
		}
	}
	return nil
}

// isLabelText reports whether a text has the form of a label's name or value: letters,
// digits, and within it dashes, underscores, dots and slashes.
func isLabelText(text string) bool {
	inner := func(c rune) bool { return strings.ContainsRune("-_./", c) }
	outer := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	}
	if len(text) > 317 || strings.ContainsFunc(text, func(c rune) bool { return !inner(c) && !outer(c) }) {
		return false
	}
	return outer(rune(text[0])) && outer(rune(text[len(text)-1]))
}
