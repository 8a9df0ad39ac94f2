package timeline

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// judgeStreams holds every watch against the timeline.
func (j *judge) judgeStreams() {
	for _, s := range j.streams {
		if s.op.Answer.Outcome != histories.OK {
			continue
		}
		first := j.judgeExpiryOfWatch(s)
		w := &watcher{judge: j, stream: s, first: first, at: first - 1}
		w.judgeCreation()
		w.follow()
		w.judgeLiveness()
	}
}

// watcher follows one stream along the timeline.
type watcher struct {
	*judge
	stream *stream
	// first is the first revision that the watch certainly owes.
	first histories.Revision
	// at is the revision up to which everything owed is accounted for: at an
	// event, the one below until its batch is whole.
	at histories.Revision
	// delivered is the revision of the last event, batch the response it came in,
	// progress the highest notification, header the highest one seen. The header of
	// the creation is no floor: it is read when the answer is built, which may be
	// after the first events were queued behind it.
	delivered, progress histories.Revision
	header              histories.Revision
	batch               int
	// missed are effects that the stream passed over without an event.
	missed []*effect
	// told are the places of the events so far, for telling repeats from delays.
	told map[place]bool
}

// filteredOut reports whether the watch holds back events of the effect's type.
func filteredOut(s *stream, e *effect) bool {
	return slices.Contains(s.op.Request.Filters, filterOf(e.deleted))
}

func filterOf(deleted bool) string {
	if deleted {
		return histories.NoDelete
	}
	return histories.NoPut
}

// judgeCreation checks what the answer to the creation told.
func (w *watcher) judgeCreation() {
	if r := &w.stream.op.Request; r.WatchID != 0 {
		w.exercise(models.WatchIdentity)
		if told := w.stream.op.Answer.WatchID; told >= 0 && told != r.WatchID {
			w.reportStream(models.Finding{
				Property: models.WatchIdentity, Operations: []int{w.stream.op.ID},
				Allowed: fmt.Sprintf("id %d, or a refusal", r.WatchID), Observed: fmt.Sprintf("id %d", told),
				Explanation: fmt.Sprintf("%s asked for watch id %d and was created with id %d.", w.name(w.stream.op.ID), r.WatchID, told),
			})
		}
	}
	w.exercise(models.WatchCreated)
	if w.stream.op.Answer.Revision > 0 {
		return // its freshness is a matter of order.go
	}
	w.reportStream(models.Finding{
		Property: models.WatchCreated, Operations: []int{w.stream.op.ID},
		Allowed: "the store's revision", Observed: fmt.Sprintf("revision %d", w.stream.op.Answer.Revision),
		Explanation: fmt.Sprintf("The answer to the creation of %s tells the store's revision, which is at least %d; it says %d.", w.name(w.stream.op.ID), beginning, w.stream.op.Answer.Revision),
	})
}

// follow walks the stream once.
func (w *watcher) follow() {
	w.told = map[place]bool{}
	for i := range w.stream.events {
		e := &w.stream.events[i]
		if w.time.refuted[source{w.stream.op.ID, i + 1}] {
			continue
		}
		if e.Type == histories.ProgressEvent {
			w.takeProgress(e)
			continue
		}
		w.takeEvent(e)
	}
	w.settleMissed()
	w.judgeAbsences()
}

