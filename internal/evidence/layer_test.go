package evidence

import (
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// layered is a history with a create that was answered at a revision, and what the store
// below told its watch.
func layered(answered histories.Revision, below ...histories.Event) *histories.History {
	key := histories.Key{Namespace: "a", Name: "x"}
	return &histories.History{
		Header: histories.Header{Layer: histories.KubeLayer},
		Operations: []histories.Operation{
			{ID: 1, Client: histories.BelowClient, Request: histories.Request{Kind: histories.Beneath}, Answer: histories.Answer{Outcome: histories.OK, Revision: 4}},
			{ID: 2, Client: "c1", Label: "a1", Request: histories.Request{Kind: histories.Create, Key: key}, Answer: histories.Answer{
				Outcome: histories.OK, Revision: answered, Objects: []histories.Object{{Key: key, RV: answered}},
			}},
		},
		Streams: []histories.Stream{{Op: 1, Events: below}},
	}
}

// change is one of the object a/x.
func change(eventType histories.EventType, revision, before histories.Revision) histories.Event {
	e := histories.Event{Type: eventType, Object: histories.Object{Key: histories.Key{Namespace: "a", Name: "x"}, RV: revision}}
	if before > 0 {
		e.Prev = &histories.Object{Key: e.Object.Key, RV: before}
	}
	return e
}

func TestLayer(t *testing.T) {
	put, gone := histories.PutEvent, histories.DeleteEvent
	for name, test := range map[string]struct {
		history *histories.History
		want    string
	}{
		"the store has it": {
			layered(5, change(put, 5, 0)),
			"the store below tells its watch of every version that was shown here: it is what the API server made of them, or how the store answers reads",
		},
		"the store has another": {
			layered(6, change(put, 5, 0), change(gone, 7, 5)),
			`a1 showed "a/x" at revision 6, but the store below tells its watch of no change there, only at 5, 7`,
		},
		"beyond the record": {
			layered(9, change(put, 5, 0)),
			"the store below was watched, but nothing that was shown here can be compared with it",
		},
		"twice": {
			layered(5, change(put, 5, 0), change(put, 5, 5)), `the store below: it told its watch twice of revision 5 of "a/x"`,
		},
		"back": {
			layered(5, change(put, 7, 0), change(put, 5, 0)), "the store below: it told its watch of revision 5 after revision 7",
		},
		"a gap": {
			layered(5, change(put, 5, 0), change(put, 8, 7)), `the store below: it told its watch of a change of "a/x" at revision 8 that does not follow the one at 5`,
		},
		"a value of what was deleted": {
			layered(5, change(put, 5, 0), change(gone, 6, 5), change(put, 8, 5)),
			`the store below: it told its watch of a value of "a/x" before revision 8, though it was deleted at 6`,
		},
	} {
		if got := Layer(test.history, models.Finding{Operations: []int{2}}); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, test.want)
		}
	}
	if got := Layer(&histories.History{}, models.Finding{Operations: []int{1}}); got != "" {
		t.Errorf("without a record: got %q, want nothing", got)
	}
}
