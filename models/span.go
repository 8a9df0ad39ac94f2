package models

import "github.com/rvcheck/rvcheck/histories"

// span is a part of the key space: the keys from, inclusive, to, exclusive.
type span struct {
	from, to histories.Key
	// open: there is no upper end.
	open bool
}

// Contains reports whether a key belongs to a scope. It knows the shapes of the
// etcd layer.
func Contains(scope histories.Scope, key histories.Key) bool {
	return spanOf(scope).contains(key)
}

func (s span) contains(key histories.Key) bool {
	return s.from.Compare(key) <= 0 && (s.open || key.Compare(s.to) < 0)
}

// reads returns the span that a get or a list asks for. A start key below the
// scope's first key adds nothing.
func reads(r *histories.Request) span {
	if r.Kind == histories.Get {
		return spanOf(histories.Scope{Shape: histories.Single, Key: r.Key})
	}
	s := spanOf(r.Scope)
	if start := named(r.Scope.Key, r.Start); r.HasStart && s.from.Compare(start) < 0 {
		s.from = start
	}
	return s
}

// spanOf returns the span of a scope. An end that is not above the first key
// makes an empty span, as in etcd.
func spanOf(scope histories.Scope) span {
	key := scope.Key
	switch scope.Shape {
	case histories.All:
		return span{open: true}
	case histories.Single:
		return span{from: key, to: named(key, key.Name+"\x00")}
	case histories.Prefix:
		end, ok := histories.PrefixEnd(key.Name)
		return span{from: key, to: named(key, end), open: !ok}
	case histories.Range:
		return span{from: key, to: named(key, scope.End)}
	default:
		panic("models: internal fault: a scope of shape " + string(scope.Shape) + " at the etcd layer")
	}
}

// named returns the key with another name.
func named(key histories.Key, name string) histories.Key {
	key.Name = name
	return key
}

// count counts the span's objects in a tree.
func (s span) count(n *node) int {
	if s.open {
		return n.count() - n.rank(s.from)
	}
	return max(0, n.rank(s.to)-n.rank(s.from))
}
