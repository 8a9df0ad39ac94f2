package generators

import (
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// covers reports whether a key lies in a scope.
func covers(scope histories.Scope, name string) bool {
	switch scope.Shape {
	case histories.Single:
		return name == path(scope.Key)
	case histories.Prefix:
		return strings.HasPrefix(name, scope.Key.Name)
	case histories.Namespace:
		return strings.HasPrefix(name, scope.Key.Namespace+"/")
	case histories.Range:
		return name >= scope.Key.Name && name < scope.End
	default:
		return true
	}
}

// path is the key as authors name it: with its namespace, where the layer has any.
func path(k histories.Key) string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}
