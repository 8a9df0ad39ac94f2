package timeline

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/internal/blame"
)

// A watch may begin with a state: an ADDED for each object of it. A marked bookmark says
// where the state ends and at which resource version it is; without one both are to be
// found out, and any answer that explains the events acquits the server.

// floorOf is the lowest resource version that the state of a watch may have, and why.
func (j *judge) floorOf(s *stream) (histories.Revision, string) {
	rv, _ := parseRV(s.options.ResourceVersion)
	switch {
	case rv > 0:
		return rv, "as it asked for"
	case s.options.ResourceVersion != "":
		return 0, ""
	case s.options.SendInitialEvents != nil || j.strict && j.profile.FreshWatch():
		return j.time.learned(s.op.Call), "which was known when it was sent"
	default:
		return 0, ""
	}
}

// judgeTold holds a watch that says where its initial events end (WL-01 to WL-04, WL-08).
func (j *judge) judgeTold(s *stream) {
	j.Exercise(models.WatchInitialEnd)
	j.Exercise(models.WatchInitial)
	mark := &s.Events[s.end-1]
	if floor, why := j.floorOf(s); s.told < floor && !j.time.refuted[source{s.Op, s.end}] {
		j.failStream(s, models.WatchInitial, mark, fmt.Sprintf("a state at resource version %d or later", floor), j.event(mark),
			"%s should begin with a state at resource version %d or later, %s, but began with one at %d", floor, why, s.told)
		return
	}
	for i := range s.Events[s.end:] {
		if e := &s.Events[s.end+i]; e.Details().InitialEventsEnd {
			j.failStream(s, models.WatchInitialEnd, e, "one mark", j.event(e), "%s got a second mark that ends initial events: %s", j.event(e))
			return
		}
	}
	block := s.Events[:s.end-1]
	for i := range block {
		switch e := &block[i]; {
		case e.Type != histories.AddedEvent:
			j.failStream(s, models.WatchInitialEnd, e, "ADDED events up to the mark", j.event(e), "%s got %s before the mark that ends its initial events", j.event(e))
			return
		case e.Object.RV > s.told:
			j.failStream(s, models.WatchInitial, e, fmt.Sprintf("objects up to resource version %d", s.told), j.event(e), "%s says that its initial events are the state at resource version %d, but got %s among them", s.told, j.event(e))
			return
		}
	}
	j.judgeBlock(s, block)
}

// reportMark reports a mark on a watch that begins with no state.
func (j *judge) reportMark(s *stream) {
	mark := &s.Events[s.end-1]
	j.failStream(s, models.WatchInitialEnd, mark, "no initial events", j.event(mark), "%s begins with no state, but got a mark that ends initial events: %s", j.event(mark))
}

// judgeBlock holds initial events against the state at the resource version that was told.
func (j *judge) judgeBlock(s *stream, block []histories.Event) {
	shown := map[histories.Key]*histories.Object{}
	for i := range block {
		e := &block[i]
		if shown[e.Object.Key] != nil {
			j.failStream(s, models.WatchInitial, e, "each object once", j.event(e), "%s got %s twice among its initial events", j.event(e))
			return
		}
		shown[e.Object.Key] = &e.Object
		switch {
		case !s.op.Request.Scope.Contains(e.Object.Key):
			j.failStream(s, models.WatchScope, e, "objects of "+models.Span(s.op.Request.Scope), j.event(e), "%s watches %s, but got %s", models.Span(s.op.Request.Scope), j.event(e))
			return
		case !s.selector.Matches(&e.Object):
			j.failStream(s, models.WatchSelector, e, "objects that match", j.event(e), "%s got %s, which does not match its selector", j.event(e))
			return
		}
	}
	if rank, bad := j.mismatch(s, shown, s.told, true); bad {
		e, _ := j.stateAt(rank, s.told, histories.Never)
		observed := "nothing"
		if o := shown[j.keys[rank]]; o != nil {
			observed = fmt.Sprintf("%s, resource version %d", j.state(o, s.partial), o.RV)
		}
		j.ReportStream(models.Finding{
			Property: models.WatchInitial, Operations: append([]int{s.Op}, opsOf(e)...), Revision: s.told, Key: &j.keys[rank],
			Allowed: j.held(e), Observed: observed,
			Explanation: fmt.Sprintf("%s says that its initial events are the state at resource version %d, where %s held %s, but it got %s.", j.name(s.Op), s.told, j.quoted(rank), j.held(e), observed),
		})
	}
}

// mismatch finds a key whose initial event, or the lack of one, cannot be that of the
// state at a revision. A block that is not whole may lack what is to come.
func (j *judge) mismatch(s *stream, shown map[histories.Key]*histories.Object, at histories.Revision, whole bool) (rank int, found bool) {
	wants := selects(&s.op.Request, s.selector)
	for rank, k := range j.keys {
		if !s.op.Request.Scope.Contains(k) {
			continue
		}
		held := j.segmentAt(rank, at, histories.Never)
		if !held.allows(view{shown[k], whole, wants}, at) {
			return rank, true
		}
	}
	return 0, false
}