// takeEvent judges one event: where it stands in the stream, then what it says.
func (w *watcher) takeEvent(e *histories.Event) {
	rank, revision := w.ranks[e.Object.Key], e.Object.RV
	w.judgeHeader(e)
	w.exercise(models.WatchScope)
	w.exercise(models.WatchStart)
	switch {
	case !w.stream.op.Request.Scope.Contains(e.Object.Key):
		w.fail(models.WatchScope, e, "changes of keys in its scope", fmt.Sprintf("a change of %q", e.Object.Key.Name),
			"%s watches %s only, but delivered %s", models.Span(w.stream.op.Request.Scope), w.event(e))
		return
	case revision < w.earliest():
		w.fail(models.WatchStart, e, fmt.Sprintf("events from revision %d", w.earliest()), fmt.Sprintf("an event at revision %d", revision),
			"%s %s, but delivered %s", w.beginning(), w.event(e))
		return
	}
	if slices.Contains(w.stream.op.Request.Filters, filterOf(e.Type == histories.DeleteEvent)) {
		w.fail(models.WatchFilters, e, "events of the types that it does not filter out", "a "+string(e.Type),
			"%s filters out every %s, but delivered %s", e.Type, w.event(e))
		return
	}
	w.beginAt(revision)
	at := place{revision, rank}
	w.judgeOrder(e, at)
	w.told[at] = true
	w.judgeEvent(e, at)
	w.passOver(revision - 1)
	if e.Last {
		w.passOver(revision)
	}
	w.delivered, w.batch = max(w.delivered, revision), e.Batch
}

// beginAt notes that a watch from now, of which only a bound of its start is
// known, began at its first event or before: what follows that event is owed.
func (w *watcher) beginAt(revision histories.Revision) {
	if w.stream.op.Request.StartRevision == 0 && len(w.told) == 0 && revision < w.first {
		w.first, w.at = revision, revision-1
	}
}

// earliest is the lowest revision that the watch may deliver: its start, or for a
// watch from now anything above what was known when it was asked for. Where there
// are several endpoints, "now" is that of a member that may lag.
func (w *watcher) earliest() histories.Revision {
	if start := w.stream.op.Request.StartRevision; start > 0 {
		return start
	}
	if w.endpoints > 1 {
		return 1
	}
	return min(w.time.learned(w.stream.op.Call)+1, w.first)
}

// judgeOrder checks the place of an event after those before.
func (w *watcher) judgeOrder(e *histories.Event, at place) {
	w.exercise(models.WatchUnique)
	if w.told[at] {
		w.fail(models.WatchUnique, e, "each event once", fmt.Sprintf("the event at revision %d again", at.revision),
			"%s delivered %s a second time, in response %d", w.event(e), e.Batch)
		return
	}
	if w.progress > 0 {
		w.exercise(models.ProgressNoOvertaking)
	}
	if w.delivered > 0 {
		w.exercise(models.WatchOrdered)
	}
	if at.revision == w.delivered {
		w.exercise(models.WatchAtomic)
	}
	switch {
	case w.progress >= at.revision:
		w.forgive(at)
		w.fail(models.ProgressNoOvertaking, e, fmt.Sprintf("events above revision %d, the progress that was notified before", w.progress), fmt.Sprintf("an event at revision %d", at.revision),
			"Progress told %s that everything up to revision %d was delivered, but %s came afterwards", w.progress, w.event(e))
	case at.revision < w.delivered:
		w.forgive(at)
		w.fail(models.WatchOrdered, e, fmt.Sprintf("events above revision %d", w.delivered), fmt.Sprintf("an event at revision %d", at.revision),
			"%s delivered %s after an event of revision %d", w.event(e), w.delivered)
	case at.revision == w.delivered:
		w.forgive(at) // also what follows in the same response
		if e.Batch != w.batch {
			w.fail(models.WatchAtomic, e, "all events of a revision in one response", fmt.Sprintf("revision %d in responses %d and %d", at.revision, w.batch, e.Batch),
				"%s delivered the changes of revision %d in two pieces: %s came in response %d, the one before it in response %d", at.revision, w.event(e), e.Batch, w.batch)
		}
	}
}

// judgeHeader checks the header of a response with events.
func (w *watcher) judgeHeader(e *histories.Event) {
	w.exercise(models.WatchHeader)
	floor := max(e.Object.RV, w.delivered, w.progress, w.header)
	w.header = max(w.header, e.Header)
	if e.Header < floor {
		w.fail(models.WatchHeader, e, fmt.Sprintf("a header of at least revision %d", floor), fmt.Sprintf("a header of revision %d", e.Header),
			"%s delivered %s in a response whose header says revision %d, although the watch had come to revision %d", w.event(e), e.Header, floor)
	}
}

