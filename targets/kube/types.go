package kube

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/rvcheck/rvcheck/histories"
)

// objectType is the type of objects that a run works on.
type objectType struct {
	group, version, plural string
	// kind is found out where the type is not one of the run's own.
	kind string
	// own: the run makes and removes it, so that nobody else writes such objects.
	own bool
	// clusterScoped: its objects are in no namespaces.
	clusterScoped bool
	// prefix begins the names of the run's objects where nothing else keeps them apart from
	// others': in a cluster-scoped type that is not the run's own.
	prefix string
	// value is where in an object its value stands.
	value []string
	// base64: the API has the value in base64.
	base64 bool
	// status: it has a status subresource, with a field value.
	status bool
	// protobuf: it is known what it looks like in protobuf.
	protobuf bool
	// unconditional: it takes updates without a resource version (WR-10).
	unconditional bool
	// strict: it refuses an update of what is not there (WR-11).
	strict bool
}

// domain is the group of the types that runs make, and begins the names of labels,
// finalizers and annotations.
const domain = "conformance.rvcheck.dev"

// valueField is what the run's value is called in data and in annotations.
const valueField = "value"

// builtIn are the types of which it is known where they can hold a value.
var builtIn = map[string]objectType{
	"configmaps": {version: "v1", plural: "configmaps", kind: "ConfigMap", value: []string{"data", valueField}, protobuf: true, unconditional: true, strict: true},
	"secrets":    {version: "v1", plural: "secrets", kind: "Secret", value: []string{"data", valueField}, base64: true, protobuf: true, unconditional: true, strict: true},
	"leases": {
		group: "coordination.k8s.io", version: "v1", plural: "leases", kind: "Lease",
		value: []string{"spec", "holderIdentity"}, protobuf: true,
	},
}

// typeNamed finds the type of a parameter resource. Of a type that is not built in it
// is not known where it could hold a value, so that stands in an annotation.
func typeNamed(text string) (objectType, error) {
	parts := strings.Split(text, "/")
	if known, ok := builtIn[parts[len(parts)-1]]; ok && (len(parts) == 1 || text == known.group+"/"+known.version+"/"+known.plural) {
		return known, nil
	}
	if len(parts) != 3 || slices.Contains(parts, "") {
		return objectType{}, usage("parameter resource", fmt.Sprintf("expected configmaps, secrets, leases or GROUP/VERSION/PLURAL, not %.60q", text))
	}
	return objectType{group: parts[0], version: parts[1], plural: parts[2], value: []string{"metadata", "annotations", domain + "/" + valueField}}, nil
}

func (t *objectType) apiVersion() string {
	if t.group == "" {
		return t.version
	}
	return t.group + "/" + t.version
}

// resource is what client-go calls the type.
func (t *objectType) resource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: t.group, Version: t.version, Resource: t.plural}
}

// name is what the type is called in messages.
func (t *objectType) name() string {
	if t.group == "" {
		return t.plural
	}
	return t.plural + "." + t.group
}

// path is that of all objects of the type, or of those of a namespace.
func (t *objectType) path(namespace string) string {
	path := "/api/" + t.version
	if t.group != "" {
		path = "/apis/" + t.group + "/" + t.version
	}
	if namespace != "" {
		path += "/namespaces/" + url.PathEscape(namespace)
	}
	return path + "/" + t.plural
}

// objectPath is that of one object.
func (t *objectType) objectPath(namespace, name string) string {
	return t.path(namespace) + "/" + url.PathEscape(name)
}

// tree is a JSON object.
type tree = map[string]any

// put sets the field at a path.
func put(into tree, path []string, value any) {
	for _, name := range path[:len(path)-1] {
		below, ok := into[name].(tree)
		if !ok {
			below = tree{}
			into[name] = below
		}
		into = below
	}
	into[path[len(path)-1]] = value
}

// at is the field at a path, nil if there is none.
func at(tree any, path ...string) any {
	for _, name := range path {
		fields, ok := tree.(map[string]any)
		if !ok {
			return nil
		}
		tree = fields[name]
	}
	return tree
}

// encode is the value that a write stores: its id, guarded against damage, and the padding.
func encode(write histories.WriteID, padding int) string {
	shortest := histories.EncodeValue(write, nil, 0)
	if padding <= 0 {
		return string(shortest)
	}
	return string(histories.EncodeValue(write, nil, len(shortest)+padding))
}

// decode takes apart what encode built.
func decode(value string) (write histories.WriteID, padding int, ok bool) {
	write, labels, ok := histories.DecodeValue([]byte(value))
	if !ok || len(labels) > 0 {
		return "", 0, false
	}
	return write, len(value) - len(histories.EncodeValue(write, nil, 0)), true
}

// setValue puts the value of a write into the body of an object.
func (t *objectType) setValue(body tree, write histories.WriteID, padding int) {
	put(body, t.value, t.wire(encode(write, padding)))
}

// wire is a value as the API has it.
func (t *objectType) wire(value string) string {
	if t.base64 {
		return base64.StdEncoding.EncodeToString([]byte(value))
	}
	return value
}

// readValue says what the object holds: nothing where there is no value and nothing
// beside it. What no write of the run can have stored is kept as a digest only: it may be
// a secret.
func (t *objectType) readValue(object *histories.Object, body tree) {
	text, _ := at(body, t.value...).(string)
	if write, padding, ok := t.unwire(text); ok {
		object.Write, object.Size = write, padding
		return
	}
	around := at(body, t.value[:len(t.value)-1]...)
	if fields, ok := around.(tree); around == nil || ok && len(fields) == 0 {
		return
	}
	object.Foreign = digestOf(around)
}

// unwire takes apart a value as the API has it, false if no run has written it.
func (t *objectType) unwire(text string) (write histories.WriteID, padding int, ok bool) {
	if t.base64 {
		plain, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return "", 0, false
		}
		text = string(plain)
	}
	return decode(text)
}

// digestOf stands for a part of an object.
func digestOf(part any) string {
	text, err := json.Marshal(part)
	if err != nil {
		panic("targets/kube: fault of this program: what was decoded cannot be encoded: " + err.Error())
	}
	return histories.Digest(text)
}
