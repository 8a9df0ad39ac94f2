package plans

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// resolve checks that labels are unique and that what refers to one can mean it.
func (p *parser) resolve() *Error {
	defined := map[string]int{} // step by label
	for i, step := range p.plan.Steps {
		if step.Op == nil || step.Op.Label == "" {
			continue
		}
		if first, twice := defined[step.Op.Label]; twice {
			return p.at(i, complain("each label once", "label %q is on line %d already", step.Op.Label, p.lines[first]))
		}
		defined[step.Op.Label] = i
	}
	for i, step := range p.plan.Steps {
		if step.Op == nil {
			continue
		}
		if err := p.references(step.Op, defined); err != nil {
			return p.at(i, err)
		}
	}
	return nil
}

func (p *parser) at(step int, err *Error) *Error {
	err.Line = p.lines[step]
	return err
}

func (p *parser) references(op *Op, defined map[string]int) *Error {
	for _, m := range op.mentions() {
		step, known := defined[m.label]
		if !known {
			return complain("the label of another operation", "no operation has the label %q", m.label)
		}
		target := p.plan.Steps[step].Op
		if target == op {
			return complain("the label of another operation", "%q refers to itself", m.label)
		}
		if !m.means(target.Kind) {
			return complain("the label of "+or(article(m.kinds)), "%q is the label of a %s on line %d", m.label, target.Kind, p.lines[step])
		}
	}
	return nil
}

// mention is a place where an operation names another one.
type mention struct {
	label string
	// kinds are what it can name, none: everything.
	kinds []histories.Kind
}

func (m mention) means(kind histories.Kind) bool {
	return len(m.kinds) == 0 || slices.Contains(m.kinds, kind)
}

// mentions are the labels that the operation names.
func (o *Op) mentions() []mention {
	var all []mention
	if f, _ := formOf(o.Kind); o.Of != "" {
		all = append(all, mention{o.Of, f.about})
	}
	if o.On != "" {
		all = append(all, mention{o.On, watches})
	}
	for _, lease := range o.leases() {
		if isName(lease) {
			all = append(all, mention{lease, grants})
		}
	}
	for _, ref := range o.refs() {
		if ref.Kind.labelled() {
			all = append(all, mention{ref.Label, ref.Kind.about()})
		}
	}
	return all
}

// leases are the leases of an operation, those inside a transaction included.
func (o *Op) leases() []string {
	leases := []string{o.Lease}
	if o.Txn == nil {
		return leases
	}
	for _, nested := range slices.Concat(o.Txn.Then, o.Txn.Else) {
		leases = append(leases, nested.leases()...)
	}
	return leases
}

// about are the kinds of operations that such a reference can name.
func (k RefKind) about() []histories.Kind {
	switch k {
	case Tombstone:
		return []histories.Kind{histories.Delete, histories.DeleteRange, histories.Transact}
	case After:
		return watches
	case Granted:
		return grants
	case Written:
		return []histories.Kind{histories.Create, histories.Update, histories.Put, histories.LeaseAttach}
	case UIDOf:
		return []histories.Kind{histories.Create, histories.Update, histories.Get}
	default:
		return nil
	}
}

// Prune returns the plan without the operations that refer to a label which no
// operation has, nor those that refer to them. Whoever removes steps of a valid
// plan makes it valid again so.
func (p Plan) Prune() Plan {
	for {
		kept := p.withoutDangling()
		if len(kept.Steps) == len(p.Steps) {
			return kept
		}
		p = kept
	}
}

func (p Plan) withoutDangling() Plan {
	defined := map[string]bool{}
	for _, step := range p.Steps {
		if step.Op != nil {
			defined[step.Op.Label] = true
		}
	}
	steps := slices.Clone(p.Steps)
	p.Steps = slices.DeleteFunc(steps, func(step Step) bool {
		return step.Op != nil && slices.ContainsFunc(step.Op.mentions(), func(m mention) bool { return !defined[m.label] })
	})
	return p
}

// differs says where a valid-looking plan has something that its text does not.
func (p Plan) differs(parsed Plan) error {
	if p.Layer != parsed.Layer || p.Seed != parsed.Seed || len(p.Steps) != len(parsed.Steps) {
		return fmt.Errorf("plan: its text form has other steps; expected steps with exactly one field set")
	}
	for i := range p.Steps {
		if !reflect.DeepEqual(p.Steps[i], parsed.Steps[i]) {
			return &Error{
				Name: "plan", Line: Line(i),
				Wrong:    fmt.Sprintf("the step has fields that its text %.60q does not show", formatStep(p.Steps[i], p.Layer, 0)),
				Expected: "only the fields of its kind",
			}
		}
	}
	return nil
}

// References are the labels that the operation names, in no particular order;
// one that is named twice is there twice.
func (o *Op) References() []string {
	var labels []string
	for _, m := range o.mentions() {
		labels = append(labels, m.label)
	}
	return labels
}
