package damaged

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/engine"
	"github.com/rvcheck/rvcheck/internal/judging"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory"
)

// TestEditors: what goes out of a stream in the place of responses. A word is a
// response, such as a2,b2 with two puts at revision 2 or p3, a notification of
// progress 3; - is one that is held back; end is the end. Behind a colon stands a
// header that is not that of the last event.
func TestEditors(t *testing.T) {
	for _, test := range []struct {
		name   string
		editor editor
		in     string
		out    string
	}{
		{"honest", honest{}, "a2 b3,c4 p5 end", "a2 | b3,c4 | p5 | end"},
		{"dropped", &first{then: dropped}, "a2 b3 c4 end", "- | b3 | c4 | end"},
		{"dropped, of several", &first{then: dropped}, "a2,b2,c3 d4", "- | c3 d4"},
		{"dropped, but progress came", &first{then: dropped}, "a2 p2 b3 c4", "- | a2 p2 | - | c4"},
		{"dropped, but the end came", &first{then: dropped}, "a2 end", "- | a2 end"},
		{"swapped", &first{then: swapped}, "a2 b3 c4", "- | b3 a2:3 | c4"},
		{"doubled", &first{then: doubled}, "a2 b3 c4", "- | a2 b3 a2:3 | c4"},
		{"late", &late{}, "a2 b3 p3 c4 end", "- | - | p3 a2:3 b3 | - | c4 end"},
		{"split", split{}, "a2,b3,c3,d4", "a2:4,b3:4 c3,d4"},
		{"silent", &silent{}, "p1 a2 b3 p3 end", "p1 | a2 | - | - | end"},
		{"values of before", each(valuesOfBefore()), "a2 a3 b3 a4", "a2 | a3=a2 | b3 | a4=a3"},
		{"header behind", each(headerBehind), "a2,b3", "a2:1,b3:1"},
		{"invented", each(invented), "a2", "a2,~invented2=invented"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.out, play(test.editor, test.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// play gives responses to a sink with the editor and shows what comes out for each.
func play(e editor, responses string) string {
	out := &inbox{}
	s := &sink{to: out, editor: e}
	var shown []string
	for word := range strings.FieldsSeq(responses) {
		if word == "end" {
			s.End(histories.End{Reason: histories.EndCancelled})
		} else {
			s.Batch(response(word))
		}
		shown = append(shown, out.take())
	}
	return strings.Join(shown, " | ")
}

// response reads a2,b3 or p3.
func response(word string) []histories.Event {
	var events []histories.Event
	for each := range strings.SplitSeq(word, ",") {
		revision := histories.Revision(each[1] - '0')
		e := histories.Event{Type: histories.PutEvent, Header: revision}
		if e.Object = (histories.Object{Key: histories.Key{Name: each[:1]}, Write: histories.WriteID(each), RV: revision}); each[0] == 'p' {
			e.Type, e.Object = histories.ProgressEvent, histories.Object{}
		}
		events = append(events, e)
	}
	for i := range events {
		events[i].Header, events[i].Last = events[len(events)-1].Header, i == len(events)-1
	}
	return events
}

// inbox shows what a sink is given.
type inbox struct{ words []string }

func (b *inbox) Batch(events []histories.Event) {
	last := events[len(events)-1]
	honest := max(last.Object.RV, 0)
	var words []string
	for _, e := range events {
		word := e.Object.Key.Name + fmt.Sprint(e.Object.RV)
		if string(e.Object.Write) != word {
			word += "=" + string(e.Object.Write)
		}
		if e.Type == histories.ProgressEvent {
			word = fmt.Sprint("p", e.Header)
		} else if e.Header != honest {
			word += fmt.Sprint(":", e.Header)
		}
		words = append(words, word)
	}
	b.words = append(b.words, strings.Join(words, ","))
}

func (b *inbox) End(histories.End) { b.words = append(b.words, "end") }

func (b *inbox) take() string {
	defer func() { b.words = nil }()
	if len(b.words) == 0 {
		return "-"
	}
	return strings.Join(b.words, " ")
}

// TestFragmentsArePutTogether: an editor gets a response that came in fragments whole.
func TestFragmentsArePutTogether(t *testing.T) {
	out := &inbox{}
	s := &sink{to: out, editor: honest{}}
	whole := response("a2,b2,c3")
	for i := range whole {
		s.Batch(whole[i : i+1])
	}
	if got := out.take(); got != "a2,b2,c3" {
		t.Errorf("got %s, expected a2,b2,c3", got)
	}
}

// TestWrapperIsHonest: without a damage the wrapper changes nothing that a judge minds.
func TestWrapperIsHonest(t *testing.T) {
	store, err := memory.Open(memory.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close(context.Background()) }()
	whole := Damage{ID: "none", make: func() fault {
		return fault{
			call: func(_ moment, r histories.Request, send send) (histories.Answer, error) { return send(r) },
			stream: func(histories.Request) editor {
				return each(func(events []histories.Event) []histories.Event { return events })
			},
		}
	}}
	var target targets.Target = &target{Target: store, damage: whole}
	draw := session.Drawn(1, session.Mix{Clients: 4, Steps: 60}, target.Describe())
	for n := 1; n <= 30; n++ {
		h, err := engine.Execute(t.Context(), target, draw(n), engine.Options{Number: n})
		if err != nil {
			t.Fatal(err)
		}
		judgement, err := judging.Judge(t.Context(), h, judging.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range judgement.Findings {
			t.Errorf("plan %d: %s: %s\n%s", n, f.Property, f.Explanation, h.Plan)
		}
	}
}
