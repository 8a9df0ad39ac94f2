package engine

import (
	"context"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// Execute carries out the plan in a space of its own and returns what happened.
//
// When ctx is cancelled the lanes stop at once, a short form of the stop protocol
// follows, and the history is still valid; it carries a note "interrupted" and
// the error is nil.
//
// An error without a history means that the space or its clients could not be set
// up. An error beside a history means that something went wrong which is no
// matter of the store's contract: a target's client panicked (a [PanicError]), or
// a record could not be written. The history is valid then as well.
//
// All goroutines of the engine have ended when Execute returns. A call that
// ignores its context is abandoned after its deadline, and its goroutine stays
// until the target lets it go.
func Execute(ctx context.Context, target targets.Target, plan plans.Plan, opts Options) (*histories.History, error) {
	panic("not yet")
}
