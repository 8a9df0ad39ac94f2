package timeline

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
)

// name is how explanations call an operation: by its label, else by its kind and number.
func (j *judge) name(id int) string {
	op := j.history.Operation(id)
	switch {
	case op == nil:
		return fmt.Sprintf("operation %d", id)
	case op.Label != "":
		return op.Label
	case op.Client == histories.WitnessClient:
		return "the witness"
	default:
		return fmt.Sprintf("%s #%d", op.Request.Kind, id)
	}
}
