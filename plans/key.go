package plans

import (
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// The text form of keys depends on the layer. At etcd a key is one byte string.
// At the Kubernetes layers it is [resource:][namespace/]name; the part behind
// the resource is bare or quoted as a whole.

const keyForm = "a key, quoted if it has unusual characters"

func (c *cursor) key() (histories.Key, *Error) {
	if c.layer == histories.EtcdLayer {
		name, err := c.keyName(keyForm)
		return histories.Key{Name: name}, err
	}
	resource, err := c.resource()
	if err != nil {
		return histories.Key{}, err
	}
	path, err := c.keyName("a key such as configmaps:namespace/name")
	key := splitPath(path)
	key.Resource = resource
	return key, err
}

// keyName takes a string where a single key has to stand. It refuses a bare word
// that has a meaning of its own: "delete all" deletes one key, which is not what
// it says.
func (c *cursor) keyName(form string) (string, *Error) {
	t := c.peek()
	if c.done() || t.kind != word || !reserved[t.text] {
		return c.string(form)
	}
	what := "a word of transactions"
	if t.text == "all" {
		what = "a scope"
	}
	return "", complain(strconv.Quote(t.text)+" in quotes for the key of that name", "%s is %s", t.text, what)
}

// resource takes the "configmaps:" of a Kubernetes key, if it is there.
func (c *cursor) resource() (string, *Error) {
	colon := c.at(1)
	if c.done() || colon.kind != mark || colon.text != ":" {
		return "", nil
	}
	resource, err := c.string("the name of a resource")
	c.pos++
	return resource, err
}

func splitPath(path string) histories.Key {
	namespace, name, namespaced := strings.Cut(path, "/")
	if !namespaced {
		return histories.Key{Name: path}
	}
	return histories.Key{Namespace: namespace, Name: name}
}

func formatKey(key histories.Key, layer histories.Layer) string {
	if layer == histories.EtcdLayer {
		return quote(key.Name)
	}
	path := key.Name
	if key.Namespace != "" {
		path = key.Namespace + "/" + key.Name
	}
	return formatResource(key.Resource) + quote(path)
}

func formatResource(resource string) string {
	if resource == "" {
		return ""
	}
	return quote(resource) + ":"
}

const scopeForm = "all, a key, a prefix such as a/* or a range such as [a,b)"

// scope takes what a list or a watch asks for.
func (c *cursor) scope() (histories.Scope, *Error) {
	if c.layer == histories.EtcdLayer {
		return c.etcdScope()
	}
	resource, err := c.resource()
	if err != nil {
		return histories.Scope{}, err
	}
	scope := histories.Scope{Key: histories.Key{Resource: resource}}
	if c.acceptWord("all") {
		return scope, nil
	}
	path, err := c.string("all, namespace/* or a key such as configmaps:namespace/name")
	if err != nil {
		return histories.Scope{}, err
	}
	scope.Key = splitPath(path)
	scope.Key.Resource = resource
	scope.Shape = histories.Single
	if !c.accept("*") {
		return scope, nil
	}
	if scope.Key.Name != "" || scope.Key.Namespace == "" {
		return histories.Scope{}, complain("a namespace such as default/*", "%q is no namespace", path+"*")
	}
	scope.Shape = histories.Namespace
	return scope, nil
}

func (c *cursor) etcdScope() (histories.Scope, *Error) {
	if c.acceptWord("all") {
		return histories.Scope{}, nil
	}
	if c.accept("[") {
		return c.keyRange()
	}
	name, err := c.string(scopeForm)
	if err != nil {
		return histories.Scope{}, err
	}
	scope := histories.Scope{Shape: histories.Single, Key: histories.Key{Name: name}}
	if c.accept("*") {
		scope.Shape = histories.Prefix
	}
	return scope, nil
}

// keyRange takes the rest of "[a,b)".
func (c *cursor) keyRange() (histories.Scope, *Error) {
	from, err := c.string("the first key of a range such as [a,b)")
	if err != nil {
		return histories.Scope{}, err
	}
	if err := c.mark(",", "between the ends of a range such as [a,b)"); err != nil {
		return histories.Scope{}, err
	}
	end, err := c.string("the end of a range such as [a,b)")
	if err != nil {
		return histories.Scope{}, err
	}
	scope := histories.Scope{Shape: histories.Range, Key: histories.Key{Name: from}, End: end}
	return scope, c.mark(")", "after a range such as [a,b)")
}

func formatScope(scope histories.Scope, layer histories.Layer) string {
	switch scope.Shape {
	case histories.Prefix:
		return formatKey(scope.Key, layer) + "*"
	case histories.Range:
		return "[" + quote(scope.Key.Name) + "," + quote(scope.End) + ")"
	case histories.Namespace:
		return formatResource(scope.Key.Resource) + quote(scope.Key.Namespace+"/") + "*"
	case histories.Single:
		return formatKey(scope.Key, layer)
	default:
		return formatResource(scope.Key.Resource) + "all"
	}
}
