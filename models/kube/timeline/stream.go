package timeline

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// judgeStreams holds every watch against the timeline.
func (j *judge) judgeStreams() {
	for _, s := range j.streams {
		if s.op.Answer.Outcome != histories.OK {
			continue
		}
		j.judgeBookmarks(s)
		j.judgeErrors(s)
		j.judgeDelivery(s)
		if !s.legible {
			continue
		}
		switch {
		case s.told > 0 && !s.state:
			j.reportMark(s)
			j.follow(s, s.from, 0)
		case s.told > 0:
			j.judgeTold(s)
			j.follow(s, s.told, s.end)
			j.judgeVanished(s, s.told)
		case s.state:
			j.judgeUntold(s)
		case s.from > 0:
			j.follow(s, s.from, 0)
			j.judgeVanished(s, s.from)
		default:
			j.judgeFromNow(s)
		}
	}
}

// follower walks one stream along the timeline.
type follower struct {
	*judge
	stream *stream
	takes  func(o *histories.Object) bool
	// start is the resource version after which the watch begins.
	start histories.Revision
	// at is the revision up to which everything owed is accounted for.
	at histories.Revision
	// delivered is the revision of the last event, bookmark that of the last bookmark.
	delivered, bookmark histories.Revision
	told                map[place]bool
	// there says of the objects of which the stream has told whether it said last that they
	// are there.
	there map[int]bool
	// missed are the changes that the stream went past, each with how far it had come
	// then. One that is told later was late, not lost.
	missed []miss
}

type miss struct {
	*effect
	upTo histories.Revision
}

// follow holds the events of a stream from an index on against the changes after a
// resource version.
func (j *judge) follow(s *stream, start histories.Revision, first int) {
	f := &follower{judge: j, stream: s, takes: takes(s.op.Request.Scope, s.selector), start: start, at: start, told: map[place]bool{}, there: map[int]bool{}}
	f.walk(first)
}

func (f *follower) walk(first int) {
	defer f.reportMissed()
	for i := first; i < len(f.stream.Events); i++ {
		e := &f.stream.Events[i]
		if f.time.refuted[source{f.stream.Op, i + 1}] {
			continue
		}
		switch e.Type {
		case histories.ErrorEvent:
			return
		case histories.ProgressEvent:
			if e.Header > 0 {
				f.passed(e.Header)
				f.bookmark = max(f.bookmark, e.Header)
			}
		default:
			f.take(i, e)
		}
	}
}

// take holds one event against the timeline.
func (f *follower) take(i int, e *histories.Event) {
	r, k := e.Object.RV, e.Object.Key
	rank, sound := f.ranks[k]
	f.Exercise(models.WatchScope)
	if !sound || !f.stream.op.Request.Scope.Contains(k) {
		f.fail(models.WatchScope, e, "changes of "+models.Span(f.stream.op.Request.Scope), f.event(e), "%s watches %s, but delivered %s", models.Span(f.stream.op.Request.Scope), f.event(e))
		return
	}
	if r <= 0 {
		return // rv/form
	}
	f.Exercise(models.WatchStart)
	f.Exercise(models.WatchOrdered)
	f.Exercise(models.WatchUnique)
	if f.bookmark > 0 {
		f.Exercise(models.ProgressNoOvertaking)
	}
	at := place{r, rank}
	switch {
	case r <= f.start:
		f.fail(models.WatchStart, e, fmt.Sprintf("changes after resource version %d", f.start), f.event(e), "%s begins after resource version %d, but delivered %s", f.start, f.event(e))
		return
	case f.told[at]:
		f.fail(models.WatchUnique, e, "each event once", f.event(e)+" again", "%s delivered %s twice", f.event(e))
		return
	case r <= f.bookmark:
		f.found(at)
		f.fail(models.ProgressNoOvertaking, e, fmt.Sprintf("changes after resource version %d", f.bookmark), f.event(e),
			"%s delivered a bookmark at resource version %d and then %s", f.bookmark, f.event(e))
		return
	case r < f.delivered, r == f.delivered && e.Type != histories.DeleteEvent:
		f.found(at)
		f.fail(models.WatchOrdered, e, fmt.Sprintf("changes after resource version %d", f.delivered), f.event(e),
			"%s delivered an event at resource version %d and then %s", f.delivered, f.event(e))
		return
	}
	f.told[at] = true
	f.passed(r - 1)
	f.delivered = r
	f.content(e, rank)
	f.there[rank] = e.Type != histories.DeleteEvent
}

