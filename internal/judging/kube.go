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
	porcupine := func(budget time.Duration) func() linearResult {
		return func() linearResult {
			return resultOf(linear.Judge(h, etcd.Options{Timeout: within(ctx, budget), Memory: opts.Memory}))
		}
	}
	if result.Open == "" && result.Hidden != "" {
		return opts.judgeHidden(result.Judgement, result.Hidden, porcupine(min(opts.budget(), hiddenBudget)))
	}
	return opts.judgeRest(result.Judgement, result.Open, porcupine(opts.budget()))
}

// hiddenBudget is the time that the porcupine judge gets where nothing was left open.
const hiddenBudget = 2 * time.Second

// judgeHidden lets the porcupine judge look for an order of deletions whose places nobody told.
// The timeline judge has judged them: that the search comes to no end leaves nothing undecided.
func (o Options) judgeHidden(j models.Judgement, hidden string, porcupine func() linearResult) (models.Judgement, error) {
	return o.judgeRest(j, hidden, func() linearResult {
		return linearResult{findings: porcupine().findings}
	})
}
