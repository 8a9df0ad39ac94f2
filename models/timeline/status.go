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
			Explanation: j.toldVersion(op, v),
		})
	}
}

func (j *judge) toldVersion(op *histories.Operation, before string) string {
	if before == op.Answer.Version {
		return fmt.Sprintf("%s told version %q, which is not a version of three numbers.", j.name(op.ID), before)
	}
	return fmt.Sprintf("%s told version %q, but endpoint %d had told %q before.", j.name(op.ID), op.Answer.Version, op.Endpoint, before)
}
