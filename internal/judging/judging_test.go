package judging

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

func TestPanicBecomesAFault(t *testing.T) {
	_, err := guarded("timeline", func() int { panic("broken") })
	var fault *Fault
	if !errors.As(err, &fault) || fault.Judge != "timeline" || fault.Stack == "" {
		t.Fatalf("got %v, expected a Fault with a stack", err)
	}
	if want := "internal fault of the checker: the timeline judge failed: broken"; fault.Error() != want {
		t.Errorf("got %q, expected %q", fault, want)
	}
}

func TestMerge(t *testing.T) {
	found := models.Judgement{Exercised: map[string]int{models.GetFresh: 1}}
	violated := merge(found, "the tail", linearResult{findings: []models.Finding{{Property: models.GetFresh}}})
	if len(violated.Findings) != 1 || violated.Inconclusive != "" {
		t.Errorf("the finding of the porcupine judge was not taken over: %+v", violated)
	}
	undecided := merge(found, "the tail", linearResult{undecided: "out of time"})
	if undecided.Inconclusive != "the tail: out of time" || !slices.Contains(undecided.Undecided, models.GetFresh) {
		t.Errorf("the spent budget was not taken over: %+v", undecided)
	}
	if decided := merge(found, "the tail", linearResult{}); decided.Inconclusive != "" || len(decided.Findings) != 0 {
		t.Errorf("a rest without a fault changed the judgement: %+v", decided)
	}
}

// A finding that is known does not end the search where it cannot be the cause of
// what the porcupine judge would find.
func TestKnownFindingsOfStreamsAreNotFinal(t *testing.T) {
	known := Options{Known: func(f models.Finding) bool { return f.Explanation == "known" }}
	for _, test := range []struct {
		opts     Options
		property string
		text     string
		want     bool
	}{
		{known, models.WatchPrev, "known", false},
		{known, models.WatchPrev, "new", true},
		{known, models.GetFresh, "known", true},
		{Options{}, models.WatchPrev, "known", true},
	} {
		if got := test.opts.final(models.Finding{Property: test.property, Explanation: test.text}); got != test.want {
			t.Errorf("%s, %s: final %v, expected %v", test.property, test.text, got, test.want)
		}
	}
}

// The porcupine judge knows no streams: that it has no verdict says nothing of them.
func TestUndecidedLeavesStreamsOut(t *testing.T) {
	for _, id := range []string{models.WatchNoGap, models.ProgressMonotone, models.ExpiryWatchTold} {
		if slices.Contains(everythingButStreams, id) {
			t.Errorf("%s is about streams", id)
		}
	}
	if len(everything) != len(models.Catalogue()) {
		t.Error("everything is not everything")
	}
}

func TestDeadlineShortensTheBudget(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if got := within(ctx, time.Hour); got > time.Minute {
		t.Errorf("the budget is %v, the context ends in a minute", got)
	}
	if got := within(t.Context(), time.Hour); got != time.Hour {
		t.Errorf("the budget is %v without a deadline, expected an hour", got)
	}
}

func TestEmptyHistoryIsJudged(t *testing.T) {
	j, err := Judge(t.Context(), &histories.History{Header: histories.Header{Layer: histories.EtcdLayer}}, Options{})
	if err != nil || len(j.Findings) != 0 || j.Inconclusive != "" {
		t.Errorf("got %+v and %v of an empty history", j, err)
	}
}
