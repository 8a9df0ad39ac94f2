package session

import (
	"slices"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/models"
)

func answered(kind histories.Kind, outcome histories.Outcome, failure *histories.Error) histories.Operation {
	return histories.Operation{Request: histories.Request{Kind: kind}, Answer: histories.Answer{Outcome: outcome, Error: failure}}
}

// A store that refuses every write keeps every promise about what it never did.
func TestRunWithoutAWriteIsInconclusive(t *testing.T) {
	full := &histories.Error{Class: histories.Other, Code: "ResourceExhausted", Message: "database space exceeded"}
	lost := &histories.Error{Class: histories.Unavailable, Code: "Unavailable", Message: "connection reset"}
	j := judged(models.Judgement{Exercised: exercised(models.GetFresh)}, nil)
	j.History.Operations = []histories.Operation{
		answered(histories.Get, histories.OK, nil),
		answered(histories.Get, histories.Fail, lost),
		answered(histories.Put, histories.Unknown, full),
		answered(histories.Create, histories.Unknown, full),
		answered(histories.Update, histories.Fail, &histories.Error{Class: histories.Conflict}),
		answered(histories.List, histories.Fail, &histories.Error{Class: histories.Other, Code: engine.NotSent}),
		answered(histories.Await, histories.Unknown, &histories.Error{Class: histories.Timeout, Message: "nothing to wait for"}),
	}
	tally := NewTally(models.Catalogue())
	tally.Add(j)
	r := tally.Report()
	if r.Verdict != report.Inconclusive || !slices.Equal(r.Inconclusive, []string{"none of 3 writes is known to have taken effect"}) {
		t.Errorf("got %s, %q", r.Verdict, r.Inconclusive)
	}
	note := `3 of 7 operations were not served: 2 ResourceExhausted (such as "database space exceeded"), 1 unavailable (such as "connection reset")`
	if !slices.Equal(r.Notes, []string{note}) {
		t.Errorf("got the notes %q", r.Notes)
	}

	j.History.Operations = append(j.History.Operations, answered(histories.Put, histories.OK, nil))
	tally.Add(j)
	if r := tally.Report(); r.Verdict != report.Conformant {
		t.Errorf("got %s where a write took effect", r.Verdict)
	}
}
