package agreement

import (
	"fmt"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// printKube writes a history of the Kubernetes layer as a scenario of package scenarios
// has it, as far as the form goes: a call a line, by time of call, and below them the
// events.
func printKube(h *histories.History) string {
	var b strings.Builder
	fmt.Fprintf(&b, "set kube profile=%s", h.Header.Profile)
	if h.Header.World == histories.Open {
		b.WriteString(" world=open")
	}
	if !h.Header.Exclusive {
		b.WriteString(" shared")
	}
	b.WriteString("\n")
	for i := range h.Operations {
		op := &h.Operations[i]
		end := fmt.Sprint(op.Return)
		if op.Return == histories.Never {
			end = "-"
		}
		fmt.Fprintf(&b, "%s %d %s o%d: %s = %s\n", op.Client, op.Call, end, op.ID, kubeRequest(&op.Request), kubeAnswer(&op.Answer))
	}
	for i := range h.Streams {
		s := &h.Streams[i]
		for k := range s.Events {
			fmt.Fprintf(&b, "o%d %d %s\n", s.Op, s.Events[k].Time, kubeEvent(&s.Events[k]))
		}
		if s.End != nil {
			fmt.Fprintf(&b, "o%d %d end %s\n", s.Op, s.End.Time, s.End.Reason)
		}
	}
	return b.String()
}

func kubeRequest(r *histories.Request) string {
	o := r.Options()
	parts := []string{string(r.Kind)}
	add := func(wanted bool, format string, values ...any) {
		if wanted {
			parts = append(parts, fmt.Sprintf(format, values...))
		}
	}
	scoped := r.Kind == histories.List || r.Kind == histories.Watch || r.Kind == histories.DeleteCollection
	add(r.Key.Name != "", "%s/%s", r.Key.Namespace, r.Key.Name)
	add(scoped && r.Scope.Shape == histories.All, "all")
	add(scoped && r.Scope.Shape == histories.Namespace, "%s/*", r.Scope.Key.Namespace)
	add(scoped && r.Scope.Shape == histories.Single, "%s/%s", r.Scope.Key.Namespace, r.Scope.Key.Name)
	add(o.Patch != "", "%s", o.Patch)
	add(r.Write != "", "#%s", r.Write)
	add(r.Conditional, "rv=%d", r.Expect)
	add(r.ExpectUID != "", "uid=%s", r.ExpectUID)
	add(len(r.Labels) > 0, "labels=%s", labelText(r.Labels, ",", ""))
	add(r.Size > 0, "size=%d", r.Size)
	add(len(o.Finalizers) > 0, "fin=%s", strings.Join(o.Finalizers, ","))
	add(r.Of != 0, "of=o%d", r.Of)
	add(r.Revision != 0, "%d", r.Revision)
	add(o.ResourceVersion != "", "rv=%s", o.ResourceVersion)
	add(o.ResourceVersionMatch != "", "match=%s", o.ResourceVersionMatch)
	add(r.Limit != 0, "limit=%d", r.Limit)
	add(r.Kind != histories.Next && o.LabelSelector != "", "label=%s", o.LabelSelector)
	add(r.Kind != histories.Next && o.FieldSelector != "", "field=%s", o.FieldSelector)
	add(o.Encoding != "", "%s", o.Encoding)
	for _, flag := range []struct {
		set  bool
		name string
	}{
		{o.AllowWatchBookmarks, "bookmarks"},
		{o.SendInitialEvents != nil && *o.SendInitialEvents, "initial"},
		{o.SendInitialEvents != nil && !*o.SendInitialEvents, "initial=false"},
		{o.DryRun, "dry"},
		{o.NoOp, "noop"},
		{o.ClearFinalizers, "clear"},
		{o.Status, "status"},
		{o.GenerateName, "generate"},
		{o.Force, "force"},
	} {
		add(flag.set, "%s", flag.name)
	}
	return strings.Join(parts, " ")
}

func labelText(labels map[string]string, between, before string) string {
	var all []string
	for _, name := range []string{"x", "y"} {
		if value, there := labels[name]; there {
			all = append(all, before+name+"="+value)
		}
	}
	return strings.Join(all, between)
}

func kubeAnswer(a *histories.Answer) string {
	text := string(a.Outcome)
	if a.Error != nil {
		text += fmt.Sprintf(" %s", a.Error.Class)
	}
	if a.Revision != 0 {
		text += fmt.Sprintf(" @%d", a.Revision)
	}
	for i := range a.Objects {
		text += " " + kubeObject(&a.Objects[i])
	}
	if a.Continue != "" {
		text += " cont=" + a.Continue
	}
	d := a.Details()
	if d.UID != "" {
		text += " uid=" + d.UID
	}
	if d.Remaining != nil {
		text += fmt.Sprintf(" remaining=%d", *d.Remaining)
	}
	return text
}

func kubeObject(o *histories.Object) string {
	text := fmt.Sprintf("%s/%s@%d#%s", o.Key.Namespace, o.Key.Name, o.RV, o.Write)
	if len(o.Labels) > 0 {
		text += ";" + labelText(o.Labels, ";", "l:")
	}
	for _, f := range o.Meta().Finalizers {
		text += ";f=" + f
	}
	if o.Deleting {
		text += ";del"
	}
	if s := o.Meta().Status; s != "" {
		text += fmt.Sprintf(";s=%s", s)
	}
	if o.Size > 0 {
		text += fmt.Sprintf(";size=%d", o.Size)
	}
	if o.Foreign != "" {
		text += ";foreign=" + o.Foreign
	}
	return text + ";uid=" + o.UID
}

func kubeEvent(e *histories.Event) string {
	switch e.Type {
	case histories.ProgressEvent:
		if e.Details().InitialEventsEnd {
			return fmt.Sprintf("bookmark %d end", e.Header)
		}
		return fmt.Sprintf("bookmark %d", e.Header)
	case histories.ErrorEvent:
		return fmt.Sprintf("error %s", e.Details().Error.Class)
	default:
		return fmt.Sprintf("%s %s", e.Type, kubeObject(&e.Object))
	}
}