// passed reports what the stream left out on its way to a revision.
func (f *follower) passed(upTo histories.Revision) {
	if upTo <= f.at {
		return
	}
	f.Exercise(models.WatchNoGap)
	from := max(f.at, f.base.revision)
	at, _ := slices.BinarySearchFunc(f.effects, from+1, func(e *effect, r histories.Revision) int { return compareRevisions(e.revision, r) })
	for _, e := range f.effects[at:] {
		if e.revision > upTo {
			break
		}
		if !e.lost && !f.told[e.place] && f.owes(e) {
			f.missed = append(f.missed, miss{e, upTo})
		}
	}
	f.at = upTo
}

// found takes a change that is told late out of what is missed.
func (f *follower) found(at place) {
	f.told[at] = true
	f.missed = slices.DeleteFunc(f.missed, func(m miss) bool { return m.place == at })
}

func (f *follower) reportMissed() {
	for _, m := range f.missed {
		f.gap(m.effect, m.upTo)
	}
}

func compareRevisions(a, b histories.Revision) int { return compareTimes(int64(a), int64(b)) }

// owes reports whether the watch has to tell of a change.
func (f *follower) owes(e *effect) bool {
	if !f.stream.op.Request.Scope.Contains(f.keys[e.rank]) {
		return false
	}
	b, certain := f.stateAt(e.rank, e.revision-1, histories.Never)
	if e.deleted() || !f.takes(e.object) {
		return certain && b != nil && !b.deleted() && f.takes(b.object)
	}
	return true
}

func (f *follower) gap(e *effect, upTo histories.Revision) {
	property := models.WatchNoGap
	what := fmt.Sprintf("went on to resource version %d, but never delivered %s", upTo, f.change(e))
	switch {
	case f.isBookmark(upTo) && f.delivered <= e.revision:
		property = models.ProgressNoOvertaking
		what = fmt.Sprintf("delivered a bookmark at resource version %d, but never %s", upTo, f.change(e))
	case f.isCompacted(f.stream.op, f.start) && e.revision <= f.compactedBefore(f.stream.op):
		property = models.ExpiryOwed
	case !f.stream.selector.Empty() && !f.matchedThroughout(e):
		property = models.WatchSelector
	}
	f.Exercise(property)
	f.ReportStream(models.Finding{
		Property: property, Operations: append([]int{f.stream.Op}, opsOf(e)...), Revision: e.revision, Key: &f.keys[e.rank],
		Allowed: "an event of " + f.change(e), Observed: fmt.Sprintf("the watch went on to resource version %d without it", upTo),
		Explanation: f.name(f.stream.Op) + " " + what + ".",
	})
}

// isBookmark reports whether a bookmark of the stream has a revision.
func (f *follower) isBookmark(revision histories.Revision) bool {
	return slices.ContainsFunc(f.stream.Events, func(e histories.Event) bool {
		return e.Type == histories.ProgressEvent && e.Header == revision
	})
}

// matchedThroughout reports whether the object matched before and after a change.
func (f *follower) matchedThroughout(e *effect) bool {
	b := f.before(e.rank, e.revision)
	return b != nil && !b.deleted() && f.takes(b.object) && !e.deleted() && f.takes(e.object)
}

