package judging

import (
	"context"

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
	return opts.judgeRest(result.Judgement, result.Open, func() linearResult {
		return resultOf(linear.Judge(h, etcd.Options{Timeout: within(ctx, opts.budget()), Memory: opts.Memory}))
	})
}
