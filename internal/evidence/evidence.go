// Package evidence shows the part of a history that a finding is about: the
// operations involved as lines of a plan, each with its answer, and of a stream
// the events around the place of the finding.
//
// It selects and words; it decides nothing.
package evidence

import (
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// Line is one operation as a person reads it.
type Line struct {
	// ID is the operation's id in the history.
	ID int `json:"id"`
	// Line is the line of the plan, absent when the run added the operation itself.
	Line int `json:"line,omitempty"`
	// Call and Return are nanoseconds since the start of the plan; Return is
	// absent while the call was open.
	Call   int64 `json:"call"`
	Return int64 `json:"return,omitempty"`
	// Operation is the line of the plan, with references resolved.
	Operation string `json:"operation"`
	Answer    string `json:"answer"`
	// Events are those of a watch near the place of the finding.
	Events []string `json:"events,omitempty"`
}

// Lines returns the operations that the finding names, in the order of their calls.
func Lines(h *histories.History, finding models.Finding) []Line {
	lines := make([]Line, 0, len(finding.Operations))
	for _, id := range finding.Operations {
		if op := h.Operation(id); op != nil {
			lines = append(lines, line(h, op, finding))
		}
	}
	return lines
}

// Place is how a text refers to the operation: by its line in the plan, else by its
// id.
func (l Line) Place() string {
	if l.Line > 0 {
		return strconv.Itoa(l.Line)
	}
	return "#" + strconv.Itoa(l.ID)
}

func line(h *histories.History, op *histories.Operation, finding models.Finding) Line {
	l := Line{
		ID: op.ID, Line: op.Line, Call: op.Call, Return: op.Return,
		Operation: operation(h, op), Answer: answer(h, op, finding),
	}
	if op.Return == histories.Never {
		l.Return = 0
	}
	if stream := h.Stream(op.ID); stream != nil {
		l.Events = events(stream, finding)
	}
	return l
}