// judgeUntold holds a watch that begins with a state and does not say where that ends.
// Every split into a state and what follows is tried (WATCH-11).
func (j *judge) judgeUntold(s *stream) {
	j.Exercise(models.WatchInitial)
	if j.lacksMark(s) {
		return
	}
	events := upToError(s.Events)
	floor, _ := j.floorOf(s)
	longest := 0
	seen := map[histories.Key]bool{}
	for longest < len(events) && events[longest].Type == histories.AddedEvent && !seen[events[longest].Object.Key] {
		seen[events[longest].Object.Key] = true
		longest++
	}
	for n := longest; n >= 0; n-- {
		if j.explains(s, events, n, floor) {
			return
		}
	}
	if len(events) == 0 || j.anyRefuted(s, events) {
		return
	}
	last := &events[0]
	j.failStream(s, models.WatchInitial, last, "one state, and then every change after it", plural(len(events), "event")+" that no state explains",
		"%s begins with a state, but there is none for which its events are that state and then every change after it")
}

func (j *judge) anyRefuted(s *stream, events []histories.Event) bool {
	for i := range events {
		if j.time.refuted[source{s.Op, i + 1}] {
			return true
		}
	}
	return false
}

func upToError(events []histories.Event) []histories.Event {
	at := slices.IndexFunc(events, func(e histories.Event) bool { return e.Type == histories.ErrorEvent })
	if at < 0 {
		return events
	}
	return events[:at]
}

// lacksMark reports a watch that asked for initial events and bookmarks, and got
// something else before the mark.
func (j *judge) lacksMark(s *stream) bool {
	if s.options.SendInitialEvents == nil || !*s.options.SendInitialEvents || !s.options.AllowWatchBookmarks {
		return false
	}
	j.Exercise(models.WatchInitialEnd)
	for i := range s.Events {
		e := &s.Events[i]
		if e.Type == histories.ErrorEvent {
			break
		}
		if e.Type != histories.AddedEvent {
			j.failStream(s, models.WatchInitialEnd, e, "a mark that ends the initial events", j.event(e), "%s got %s, but never the mark that ends its initial events", j.event(e))
			return true
		}
	}
	return false
}

// explains reports whether the first n events can be a state, and the rest every change
// after it.
func (j *judge) explains(s *stream, events []histories.Event, n int, floor histories.Revision) bool {
	shown := map[histories.Key]*histories.Object{}
	lowest := floor
	for i := range events[:n] {
		o := &events[i].Object
		shown[o.Key] = o
		lowest = max(lowest, o.RV)
		if !s.op.Request.Scope.Contains(o.Key) || !s.selector.Matches(o) {
			return false
		}
	}
	highest := unbounded - 1
	for i := range events[n:] {
		if e := &events[n+i]; e.Type == histories.ProgressEvent {
			highest = min(highest, e.Header)
		} else {
			highest = min(highest, e.Object.RV-1)
		}
	}
	for _, at := range j.candidates(lowest, highest) {
		if _, bad := j.mismatch(s, shown, at, n < len(events)); bad {
			continue
		}
		trial := *j
		trial.Ledger = blame.New()
		trial.follow(s, at, n)
		if len(trial.Findings()) == 0 {
			j.follow(s, at, n) // counts what was put to the test
			return true
		}
	}
	return false
}

// candidates are the revisions between two that a state may be at: the first, which may be
// older than the history, and those just before the state is another one, where a change
// that nobody saw is likeliest to have come.
func (j *judge) candidates(lowest, highest histories.Revision) []histories.Revision {
	if lowest > highest {
		return nil
	}
	all := []histories.Revision{lowest}
	for _, e := range j.effects {
		if e.revision > lowest && e.revision <= highest {
			all = append(all, e.revision-1)
		}
	}
	return append(all, highest)
}

// judgeFromNow holds a watch that begins with what is new: nobody knows from where, so it
// owes what follows its first event.
func (j *judge) judgeFromNow(s *stream) {
	start := histories.Revision(0)
	if s.options.ResourceVersion == "" {
		start = j.time.learned(s.op.Call)
	}
	f := &follower{judge: j, stream: s, takes: takes(s.op.Request.Scope, s.selector), start: start, told: map[place]bool{}, there: map[int]bool{}}
	f.at = start
	for i := range s.Events {
		if e := &s.Events[i]; e.Type != histories.ErrorEvent {
			f.at = max(f.at, max(e.Object.RV-1, e.Header))
			break
		}
	}
	f.walk(0)
}
