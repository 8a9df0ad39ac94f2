package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models/kube"
)

// call is a call in flight: the steps that it still has to take, in order.
type call struct {
	lane    *lane
	id      int
	request histories.Request
	answer  histories.Answer
	steps   []func(*call)
	// stop is the number of steps that are left when a call returns whose answer is lost;
	// late: they are taken afterwards.
	stop       int
	lost, late bool
	// seen is the object as the first step saw it, opened the watch that was opened.
	seen   *histories.Object
	opened *watch
}

func (c *call) next() {
	step := c.steps[0]
	c.steps = c.steps[1:]
	step(c)
}

// invoke records a call.
func (r *run) invoke(l *lane, req histories.Request) *call {
	c := &call{lane: l, id: len(r.history.Operations) + 1, request: req, steps: r.stepsOf(&req)}
	r.history.Operations = append(r.history.Operations, histories.Operation{
		ID: c.id, Client: l.name, Endpoint: l.endpoint, Call: r.now, Return: histories.Never, Request: req,
		Answer: histories.Answer{Outcome: histories.Unknown},
	})
	if !l.own && simulation.Chance(r.rng, r.config.Lost) {
		c.lost, c.late, c.stop = true, simulation.Chance(r.rng, 0.5), r.rng.IntN(len(c.steps)+1)
	}
	return c
}

func (r *run) stepsOf(req *histories.Request) []func(*call) {
	switch req.Kind {
	case histories.Watch:
		return []func(*call){r.open}
	case histories.Stop:
		return []func(*call){r.stopWatch}
	case histories.DeleteCollection:
		return []func(*call){r.listCollection}
	case histories.Update, histories.Patch, histories.Delete:
		if simulation.Chance(r.rng, r.config.Steps) && !req.Options().DryRun {
			return []func(*call){r.look, r.finishWrite}
		}
	default: // one step
	}
	return []func(*call){r.take}
}

// answer records what comes back, or that nothing does.
func (r *run) answer(c *call) {
	op := &r.history.Operations[c.id-1]
	if c.lost {
		if c.late {
			r.late = append(r.late, c)
		}
		if simulation.Chance(r.rng, 0.1) {
			return // it never returns
		}
		outcome := histories.Unknown
		if !c.request.Kind.IsWrite() && c.request.Kind != histories.Compact {
			outcome = histories.Fail
		}
		c.answer = histories.Answer{Outcome: outcome, Error: &histories.Error{Class: histories.Unavailable}}
		c.opened = nil
	}
	op.Return, op.Answer = r.now, c.answer
	if c.answer.Continue != "" {
		r.pages = append(r.pages, c.id)
	}
	if c.opened != nil {
		r.start(c.opened)
	}
}

// performLate takes a step of a call whose answer was lost.
func (r *run) performLate() {
	i := r.rng.IntN(len(r.late))
	if c := r.late[i]; len(c.steps) > 0 {
		c.next()
		return
	}
	r.late = append(r.late[:i:i], r.late[i+1:]...)
}

// take performs a call at once.
func (r *run) take(c *call) {
	if !c.lane.own && simulation.Chance(r.rng, r.config.Busy) {
		c.answer = refusal(histories.Busy, "429", "TooManyRequests")
		return
	}
	switch {
	case c.request.Kind == histories.Compact:
		next, answer := r.state.Apply(&c.request, 0)
		if answer.Outcome == histories.OK && c.request.Revision <= r.point {
			answer = refusal(histories.Compacted, "410", "Expired")
		} else if answer.Outcome == histories.OK {
			r.point = next.Compacted()
		}
		c.answer = answer
	case c.request.Kind.IsRead():
		_, c.answer = r.visible().Apply(&c.request, r.caches[c.lane.endpoint-1])
	default:
		r.write(c, &c.request)
	}
}

// write performs a write of one object, which a server may refuse for its own reasons.
func (r *run) write(c *call, req *histories.Request) {
	options := req.Options()
	before, there := r.state.Now().Get(req.Key)
	switch {
	case r.config.Strict && there && req.Kind == histories.Update && req.Expect == 0:
		c.answer = refusal(histories.Invalid, "422", "Invalid")
	case options.Patch == histories.ApplyPatch && !options.Force && there && len(before.Labels) > 0 && simulation.Chance(r.rng, 0.2):
		c.answer = refusal(histories.Conflict, "409", "Conflict")
	default:
		r.state, c.answer = r.state.Apply(req, 0)
	}
}

func refusal(class histories.ErrorClass, code, reason string) histories.Answer {
	return histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: class, Code: code, Reason: reason}}
}

// look is the first step of a write that takes two: it looks at the object.
func (r *run) look(c *call) {
	if o, there := r.state.Now().Get(c.request.Key); there {
		c.seen = &o
	}
}

// finishWrite is the second. Where nothing that matters has come between it is as if the
// write took one.
func (r *run) finishWrite(c *call) {
	now, there := r.state.Now().Get(c.request.Key)
	if c.seen == nil || kube.Write(c.seen, &c.request).Change != kube.Removed {
		r.take(c)
		return
	}
	out := kube.Write(c.seen, &c.request)
	same := there && now.UID == c.seen.UID
	switch {
	case c.request.Kind == histories.Delete && same && kube.Write(&now, &c.request).Change == kube.Stored:
		r.state = r.state.Remove(c.request.Key)
		c.answer = histories.Answer{Outcome: histories.OK, Kube: &histories.KubeAnswer{UID: now.UID}}
	case c.request.Kind == histories.Delete:
		r.take(c)
	default:
		if same {
			r.state = r.state.Remove(c.request.Key)
		}
		c.answer = histories.Answer{Outcome: histories.OK, Objects: []histories.Object{*out.Object}}
	}
}

// listCollection is the first step of a deletion of a collection; the others delete what
// it found.
func (r *run) listCollection(c *call) {
	o := c.request.Options()
	_, c.answer = r.state.Apply(&histories.Request{
		Kind: histories.List, Scope: c.request.Scope, Kube: &histories.KubeOptions{LabelSelector: o.LabelSelector, FieldSelector: o.FieldSelector},
	}, 0)
	c.answer.Revision = 0
	for i := range c.answer.Objects {
		key := c.answer.Objects[i].Key
		c.steps = append(c.steps, func(c *call) { r.state, _ = r.state.Apply(kube.DeleteOf(&c.request, key), 0) })
	}
}