// content holds the type and the object of an event against the change at its place.
func (f *follower) content(e *histories.Event, rank int) {
	f.Exercise(models.WatchContent)
	property := models.WatchContent
	if !f.stream.selector.Empty() {
		property = models.WatchSelector
		f.Exercise(models.WatchSelector)
	}
	change := f.judge.at[place{e.Object.RV, rank}]
	b, certain := f.stateAt(rank, e.Object.RV-1, histories.Never)
	var before, after *histories.Object
	if b != nil {
		before = b.object
	}
	if change == nil || change.lost {
		// Only what a watch with a selector says of a deletion can be at a place that nobody
		// else knows.
		if certain && f.nothingHides(rank, e.Object.RV) {
			f.fail(models.WatchAuthentic, e, "changes that happened", f.event(e), "%s delivered %s, but nothing happened to %s there: it held %s", f.event(e), f.quoted(rank), f.held(b))
		}
		return
	}
	after = change.object
	if e.Type != histories.DeleteEvent && after == nil {
		return // the vote has reported it
	}
	if !certain {
		f.contentWithoutBefore(e, rank, after, property)
		return
	}
	kind, object, tells := kube.Event(before, after, f.takes, e.Object.RV)
	switch {
	case !tells:
		f.fail(property, e, "nothing: the object does not match before or after", f.event(e), "%s delivered %s, but neither before nor after does the object belong to it: it was %s", f.event(e), f.held(b))
	case kind != e.Type:
		f.fail(property, e, string(kind), string(e.Type), "%s delivered %s, but the change is one that it should tell as %s: before, %s held %s", f.event(e), kindText(kind), f.quoted(rank), f.held(b))
	case e.Type == histories.DeleteEvent && (b == nil || !b.partial):
		if differs := difference(&object, &e.Object, f.stream.partial); differs != "" {
			f.fail(property, e, "the last state: "+f.state(&object, f.stream.partial), f.state(&e.Object, f.stream.partial),
				"%s delivered %s with %s, but just before, %s held %s: they differ in %s", f.event(e), f.state(&e.Object, f.stream.partial), f.quoted(rank), f.held(b), differs)
		}
	}
}

// hasVanished reports whether the deletion of an object before a revision is one that
// judgeVanished asks for.
func (f *follower) hasVanished(rank int, revision histories.Revision) bool {
	b := f.before(rank, revision)
	return b != nil && f.vanished[b.uid] != nil
}

func kindText(kind histories.EventType) string {
	if kind == histories.DeleteEvent {
		return "DELETED"
	}
	return map[histories.EventType]string{histories.AddedEvent: "ADDED", histories.ModifiedEvent: "MODIFIED"}[kind]
}

// contentWithoutBefore holds what can be held where the state before is not certain.
func (f *follower) contentWithoutBefore(e *histories.Event, rank int, after *histories.Object, property string) {
	matches := after != nil && f.takes(after)
	there, known := f.there[rank]
	switch {
	case known && there && e.Type == histories.AddedEvent && !f.hasVanished(rank, e.Object.RV):
		if property == models.WatchContent {
			property = models.WatchNoGap
		}
		f.fail(property, e, "MODIFIED, or first DELETED", "ADDED", "%s delivered %s, but had said before that the object is there, and never that it went", f.event(e))
	case known && !there && e.Type != histories.AddedEvent:
		f.fail(property, e, "ADDED", f.event(e), "%s delivered %s, but had said before that the object is gone, and never that it came again", f.event(e))
	case e.Type == histories.DeleteEvent && matches:
		f.fail(property, e, "ADDED or MODIFIED", "DELETED", "%s delivered %s, but the object matches there", f.event(e))
	case e.Type != histories.DeleteEvent && !matches:
		f.fail(property, e, "nothing or DELETED", f.event(e), "%s delivered %s, but the object does not match there", f.event(e))
	}
}

// nothingHides reports whether no change of a key that nobody saw can be at a revision.
func (j *judge) nothingHides(rank int, revision histories.Revision) bool {
	_, certain := j.stateAt(rank, revision, histories.Never)
	return certain && j.covered.Covers(revision-1, revision)
}

// fail reports a violation by one event. The story is the form of a sentence with the
// name of the watch in its first place, and then the details.
func (f *follower) fail(property string, e *histories.Event, allowed, observed, story string, details ...any) {
	f.failStream(f.stream, property, e, allowed, observed, story, details...)
}

