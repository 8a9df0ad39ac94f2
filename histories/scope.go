package histories

import "strings"

// Contains reports whether a key belongs to the scope.
func (s Scope) Contains(key Key) bool {
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
