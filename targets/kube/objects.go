package kube

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/rvcheck/rvcheck/histories"
)

// metadata is what the API tells of an object or a list beside its content.
type metadata struct {
	Name               string
	Namespace          string
	UID                string
	ResourceVersion    string
	Generation         int64
	CreationTimestamp  time.Time
	DeletionTimestamp  string
	Labels             map[string]string
	Annotations        map[string]string
	Finalizers         []string
	Continue           string
	RemainingItemCount *int64
}

// metadataOf reads the metadata of an object or a list.
func metadataOf(body tree) (metadata, error) {
	var meta metadata
	text, err := json.Marshal(body["metadata"])
	if err != nil {
		return meta, err
	}
	if err := json.Unmarshal(text, &meta); err != nil {
		return meta, fmt.Errorf("metadata of an unexpected form: %w", err)
	}
	return meta, nil
}

// parse reads one JSON object.
func parse(body []byte) (tree, error) {
	var parsed tree
	if err := json.Unmarshal(body, &parsed); err != nil || parsed == nil {
		return nil, errors.New("the answer is no JSON object")
	}
	return parsed, nil
}

// revision reads a resource version: raw is the text where it is no decimal above zero
// without leading zeros (RV-01).
func revision(text string) (rv histories.Revision, raw string) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != text {
		return 0, text
	}
	return histories.Revision(n), ""
}

// isBare reports whether an encoding shows metadata only.
func isBare(encoding string) bool {
	return encoding == histories.Table || encoding == histories.MetadataOnly
}

// show is what the server shows of an object of the run, and whether it belongs to
// the plan. Bare objects have metadata only.
func (d *dialect) show(body tree, bare bool) (histories.Object, bool, error) {
	meta, err := metadataOf(body)
	if err != nil {
		return histories.Object{}, false, err
	}
	namespace, inside := d.names.plan(meta.Namespace)
	name, ours := d.names.planObject(meta.Name)
	object := histories.Object{
		Key: histories.Key{Namespace: namespace, Name: name},
		UID: meta.UID, Generation: meta.Generation, Deleting: meta.DeletionTimestamp != "",
	}
	if len(meta.Labels) > 0 {
		object.Labels = maps.Clone(meta.Labels)
	}
	kube := histories.KubeMeta{Finalizers: planFinalizers(meta.Finalizers)}
	object.RV, kube.RawRV = revision(meta.ResourceVersion)
	if !bare {
		d.kind.readValue(&object, body)
		kube.Status = statusOf(body)
	}
	if len(kube.Finalizers) > 0 || kube.RawRV != "" || kube.Status != "" {
		object.Kube = &kube
	}
	return object, inside && ours, nil
}

// statusOf is the id of the write that stored the status, empty where no write of a run
// did.
func statusOf(body tree) histories.WriteID {
	text, isText := at(body, "status", valueField).(string)
	if !isText {
		return ""
	}
	write, _, ok := decode(text)
	if !ok {
		return histories.WriteID("foreign:" + histories.Digest([]byte(text)))
	}
	return write
}

// list is a list as the server shows it.
type list struct {
	meta    metadata
	objects []histories.Object
	// outside counts the objects that do not belong to the plan.
	outside int64
	form    []string
}

// readList reads a list of objects, of metadata alone, or a table.
func (d *dialect) readList(body tree, encoding string) (list, error) {
	meta, err := metadataOf(body)
	if err != nil {
		return list{}, err
	}
	l := list{meta: meta, form: d.listForm(body, meta, encoding)}
	items, err := itemsOf(body, encoding)
	if err != nil {
		return list{}, err
	}
	for _, item := range items {
		object, inside, err := d.show(item, isBare(encoding))
		switch {
		case err != nil:
			return list{}, err
		case !inside:
			l.outside++
		default:
			l.objects = append(l.objects, object)
		}
	}
	return l, nil
}

// itemsOf are the objects of a list, and those of the rows of a table.
func itemsOf(body tree, encoding string) ([]tree, error) {
	name := "items"
	if encoding == histories.Table {
		name = "rows"
	}
	entries, ok := body[name].([]any)
	if !ok && body[name] != nil {
		return nil, fmt.Errorf("%s is no array", name)
	}
	items := make([]tree, 0, len(entries))
	for _, entry := range entries {
		if encoding == histories.Table {
			entry = at(entry, "object")
		}
		item, ok := entry.(tree)
		if !ok {
			return nil, fmt.Errorf("an entry of %s is no object", name)
		}
		items = append(items, item)
	}
	return items, nil
}

// listForm says what is wrong with the form of a list (LIST-10).
func (d *dialect) listForm(body tree, meta metadata, encoding string) []string {
	var form []string
	if _, isArray := body["items"].([]any); !isArray && encoding != histories.Table {
		form = append(form, "items is null")
	}
	if meta.Name != "" {
		form = append(form, "the list has a name")
	}
	return append(form, wrongKind(body, d.listKind(encoding))...)
}

// kinds is what an answer in an encoding is: apiVersion and kind.
type kinds struct{ apiVersion, kind string }

const metaVersion = "meta.k8s.io/v1"

func (d *dialect) listKind(encoding string) kinds {
	switch encoding {
	case histories.Table:
		return kinds{metaVersion, "Table"}
	case histories.MetadataOnly:
		return kinds{metaVersion, metadataList}
	default:
		return kinds{d.kind.apiVersion(), d.kind.kind + "List"}
	}
}

func (d *dialect) objectKind(encoding string) kinds {
	if !isBare(encoding) {
		return kinds{d.kind.apiVersion(), d.kind.kind}
	}
	k := d.listKind(encoding)
	if encoding == histories.MetadataOnly {
		k.kind = metadataObject
	}
	return k
}

// wrongKind says in which way an answer is of another kind than was asked for.
func wrongKind(body tree, expected kinds) []string {
	got := kinds{}
	got.apiVersion, _ = body["apiVersion"].(string)
	got.kind, _ = body["kind"].(string)
	if got == expected {
		return nil
	}
	return []string{fmt.Sprintf("kind %.40q of apiVersion %.60q instead of %q of %q", got.kind, got.apiVersion, expected.kind, expected.apiVersion)}
}

// bookmarkForm says what is wrong with the form of a bookmark: it has the kind of what is
// watched, a resource version, and nothing else but the mark of the initial events' end (BM-02).
func (d *dialect) bookmarkForm(body tree, meta metadata, encoding string) []string {
	form := wrongKind(body, d.objectKind(encoding))
	switch {
	case meta.Name != "" || meta.Namespace != "" || meta.UID != "":
		form = append(form, "the bookmark names an object")
	case len(meta.Labels) > 0 || len(meta.Finalizers) > 0:
		form = append(form, "the bookmark has labels or finalizers")
	}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(meta.Annotations)), func(name string) bool { return name == initialEventsEnd })
	if len(others) > 0 {
		form = append(form, fmt.Sprintf("the bookmark has the annotation %.60q", others[0]))
	}
	if at(body, d.kind.value...) != nil {
		form = append(form, "the bookmark has a value")
	}
	return form
}

// initialEventsEnd is the annotation of the bookmark that ends the initial events (WL-03).
const initialEventsEnd = "k8s.io/initial-events-end"
