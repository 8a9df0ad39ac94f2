package kube

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/targets"
)

// dialect turns requests of a plan into calls, and objects of the server into those of
// a plan.
type dialect struct {
	kind  *objectType
	names names
}

func unsupported(feature targets.Feature, format string, args ...any) error {
	return &targets.Unsupported{Feature: feature, Reason: fmt.Sprintf(format, args...)}
}

// call is the one call that does what a request says. Its error is a *targets.Unsupported.
func (d *dialect) call(r *histories.Request) (call, error) {
	if err := d.check(r); err != nil {
		return call{}, err
	}
	switch r.Kind {
	case histories.Create:
		return d.create(r), nil
	case histories.Update:
		return d.update(r), nil
	case histories.Patch:
		return d.patch(r), nil
	case histories.Delete:
		return d.delete(r), nil
	case histories.DeleteCollection:
		return d.deleteCollection(r), nil
	case histories.Get:
		return d.get(r), nil
	case histories.List, histories.Next:
		return d.list(r), nil
	case histories.Watch:
		return d.watch(r), nil
	default:
		return call{}, unsupported(targets.KubeOptions, "the Kubernetes API has no %s", r.Kind)
	}
}

// check refuses what has no form in the API, and what could reach beyond the space.
func (d *dialect) check(r *histories.Request) error {
	options := r.Options()
	switch {
	case r.Kind == histories.Update && options.NoOp:
		return unsupported(targets.Patches, "an update replaces the whole object")
	case r.Kind == histories.Patch && options.Patch == histories.ApplyPatch && options.ClearFinalizers:
		return unsupported(targets.Applies, "an apply takes away only what the same manager applied")
	case r.Kind == histories.DeleteCollection && d.names.objects != "":
		return unsupported(targets.DeleteCollections, othersThere, d.kind.name())
	case r.Kind == histories.DeleteCollection && r.Scope.Shape == histories.All && !d.names.none:
		return unsupported(targets.DeleteCollections, "the API deletes the collection of one namespace")
	case options.Status && !d.kind.status:
		return unsupported(targets.Statuses, "%s have no status", d.kind.name())
	case r.Write == "" && (r.Kind == histories.Create || r.Kind == histories.Update):
		return unsupported(targets.Writes, "a write has an id")
	case options.Encoding == histories.Protobuf && !d.kind.protobuf:
		return unsupported(targets.ProtobufEncoding, noProtobuf, d.kind.name())
	case options.Encoding == histories.Table && r.Kind == histories.Watch:
		return unsupported(targets.Encodings, "tables of events are not read")
	}
	if r.Kind.IsWrite() && r.Kind != histories.DeleteCollection || r.Kind == histories.Get {
		return d.checkKey(r.Key)
	}
	switch r.Scope.Shape {
	case histories.All:
		return nil
	case histories.Single, histories.Namespace:
		if d.names.none && r.Scope.Shape == histories.Namespace {
			return unsupported(targets.Namespaces, "%s are cluster-scoped", d.kind.name())
		}
		key := r.Scope.Key
		if r.Scope.Shape == histories.Namespace {
			key.Name = "any"
		}
		return d.checkKey(key)
	default:
		return unsupported(targets.Ranges, "the API reads all objects, a namespace or one object")
	}
}

// checkKey refuses keys outside the namespaces of a plan.
func (d *dialect) checkKey(key histories.Key) error {
	switch {
	case key.Resource == "" && slices.Contains(d.names.logical(), key.Namespace) && key.Name != "":
		return nil
	case d.names.none:
		return unsupported(targets.Namespaces, "a key is a name, as %s are cluster-scoped", d.kind.name())
	default:
		return unsupported(targets.KubeOptions, "a key is namespace/name with one of the namespaces %q", logical)
	}
}

// manager is what writes call the manager of their fields.
const manager = "rvcheck"

func writeQuery(options histories.KubeOptions) url.Values {
	query := url.Values{"fieldManager": {manager}}
	if options.DryRun {
		query.Set("dryRun", "All")
	}
	return query
}

// object is the body of a write of a whole object.
func (d *dialect) object(r *histories.Request) tree {
	body := tree{"apiVersion": d.kind.apiVersion(), "kind": d.kind.kind}
	meta := tree{"name": d.names.object(r.Key.Name)}
	if !d.names.none {
		meta["namespace"] = d.names.real(r.Key.Namespace)
	}
	body["metadata"] = meta
	d.conditions(meta, r)
	options := r.Options()
	if options.Status {
		body["status"] = tree{valueField: encode(r.Write, 0)}
		return body
	}
	if len(r.Labels) > 0 {
		meta["labels"] = r.Labels
	}
	if len(options.Finalizers) > 0 {
		meta["finalizers"] = realFinalizers(options.Finalizers)
	}
	if r.Write != "" {
		d.kind.setValue(body, r.Write, r.Size)
	}
	return body
}

// conditions puts what a write is conditional on into the metadata of its body.
func (d *dialect) conditions(meta tree, r *histories.Request) {
	if r.Conditional {
		meta["resourceVersion"] = r.Expect.String()
	}
	if r.ExpectUID != "" {
		meta["uid"] = r.ExpectUID
	}
}

