package timeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// The words of findings: who, what was promised, what came instead.

// name is how findings call an operation.
func (j *judge) name(id int) string { return j.names.Of(id) }

// quoted is a key as findings write it.
func (j *judge) quoted(rank int) string { return quote(j.keys[rank]) }

func quote(k histories.Key) string {
	if k.Namespace == "" {
		return fmt.Sprintf("%q", k.Name)
	}
	return fmt.Sprintf("%q", k.Namespace+"/"+k.Name)
}

// state says what an object holds.
func (j *judge) state(o *histories.Object, partial bool) string {
	if o == nil {
		return "nothing"
	}
	var more []string
	if o.Deleting {
		more = append(more, "being deleted")
	}
	if f := o.Meta().Finalizers; len(f) > 0 {
		more = append(more, "finalizers "+strings.Join(f, " "))
	}
	if s := o.Meta().Status; s != "" {
		more = append(more, "status of "+j.writer(s))
	}
	if len(o.Labels) > 0 {
		more = append(more, "labels "+labelText(o.Labels))
	}
	value := "the value of " + j.writer(o.Write)
	switch {
	case partial:
		value = "metadata"
	case o.Foreign != "":
		value = "a value that no write of this run stored (digest " + o.Foreign + ")"
	}
	if len(more) == 0 {
		return value
	}
	return value + " (" + strings.Join(more, "; ") + ")"
}

func labelText(labels map[string]string) string {
	var all []string
	for name, value := range labels {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// writer names a write by the operation that made it.
func (j *judge) writer(id histories.WriteID) string {
	if op := j.writers[id]; op != nil && id != "" {
		return j.name(op.ID)
	}
	return fmt.Sprintf("a write %q that nobody made", string(id))
}

// held is what a key held since when.
func (j *judge) held(e *effect) string {
	switch {
	case e == nil:
		return "nothing"
	case e.deleted():
		return fmt.Sprintf("nothing since resource version %d", e.revision)
	default:
		return fmt.Sprintf("%s, resource version %d", j.state(e.object, e.partial), e.revision)
	}
}

// change names what happened at an effect.
func (j *judge) change(e *effect) string {
	if e.deleted() {
		return fmt.Sprintf("the deletion of %s at resource version %d", j.quoted(e.rank), e.revision)
	}
	return fmt.Sprintf("%s as %s at resource version %d", j.quoted(e.rank), j.state(e.object, e.partial), e.revision)
}

// event names an event of a watch.
func (j *judge) event(e *histories.Event) string {
	switch e.Type {
	case histories.ProgressEvent:
		return fmt.Sprintf("a bookmark at resource version %d", e.Header)
	case histories.ErrorEvent:
		return "an error"
	case histories.DeleteEvent:
		return fmt.Sprintf("DELETED %s at resource version %d", quote(e.Object.Key), e.Object.RV)
	default:
		return fmt.Sprintf("%s %s at resource version %d", strings.ToUpper(string(e.Type)), quote(e.Object.Key), e.Object.RV)
	}
}

// plural counts things: 1 object, 3 objects.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
