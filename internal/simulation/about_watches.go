package simulation

import "github.com/rvcheck/rvcheck/histories"

// patience is how often an await looks before it gives up.
const patience = 60

// anyWatch returns an open watch of a lane, nil if there is none.
func (r *run) anyWatch() *watch {
	var open []*watch
	for _, w := range r.watches {
		if w.open && r.history.Operations[w.op-1].Client != histories.WitnessClient {
			open = append(open, w)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return open[r.rng.IntN(len(open))]
}

func (r *run) stop(l *lane) {
	w := r.anyWatch()
	if w == nil {
		r.get(l)
		return
	}
	id := r.invoke(l, histories.Request{Kind: histories.Stop, Of: w.op})
	r.after(r.delay(), func() {
		if w.open {
			r.end(w, &histories.End{Time: r.now, Reason: histories.EndCancelled})
		}
		r.finish(id, histories.Answer{Outcome: histories.OK})
		r.proceed(l)
	})
}

func (r *run) progress(l *lane) {
	w := r.anyWatch()
	if w == nil {
		r.get(l)
		return
	}
	id := r.invoke(l, histories.Request{Kind: histories.Progress, Of: w.op})
	r.after(r.delay(), func() {
		w.wanted++
		r.finish(id, histories.Answer{Outcome: histories.OK})
		r.proceed(l)
	})
}

func (r *run) await(l *lane) {
	w := r.anyWatch()
	if w == nil {
		r.list(l)
		return
	}
	revision := r.store.newest
	if Chance(r.rng, r.config.Future) {
		revision += 100
	}
	r.awaitWatch(l, w, revision)
}

// awaitWatch waits until the client can know that the watch has reached a revision.
func (r *run) awaitWatch(l *lane, w *watch, revision histories.Revision) {
	id := r.invoke(l, histories.Request{Kind: histories.Await, Of: w.op, Revision: revision})
	left := patience
	var look func()
	look = func() {
		left--
		switch {
		case r.reached(w, revision):
			r.finish(id, histories.Answer{Outcome: histories.OK})
		case !w.open && !r.pending(w):
			r.finish(id, histories.Answer{Outcome: histories.OK})
		case left < 0 && r.store.newest < revision: // nothing was owed
			r.finish(id, histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: histories.Timeout}})
		default:
			w.wanted++
			r.after(r.delay(), look)
			return
		}
		r.proceed(l)
	}
	r.after(r.delay(), look)
}

// reached reports whether what has arrived shows that the watch is at a revision.
func (r *run) reached(w *watch, revision histories.Revision) bool {
	events := r.history.Streams[w.stream].Events
	for i := len(events) - 1; i >= 0; i-- {
		e := &events[i]
		if e.Time > r.now {
			continue
		}
		if e.Type == histories.ProgressEvent {
			return e.Header >= revision
		}
		return e.Object.RV >= revision
	}
	return false
}

// pending reports whether the end of the watch has not arrived yet.
func (r *run) pending(w *watch) bool {
	end := r.history.Streams[w.stream].End
	return end != nil && end.Time > r.now
}
