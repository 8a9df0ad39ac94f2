package linear

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rvcheck/rvcheck/histories"
)

func picture(h *histories.History) (string, error) {
	var b strings.Builder
	err := Picture(&b, h, Options{}, func(id int) string { return fmt.Sprintf("call <%d>", id) })
	return b.String(), err
}

// TestPicture draws every transcript that no order explains, and no other.
func TestPicture(t *testing.T) {
	drawn := 0
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			h := parseHistory(t, d)
			text, err := picture(h)
			violated := Judge(h, Options{}).Verdict == Violated
			if violated != (err == nil) || err != nil && !errors.Is(err, ErrNoPicture) {
				t.Errorf("%s: violated %v, picture: %v", d.Pos, violated, err)
			}
			if violated {
				drawn++
				if !strings.Contains(text, `call \u003c`) {
					t.Errorf("%s: the picture has no call", d.Pos)
				}
			}
			return d.Expected
		})
	})
	if drawn < 20 {
		t.Errorf("%d pictures; expected more of the transcripts to be violated", drawn)
	}
}

// TestPictureHasNoMarkupOfAHistory has a key that is some; porcupine puts what
// describes a state into its page as HTML.
func TestPictureHasNoMarkupOfAHistory(t *testing.T) {
	create := func(id int, revision histories.Revision) histories.Operation {
		return histories.Operation{
			ID: id, Client: "c1", Endpoint: 1, Call: int64(10 * id), Return: int64(10*id + 1),
			Request: histories.Request{Kind: histories.Create, Key: histories.Key{Name: "<img src=x>"}, Write: histories.WriteID(fmt.Sprint("w", id))},
			Answer:  histories.Answer{Outcome: histories.OK, Revision: revision},
		}
	}
	text, err := picture(&histories.History{
		Header:     histories.Header{Layer: histories.EtcdLayer, World: histories.Closed, Exclusive: true},
		Operations: []histories.Operation{create(1, 2), create(2, 3)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "<img") || strings.Contains(text, `\u003cimg`) || !strings.Contains(text, `\u0026lt;img`) {
		t.Error("the name of a key stands in a state's description as markup")
	}
}

func TestNoPictureOfLongHistories(t *testing.T) {
	h := &histories.History{Header: histories.Header{Layer: histories.EtcdLayer, World: histories.Closed, Exclusive: true}}
	for id := 1; id <= MaxPicture+1; id++ {
		h.Operations = append(h.Operations, histories.Operation{
			ID: id, Client: "c1", Endpoint: 1, Call: int64(10 * id), Return: int64(10*id + 1),
			Request: histories.Request{Kind: histories.Create, Key: histories.Key{Name: "a"}, Write: histories.WriteID(fmt.Sprint("w", id))},
			Answer:  histories.Answer{Outcome: histories.OK, Revision: histories.Revision(id + 1)},
		})
	}
	if _, err := picture(h); !errors.Is(err, ErrNoPicture) {
		t.Errorf("error %v, expected %v", err, ErrNoPicture)
	}
}
