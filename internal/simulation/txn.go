package simulation

import (
	"fmt"
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
)

// transact makes a transaction of up to two conditions and two branches.
func (r *run) transact(l *lane) {
	txn := &histories.Txn{}
	for range r.rng.IntN(3) {
		txn.Compares = append(txn.Compares, r.compare())
	}
	txn.Then, txn.Else = r.branch(), r.branch()
	r.call(l, histories.Request{Kind: histories.Transact, Txn: txn})
}

// compare draws a condition on what a key is now, or nearly.
func (r *run) compare() histories.Compare {
	c := histories.Compare{Key: r.key(), Op: histories.CompareOps[r.rng.IntN(4)]}
	var present histories.Object
	if o := r.store.current(c.Key.Name); o != nil {
		present = *o
	}
	c.Target = []string{"version", "create", "mod", "lease", "value"}[r.rng.IntN(5)]
	value := target(present, c.Target)
	if Chance(r.rng, 0.3) {
		value += r.rng.Int64N(3) - 1
	}
	c.Value = strconv.FormatInt(value, 10)
	if c.Target == "value" {
		c.Op, c.Value, c.Labels = histories.CompareOps[r.rng.IntN(2)], string(present.Write), present.Labels
		if Chance(r.rng, 0.3) || c.Value == "" {
			c.Value = fmt.Sprintf("w%d", r.writes)
		}
	}
	return c
}

// target is the number that a condition looks at.
func target(o histories.Object, name string) int64 {
	switch name {
	case "version":
		return o.Version
	case "create":
		return int64(o.CreateRevision)
	case "mod":
		return int64(o.RV)
	default:
		return o.Lease
	}
}

// branch draws up to three operations: each key is written once, and where a scope
// is deleted nothing else is written.
func (r *run) branch() []histories.Request {
	var ops []histories.Request
	keys := r.rng.Perm(len(r.config.Keys))
	sweeps := Chance(r.rng, 0.15)
	for i := range r.rng.IntN(4) {
		key := histories.Key{Name: r.config.Keys[keys[i%len(keys)]]}
		switch n := r.rng.IntN(10); {
		case n < 5 && i < len(keys) && !sweeps:
			ops = append(ops, r.writing(histories.Request{Kind: histories.Put, Key: key}))
		case n < 6 && i < len(keys) && !sweeps:
			ops = append(ops, histories.Request{Kind: histories.Delete, Key: key})
		case n < 6 && sweeps:
			ops = append(ops, histories.Request{Kind: histories.DeleteRange, Scope: r.scope()})
		case n < 8:
			ops = append(ops, histories.Request{Kind: histories.Get, Key: r.key(), Revision: r.nestedRevision()})
		default:
			ops = append(ops, histories.Request{Kind: histories.List, Scope: r.scope(), Limit: max(0, r.limit()), Revision: r.nestedRevision()})
		}
	}
	return ops
}

// nestedRevision is the revision of a read in a transaction: mostly that of the
// transaction itself.
func (r *run) nestedRevision() histories.Revision {
	if !Chance(r.rng, 0.3) {
		return 0
	}
	return max(0, r.readRevision())
}

// performTxn carries out a transaction, whole or not at all.
func (s *store) performTxn(time int64, req histories.Request) histories.Answer {
	ops, succeeded := req.Txn.Then, true
	for _, c := range req.Txn.Compares {
		if !s.holds(c) {
			ops, succeeded = req.Txn.Else, false
		}
	}
	for _, op := range ops {
		switch {
		case op.Revision > s.newest:
			return refusal(histories.Future)
		case op.Revision > 0 && op.Revision < s.compacted:
			return refusal(histories.Compacted)
		}
	}
	answer := histories.Answer{Outcome: histories.OK, Succeeded: succeeded}
	before, after := s.newest, s.newest+1
	for _, op := range ops {
		result := s.nested(time, op, after)
		if s.changedAt(after) {
			result.Revision = after
		} else {
			result.Revision = before
		}
		answer.Results = append(answer.Results, result)
	}
	if s.changedAt(after) {
		s.newest = after
	}
	answer.Revision = s.newest
	return answer
}

func (s *store) changedAt(revision histories.Revision) bool {
	return len(s.log) > 0 && s.log[len(s.log)-1].revision == revision
}

// nested carries out one operation of a transaction whose changes have a revision.
func (s *store) nested(time int64, op histories.Request, after histories.Revision) histories.Answer {
	switch op.Kind {
	case histories.Put:
		s.writeAt(time, op, after)
		return histories.Answer{Outcome: histories.OK}
	case histories.Delete:
		return s.sweepAt(time, histories.Scope{Shape: histories.Single, Key: op.Key}, after)
	case histories.DeleteRange:
		return s.sweepAt(time, op.Scope, after)
	default:
		at := op.Revision
		if at == 0 {
			at = after
		}
		return s.readAt(op, at, after)
	}
}

func (s *store) sweepAt(time int64, scope histories.Scope, at histories.Revision) histories.Answer {
	found := s.scan(scope, "", at)
	for _, o := range found {
		s.removeAt(time, at, o.Key.Name)
	}
	return histories.Answer{Outcome: histories.OK, Deleted: int64(len(found))}
}

// holds reports whether a condition holds. Of an absent key there is no value.
func (s *store) holds(c histories.Compare) bool {
	o := s.current(c.Key.Name)
	if c.Target == "value" {
		same := o != nil && string(histories.EncodeValue(o.Write, o.Labels, o.Size)) ==
			string(histories.EncodeValue(histories.WriteID(c.Value), c.Labels, c.Size))
		return o != nil && same == (c.Op == "=")
	}
	var present histories.Object
	if o != nil {
		present = *o
	}
	has := target(present, c.Target)
	wanted, err := strconv.ParseInt(c.Value, 10, 64)
	if err != nil {
		panic("simulation: fault of this program: a condition with the value " + c.Value)
	}
	switch c.Op {
	case "=":
		return has == wanted
	case "!=":
		return has != wanted
	case "<":
		return has < wanted
	default:
		return has > wanted
	}
}
