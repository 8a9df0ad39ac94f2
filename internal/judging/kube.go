package judging

import (
	"context"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube/linear"
	"github.com/rvcheck/rvcheck/models/kube/timeline"
	etcd "github.com/rvcheck/rvcheck/models/linear"
)

// judgeKube judges a history of the Kubernetes layers.
func judgeKube(ctx context.Context, h *histories.History, opts Options) (models.Judgement, error) {
	result, err := guarded("timeline", func() timeline.Result { return timeline.Judge(h) })
	if err != nil {
		return unfinished(result.Judgement, err)
	}
	porcupine := func(budget time.Duration) linearResult {
		return resultOf(linear.Judge(h, etcd.Options{Timeout: within(ctx, budget), Memory: opts.Memory}))
	}
	if result.Open == "" {
		// The timeline judge has judged the deletions whose places nobody told: that the search for an
		// order of them comes to no end leaves nothing undecided.
		return opts.judgeRest(result.Judgement, result.Hidden, func() linearResult {
			return linearResult{findings: porcupine(min(opts.budget(), hiddenBudget)).findings}
		})
	}
	return opts.judgeRest(result.Judgement, result.Open, func() linearResult { return porcupine(opts.budget()) })
}

// hiddenBudget is the time that the porcupine judge gets where nothing was left open.
const hiddenBudget = 2 * time.Second
