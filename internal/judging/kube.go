package judging

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube/timeline"
)

// judgeKube judges a history of the Kubernetes layers.
func judgeKube(h *histories.History) (models.Judgement, error) {
	result, err := guarded("timeline", func() timeline.Result { return timeline.Judge(h) })
	judgement := result.Judgement
	switch {
	case err != nil:
		judgement.Inconclusive = err.Error()
		judgement.Undecided = everything
	case result.Open != "" && len(judgement.Findings) == 0:
		judgement.Inconclusive = result.Open
		judgement.Undecided = everythingButStreams
	}
	return judgement, err
}
