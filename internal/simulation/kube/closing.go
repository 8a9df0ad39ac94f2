package kube

import (
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models/kube"
)

// lastKey is what the stop protocol writes.
var lastKey = histories.Key{Namespace: "a", Name: "last"}

// begin is what a run does before its lanes: the first list, and the witness.
func (r *run) begin() {
	from := r.state.Newest()
	if r.config.Closing {
		from = r.do(r.closing(), histories.Request{Kind: histories.List}).Answer.Revision
	}
	if !r.config.Witness {
		return
	}
	o := histories.KubeOptions{ResourceVersion: from.String(), AllowWatchBookmarks: true}
	r.do(&lane{name: histories.WitnessClient, endpoint: 1, own: true}, histories.Request{Kind: histories.Watch, Kube: &o})
}

func (r *run) closing() *lane { return &lane{name: histories.ClosingClient, endpoint: 1, own: true} }

// finish is the stop protocol: one last write, all open streams reach it, a final list.
func (r *run) finish() {
	if r.config.Closing {
		r.do(r.closing(), histories.Request{Kind: histories.List, Limit: 1})
		marks := r.marks()
		last := r.do(r.closing(), histories.Request{Kind: histories.Create, Key: lastKey, Write: r.value()})
		r.reach(marks, last.Answer.Revision)
		r.do(r.closing(), histories.Request{Kind: histories.List})
	}
	for _, w := range r.watches {
		switch {
		case w.closed:
		case simulation.Chance(r.rng, 0.5):
			r.close(w, &histories.End{Time: r.now, Reason: histories.EndCancelled})
		case simulation.Chance(r.rng, 0.5):
			r.close(w, &histories.End{Time: r.now, Reason: histories.EndRun})
		}
	}
}

// marks writes an object for each watch that does not show the last write.
func (r *run) marks() map[*watch]histories.Revision {
	marks := map[*watch]histories.Revision{}
	for i, w := range r.watches {
		if w.closed || isPlain(w.Request()) {
			continue
		}
		object, ok := kube.Example(w.Request(), histories.Key{Namespace: lastKey.Namespace, Name: "mark-" + strconv.Itoa(i)})
		if !ok {
			continue
		}
		made := r.do(r.closing(), histories.Request{Kind: histories.Create, Key: object.Key, Labels: object.Labels, Write: r.value()})
		if made.Answer.Outcome == histories.OK {
			marks[w] = made.Answer.Revision
		}
	}
	return marks
}

// reach lets every watch come to its mark, or to the last write if it shows that.
func (r *run) reach(marks map[*watch]histories.Revision, last histories.Revision) {
	for _, w := range r.watches {
		revision, marked := marks[w]
		if !marked {
			revision = last
		}
		if w.closed || !marked && !isPlain(w.Request()) || w.After > revision {
			continue
		}
		l := r.closing()
		l.call = r.invoke(l, histories.Request{Kind: histories.Await, Of: w.op, Revision: revision})
		for w.after < revision && !w.closed {
			r.now++
			r.attend(w)
		}
		l.call.answer = histories.Answer{Outcome: histories.OK}
		r.answer(l.call)
	}
}
