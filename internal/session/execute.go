package session

import (
	"context"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
)

// A store that tells no progress, as kine tells none to a watch without events, would take
// the whole deadline in nearly every plan, to show what is known by then. So once that
// many plans have shown it, or the plan of a waiver that says so, one plan in so many is
// given the time to show it again.
const (
	unheardEnough = 3
	patientEach   = 10
)

// hearsNothing takes in that a plan showed a store that tells no progress.
func (r *run) hearsNothing(one trial) {
	if r.unheard++; one.replay && one.patient {
		r.unheard = max(r.unheard, unheardEnough)
	}
}

// execute runs a plan. There is no history if it could not be set up; an
// interruption is no error.
func (r *run) execute(ctx context.Context, one trial) (*histories.History, error) {
	opts := engine.Options{
		Run: r.id, Number: one.number, Expanded: r.Expanded, CallTimeout: r.Deadline, StopTimeout: r.Deadline,
		Brisk: r.unheard >= unheardEnough && !one.patient,
	}
	if r.folder != nil {
		opts.Path = r.folder.History(one.name)
	}
	history, err := engine.Execute(ctx, r.target, one.plan, opts)
	if history == nil && ctx.Err() != nil {
		return nil, nil
	}
	return history, err
}
