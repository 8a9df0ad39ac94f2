package simulation

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
)

// watch is an open watch as the store sees it.
type watch struct {
	op       int
	request  histories.Request
	endpoint int
	group    *group
	// stream is the index in the history.
	stream int
	open   bool

	start histories.Revision
	// cursor is the index of the next effect to look at; everything up to
	// handled was delivered or is no matter of this watch.
	cursor  int
	handled histories.Revision
	// header is the largest header that was sent, at first what the member had
	// applied; batch the number of the last response.
	header histories.Revision
	batch  int
	// wanted counts requests for progress that were not answered yet.
	wanted int
	// refused: the start was below the compaction point, the watch is to be cancelled.
	refused bool
}

// group is a transport stream: messages arrive in the order in which they were sent.
type group struct {
	name    string
	members []*watch
	arrived int64 // when the last message arrives
}

func (r *run) watch(l *lane) {
	if len(r.watches) >= r.config.MaxWatches {
		r.stop(l)
		return
	}
	req := histories.Request{
		Kind: histories.Watch, Scope: r.scope(), StartRevision: r.startRevision(),
		PrevKV: Chance(r.rng, 0.6), ProgressNotify: Chance(r.rng, 0.3),
	}
	if Chance(r.rng, r.config.Filter) {
		req.Filters = []string{[...]string{histories.NoPut, histories.NoDelete}[r.rng.IntN(2)]}
	}
	if Chance(r.rng, r.config.ChosenID) {
		req.WatchID = 1 + r.rng.Int64N(9)
	}
	r.startWatch(l, req)
}

// startRevision draws where a watch begins: now, in the past, around the
// compaction point, in the future.
func (r *run) startRevision() histories.Revision {
	switch r.rng.IntN(5) {
	case 0:
		return 0
	case 1:
		return r.store.newest + 1
	case 2:
		return r.store.newest + histories.Revision(2+r.rng.IntN(4))
	default:
		return r.pastRevision()
	}
}

// startWatch makes the call that opens a watch. The watch is registered at one
// instant; the header of the answer is read at another, later one.
func (r *run) startWatch(l *lane, req histories.Request) {
	id := r.invoke(l, req)
	if l.name != histories.WitnessClient && Chance(r.rng, r.config.Lost) {
		r.after(r.delay(), func() { r.finish(id, lost(r.lossClass())); r.proceed(l) })
		return
	}
	r.after(r.delay(), func() {
		w := r.register(l, id, req)
		r.after(r.delay(), func() {
			w.header += histories.Revision(r.rng.Int64N(int64(r.store.newest-w.header) + 1))
			r.after(r.delay()-1, func() { r.opened(l, w) })
		})
	})
}

// register is the instant from which the watch sees what happens. A member that
// lags takes its own newest revision for the store's.
func (r *run) register(l *lane, id int, req histories.Request) *watch {
	local := r.applied[l.endpoint-1]
	local += histories.Revision(r.rng.Int64N(int64(r.store.newest-local) + 1))
	if len(r.passed) == 1 || l.name == histories.WitnessClient || Chance(r.rng, 0.5) {
		local = r.store.newest
	}
	start := req.StartRevision
	if start == 0 {
		start = local + 1
	}
	return &watch{
		op: id, request: req, endpoint: l.endpoint, start: start, handled: start - 1, cursor: r.store.since(start), header: local,
		refused: start < r.passed[l.endpoint-1],
	}
}

// opened is when the answer to the creation arrives.
func (r *run) opened(l *lane, w *watch) {
	r.finish(w.op, histories.Answer{Outcome: histories.OK, Revision: w.header, WatchID: w.request.WatchID})
	r.groups++
	w.group = &group{name: fmt.Sprintf("t%d", r.groups), arrived: r.now}
	w.group.members = append(w.group.members, w)
	w.stream, w.open = len(r.history.Streams), true
	r.history.Streams = append(r.history.Streams, histories.Stream{Op: w.op})
	r.watches = append(r.watches, w)
	r.after(r.delay(), func() { r.tick(w) })
	r.proceed(l)
}

// tick is a moment at which the store attends to a watch.
func (r *run) tick(w *watch) {
	if !w.open {
		return
	}
	own := r.history.Operations[w.op-1].Client == histories.WitnessClient
	passed := r.passed[w.endpoint-1]
	switch {
	case w.refused, w.handled+1 < passed && !own && Chance(r.rng, 0.3):
		r.cancelCompacted(w, passed)
		return
	case !own && Chance(r.rng, r.config.Cut/20):
		r.cut(w)
		return
	case !Chance(r.rng, r.config.Lag):
		r.deliver(w)
	}
	r.after(r.delay(), func() { r.tick(w) })
}

