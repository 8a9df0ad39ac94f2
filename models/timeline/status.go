package timeline

import (
	"fmt"
	"regexp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

var version = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+`)

// judgeStatus checks that each member tells one well-formed version.
func (j *judge) judgeStatus() {
	told := map[int]string{}
	for i := range j.history.Operations {
		op := &j.history.Operations[i]
		if op.Request.Kind != histories.Status || op.Answer.Outcome != histories.OK {
			continue
		}
		j.exercise(models.StatusVersion)
		v, seen := told[op.Endpoint]
		if !seen {
			v = op.Answer.Version
			told[op.Endpoint] = v
		}
		if v == op.Answer.Version && version.MatchString(v) {
			continue
		}
		j.report(models.Finding{
			Property: models.StatusVersion, Operations: []int{op.ID}, Allowed: "a version of three numbers, the same each time",
			Observed:    fmt.Sprintf("version %q", op.Answer.Version),
			Explanation: fmt.Sprintf("%s told version %q; endpoint %d had told %q.", j.name(op.ID), op.Answer.Version, op.Endpoint, v),
		})
	}
}