func encoded(body any) []byte {
	text, err := json.Marshal(body)
	if err != nil {
		panic("targets/kube: fault of this program: the body of a request: " + err.Error())
	}
	return text
}

func (d *dialect) create(r *histories.Request) call {
	body := d.object(r)
	if r.Options().GenerateName {
		meta := body["metadata"].(tree)
		delete(meta, "name")
		meta["generateName"] = d.names.object(r.Key.Name)
	}
	return call{
		method: http.MethodPost, path: d.kind.path(d.names.real(r.Key.Namespace)),
		query: writeQuery(r.Options()), body: encoded(body),
	}
}

// one is the path of the object of a write, or of its status.
func (d *dialect) one(r *histories.Request) string {
	path := d.kind.objectPath(d.names.real(r.Key.Namespace), d.names.object(r.Key.Name))
	if r.Options().Status {
		path += "/status"
	}
	return path
}

func (d *dialect) update(r *histories.Request) call {
	return call{method: http.MethodPut, path: d.one(r), query: writeQuery(r.Options()), body: encoded(d.object(r))}
}

func (d *dialect) delete(r *histories.Request) call {
	options := deleteOptions(r)
	preconditions := tree{}
	d.conditions(preconditions, r)
	if len(preconditions) > 0 {
		options["preconditions"] = preconditions
	}
	return call{method: http.MethodDelete, path: d.one(r), body: encoded(options)}
}

func deleteOptions(r *histories.Request) tree {
	options := tree{"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"}
	if r.Options().DryRun {
		options["dryRun"] = []string{"All"}
	}
	return options
}

func (d *dialect) deleteCollection(r *histories.Request) call {
	return call{
		method: http.MethodDelete, path: d.collection(r.Scope),
		query: d.selectors(r), body: encoded(deleteOptions(r)),
	}
}

// collection is the path of the objects of a scope.
func (d *dialect) collection(scope histories.Scope) string {
	if scope.Shape == histories.All {
		return d.kind.path("")
	}
	return d.kind.path(d.names.real(scope.Key.Namespace))
}

func (d *dialect) selectors(r *histories.Request) url.Values {
	query, options := url.Values{}, r.Options()
	set(query, "labelSelector", options.LabelSelector)
	set(query, "fieldSelector", d.names.narrow(r.Scope, options.FieldSelector))
	return query
}

// set adds a parameter, unless it is empty.
func set(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

func (d *dialect) get(r *histories.Request) call {
	query, options := url.Values{}, r.Options()
	set(query, "resourceVersion", options.ResourceVersion)
	set(query, "resourceVersionMatch", options.ResourceVersionMatch)
	return call{method: http.MethodGet, path: d.one(r), query: query, accept: accept(options.Encoding, metadataObject)}
}

func (d *dialect) list(r *histories.Request) call {
	options := r.Options()
	query := d.reading(r)
	set(query, "continue", options.Continue)
	if r.Limit != 0 {
		query.Set("limit", strconv.FormatInt(r.Limit, 10))
	}
	return call{method: http.MethodGet, path: d.collection(r.Scope), query: query, accept: accept(options.Encoding, metadataList)}
}

// reading are the parameters that lists and watches share.
func (d *dialect) reading(r *histories.Request) url.Values {
	query, options := d.selectors(r), r.Options()
	set(query, "resourceVersion", options.ResourceVersion)
	set(query, "resourceVersionMatch", options.ResourceVersionMatch)
	if options.TimeoutSeconds != 0 {
		query.Set("timeoutSeconds", strconv.FormatInt(options.TimeoutSeconds, 10))
	}
	return query
}

func (d *dialect) watch(r *histories.Request) call {
	options := r.Options()
	query := d.reading(r)
	query.Set("watch", "true")
	if options.AllowWatchBookmarks {
		query.Set("allowWatchBookmarks", "true")
	}
	if options.SendInitialEvents != nil {
		query.Set("sendInitialEvents", strconv.FormatBool(*options.SendInitialEvents))
	}
	return call{method: http.MethodGet, path: d.collection(r.Scope), query: query, accept: accept(options.Encoding, metadataObject)}
}

// othersThere is why a run does not delete the collection of a cluster-scoped type that is
// not its own.
const othersThere = "a collection of %s has others' objects in it"

// noProtobuf is why a type is not read in protobuf: servers have it for built-in types
// only, of which a reader has to know what they look like.
const noProtobuf = "it is not known what %s look like in protobuf"

const (
	metadataObject = "PartialObjectMetadata"
	metadataList   = "PartialObjectMetadataList"
)

// accept is the Accept header for an encoding; metadata is what metadata alone are
// called there.
func accept(encoding, metadata string) string {
	switch encoding {
	case histories.Table:
		metadata = "Table"
	case histories.MetadataOnly:
	case histories.Protobuf:
		return protobufType
	default:
		return ""
	}
	return jsonType + ";as=" + metadata + ";v=v1;g=meta.k8s.io"
}
