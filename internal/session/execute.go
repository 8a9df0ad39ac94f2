package session

import (
	"context"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
)

// execute runs a plan. There is no history if it could not be set up; an
// interruption is no error.
func (r *run) execute(ctx context.Context, one trial) (*histories.History, error) {
	opts := engine.Options{
		Run: r.id, Number: one.number, Expanded: r.Expanded, CallTimeout: r.Deadline, StopTimeout: r.Deadline,
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
