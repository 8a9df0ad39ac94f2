package generators

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// namespaces are those of every space. As texts they sort otherwise than by
// themselves: "a-b/x" comes before "a/x" (LIST-11).
var namespaces = []string{"a", "a-b", "ab"}

// objectFamilies are sets of names that some kind of fault would confuse. All of them
// are names that every type of objects takes.
var objectFamilies = []family{
	{weight: 3, names: []string{"a", "b", "c", "d", "e", "f", "g", "h"}},
	// Prefixes of each other, around the separator and what a token's key ends with.
	{weight: 5, names: []string{"a", "a-a", "a.b", "a0", "aa", "a-b", "a.a", "ab"}},
	// Numbers that are equal as numbers, or nearly.
	{weight: 2, names: []string{"1", "01", "10", "9", "1e3", "1000", "0", "00"}},
	{weight: 1, names: []string{strings.Repeat("x", 120), strings.Repeat("x", 120) + "y", strings.Repeat("x", 119), "x"}},
}

// drawObjects draws the objects that a plan uses, as "namespace/name", in the order of a
// store: names of one family, in one namespace or several.
func drawObjects(d dice, cfg Config) []string {
	n := d.keyCount()
	spaces := pick(d, []string{"a"}, []string{"a"}, []string{"a", "ab"}, []string{"a", "a-b"}, namespaces)
	if !cfg.can(targets.Namespaces) {
		spaces = namespaces[:1]
	}
	weights := make([]int, len(objectFamilies))
	for i, f := range objectFamilies {
		weights[i] = f.weight
	}
	pool := slices.Clone(objectFamilies[d.weighted(weights)].names)
	for i := 0; len(pool)*len(spaces) < 2*n; i++ {
		pool = append(pool, "k"+strconv.Itoa(i))
	}
	var keys []string
	for len(keys) < n {
		if key := pick(d, spaces...) + "/" + pick(d, pool...); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// object is the key of "namespace/name", or of what a scene made of it, such as a name
// with something behind it.
func object(path string) histories.Key {
	namespace, name, _ := strings.Cut(path, "/")
	if !slices.Contains(namespaces, namespace) {
		namespace = namespaces[0]
	}
	name = strings.Trim(strings.Map(nameRune, name), "-.")
	if name == "" {
		name = "none"
	}
	return histories.Key{Namespace: namespace, Name: name}
}

// nameRune drops what no name of an object has.
func nameRune(c rune) rune {
	switch {
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '.':
		return c
	default:
		return -1
	}
}

// objectScope is what a scope of the etcd layer comes to: one object, the namespace
// that a prefix begins with, or everything.
func objectScope(scope histories.Scope) histories.Scope {
	switch scope.Shape {
	case histories.Single:
		scope.Key = object(path(scope.Key))
	case histories.Prefix, histories.Range:
		namespace, _, _ := strings.Cut(scope.Key.Name, "/")
		if !slices.Contains(namespaces, namespace) {
			return everything
		}
		return inNamespace(namespace)
	default: // everything, or a namespace already
	}
	return scope
}

// unscope takes the one namespace away that a plan uses for objects that are in none.
func (a *author) unscope() {
	for _, step := range a.steps {
		if step.Op == nil {
			continue
		}
		step.Op.Key.Namespace, step.Op.Scope.Key.Namespace = "", ""
		if step.Op.Scope.Shape == histories.Namespace {
			step.Op.Scope = everything
		}
	}
}

// inNamespace is the scope of a namespace.
func inNamespace(namespace string) histories.Scope {
	return histories.Scope{Shape: histories.Namespace, Key: histories.Key{Namespace: namespace}}
}
