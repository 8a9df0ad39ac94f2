package scenarios

import (
	"fmt"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// The form of the Kubernetes layers, behind "set kube". What differs:
//
//	set kube profile=kube-1.37-uncached without=strictUpdates
//	c1 1 2 a1: create a/x #1 fin=f labels=x=1,y=2 = ok a/x@5#1;l:x=1;f=f
//	c1 3 4 u1: patch a/x merge #2 rv=5 uid=u = ok a/x@6#2
//	c1 5 6 delete a/x = ok uid=u
//	c1 5 6 get a/x rv=5 = fail notFound
//	c1 7 8 l1: list a/* rv=5 match=Exact limit=1 label=x=1 = ok @5 a/x@5#1 cont=t remaining=1
//	c1 7 8 list all as=protobuf = ok @5 a/x@5#1
//	c1 9 9 next of=l1 token=t = fail compacted code=410 reason=Expired cont=t2
//	c1 9 9 w1: watch all rv=5 bookmarks initial match=NotOlderThan = ok
//	w1 9 added a/x@5#1
//	w1 9 bookmark 7 end
//	w1 9 error compacted code=410 reason=Expired
//	informer 9 10 i1: informer initial = ok
//	i1 11 added a/x@5#1 first
//	i1 12 synced
//	i1 13 modified a/x@6#2 prev=a/x@5#1
//	i1 14 delete a/x@6#2 unknown
//	informer 15 20 store of=i1 at=6 = ok @7
//
// An object is key@rv#write and, each behind a semicolon, l:label=value, f=finalizer
// (again for each), del, s=write id of the status, uid=, gen=, size= and raw=. Its uid is that
// of its key where none is given. A token that next does not name is that of its page.

// isKube reports whether the scenario is one of the Kubernetes layers.
func (p *parser) isKube() bool { return p.history.Header.Layer == histories.KubeLayer }

// setKube makes it one.
func (p *parser) setKube(w string) bool {
	profile, named := strings.CutPrefix(w, "profile=")
	feature, lacks := strings.CutPrefix(w, "without=")
	switch {
	case named:
		p.history.Header.Profile = profile
	case lacks:
		p.history.Header.Unsupported = map[string]string{feature: "not offered"}
	case w == "kube":
		p.history.Header.Layer, p.history.Header.Profile = histories.KubeLayer, "kube-1.37"
	default:
		return false
	}
	return true
}

// kubeWord reads a word of a request.
func (p *parser) kubeWord(r *histories.Request, w string) bool {
	o := r.Kube
	if o == nil {
		o = &histories.KubeOptions{}
	}
	if !kubeFlag(o, w) && !p.kubeOption(r, o, w) {
		return p.kubeKey(r, w)
	}
	r.Kube = o
	return true
}

func kubeFlag(o *histories.KubeOptions, w string) bool {
	yes, no := true, false
	switch w {
	case histories.MergePatch, histories.JSONPatch, histories.ApplyPatch:
		o.Patch = w
	case histories.Table, histories.MetadataOnly:
		o.Encoding = w
	case "bookmarks":
		o.AllowWatchBookmarks = true
	case "initial":
		o.SendInitialEvents = &yes
	case "initial=false":
		o.SendInitialEvents = &no
	case "dry":
		o.DryRun = true
	case "noop":
		o.NoOp = true
	case "clear":
		o.ClearFinalizers = true
	case "status":
		o.Status = true
	case "generate":
		o.GenerateName = true
	default:
		return false
	}
	return true
}

func (p *parser) kubeOption(r *histories.Request, o *histories.KubeOptions, w string) bool {
	name, value, ok := strings.Cut(w, "=")
	if !ok {
		return false
	}
	switch name {
	case "rv":
		if !r.Kind.IsRead() && r.Kind != histories.Watch {
			r.Expect, r.Conditional = revision(value), true
			return true
		}
		o.ResourceVersion = value
	case "match":
		o.ResourceVersionMatch = value
	case "label":
		o.LabelSelector = value
	case "field":
		o.FieldSelector = value
	case "as":
		o.Encoding = value
	case "token":
		o.Continue = value
	case "fin":
		o.Finalizers = strings.Split(value, ",")
	case "uid":
		r.ExpectUID = value
	case "labels":
		r.Labels = map[string]string{}
		for _, label := range strings.Split(value, ",") {
			k, v, _ := strings.Cut(label, "=")
			r.Labels[k] = v
		}
	case "of":
		r.Of = p.labels[value]
		if before := p.history.Operation(r.Of); before != nil && r.Kind == histories.Next {
			r.Scope = before.Request.Scope
			old := before.Request.Options()
			o.Continue, o.LabelSelector, o.FieldSelector = before.Answer.Continue, old.LabelSelector, old.FieldSelector
		}
	default:
		return false
	}
	return true
}

// kubeKey reads a key or a scope.
func (p *parser) kubeKey(r *histories.Request, w string) bool {
	scoped := r.Kind == histories.List || r.Kind == histories.Watch || r.Kind == histories.Next || r.Kind == histories.DeleteCollection ||
		r.Kind == histories.ListPages
	namespace, name, ok := strings.Cut(w, "/")
	switch key := (histories.Key{Namespace: namespace, Name: name}); {
	case !ok:
		return false
	case scoped && name == "*":
		r.Scope = histories.Scope{Shape: histories.Namespace, Key: histories.Key{Namespace: namespace}}
	case scoped:
		r.Scope = histories.Scope{Shape: histories.Single, Key: key}
	default:
		r.Key = key
	}
	return true
}

// kubeAnswer reads an answer.
func (p *parser) kubeAnswer(op *histories.Operation, words []string) error {
	a := &op.Answer
	a.Outcome = histories.Unknown
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch {
		case w == "ok" || w == "fail" || w == "unknown":
			a.Outcome = histories.Outcome(w)
		case strings.HasPrefix(w, "@"):
			a.Revision = revision(w[1:])
		case name == "cont":
			a.Continue, a.More = value, true
		case name == "code" || name == "reason":
			kubeError(&a.Error, w)
		case name == "uid" || name == "remaining" || name == "outside" || name == "raw" || name == "form":
			if a.Kube == nil {
				a.Kube = &histories.KubeAnswer{}
			}
			kubeDetail(a.Kube, name, value)
		case strings.Contains(w, "@"):
			o, err := kubeObject(w)
			if err != nil {
				return err
			}
			a.Objects = append(a.Objects, o)
		default:
			kubeError(&a.Error, w)
		}
	}
	if op.Request.Kind == histories.Create && a.Outcome == histories.OK && len(a.Objects) == 1 {
		a.Revision = a.Objects[0].RV
	}
	return nil
}

