package memory

import (
	"fmt"

	"github.com/rvcheck/rvcheck/histories"
)

func showAnswer(a histories.Answer) string {
	text := fmt.Sprintf("%s revision=%d", a.Outcome, a.Revision)
	if a.Error != nil {
		text += " " + string(a.Error.Class)
	}
	for _, o := range a.Objects {
		text += " " + showObject(o)
	}
	if a.Count != 0 {
		text += fmt.Sprintf(" count=%d", a.Count)
	}
	if a.More {
		text += " more"
	}
	if a.Deleted != 0 {
		text += fmt.Sprintf(" deleted=%d", a.Deleted)
	}
	return text + showLease(a) + showResults(a)
}

func showLease(a histories.Answer) (text string) {
	if a.Lease != 0 {
		text += fmt.Sprintf(" lease=%d ttl=%d", a.Lease, a.TTL)
	}
	for _, key := range a.Keys {
		text += " holds " + key.Name
	}
	if a.WatchID != 0 {
		text += fmt.Sprintf(" id=%d", a.WatchID)
	}
	if a.Version != "" {
		text += " version=" + a.Version
	}
	return text
}

func showResults(a histories.Answer) (text string) {
	if a.Succeeded {
		text += " succeeded"
	}
	for _, result := range a.Results {
		text += " [" + showAnswer(result) + "]"
	}
	return text
}

func showObject(o histories.Object) string {
	text := fmt.Sprintf("%s@%d", o.Key.Name, o.RV)
	if o.Write != "" {
		text += fmt.Sprintf("(%s v%d)", o.Write, o.Version)
	}
	if o.Lease != 0 {
		text += fmt.Sprintf(" of lease %d", o.Lease)
	}
	return text
}

func showEvent(e histories.Event) string {
	if e.Type == histories.ProgressEvent {
		return fmt.Sprintf("progress %d", e.Header)
	}
	text := string(e.Type) + " " + showObject(e.Object)
	if e.Prev != nil {
		text += " prev " + showObject(*e.Prev)
	}
	if e.Header < e.Object.RV {
		text += fmt.Sprintf(" under header %d", e.Header)
	}
	return text
}