func (j *judge) failStream(s *stream, property string, e *histories.Event, allowed, observed, story string, details ...any) {
	found := models.Finding{
		Property: property, Operations: []int{s.Op}, Revision: max(e.Object.RV, e.Header), Allowed: allowed, Observed: observed,
		Explanation: fmt.Sprintf(story, append([]any{j.name(s.Op)}, details...)...) + ".",
	}
	if rank, ok := j.ranks[e.Object.Key]; ok && e.Object.RV > 0 {
		found.Key = &j.keys[rank]
		if change := j.at[place{e.Object.RV, rank}]; change != nil && change.author != nil {
			found.Operations = append(found.Operations, change.author.ID)
		}
	}
	j.ReportStream(found)
}

// judgeBookmarks holds bookmarks by themselves (BM-01, BM-02, BM-05).
func (j *judge) judgeBookmarks(s *stream) {
	highest := histories.Revision(0)
	for i := range s.Events {
		e := &s.Events[i]
		if i >= s.end {
			highest = max(highest, e.Object.RV)
		}
		if e.Type != histories.ProgressEvent {
			continue
		}
		j.Exercise(models.BookmarkAsked)
		j.Exercise(models.BookmarkBare)
		j.Exercise(models.ProgressMonotone)
		switch form := e.Details().Form; {
		case !s.options.AllowWatchBookmarks:
			j.failStream(s, models.BookmarkAsked, e, "no bookmark", j.event(e), "%s did not allow bookmarks, but got %s", j.event(e))
		case len(form) > 0:
			j.failStream(s, models.BookmarkBare, e, "a bare bookmark", form[0], "%s got %s in which %s", j.event(e), form[0])
		case e.Header > 0 && e.Header < highest && !j.time.refuted[source{s.Op, i + 1}]:
			j.failStream(s, models.ProgressMonotone, e, fmt.Sprintf("resource version %d or a later one", highest), j.event(e), "%s had come to resource version %d, and then got %s", highest, j.event(e))
		}
		highest = max(highest, e.Header)
	}
}

// judgeErrors: after an error nothing more comes (WATCH-16).
func (j *judge) judgeErrors(s *stream) {
	for i := range s.Events {
		if s.Events[i].Type != histories.ErrorEvent {
			continue
		}
		j.Exercise(models.WatchErrorLast)
		if i+1 < len(s.Events) {
			next := &s.Events[i+1]
			j.failStream(s, models.WatchErrorLast, next, "nothing after the error", j.event(next), "%s got an error, and then %s", j.event(next))
		}
		return
	}
}

// judgeDelivery looks at the run's closing await: a healthy watch shows the last write
// within the deadline.
func (j *judge) judgeDelivery(s *stream) {
	if s.awaited == nil {
		return
	}
	j.Exercise(models.WatchDelivers)
	if s.awaited.Answer.Outcome != histories.Fail || s.End != nil && s.End.Time < s.awaited.Return {
		return
	}
	last := histories.Revision(0)
	for i := range s.Events {
		last = max(last, s.Events[i].Object.RV, s.Events[i].Header)
	}
	wanted := s.awaited.Request.Revision
	operations := []int{s.Op}
	for i := range j.history.Operations {
		if op := &j.history.Operations[i]; op.Client == histories.ClosingClient && op.Request.Kind.IsWrite() && op.Answer.Revision == wanted {
			operations = append(operations, op.ID)
		}
	}
	j.ReportStream(models.Finding{
		Property: models.WatchDelivers, Operations: append(operations, s.awaited.ID), Revision: wanted,
		Allowed:     fmt.Sprintf("resource version %d reached, or the watch ended, within the run's deadline", wanted),
		Observed:    fmt.Sprintf("nothing beyond resource version %d", last),
		Explanation: fmt.Sprintf("%s stayed open and owed the changes up to resource version %d, but when the run's deadline passed it had come to %d.", j.name(s.Op), wanted, last),
	})
}