func kubeDetail(d *histories.KubeAnswer, name, value string) {
	switch name {
	case "uid":
		d.UID = value
	case "remaining":
		n := number(value)
		d.Remaining = &n
	case "outside":
		d.Outside = number(value)
	case "raw":
		d.RawRV = value
	case "form":
		d.Form = append(d.Form, strings.ReplaceAll(value, "_", " "))
	}
}

// kubeError reads a word about an error: its class, code or reason.
func kubeError(e **histories.Error, w string) {
	if *e == nil {
		*e = &histories.Error{}
	}
	switch name, value, _ := strings.Cut(w, "="); name {
	case "code":
		(*e).Code = value
	case "reason":
		(*e).Reason = value
	default:
		(*e).Class = histories.ErrorClass(w)
	}
}

// kubeObject reads an object.
func kubeObject(w string) (histories.Object, error) {
	parts := strings.Split(w, ";")
	key, rest, _ := strings.Cut(parts[0], "@")
	at, write, _ := strings.Cut(rest, "#")
	namespace, name, ok := strings.Cut(key, "/")
	if !ok {
		return histories.Object{}, fmt.Errorf("object %q: expected namespace/name@rv#write", w)
	}
	o := histories.Object{Key: histories.Key{Namespace: namespace, Name: name}, RV: revision(at), Write: histories.WriteID(write), UID: key}
	var meta histories.KubeMeta
	for _, part := range parts[1:] {
		field, value, _ := strings.Cut(part, "=")
		switch {
		case strings.HasPrefix(field, "l:"):
			if o.Labels == nil {
				o.Labels = map[string]string{}
			}
			o.Labels[field[2:]] = value
		case field == "f":
			meta.Finalizers = append(meta.Finalizers, value)
		case field == "del":
			o.Deleting = true
		case field == "s":
			meta.Status = histories.WriteID(value)
		case field == "uid":
			o.UID = value
		case field == "gen":
			o.Generation = number(value)
		case field == "size":
			o.Size = int(number(value))
		case field == "foreign":
			o.Foreign = value
		case field == "raw":
			meta.RawRV = value
		default:
			return histories.Object{}, fmt.Errorf("object %q: unknown part %q", w, part)
		}
	}
	if meta.Finalizers != nil || meta.Status != "" || meta.RawRV != "" {
		o.Kube = &meta
	}
	return o, nil
}

// kubeCall reads what an informer's handler is told beside the object.
func kubeCall(e *histories.Event, words []string) error {
	for _, w := range words {
		before, isPrev := strings.CutPrefix(w, "prev=")
		switch {
		case isPrev:
			o, err := kubeObject(before)
			if err != nil {
				return err
			}
			e.Prev = &o
		case w == "first":
			e.Kube = &histories.KubeEvent{Initial: true}
		case w == "unknown":
			e.Kube = &histories.KubeEvent{FinalStateUnknown: true}
		}
	}
	return nil
}

// kubeEvent reads an event behind its time.
func kubeEvent(s *histories.Stream, time int64, words []string) error {
	e := histories.Event{Type: histories.EventType(words[0]), Time: time, Batch: len(s.Events) + 1, Last: true}
	switch words[0] {
	case "bookmark":
		e.Type, e.Header = histories.ProgressEvent, revision(words[1])
		for _, w := range words[2:] {
			if e.Kube == nil {
				e.Kube = &histories.KubeEvent{}
			}
			e.Kube.InitialEventsEnd = e.Kube.InitialEventsEnd || w == "end"
			if form, ok := strings.CutPrefix(w, "form="); ok {
				e.Kube.Form = append(e.Kube.Form, strings.ReplaceAll(form, "_", " "))
			}
		}
	case "error":
		e.Kube = &histories.KubeEvent{}
		for _, w := range words[1:] {
			kubeError(&e.Kube.Error, w)
		}
	case "synced":
	case "added", "modified", "delete":
		o, err := kubeObject(words[1])
		if err != nil {
			return err
		}
		e.Object = o
		if err := kubeCall(&e, words[2:]); err != nil {
			return err
		}
	default:
		return fmt.Errorf("unknown event %q: expected added, modified, delete, bookmark, error, synced or end", words[0])
	}
	s.Events = append(s.Events, e)
	return nil
}
