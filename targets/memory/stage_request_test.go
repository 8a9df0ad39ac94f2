package memory

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
)

// request reads an operation. Each write has an id of its own, w1, w2, …
func (s *stage) request(t *testing.T, what string) histories.Request {
	t.Helper()
	fields := strings.Fields(what)
	r := histories.Request{Kind: histories.Kind(fields[0])}
	if r.Kind == histories.Transact {
		r.Txn = s.txn(t, fields[1:])
		return r
	}
	if stores(r.Kind) {
		s.writes++
		r.Write = histories.WriteID(fmt.Sprintf("w%d", s.writes))
	}
	for _, field := range fields[1:] {
		name, value, option := strings.Cut(field, "=")
		if !option {
			s.aim(&r, field)
			continue
		}
		set(t, &r, name, value)
	}
	return r
}

func stores(kind histories.Kind) bool {
	switch kind {
	case histories.Create, histories.Update, histories.Put, histories.LeaseAttach:
		return true
	default:
		return false
	}
}

// txn reads "if mod(a)=2 then put a ; get b else get a".
func (s *stage) txn(t *testing.T, fields []string) *histories.Txn {
	t.Helper()
	txn := &histories.Txn{}
	conditions, then, otherwise := parts(strings.Join(fields, " "))
	for _, c := range strings.Fields(conditions) {
		target, rest, _ := strings.Cut(c, "(")
		key, value, found := strings.Cut(rest, ")")
		if !found {
			t.Fatalf("%q is no condition", c)
		}
		digits := strings.TrimLeft(value, "!=<>")
		txn.Compares = append(txn.Compares, histories.Compare{
			Target: target, Key: histories.Key{Name: key}, Op: strings.TrimSuffix(value, digits), Value: digits,
		})
	}
	txn.Then, txn.Else = s.branch(t, then), s.branch(t, otherwise)
	return txn
}

// parts cuts a transaction in three.
func parts(text string) (conditions, then, otherwise string) {
	text, otherwise, _ = strings.Cut(" "+text, " else ")
	conditions, then, _ = strings.Cut(text, " then ")
	return strings.TrimPrefix(conditions, " if "), then, otherwise
}

func (s *stage) branch(t *testing.T, text string) []histories.Request {
	t.Helper()
	var all []histories.Request
	for op := range strings.SplitSeq(text, ";") {
		if op = strings.TrimSpace(op); op != "" {
			all = append(all, s.request(t, op))
		}
	}
	return all
}

// aim sets the key or the scope, or an option without a value.
func (s *stage) aim(r *histories.Request, field string) {
	key := histories.Key{Name: strings.TrimSuffix(field, "*")}
	switch {
	case field == "prev":
		r.PrevKV = true
	case field == "countOnly":
		r.CountOnly = true
	case field == "keysOnly":
		r.KeysOnly = true
	case field == "fragment":
		r.Fragment = true
	case field == "serializable":
		r.Serializable = true
	case field == histories.NoPut, field == histories.NoDelete:
		r.Filters = append(r.Filters, field)
	case r.Kind == histories.Compact:
		r.Revision = number(field)
	case r.Kind != histories.List && r.Kind != histories.Next && r.Kind != histories.Watch && r.Kind != histories.DeleteRange:
		r.Key = key
	case field == "all":
	case strings.HasSuffix(field, "*"):
		r.Scope = histories.Scope{Shape: histories.Prefix, Key: key}
	default:
		r.Scope = histories.Scope{Shape: histories.Single, Key: key}
	}
}

func set(t *testing.T, r *histories.Request, name, value string) {
	t.Helper()
	switch name {
	case "rv":
		r.Expect, r.Conditional = number(value), true
	case "revision":
		r.Revision = number(value)
	case "from":
		r.StartRevision = number(value)
	case "limit":
		r.Limit = int64(number(value))
	case "start":
		r.Start, r.HasStart = value, true
	case "lease":
		r.Lease = int64(number(value))
	case "ttl":
		r.TTL = int64(number(value))
	case "sort":
		target, order, _ := strings.Cut(value, ":")
		r.SortTarget, r.SortOrder = histories.SortTarget(target), histories.SortOrder(order)
	case "minMod":
		r.MinModRevision = number(value)
	case "maxMod":
		r.MaxModRevision = number(value)
	case "minCreate":
		r.MinCreateRevision = number(value)
	case "maxCreate":
		r.MaxCreateRevision = number(value)
	case "on":
		r.Transport = value
	case "id":
		r.WatchID = int64(number(value))
	default:
		t.Fatalf("unknown option %s", name)
	}
}

func number(text string) histories.Revision {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return histories.Revision(n)
}
