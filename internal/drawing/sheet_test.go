package drawing_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/drawing"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/scenarios"
	"github.com/rvcheck/rvcheck/models/timeline"
)

// overtaken is a watch that tells progress up to a change which it delivers after.
func overtaken(t *testing.T) (*histories.History, []models.Finding) {
	t.Helper()
	text, ok := scenarios.Example(models.ProgressNoOvertaking)
	if !ok {
		t.Fatal("no example")
	}
	text, _, _ = strings.Cut(text, "----") // the verdict stands below
	h, err := scenarios.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	findings := timeline.Judge(h).Findings
	if len(findings) == 0 {
		t.Fatalf("the example breaks nothing:\n%s", text)
	}
	return h, findings
}

func TestSheetHasWhatTheHistoryHas(t *testing.T) {
	h, findings := overtaken(t)
	s := drawing.New("x.jsonl", h, drawing.Findings(findings))
	if len(s.Calls) != len(h.Operations) {
		t.Errorf("%d calls of %d operations", len(s.Calls), len(h.Operations))
	}
	events := 0
	for _, stream := range h.Streams {
		events += len(stream.Events)
		if stream.End != nil {
			events++
		}
	}
	if len(s.Events) != events {
		t.Errorf("%d events of %d", len(s.Events), events)
	}
	for _, c := range s.Calls {
		op := h.Operation(c.ID)
		if lane := s.Lanes[c.Lane]; lane.Client != op.Client || lane.Watch != 0 {
			t.Errorf("operation %d of %s is in lane %+v", c.ID, op.Client, lane)
		}
	}
}

func TestTheViolationIsMarked(t *testing.T) {
	h, findings := overtaken(t)
	s := drawing.New("x.jsonl", h, drawing.Findings(findings))
	marked := 0
	for _, c := range s.Calls {
		if len(c.Findings) > 0 {
			marked++
		}
	}
	if marked != len(s.Findings[0].Operations) {
		t.Errorf("%d calls are marked, expected the operations %v", marked, s.Findings[0].Operations)
	}
	for _, e := range s.Events {
		if wanted := e.Revision == findings[0].Revision; wanted != (len(e.Findings) > 0) {
			t.Errorf("the event %q at revision %s: marked %v, the finding is at %s", e.Text, e.Revision, e.Findings, findings[0].Revision)
		}
	}
}

func TestOneFindingAProperty(t *testing.T) {
	_, findings := overtaken(t)
	longer := findings[0]
	longer.Operations = append([]int{1, 1, 1, 1}, longer.Operations...)
	shown := drawing.Findings([]models.Finding{longer, findings[0], longer})
	if len(shown) != 1 || shown[0].Alike != 3 || !cmp.Equal(shown[0].Operations, findings[0].Operations) {
		t.Errorf("expected the shortest of three alike, got %+v", shown)
	}
}

// TestAMissingEventIsMarkedWhereItShouldBe has the event that went beyond it.
func TestAMissingEventIsMarkedWhereItShouldBe(t *testing.T) {
	h := &histories.History{
		Operations: []histories.Operation{{ID: 1, Client: "c1", Request: histories.Request{Kind: histories.Watch}}},
		Streams: []histories.Stream{{Op: 1, Events: []histories.Event{
			{Type: histories.PutEvent, Time: 1, Object: histories.Object{RV: 5}},
			{Type: histories.PutEvent, Time: 2, Object: histories.Object{RV: 7}},
			{Type: histories.PutEvent, Time: 3, Object: histories.Object{RV: 8}},
		}}},
	}
	s := drawing.New("x", h, drawing.Findings([]models.Finding{{Property: "watch/no-gap", Operations: []int{1}, Revision: 6}}))
	var marked []histories.Revision
	for _, e := range s.Events {
		if len(e.Findings) > 0 {
			marked = append(marked, e.Revision)
		}
	}
	if diff := cmp.Diff([]histories.Revision{7}, marked); diff != "" {
		t.Errorf("marked events differ (-want +got)\n%s", diff)
	}
}

func TestLanesAreInTheOrderOfPeople(t *testing.T) {
	h := &histories.History{}
	for i, client := range []string{"witness", "c10", "c2", "closing", "c1"} {
		h.Operations = append(h.Operations, histories.Operation{ID: i + 1, Client: client, Request: histories.Request{Kind: histories.Status}})
	}
	var names []string
	for _, lane := range drawing.New("x", h, nil).Lanes {
		names = append(names, lane.Name)
	}
	if diff := cmp.Diff([]string{"c1", "c2", "c10", "closing", "witness"}, names); diff != "" {
		t.Errorf("lanes differ (-want +got)\n%s", diff)
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		`a "b" \c`:    `a "b" \c`,
		"\x1b[2J\n":   `\x1b[2J\n`,
		"\xff\x00":    `\xff\x00`,
		"日本\u202e":    `\u65e5\u672c\u202e`,
		"a\U0001F600": `a\U0001f600`,
	} {
		if got := drawing.Plain(text); got != want {
			t.Errorf("Plain(%q) = %q, want %q", text, got, want)
		}
	}
}
