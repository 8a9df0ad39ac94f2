package generators

import (
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// covers reports whether a key lies in a scope.
func covers(scope histories.Scope, name string) bool {
	switch scope.Shape {
	case histories.Single:
		return name == scope.Key.Name
	case histories.Prefix:
		return strings.HasPrefix(name, scope.Key.Name)
	case histories.Range:
		return name >= scope.Key.Name && name < scope.End
	default:
		return true
	}
}