// judgeEvent checks what an event says against the timeline.
func (w *watcher) judgeEvent(e *histories.Event, at place) {
	w.exercise(models.WatchContent)
	w.exercise(models.WatchAuthentic)
	if e.Type == histories.DeleteEvent {
		w.judgeBareDelete(e)
	}
	i, ok := w.judge.at[at]
	_, says, claims := w.judge.told(e)
	if !ok || !claims || w.effects[i].content != says {
		truth, became := "no change", "did not change"
		if ok {
			truth, became = w.change(w.effects[i].content), w.became(w.effects[i].content)
		}
		w.fail(models.WatchContent, e, fmt.Sprintf("%s at revision %d", truth, at.revision), w.change(says),
			"%s says that %s %s at revision %d, but it %s then", w.quoted(at.rank), w.became(says), at.revision, became)
		return
	}
	truth := &w.effects[i]
	if e.Type == histories.PutEvent {
		if d := w.metadataDiffers(truth, &e.Object); d != nil {
			w.fail(models.WatchContent, e, d.allowed, d.observed,
				"%s delivered %s with %s, but the writes before make that %s", w.event(e), d.observed, d.allowed)
		}
	}
	w.judgePrev(e, truth)
}

func (w *watcher) judgeBareDelete(e *histories.Event) {
	w.exercise(models.WatchDeleteBare)
	if o := &e.Object; o.Write != "" || o.Foreign != "" || o.Size != 0 || o.CreateRevision != 0 || o.Version != 0 {
		w.fail(models.WatchDeleteBare, e, "a key and the revision of its deletion", "a value or its metadata: "+w.returned(o),
			"%s delivered %s with a value or its metadata, where there is only a key and the revision of its deletion", w.event(e))
	}
}

// judgePrev checks the previous value (ETCD-10): the object just before, missing
// only if there was none or its revision may have been compacted by then.
func (w *watcher) judgePrev(e *histories.Event, truth *effect) {
	if !w.stream.op.Request.PrevKV {
		return
	}
	before := w.before(truth.rank, truth.revision)
	from := histories.Revision(0)
	if before != nil {
		from = before.revision
		if before.deleted {
			before = nil
		}
	}
	switch {
	case before == nil && e.Prev == nil && !hadPrevious(e):
	case e.Prev == nil:
		w.exercise(models.WatchPrev)
		if (hadPrevious(e) || !w.mayHide(truth.rank, from, truth.revision-1, e.Time)) && !w.mayBeCompacted(truth.revision-1, e.Time) {
			w.fail(models.WatchPrev, e, "previous value: "+w.held(before), "no previous value",
				"%s asked for previous values, but delivered %s without one; the key held %s", w.event(e), w.held(before))
		}
	case before == nil:
		w.exercise(models.WatchPrev)
		w.fail(models.WatchPrev, e, "no previous value", "previous value: "+w.returned(e.Prev),
			"%s delivered %s with a previous value, %s, but the key was absent before", w.event(e), w.returned(e.Prev))
	default:
		w.exercise(models.WatchPrev)
		d := w.contentDiffers(before, e.Prev)
		if d == nil {
			d = w.metadataDiffers(before, e.Prev)
		}
		if d != nil {
			w.fail(models.WatchPrev, e, "previous value: "+d.allowed, d.observed,
				"%s delivered %s with a previous value that is wrong: %s instead of %s", w.event(e), d.observed, d.allowed)
		}
	}
}

// hadPrevious reports whether an event itself says that there was an object before:
// a deletion, or a put that did not create its key.
func hadPrevious(e *histories.Event) bool {
	return e.Type == histories.DeleteEvent || e.Object.CreateRevision < e.Object.RV
}

