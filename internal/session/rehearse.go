package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/internal/waivers"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
)

// maxReplays is how often the plan of a waiver may pass before it counts as fixed.
const maxReplays = 20

// firstReplay keeps the numbers of replays apart from those of the run's plans.
const firstReplay = 1_000_001

// trial is one plan to be run once.
type trial struct {
	plan plans.Plan
	// number is unique in the run; name is what files are called by.
	number int
	name   string
	// replay: the plan is a waiver's, not one of the run.
	replay bool
	// patient: it is given the time to show a store that tells no progress.
	patient bool
}

// numbered is plan n of the source.
func (r *run) numbered(n int) trial {
	return trial{plan: r.Source(n), number: n, name: fmt.Sprintf("%04d", n), patient: n%patientEach == 0}
}

// rehearse replays the plans of the waivers that must fail, each until it fails,
// and reports whether the run can go on. One about progress comes first: the others need
// not wait for it then.
func (r *run) rehearse(ctx context.Context) bool {
	next := firstReplay
	about := func(c *claim) bool { return c.properties[models.ProgressAnswered] }
	first := slices.DeleteFunc(slices.Clone(r.tally.known.all), func(c *claim) bool { return !about(c) })
	others := slices.DeleteFunc(slices.Clone(r.tally.known.all), about)
	for _, c := range append(first, others...) {
		if c.Mode != waivers.Fails || c.Plan == nil || c.expired || !r.tally.testable(c) {
			continue
		}
		for attempt := 1; attempt <= maxReplays && !c.shown; attempt++ {
			name := fmt.Sprintf("known-%d-%02d", c.Line, attempt)
			if !r.replay(ctx, c, trial{plan: *c.Plan, number: next, name: name, replay: true, patient: about(c)}) {
				return false
			}
			next++
		}
	}
	return true
}

// replay runs the plan of a waiver once. Where the run was cut short the waiver is
// left untested.
func (r *run) replay(ctx context.Context, c *claim, one trial) bool {
	before := c.failed
	judged, ok := r.try(ctx, one)
	c.shown = c.failed > before
	if !ok || ctx.Err() != nil || judged == nil {
		c.replays = 0
		return false
	}
	c.replays++
	return true
}
