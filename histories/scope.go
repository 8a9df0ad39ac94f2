package histories

import "strings"

// OutsideMark begins the name of a key that a server returned although it does not
// lie in the plan's part of the store; the store's own key follows. No scope
// contains such a key, and no request names one.
const OutsideMark = "\x00outside:"

// Contains reports whether a key belongs to the scope.
func (s Scope) Contains(key Key) bool {
	if strings.HasPrefix(key.Name, OutsideMark) {
		return false
	}
	switch s.Shape {
	case All:
		return true
	case Single:
		return key == s.Key
	case Prefix:
		return key.Resource == s.Key.Resource && strings.HasPrefix(key.Name, s.Key.Name)
	case Namespace:
		return key.Resource == s.Key.Resource && key.Namespace == s.Key.Namespace
	case Range:
		return key.Name >= s.Key.Name && key.Name < s.End
	default:
		panic("histories: fault of this program: unknown shape of a scope " + string(s.Shape))
	}
}

// PrefixEnd returns the first byte string after all those that begin with the
// prefix, false if there is none: the prefix is empty or all 0xff.
func PrefixEnd(prefix string) (string, bool) {
	for last := len(prefix) - 1; last >= 0; last-- {
		if prefix[last] < 0xff {
			return prefix[:last] + string([]byte{prefix[last] + 1}), true
		}
	}
	return "", false
}
