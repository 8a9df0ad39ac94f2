package evidence

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// Call is the operation's line of the plan without its client, references resolved.
func Call(h *histories.History, op *histories.Operation) string { return call(h, op) }

// Answer is what came back, of many objects those around the finding's key. The zero
// finding shows the first.
func Answer(h *histories.History, op *histories.Operation, finding models.Finding) string {
	return answer(h, op, finding)
}

// Event is one event of a stream.
func Event(e *histories.Event) string { return event(e) }

// End is how a stream ended.
func End(e *histories.End) string { return end(e) }
