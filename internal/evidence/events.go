package evidence

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// events renders the events of a stream, of many only those around the finding's
// revision, and how the stream ended.
func events(stream *histories.Stream, finding models.Finding) []string {
	from, to := around(len(stream.Events), center(stream.Events, finding.Revision))
	var lines []string
	if from > 0 {
		lines = append(lines, fmt.Sprintf("(%d before)", from))
	}
	for i := range stream.Events[from:to] {
		lines = append(lines, event(&stream.Events[from+i]))
	}
	if rest := len(stream.Events) - to; rest > 0 {
		lines = append(lines, fmt.Sprintf("(%d more)", rest))
	}
	if stream.End != nil {
		lines = append(lines, end(stream.End))
	}
	return lines
}

// center finds the event where the finding's revision is or should have been,
// the last one if the stream never came so far.
func center(list []histories.Event, revision histories.Revision) int {
	if revision == 0 {
		return 0
	}
	at := slices.IndexFunc(list, func(e histories.Event) bool { return place(&e) >= revision })
	if at < 0 {
		return len(list) - 1
	}
	return at
}

func place(e *histories.Event) histories.Revision {
	if e.Type == histories.ProgressEvent {
		return e.Header
	}
	return e.Object.RV
}

func event(e *histories.Event) string {
	if text := kubeEvent(e); text != "" {
		return text
	}
	if e.Type == histories.ProgressEvent {
		return "progress " + e.Header.String()
	}
	text := fmt.Sprintf("%s %s", e.Type, object(&e.Object))
	if e.Prev != nil {
		text += " before " + object(e.Prev)
	}
	return fmt.Sprintf("%s (batch %d, header %s)", text, e.Batch, e.Header)
}

func end(e *histories.End) string {
	text := "end: " + string(e.Reason)
	if e.CompactRevision != 0 {
		text += " at " + e.CompactRevision.String()
	}
	if e.Error != nil {
		text += fmt.Sprintf(" (%s)", e.Error.Class)
	}
	return text
}
