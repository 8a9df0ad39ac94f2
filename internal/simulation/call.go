package simulation

import "github.com/rvcheck/rvcheck/histories"

// maxPages is how many answered lists a run remembers to follow.
const maxPages = 6

// invoke records the call and returns its id.
func (r *run) invoke(l *lane, req histories.Request) int {
	id := len(r.history.Operations) + 1
	r.history.Operations = append(r.history.Operations, histories.Operation{
		ID: id, Client: l.name, Endpoint: l.endpoint, Call: r.now, Return: histories.Never, Request: req,
		Answer: histories.Answer{Outcome: histories.Unknown},
	})
	return id
}

// finish records what came back.
func (r *run) finish(id int, answer histories.Answer) {
	op := &r.history.Operations[id-1]
	op.Return, op.Answer = r.now, answer
	if (op.Request.Kind == histories.List || op.Request.Kind == histories.Next) && len(answer.Objects) > 0 {
		r.remember(id)
	}
}

func (r *run) remember(page int) {
	if len(r.pages) < maxPages {
		r.pages = append(r.pages, page)
		return
	}
	r.pages[r.rng.IntN(maxPages)] = page
}

// call lets a lane make a call: it takes effect at one instant and returns later,
// unless its answer is lost.
func (r *run) call(l *lane, req histories.Request) {
	id := r.invoke(l, req)
	own := l.name == histories.ClosingClient || l.name == histories.WitnessClient
	switch {
	case !own && Chance(r.rng, r.config.Die):
		r.perhapsPerform(l, req)
		r.leave()
	case !own && Chance(r.rng, r.config.Lost):
		r.perhapsPerform(l, req)
		r.after(r.delay(), func() { r.finish(id, lost(r.lossClass())); r.proceed(l) })
	default:
		r.after(r.delay(), func() { r.perform(l, id, req) })
	}
}

// perform is the instant at which a call takes effect.
func (r *run) perform(l *lane, id int, req histories.Request) {
	if req.Serializable {
		answer := r.store.performRead(req, r.local(l.endpoint, req), r.passed[l.endpoint-1])
		r.after(r.delay(), func() { r.finish(id, answer); r.proceed(l) })
		return
	}
	answer := r.store.perform(r.now, req)
	r.notePassed(l.endpoint)
	header := r.store.newest
	r.after(r.delay(), func() {
		if req.Kind == histories.Compact && answer.Outcome == histories.OK {
			answer.Revision = header + histories.Revision(r.rng.Int64N(int64(r.store.newest-header)+1))
		}
		r.finish(id, answer)
		r.proceed(l)
	})
}

// local is what an endpoint takes for the newest revision when it answers from what
// it has: any revision that it may have come to, high enough for the request.
func (r *run) local(endpoint int, req histories.Request) histories.Revision {
	low := max(r.config.Start, r.passed[endpoint-1], req.Revision)
	if low >= r.store.newest {
		return r.store.newest
	}
	return low + histories.Revision(r.rng.Int64N(int64(r.store.newest-low)+1))
}

// perhapsPerform lets a call whose answer is lost take effect soon, late or never.
func (r *run) perhapsPerform(l *lane, req histories.Request) {
	delay := r.delay()
	switch r.rng.IntN(3) {
	case 0:
		return
	case 1:
		delay = r.rng.Int64N(1000) + 1
	}
	r.after(delay, func() {
		r.store.perform(r.now, req)
		r.notePassed(l.endpoint)
	})
}

func (r *run) lossClass() histories.ErrorClass {
	if Chance(r.rng, 0.5) {
		return histories.Timeout
	}
	return histories.Unavailable
}

// notePassed lets an endpoint catch up with the compaction point: whoever
// answers linearizably has applied everything. The others follow later.
func (r *run) notePassed(endpoint int) {
	r.passed[endpoint-1], r.applied[endpoint-1] = r.store.compacted, r.store.newest
	for i := range r.passed {
		if Chance(r.rng, 0.2) {
			r.passed[i] = r.store.compacted
		}
	}
}
