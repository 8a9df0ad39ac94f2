package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models/kube"
)

// watch is an open watch as the server sees it.
type watch struct {
	op  int
	own bool
	// stream is the index in the history.
	stream int
	kube.Opened
	queue []histories.Event
	// after is the revision up to which the watch has looked at the changes.
	after  histories.Revision
	closed bool
}

// open is the instant at which a watch is registered. A cache may refuse what it has
// forgotten.
func (r *run) open(c *call) {
	opened, answer := r.visible().Watch(&c.request, r.caches[c.lane.endpoint-1])
	c.answer = answer
	if answer.Outcome != histories.OK {
		return
	}
	rv, _ := kube.ParseRV(c.request.Options().ResourceVersion)
	exact := opened.Refused == nil && opened.Initial == nil && rv.Revision > 0
	if exact && !c.lane.own && r.state.Profile().Cached && simulation.Chance(r.rng, 0.1) {
		opened.Refused = r.state.Expired(rv.Revision)
	}
	c.opened = &watch{op: c.id, own: c.lane.own, Opened: opened, queue: opened.Initial, after: opened.After}
}

// start is when the answer to a watch arrives.
func (r *run) start(w *watch) {
	w.stream = len(r.history.Streams)
	r.history.Streams = append(r.history.Streams, histories.Stream{Op: w.op})
	r.watches = append(r.watches, w)
}

// attend is a moment at which the server attends to a watch.
func (r *run) attend(w *watch) {
	switch {
	case w.closed || !w.own && simulation.Chance(r.rng, r.config.Lag):
	case w.Refused != nil:
		r.fail(w, w.Refused)
	case !w.own && simulation.Chance(r.rng, r.config.Cut/10):
		reason := []histories.EndReason{histories.EndClosed, histories.EndError}[r.rng.IntN(2)]
		r.close(w, &histories.End{Time: r.now, Reason: reason})
	case len(w.queue) > 0:
		r.deliver(w, w.queue[0])
		w.queue = w.queue[1:]
	case !w.own && !r.state.Profile().Cached && w.after < r.point-1 && simulation.Chance(r.rng, 0.3):
		r.fail(w, r.state.Expired(w.after))
	default:
		r.proceed(w)
	}
}

// proceed tells of the next change, or, sometimes, that there is none.
func (r *run) proceed(w *watch) {
	for _, e := range r.state.Effects(w.after) {
		w.after = e.Revision
		if event, tells := w.Event(e); tells {
			r.deliver(w, event)
			return
		}
	}
	w.after = max(w.after, r.state.Newest())
	if w.Request().Options().AllowWatchBookmarks && w.after == r.state.Newest() && simulation.Chance(r.rng, 0.3) {
		r.deliver(w, kube.Bookmark(w.after))
	}
}

func (r *run) deliver(w *watch, event histories.Event) {
	stream := &r.history.Streams[w.stream]
	event.Time, event.Batch = r.now, len(stream.Events)+1
	stream.Events = append(stream.Events, event)
}

// fail ends a watch with an error event.
func (r *run) fail(w *watch, e *histories.Error) {
	r.deliver(w, kube.ErrorEvent(e))
	reason := histories.EndError
	if e.Class == histories.Compacted {
		reason = histories.EndCompacted
	}
	r.close(w, &histories.End{Time: r.now, Reason: reason, Error: e})
}

func (r *run) close(w *watch, end *histories.End) {
	w.closed = true
	r.history.Streams[w.stream].End = end
}

func (r *run) stopWatch(c *call) {
	for _, w := range r.watches {
		if w.op == c.request.Of && !w.closed {
			r.close(w, &histories.End{Time: r.now, Reason: histories.EndCancelled})
		}
	}
	c.answer = histories.Answer{Outcome: histories.OK}
}
