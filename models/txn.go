package models

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
)

// transaction is a general transaction while it is carried out. Its conditions,
// those of transactions inside it too, look at the store before it; its operations
// look at what those before them left.
type transaction struct {
	glance
	// before is what the store held when the transaction began.
	before, content *node
	effects         []Effect
	// revision is that of the effects.
	revision histories.Revision
	// lowest is what the store had reached at least.
	lowest histories.Revision
	bound  []binding
}

func (g *glance) begin(content *node, revision histories.Revision) *transaction {
	return &transaction{glance: *g, before: content, content: content, revision: revision, lowest: g.state.newest}
}

// branch returns the operations that a transaction carries out.
func (t *transaction) branch(txn *histories.Txn) (ops []histories.Request, succeeded bool) {
	for i := range txn.Compares {
		if !t.holds(&txn.Compares[i]) {
			return txn.Else, false
		}
	}
	return txn.Then, true
}

// holds reports whether a condition holds. Of an absent key everything is zero but
// the value, which is not there to compare.
func (t *transaction) holds(c *histories.Compare) bool {
	o := t.before.get(c.Key)
	if o == nil && c.Target == "value" {
		return false
	}
	if o == nil {
		o = &histories.Object{}
	}
	order := t.against(o, c)
	switch c.Op {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	default:
		return order > 0
	}
}

// against orders what a condition looks at and what it names.
func (t *transaction) against(o *histories.Object, c *histories.Compare) int {
	if c.Target == "value" {
		named := histories.EncodeValue(histories.WriteID(c.Value), c.Labels, c.Size)
		return bytes.Compare(valueOf(o), named)
	}
	named, err := strconv.ParseInt(c.Value, 10, 64)
	if err != nil {
		panic("models: internal fault: a condition on " + c.Target + " names " + c.Value)
	}
	switch c.Target {
	case "version":
		return cmp.Compare(o.Version, named)
	case "lease":
		return cmp.Compare(o.Lease, named)
	case "create":
		return t.compare(o.CreateRevision, histories.Revision(named))
	default:
		return t.compare(o.RV, histories.Revision(named))
	}
}

// path returns the operations that a transaction carries out, those of the
// transactions inside it in their places.
func (t *transaction) path(txn *histories.Txn) []*histories.Request {
	var all []*histories.Request
	ops, _ := t.branch(txn)
	for i := range ops {
		if ops[i].Kind == histories.Transact {
			all = append(all, t.path(ops[i].Txn)...)
		} else {
			all = append(all, &ops[i])
		}
	}
	return all
}

// write carries out an operation, as far as it writes.
func (t *transaction) write(r *histories.Request) {
	switch r.Kind {
	case histories.Put:
		t.put(r)
	case histories.Delete, histories.DeleteRange:
		t.remove(r)
	default:
	}
}

// put stores an object.
func (t *transaction) put(r *histories.Request) {
	t.take(put(r, storedSize(r), t.content.get(r.Key), t.revision))
}

// remove deletes what is there and returns it.
func (t *transaction) remove(r *histories.Request) []*histories.Object {
	there := present(t.content.get(r.Key))
	if r.Kind == histories.DeleteRange {
		there = within(t.content, r.Scope)
	}
	for _, old := range there {
		t.take(removal(old, t.revision))
	}
	return there
}

func (t *transaction) take(e Effect) {
	t.effects = append(t.effects, e)
	t.content = e.apply(t.content)
}

// reads returns what a read inside the transaction looks at: at a revision the
// store as it was then, else what the operations before it left.
func (t *transaction) reads(r *histories.Request) *node {
	if r.Revision > 0 {
		return t.glance.content(r.Revision)
	}
	return t.content
}

// maxTxnOps is how many conditions, or operations of a branch, etcd takes in one
// transaction by default; those of a transaction inside come on top.
const maxTxnOps = 128

// tooMany reports whether a transaction has too many operations.
func tooMany(txn *histories.Txn, limit int) bool {
	n := max(len(txn.Compares), len(txn.Then), len(txn.Else))
	return n > limit || slices.ContainsFunc(slices.Concat(txn.Then, txn.Else), func(r histories.Request) bool {
		return r.Kind == histories.Transact && tooMany(r.Txn, limit-n)
	})
}

// touched is what a branch writes.
type touched struct {
	puts map[histories.Key]bool
	dels []span
}

func (t *touched) deletes(key histories.Key) bool {
	return slices.ContainsFunc(t.dels, func(s span) bool { return s.contains(key) })
}

// writesTwice reports whether etcd refuses a transaction for writing a key twice.
func writesTwice(txn *histories.Txn) bool {
	var then, or touched
	return then.twice(txn.Then) || or.twice(txn.Else)
}

// twice reports whether a branch puts a key twice, or puts one that it deletes.
// As in etcd, what transactions inside it delete counts for whatever stands behind
// them.
func (t *touched) twice(ops []histories.Request) bool {
	t.puts = make(map[histories.Key]bool)
	for i := range ops {
		switch r := &ops[i]; r.Kind {
		case histories.Delete:
			t.dels = append(t.dels, spanOf(histories.Scope{Shape: histories.Single, Key: r.Key}))
		case histories.DeleteRange:
			t.dels = append(t.dels, spanOf(r.Scope))
		default:
		}
	}
	for i := range ops {
		if ops[i].Kind == histories.Transact && t.twiceInside(ops[i].Txn) {
			return true
		}
	}
	for i := range ops {
		if r := &ops[i]; r.Kind == histories.Put && !t.add(r.Key) {
			return true
		}
	}
	return false
}

// twiceInside takes a transaction inside the branch. Only one of its branches is
// carried out, so both may put the same key.
func (t *touched) twiceInside(txn *histories.Txn) bool {
	var then, or touched
	if then.twice(txn.Then) || or.twice(txn.Else) {
		return true
	}
	for key := range then.puts {
		if !t.add(key) {
			return true
		}
	}
	for key := range or.puts {
		if then.puts[key] && !t.deletes(key) {
			continue
		}
		if !t.add(key) {
			return true
		}
	}
	t.dels = append(append(t.dels, then.dels...), or.dels...)
	return false
}

// add adds a put, false if its key is written already.
func (t *touched) add(key histories.Key) bool {
	if t.puts[key] || t.deletes(key) {
		return false
	}
	t.puts[key] = true
	return true
}

// unspecifiedTxn says why the specification does not cover a transaction.
func unspecifiedTxn(txn *histories.Txn) string {
	if txn == nil {
		return "a transaction without a body"
	}
	for _, c := range txn.Compares {
		if reason := unspecifiedCompare(&c); reason != "" {
			return reason
		}
	}
	for _, r := range slices.Concat(txn.Then, txn.Else) {
		switch r.Kind {
		case histories.Put, histories.Delete, histories.DeleteRange, histories.Get, histories.List, histories.Transact:
		default:
			return fmt.Sprintf("a transaction has no %s", r.Kind)
		}
		if r.Conditional {
			return "a condition inside a transaction is one of its compares"
		}
		if reason := Unspecified(&r); reason != "" {
			return reason
		}
	}
	return ""
}

func unspecifiedCompare(c *histories.Compare) string {
	if !slices.Contains(histories.CompareTargets, c.Target) || !slices.Contains(histories.CompareOps, c.Op) {
		return fmt.Sprintf("a transaction has no condition %s %s", c.Target, c.Op)
	}
	if _, err := strconv.ParseInt(c.Value, 10, 64); err != nil && c.Target != "value" {
		return fmt.Sprintf("a condition on %s names %q, which is no decimal", c.Target, c.Value)
	}
	return ""
}
