package evidence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// Layer says which layer a finding points to, where the history has a record of the store
// below the API servers; empty where it has none.
func Layer(h *histories.History, finding models.Finding) string {
	b := beneath(h)
	if b == nil {
		return ""
	}
	if b.wrong != "" {
		return "the store below: " + b.wrong
	}
	seen := false
	for _, id := range finding.Operations {
		for _, o := range shownBy(h, id) {
			if o.RV <= b.from || o.RV > b.upTo || o.Key.Name == "" {
				continue
			}
			if at := b.before(o.Key, o.RV); at == nil || at.Object.RV != o.RV {
				return fmt.Sprintf("%s showed %s at revision %d, but the store below tells its watch of no change there%s",
					models.NamesOf(h).Of(id), quoted(o.Key), o.RV, b.changed(o.Key))
			}
			seen = true
		}
	}
	if !seen {
		return "the store below was watched, but nothing that was shown here can be compared with it"
	}
	return "the store below tells its watch of every version that was shown here: it is what the API server made of them, or how the store answers reads"
}

// record is what the store below showed of the plan's objects.
type record struct {
	// from is the revision above which every change is shown, upTo the last one shown.
	from, upTo histories.Revision
	changes    map[histories.Key][]histories.Event
	// wrong says how the record contradicts itself, empty where it does not.
	wrong string
}

// beneath reads the record of the store below, nil where the history has none.
func beneath(h *histories.History) *record {
	for i := range h.Operations {
		op := &h.Operations[i]
		s := h.Stream(op.ID)
		if op.Request.Kind != histories.Beneath || op.Answer.Outcome != histories.OK || s == nil {
			continue
		}
		b := &record{from: op.Answer.Revision, upTo: op.Answer.Revision, changes: map[histories.Key][]histories.Event{}}
		for k := range s.Events {
			b.add(&s.Events[k])
		}
		return b
	}
	return nil
}

// add takes one change, and notices where it cannot follow the ones before (ETCD-09,
// ETCD-10): that is the store's own fault.
func (b *record) add(e *histories.Event) {
	key, revision := e.Object.Key, e.Object.RV
	before := b.before(key, revision)
	switch {
	case b.wrong != "":
	case revision < b.upTo:
		b.wrong = fmt.Sprintf("it told its watch of revision %d after revision %d", revision, b.upTo)
	case before == nil:
	case before.Object.RV == revision:
		b.wrong = fmt.Sprintf("it told its watch twice of revision %d of %s", revision, quoted(key))
	case before.Type == histories.PutEvent && (e.Prev == nil || e.Prev.RV != before.Object.RV):
		b.wrong = fmt.Sprintf("it told its watch of a change of %s at revision %d that does not follow the one at %d", quoted(key), revision, before.Object.RV)
	case before.Type == histories.DeleteEvent && e.Prev != nil:
		b.wrong = fmt.Sprintf("it told its watch of a value of %s before revision %d, though it was deleted at %d", quoted(key), revision, before.Object.RV)
	}
	b.upTo = max(b.upTo, revision)
	b.changes[key] = append(b.changes[key], *e)
}

// before is the last change of a key up to a revision, nil for none.
func (b *record) before(key histories.Key, revision histories.Revision) *histories.Event {
	of := b.changes[key]
	for i := range slices.Backward(of) {
		if of[i].Object.RV <= revision {
			return &of[i]
		}
	}
	return nil
}

// mostChanges is how many revisions a sentence names.
const mostChanges = 6

// changed says which changes of a key the record has.
func (b *record) changed(key histories.Key) string {
	of := b.changes[key]
	of = of[max(0, len(of)-mostChanges):]
	if len(of) == 0 {
		return ", nor of any other of that object"
	}
	var at []string
	for i := range of {
		at = append(at, of[i].Object.RV.String())
	}
	return ", only at " + strings.Join(at, ", ")
}

// shownBy are the stored objects that an operation's answer or its stream showed.
func shownBy(h *histories.History, id int) []histories.Object {
	op := h.Operation(id)
	if op == nil || op.Request.Options().DryRun || op.Request.Kind == histories.Beneath {
		return nil
	}
	shown := slices.Clone(op.Answer.Objects)
	if s := h.Stream(id); s != nil {
		for i := range s.Events {
			if e := &s.Events[i]; e.Type != histories.ProgressEvent && e.Type != histories.ErrorEvent {
				shown = append(shown, e.Object)
			}
		}
	}
	return shown
}

func quoted(key histories.Key) string {
	return strconv.QuoteToASCII(strings.TrimPrefix(key.Namespace+"/"+key.Name, "/"))
}