// passOver notes what the stream leaves out on its way up to a revision.
func (w *watcher) passOver(upTo histories.Revision) {
	from := max(w.at+1, w.first)
	for i := w.search(from); i < len(w.effects) && w.effects[i].revision <= upTo; i++ {
		e := &w.effects[i]
		if e.lost || !w.stream.op.Request.Scope.Contains(w.keys[e.rank]) {
			continue
		}
		if filteredOut(w.stream, e) {
			w.exercise(models.WatchFilters)
			continue
		}
		w.exercise(models.WatchNoGap)
		if !w.told[e.place] && !w.mayBeElsewhere(e) {
			w.missed = append(w.missed, e)
		}
	}
	w.at = max(w.at, upTo)
}

// search returns the index of the first effect at or above a revision.
func (w *watcher) search(revision histories.Revision) int {
	low, high := 0, len(w.effects)
	for low < high {
		if mid := (low + high) / 2; w.effects[mid].revision < revision {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// forgive takes back a missed effect that arrived after all, too late: being
// late is then the finding.
func (w *watcher) forgive(at place) {
	for i, e := range w.missed {
		if e.place == at {
			w.missed = append(w.missed[:i], w.missed[i+1:]...)
			return
		}
	}
}

// settleMissed reports the first effect that never arrived.
func (w *watcher) settleMissed() {
	if w.stream.heir {
		w.exercise(models.WatchIsolated)
	}
	for _, e := range w.missed {
		property := models.WatchNoGap
		switch {
		case w.stream.heir:
			property = models.WatchIsolated // what came in between may have been another's
		case e.revision > w.delivered:
			property = models.ProgressNoOvertaking // the notification alone says that it was delivered
		}
		w.reportStream(models.Finding{
			Property: property, Operations: w.involve(e), Revision: e.revision, Key: &w.keys[e.rank],
			Allowed:     w.happening(e.place, e.content),
			Observed:    fmt.Sprintf("the watch went on to revision %d without it", w.at),
			Explanation: w.gap(property, e),
		})
	}
}

// gap says which event a watch left out.
func (w *watcher) gap(property string, e *effect) string {
	name, event := w.name(w.stream.op.ID), w.happening(e.place, e.content)
	switch {
	case property == models.ProgressNoOvertaking:
		return fmt.Sprintf("Progress told %s that everything up to revision %d was delivered, but %s never came.", name, w.progress, event)
	case w.stream.heir:
		return fmt.Sprintf("%s, which has the id of an earlier watch, went on to revision %d, but never delivered %s.", name, w.at, event)
	default:
		return fmt.Sprintf("%s went on to revision %d, but never delivered %s.", name, w.at, event)
	}
}

// beginning says where a watch was to begin.
func (w *watcher) beginning() string {
	if start := w.stream.op.Request.StartRevision; start > 0 {
		return fmt.Sprintf("was to begin at revision %d", start)
	}
	return fmt.Sprintf("was to deliver what is new, from revision %d on", w.earliest())
}

func (w *watcher) involve(e *effect) []int {
	if e.author == nil {
		return []int{w.stream.op.ID}
	}
	return []int{w.stream.op.ID, e.author.ID}
}

// fail reports a violation by one event of the stream. The story is the form of a
// sentence with the name of the watch in its first place, and then the details.
func (w *watcher) fail(property string, e *histories.Event, allowed, observed, story string, details ...any) {
	name := w.name(w.stream.op.ID)
	if w.stream.heir {
		property = models.WatchIsolated
		name += ", which has the id of an earlier watch,"
	}
	f := models.Finding{
		Property: property, Operations: []int{w.stream.op.ID}, Revision: e.Object.RV, Allowed: allowed, Observed: observed,
		Explanation: fmt.Sprintf(story, append([]any{name}, details...)...) + ".",
	}
	if e.Type != histories.ProgressEvent {
		f.Key = &w.keys[w.ranks[e.Object.Key]]
		if author := w.authorAt(w.placeOfEvent(e)); author != nil {
			f.Operations = append(f.Operations, author.ID)
		}
	}
	w.reportStream(f)
}
