package linear

import (
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/internal/search"
)

// MaxPicture is how many moves a picture may have: porcupine draws every state of
// every order that it remembers, which grows with the square.
const MaxPicture = 400

// ErrNoPicture says that there is nothing to draw: an order explains the history, or
// it could not be decided whether one does, or it is too long.
var ErrNoPicture = errors.New("no picture: expected a history of at most 400 calls that no order explains")

// Picture writes porcupine's own drawing of a history that no order explains, as a
// page that needs no network: the longest orders that the search found, step by step
// with the state of the store, and the calls that none of them can take. describe
// words a call and its answer. The search is made again, with the same budgets.
func Picture(w io.Writer, h *histories.History, opts Options, describe func(operation int) string) error {
	if uncovered(h) != "" {
		return ErrNoPicture
	}
	evidence := gather(h)
	unseen := nothing
	if evidence.open {
		unseen = evidence.matters
	}
	moves := arrange(h, evidence, unseen)
	if len(moves) > MaxPicture {
		return ErrNoPicture
	}
	initial := opts.Initial
	if initial == nil {
		initial = beginning(h)
	}
	found, orders := newSearch(initial, len(moves), opts.Budget()).RunVerbose(moves)
	if found.Best == nil {
		return ErrNoPicture
	}
	// The orders are walked again from the start; that must not run out of memory.
	model := newSearch(initial, len(moves), search.Budget{Memory: math.MaxInt64}).Model()
	model.DescribeOperation = func(input, _ any) string { return input.(*move).describe(describe) }
	model.DescribeState = func(state any) string { return state.(*node).Place.describe() }
	if err := porcupine.Visualize(model, orders, w); err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	return nil
}

// describe words a move.
func (m *move) describe(words func(operation int) string) string {
	switch m.role {
	case learn:
		return fmt.Sprintf("the header %s of the compaction", m.call.Answer.Revision)
	case end:
		return "the history is over"
	default:
		return words(m.call.Operation)
	}
}

// shownObjects is how many objects of a state a picture shows.
const shownObjects = 20

// describe words what the store may be, as HTML: porcupine puts it into its page as
// it is, and names of keys may be markup.
func (p *place) describe() string {
	var states []string
	for _, s := range p.states {
		text := fmt.Sprintf("revision %s", s.Newest())
		if s.Compacted() > 0 {
			text += fmt.Sprintf(", compacted to %s", s.Compacted())
		}
		var objects []string
		for o := range s.Now().All() {
			if len(objects) == shownObjects {
				objects = append(objects, "...")
				break
			}
			objects = append(objects, fmt.Sprintf("%+q=%+q", o.Key.Name, string(o.Write)))
		}
		states = append(states, html.EscapeString(text+": "+strings.Join(objects, " ")))
	}
	return strings.Join(states, "<br>or ")
}
