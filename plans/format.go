package plans

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rvcheck/rvcheck/histories"
)

// Format writes the text form of a plan: the header, then one line a step. The
// operations of all lanes begin in the same column. For every valid plan Parse
// gives the same plan back.
func Format(p Plan) string {
	var text strings.Builder
	text.WriteString("# rvcheck plan v1 · layer " + string(p.Layer))
	if p.Seed != 0 {
		text.WriteString(" · seed " + strconv.FormatUint(p.Seed, 10))
	}
	text.WriteByte('\n')
	width := p.column()
	for _, step := range p.Steps {
		text.WriteString(strings.TrimRight(formatStep(step, p.Layer, width), " "))
		text.WriteByte('\n')
	}
	return text.String()
}

// GoString is the text form, so that what prints a plan it has drawn shows what a
// person can read and run.
func (p Plan) GoString() string { return "\n" + Format(p) }

// column is where the operations begin.
func (p Plan) column() int {
	width := len("c1    ")
	for _, step := range p.Steps {
		if step.Op != nil {
			width = max(width, utf8.RuneCountInString(laneText(*step.Op))+2)
		}
	}
	return width
}

// laneText is "c1", or "c2@2" for another endpoint than the first.
func laneText(op Op) string {
	if op.Endpoint == 1 {
		return op.Lane
	}
	return op.Lane + "@" + strconv.Itoa(op.Endpoint)
}

func formatStep(step Step, layer histories.Layer, width int) string {
	switch {
	case step.Op != nil:
		return fmt.Sprintf("%-*s%s", width, laneText(*step.Op), FormatOp(*step.Op, layer))
	case step.Barrier:
		return "--"
	case step.Fault != nil:
		return fmt.Sprintf("%-*s%s", width, "!", formatFault(*step.Fault))
	case step.Expect != nil:
		return "expect " + quote(step.Expect.Property)
	}
	return "# " + step.Comment
}

func formatFault(fault Fault) string {
	text := fault.Action
	for _, arg := range fault.Args {
		text += " " + arg.Name + "=" + quote(arg.Value)
	}
	return text
}

// FormatOp writes an operation without its lane: "a1: create a {x=1}".
func FormatOp(op Op, layer histories.Layer) string {
	var parts []string
	if op.Label != "" {
		parts = append(parts, op.Label+":")
	}
	return strings.Join(append(parts, formatBody(op, layer)...), " ")
}

// formatBody is the operation from its name on, in words.
func formatBody(op Op, layer histories.Layer) []string {
	parts := append([]string{string(op.Kind)}, formatArgument(op, layer)...)
	for _, o := range options {
		if !slices.Contains(o.kinds, op.Kind) {
			continue
		}
		if text := o.write(op); text != "" {
			parts = append(parts, text)
		}
	}
	return parts
}

func formatArgument(op Op, layer histories.Layer) []string {
	f, _ := formOf(op.Kind)
	switch f.argument {
	case keyArgument:
		return []string{formatKey(op.Key, layer)}
	case scopeArgument:
		return []string{formatScope(op.Scope, layer)}
	case ofArgument:
		return []string{op.Of}
	case awaitArgument:
		return []string{op.Of, op.Revision.String()}
	case leaseArgument:
		return []string{op.Lease}
	case revisionArgument:
		return []string{op.Revision.String()}
	case fillArgument:
		return []string{strconv.Itoa(op.Fill)}
	case txnArgument:
		return formatTxn(op.Txn, layer)
	case noArgument:
	}
	return nil
}

// formatLabels writes "{x=1,y=2}", nothing without labels.
func formatLabels(labels map[string]string) string {
	if len(labels) == 0 {
		return ""
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		parts = append(parts, quote(name)+"="+quote(labels[name]))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func formatTxn(txn *Txn, layer histories.Layer) []string {
	var parts []string
	if txn == nil {
		return nil
	}
	if len(txn.Compares) > 0 {
		parts = append(parts, "if")
	}
	for _, c := range txn.Compares {
		parts = append(parts, c.Target+"("+formatKey(c.Key, layer)+")"+c.Op+c.Value.String())
	}
	if len(txn.Then) > 0 {
		parts = append(parts, "then", formatBranch(txn.Then, layer))
	}
	if len(txn.Else) > 0 {
		parts = append(parts, "else", formatBranch(txn.Else, layer))
	}
	return parts
}

func formatBranch(ops []Op, layer histories.Layer) string {
	var texts []string
	for _, op := range ops {
		text := strings.Join(formatBody(op, layer), " ")
		if op.Txn != nil {
			text = string(op.Kind) + " (" + strings.Join(formatTxn(op.Txn, layer), " ") + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}
