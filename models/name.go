package models

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// Names says how texts call the operations of a history. A name stays the same as long
// as the history does.
type Names struct {
	history *histories.History
	// alike are the operations without a label or a line that are called the same, by
	// ascending id; nil until one is to be named.
	alike map[string][]int
}

// NamesOf returns the names of a history's operations.
func NamesOf(h *histories.History) *Names { return &Names{history: h} }

// Of names an operation: by its label, else by its line of the plan and what it is: line
// 7's get of "a"; else by who called it, what it is and the how many-th it is of its like: c2's second
// get of "a".
func (n *Names) Of(id int) string {
	op := n.history.Operation(id)
	switch {
	case op == nil:
		return fmt.Sprintf("operation %d, which the history does not hold", id)
	case op.Label != "":
		return op.Label
	case op.Client == histories.WitnessClient && op.Request.Kind == histories.Watch:
		return "the witness"
	case op.Request.Kind == histories.Inform:
		return n.informer(op)
	case op.Request.Kind == histories.Beneath:
		return "the watch of the store below"
	case op.Request.Kind == histories.Stored:
		return "the store of " + n.Of(op.Request.Of)
	case op.Line > 0:
		return fmt.Sprintf("line %d's %s", op.Line, n.call(&op.Request))
	case op.Client == histories.ClosingClient || op.Client == histories.WitnessClient:
		return fmt.Sprintf("the %s at the end", n.call(&op.Request))
	default:
		return n.counted(op)
	}
}

// informer names an informer: a run has one beside the plan, and another at the end.
func (n *Names) informer(op *histories.Operation) string {
	before := slices.ContainsFunc(n.history.Operations, func(other histories.Operation) bool {
		return other.Request.Kind == histories.Inform && other.ID < op.ID
	})
	if before {
		return "the informer at the end"
	}
	return "the informer"
}

// counted names an operation by its client.
func (n *Names) counted(op *histories.Operation) string {
	if n.alike == nil {
		n.alike = map[string][]int{}
		for i := range n.history.Operations {
			if other := &n.history.Operations[i]; other.Label == "" && other.Line == 0 {
				name := other.Client + "'s " + n.call(&other.Request)
				n.alike[name] = append(n.alike[name], other.ID)
			}
		}
	}
	call := n.call(&op.Request)
	all := n.alike[op.Client+"'s "+call]
	at := slices.Index(all, op.ID)
	switch {
	case len(all) < 2:
		return op.Client + "'s " + call
	case at < len(ordinals):
		return op.Client + "'s " + ordinals[at] + " " + call
	default:
		return fmt.Sprintf("%s's %dth %s", op.Client, at+1, call)
	}
}

var ordinals = []string{"first", "second", "third", "fourth", "fifth"}

// countedAs finds the ordinals of names.
var countedAs = regexp.MustCompile(`'s (?:` + strings.Join(ordinals, "|") + `|\d+th) `)

// Uncounted is a text without the ordinals in its names: what it says stays the same
// when other operations are left out of the history.
func Uncounted(text string) string { return countedAs.ReplaceAllString(text, "'s ") }

// call says in a few words what a request asks for.
func (n *Names) call(r *histories.Request) string {
	key := strconv.Quote(r.Key.Name)
	switch r.Kind {
	case histories.Create, histories.Update, histories.Delete, histories.Get, histories.Put:
		return string(r.Kind) + " of " + key
	case histories.LeaseAttach:
		return "put of " + key + " with a lease"
	case histories.List:
		return "list of " + Span(r.Scope) + selected(r)
	case histories.DeleteRange:
		return "deletion of " + Span(r.Scope)
	case histories.Watch:
		return "watch of " + Span(r.Scope) + selected(r)
	case histories.ListPages:
		return "list by pages of " + Span(r.Scope) + selected(r)
	case histories.Next:
		return "page after " + n.other(r.Of)
	case histories.Compact:
		return "compaction to " + r.Revision.String()
	case histories.Transact:
		return "transaction"
	case histories.LeaseGrant:
		return "grant of a lease"
	case histories.LeaseKeepAlive, histories.LeaseTimeToLive, histories.LeaseRevoke:
		return leaseCalls[r.Kind] + " of lease " + strconv.FormatInt(r.Lease, 10)
	case histories.Stop:
		return "end of " + n.other(r.Of)
	case histories.Await:
		return "wait for " + n.other(r.Of)
	case histories.Progress:
		return "request for progress"
	default:
		return string(r.Kind)
	}
}

var leaseCalls = map[histories.Kind]string{
	histories.LeaseKeepAlive: "renewal", histories.LeaseTimeToLive: "time to live", histories.LeaseRevoke: "revocation",
}

// other names the operation that a request refers to, without counting.
func (n *Names) other(id int) string {
	switch op := n.history.Operation(id); {
	case op == nil:
		return "another"
	case op.Label != "":
		return op.Label
	case op.Client == histories.WitnessClient:
		return "the witness"
	default:
		return "a " + string(op.Request.Kind)
	}
}

// Span says in a few words which keys a scope holds.
func Span(s histories.Scope) string {
	switch s.Shape {
	case histories.Single:
		return strconv.Quote(s.Key.Name)
	case histories.Prefix:
		return "the prefix " + strconv.Quote(s.Key.Name)
	case histories.Range:
		return fmt.Sprintf("the range %q to %q", s.Key.Name, s.End)
	case histories.Namespace:
		return "namespace " + s.Key.Namespace
	default:
		return "everything"
	}
}

// selected says what a request selects by, empty if by nothing.
func selected(r *histories.Request) string {
	options := r.Options()
	by := slices.DeleteFunc([]string{options.LabelSelector, options.FieldSelector}, func(s string) bool { return s == "" })
	if len(by) == 0 {
		return ""
	}
	return " with " + strings.Join(by, " and ")
}

// numbered is how the specification, which knows no history, calls an operation.
var numbered = regexp.MustCompile(`\boperation (\d+)\b`)

// In replaces the numbers of operations in a text by their names.
func (n *Names) In(text string) string {
	return numbered.ReplaceAllStringFunc(text, func(found string) string {
		id, err := strconv.Atoi(strings.TrimPrefix(found, "operation "))
		if err != nil || n.history.Operation(id) == nil {
			return found
		}
		return n.Of(id)
	})
}
