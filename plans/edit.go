package plans

import (
	"maps"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// What takes plans apart and puts them together anew edits copies: the operations
// of a plan may be shared with others.

// Clone returns a copy of the operation that shares nothing with it.
func (o *Op) Clone() *Op {
	c := *o
	c.Labels = maps.Clone(o.Labels)
	if o.SendInitialEvents != nil {
		send := *o.SendInitialEvents
		c.SendInitialEvents = &send
	}
	if o.Txn != nil {
		c.Txn = &Txn{Compares: slices.Clone(o.Txn.Compares), Then: cloned(o.Txn.Then), Else: cloned(o.Txn.Else)}
	}
	return &c
}

func cloned(ops []Op) []Op {
	if ops == nil {
		return nil
	}
	copies := make([]Op, len(ops))
	for i := range ops {
		copies[i] = *ops[i].Clone()
	}
	return copies
}

// Relabel replaces every label that the operation has or names, those inside a
// transaction included. No label, and the id of a lease, stay.
func (o *Op) Relabel(rename func(string) string) {
	for _, label := range []*string{&o.Label, &o.Of, &o.On} {
		if *label != "" {
			*label = rename(*label)
		}
	}
	for _, ref := range o.refs() {
		if ref.Kind.labelled() {
			ref.Label = rename(ref.Label)
		}
	}
	o.eachNested(func(nested *Op) {
		if isName(nested.Lease) {
			nested.Lease = rename(nested.Lease)
		}
	})
}

// eachNested visits the operation and those inside its transaction.
func (o *Op) eachNested(visit func(*Op)) {
	visit(o)
	if o.Txn == nil {
		return
	}
	for _, branch := range [][]Op{o.Txn.Then, o.Txn.Else} {
		for i := range branch {
			branch[i].eachNested(visit)
		}
	}
}

// Rekey replaces every key that the operation names, the ends of ranges, prefixes and
// start keys included: those are given as the name of a key.
func (o *Op) Rekey(rename func(histories.Key) histories.Key) {
	name := func(text *string) { *text = rename(histories.Key{Name: *text}).Name }
	o.eachNested(func(nested *Op) {
		if f, _ := formOf(nested.Kind); f.argument == keyArgument {
			nested.Key = rename(nested.Key)
		}
		if nested.HasStart && nested.Start != "" {
			name(&nested.Start)
		}
		switch nested.Scope.Shape {
		case histories.Range:
			name(&nested.Scope.Key.Name)
			name(&nested.Scope.End)
		case histories.Prefix, histories.Single:
			nested.Scope.Key = rename(nested.Scope.Key)
		default: // all and namespaces name no key
		}
		if nested.Txn == nil {
			return
		}
		for i := range nested.Txn.Compares {
			nested.Txn.Compares[i].Key = rename(nested.Txn.Compares[i].Key)
		}
	})
}

// Options are the names of the options that are set and that the operation can do
// without, in the order in which Format writes them. Those inside a transaction are
// not among them.
func (o *Op) Options() []string {
	var names []string
	for _, option := range options {
		if slices.Contains(option.kinds, o.Kind) && option.write(*o) != "" && !slices.Contains(option.required, o.Kind) {
			names = append(names, option.name)
		}
	}
	return names
}

// Unset takes away an option of those that Options names.
func (o *Op) Unset(name string) {
	for _, option := range options {
		if option.name == name && slices.Contains(option.kinds, o.Kind) {
			option.clear(o)
		}
	}
}

// Refs are the references of the operation, those inside a transaction included, to
// be changed in place. Some are unset.
func (o *Op) Refs() []*Ref { return o.refs() }

// Operations counts the operations that the plan has in all lanes.
func (p Plan) Operations() int {
	n := 0
	for i := range p.Steps {
		if p.Steps[i].Op != nil {
			n++
		}
	}
	return n
}
