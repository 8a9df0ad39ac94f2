package etcd

import (
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// keyspace translates between the relative keys of a history and the keys of the
// store: everything below one prefix.
type keyspace string

// span is a range of store keys, from key (inclusive) to end (exclusive). An empty
// end means the one key.
type span struct{ key, end string }

func (k keyspace) key(relative histories.Key) string { return string(k) + relative.Name }

// all is everything below the prefix.
func (k keyspace) all() span { return span{string(k), prefixEnd(string(k))} }

// span is what a scope covers. It lies within the space whatever the scope says.
func (k keyspace) span(scope histories.Scope) span {
	first := k.key(scope.Key)
	switch scope.Shape {
	case histories.Single:
		return span{key: first}
	case histories.Prefix:
		return span{first, prefixEnd(first)}
	case histories.Range:
		return span{first, string(k) + scope.End}
	default:
		return k.all()
	}
}

// startingAt is the part of the span from the relative key start on. It never
// begins before the span does.
func (k keyspace) startingAt(s span, start string) span {
	if s.end == "" {
		s.end = s.key + "\x00"
	}
	s.key = max(s.key, string(k)+start)
	return s
}

// relative is the history's name for a key of the store.
func (k keyspace) relative(key []byte) histories.Key {
	name, inside := strings.CutPrefix(string(key), string(k))
	if !inside {
		name = histories.OutsideMark + string(key)
	}
	return histories.Key{Name: name}
}

// prefixEnd is the first key after all that begin with the prefix. A prefix of
// 0xff bytes alone has none; then "\x00" stands for the end of the store.
func prefixEnd(prefix string) string {
	// Byte by byte: the strings package would take every invalid byte for 0xff.
	last := len(prefix) - 1
	for last >= 0 && prefix[last] == 0xff {
		last--
	}
	if last < 0 {
		return "\x00"
	}
	return prefix[:last] + string([]byte{prefix[last] + 1})
}