// deliver sends what has happened, all of it or only a part.
func (r *run) deliver(w *watch) {
	until := r.store.newest
	if until > w.handled && Chance(r.rng, r.config.Lag) {
		until = w.handled + histories.Revision(r.rng.Int64N(int64(until-w.handled)+1))
	}
	var events []histories.Event
	for ; w.cursor < len(r.store.log) && r.store.log[w.cursor].revision <= until; w.cursor++ {
		e := &r.store.log[w.cursor]
		wanted := e.revision >= w.start && contains(w.request.Scope, e.name()) && !filters(&w.request, e.deleted)
		if wanted { // a start in the future: silent until then
			events = append(events, r.event(w, e))
		}
		whole := w.cursor+1 == len(r.store.log) || r.store.log[w.cursor+1].revision != e.revision
		if whole && Chance(r.rng, 0.5) {
			r.send(w, events)
			events = nil
		}
	}
	r.send(w, events)
	w.handled = max(w.handled, until)
	if w.wanted > 0 || w.request.ProgressNotify && Chance(r.rng, 0.1) {
		r.sendProgress(w)
	}
}

// filters reports whether a watch leaves out events of a type.
func filters(req *histories.Request, deleted bool) bool {
	if deleted {
		return slices.Contains(req.Filters, histories.NoDelete)
	}
	return slices.Contains(req.Filters, histories.NoPut)
}

// event tells of an effect.
func (r *run) event(w *watch, e *effect) histories.Event {
	event := histories.Event{Type: histories.PutEvent, Object: e.object}
	if e.deleted {
		event.Type = histories.DeleteEvent
	}
	gone := e.revision-1 < r.passed[w.endpoint-1] && Chance(r.rng, r.config.PrevGone)
	if w.request.PrevKV && e.previous != nil && !gone {
		previous := *e.previous
		event.Prev = &previous
	}
	return event
}

// send delivers one response. Its header lies between what it carries and the
// store's newest revision, and never goes back.
func (r *run) send(w *watch, events []histories.Event) {
	if len(events) == 0 {
		return
	}
	least := max(w.header, events[len(events)-1].Object.RV)
	r.append(w, least+histories.Revision(r.rng.Int64N(int64(r.store.newest-least)+1)), events)
}

// sendProgress says how far the watch has got, if that can be said without going back.
func (r *run) sendProgress(w *watch) {
	most := min(w.handled, r.store.newest)
	if most < w.header {
		return
	}
	w.wanted = 0
	header := most
	if Chance(r.rng, 0.2) {
		header = w.header + histories.Revision(r.rng.Int64N(int64(most-w.header)+1))
	}
	r.append(w, header, []histories.Event{{Type: histories.ProgressEvent}})
}

func (r *run) append(w *watch, header histories.Revision, events []histories.Event) {
	w.batch++
	w.header = header
	w.group.arrived = max(w.group.arrived, r.now+r.delay())
	for i := range events {
		events[i].Time, events[i].Batch, events[i].Header = w.group.arrived, w.batch, header
		events[i].Transport, events[i].Last = w.group.name, i == len(events)-1
	}
	stream := &r.history.Streams[w.stream]
	stream.Events = append(stream.Events, events...)
}

// cancelCompacted ends a watch whose history is gone. Nothing that was sent is lost.
func (r *run) cancelCompacted(w *watch, point histories.Revision) {
	w.open = false
	r.history.Streams[w.stream].End = &histories.End{
		Time: max(w.group.arrived, r.now+r.delay()), Reason: histories.EndCompacted, CompactRevision: point,
		Header: r.store.newest,
	}
}

// cut ends a stream from outside: what is on its way is lost.
func (r *run) cut(w *watch) {
	end := &histories.End{Time: r.now, Reason: histories.EndClosed}
	if Chance(r.rng, 0.5) {
		end.Reason = histories.EndError
		end.Error = &histories.Error{Class: histories.Unavailable, Code: "Unavailable"}
	}
	r.end(w, end)
}

func (r *run) end(w *watch, end *histories.End) {
	w.open = false
	stream := &r.history.Streams[w.stream]
	stream.End = end
	n := len(stream.Events)
	for n > 0 && stream.Events[n-1].Time > end.Time {
		n--
	}
	stream.Events = stream.Events[:n]
}
