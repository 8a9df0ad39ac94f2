package kube

import (
	"net/http"
	"net/url"

	"github.com/rvcheck/rvcheck/histories"
)

const mergeType = "application/merge-patch+json"

func (d *dialect) patch(r *histories.Request) call {
	options := r.Options()
	c := call{method: http.MethodPatch, path: d.one(r), query: writeQuery(options)}
	switch options.Patch {
	case histories.JSONPatch:
		c.contentType, c.body = "application/json-patch+json", encoded(d.jsonPatch(r))
	case histories.ApplyPatch:
		c.contentType, c.body = "application/apply-patch+yaml", encoded(d.object(r))
		applying(c.query, r)
	default:
		c.contentType, c.body = mergeType, encoded(d.mergePatch(r))
	}
	return c
}

// applying makes every apply that of a manager of its own, so that it takes nothing away
// that an earlier one has applied.
func applying(query url.Values, r *histories.Request) {
	name := string(r.Write)
	if name == "" {
		name = "nothing"
	}
	query.Set("fieldManager", manager+"."+name)
	if r.Options().Force {
		query.Set("force", "true")
	}
}

// mergePatch names what is to change.
func (d *dialect) mergePatch(r *histories.Request) tree {
	options := r.Options()
	body, meta := tree{}, tree{}
	d.conditions(meta, r)
	switch {
	case options.NoOp:
	case options.Status:
		put(body, []string{"status", valueField}, encode(r.Write, 0))
	default:
		d.mergeObject(body, meta, r)
	}
	for name, value := range meta {
		put(body, []string{"metadata", name}, value)
	}
	return body
}

func (d *dialect) mergeObject(body, meta tree, r *histories.Request) {
	options := r.Options()
	if r.Write != "" {
		d.kind.setValue(body, r.Write, r.Size)
	}
	if len(r.Labels) > 0 {
		meta["labels"] = r.Labels
	}
	switch {
	case options.ClearFinalizers:
		meta["finalizers"] = nil
	case len(options.Finalizers) > 0:
		meta["finalizers"] = realFinalizers(options.Finalizers)
	}
}

// jsonPatch replaces what is to change, whether it was there or not.
func (d *dialect) jsonPatch(r *histories.Request) []tree {
	options := r.Options()
	steps := []tree{}
	set := func(path string, value any) {
		steps = append(steps, tree{"op": "add", "path": path, "value": value})
	}
	if r.Conditional {
		set("/metadata/resourceVersion", r.Expect.String())
	}
	if r.ExpectUID != "" {
		set("/metadata/uid", r.ExpectUID)
	}
	switch {
	case options.NoOp:
		return steps
	case options.Status:
		set("/status", tree{valueField: encode(r.Write, 0)})
		return steps
	}
	if r.Write != "" {
		set(d.kind.valueParent(r))
	}
	if len(r.Labels) > 0 {
		set("/metadata/labels", r.Labels)
	}
	switch {
	case options.ClearFinalizers:
		set("/metadata/finalizers", []string{})
	case len(options.Finalizers) > 0:
		set("/metadata/finalizers", realFinalizers(options.Finalizers))
	}
	return steps
}

// valueParent is the part of an object in which the value stands alone, and what it
// becomes: the value's own parent may not be there.
func (t *objectType) valueParent(r *histories.Request) (path string, value any) {
	last := len(t.value) - 1
	for _, name := range t.value[:last] {
		path += "/" + name
	}
	return path, tree{t.value[last]: t.wire(encode(r.Write, r.Size))}
}
