package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
)

// The words of findings: who, what was promised, what came instead.

// name is how findings call an operation.
func (j *judge) name(id int) string { return j.names.Of(id) }

// quoted is a key as findings write it.
func (j *judge) quoted(rank int) string { return fmt.Sprintf("%q", j.keys[rank].Name) }

// value says whose value a content is.
func (j *judge) value(c content) string {
	switch {
	case c.deleted:
		return "nothing"
	case c.foreign != "":
		return "a value that no write of this run stored (digest " + c.foreign + ")"
	default:
		return "the value of " + j.writer(c.write)
	}
}

// writer names a write by the operation that made it.
func (j *judge) writer(id histories.WriteID) string {
	if d, ok := j.authors[id]; ok && id != "" {
		return j.name(d.op.ID)
	}
	return fmt.Sprintf("a write %q that nobody made", string(id))
}

// change says what a content does to its key.
func (j *judge) change(c content) string {
	if c.deleted {
		return "its deletion"
	}
	return j.value(c)
}

// held is what a key held: nothing, or whose value since which revision.
func (j *judge) held(e *effect) string {
	if e == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s (revision %d)", j.value(e.content), e.revision)
}

// returned is what an answer shows of a key.
func (j *judge) returned(o *histories.Object) string {
	return fmt.Sprintf("%s (revision %d)", j.value(content{write: o.Write, foreign: o.Foreign}), o.RV)
}

// event names an event of a watch by what caused it.
func (j *judge) event(e *histories.Event) string {
	if e.Type == histories.ProgressEvent {
		return fmt.Sprintf("a notification of progress to revision %d", e.Header)
	}
	return j.happening(j.placeOfEvent(e))
}

// placeOfEvent is where an event says that something happened, and what.
func (j *judge) placeOfEvent(e *histories.Event) (place, content) {
	at := place{e.Object.RV, j.ranks[e.Object.Key]}
	if e.Type == histories.DeleteEvent {
		return at, content{deleted: true}
	}
	return at, content{write: e.Object.Write, foreign: e.Object.Foreign}
}

// became says what a change made of its key.
func (j *judge) became(c content) string {
	if c.deleted {
		return "was deleted"
	}
	return "got " + j.value(c)
}

// happening names the event of a change.
func (j *judge) happening(at place, c content) string {
	what := fmt.Sprintf("put %s, revision %d", j.quoted(at.rank), at.revision)
	if c.deleted {
		what = fmt.Sprintf("delete %s, revision %d", j.quoted(at.rank), at.revision)
	}
	if author := j.authorAt(at, c); author != nil {
		if author.Label == "" && isSimple(author) {
			what = fmt.Sprintf("revision %d", at.revision) // the name tells the rest
		}
		return fmt.Sprintf("the event of %s (%s)", j.name(author.ID), what)
	}
	return fmt.Sprintf("an event (%s)", what)
}

// authorAt returns who made a change, nil if nobody knows.
func (j *judge) authorAt(at place, c content) *histories.Operation {
	if d, ok := j.authors[c.write]; ok && c.write != "" {
		return d.op
	}
	if i, ok := j.at[at]; ok && j.effects[i].content == c {
		return j.effects[i].author
	}
	return nil
}

// asked says at which revision a read was to be answered, as the beginning of a sentence.
func (j *judge) asked(op *histories.Operation, revision histories.Revision) string {
	switch {
	case op.Request.Kind == histories.Next:
		return fmt.Sprintf("%s continues a list at revision %d", j.name(op.ID), revision)
	case op.Request.Revision > 0:
		return fmt.Sprintf("%s asked for revision %d", j.name(op.ID), revision)
	case op.Request.Serializable:
		return fmt.Sprintf("%s, which may be old, was answered at revision %d", j.name(op.ID), revision)
	default:
		return fmt.Sprintf("%s was answered at revision %d", j.name(op.ID), revision)
	}
}

// authorIDs are the operations that made what findings compare.
func authorIDs(effects ...*effect) []int {
	var ids []int
	for _, e := range effects {
		if e != nil && e.author != nil {
			ids = append(ids, e.author.ID)
		}
	}
	return ids
}

// plural counts things: 1 key, 3 keys.
func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
