package models

import (
	"strconv"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
)

// Refusal says why the specification does not allow an answer. The zero Refusal
// means that it does.
type Refusal struct {
	// Property is the property that the answer breaks where it stands.
	Property string
	// form is the sentence, with {a}, {b} and {key} for what follows. It is filled
	// in on demand: a search refuses millions of times and shows one.
	form string
	a, b histories.Revision
	key  histories.Key
}

// Refused reports whether there is a refusal.
func (r Refusal) Refused() bool { return r.form != "" }

// String is the sentence, empty where nothing was refused.
func (r Refusal) String() string {
	return strings.NewReplacer("{a}", revisionText(r.a), "{b}", revisionText(r.b), "{key}", strconv.Quote(r.key.Name)).Replace(r.form)
}

func revisionText(r histories.Revision) string {
	if isSymbol(r) {
		return "a revision that only operation " + (-r).String() + " knows"
	}
	return r.String()
}

var allowed Refusal

// one is the result of a step that leads to one state.
func one(s *State) ([]*State, Refusal) { return []*State{s}, allowed }

// no is the result of a step that is not allowed.
func no(r Refusal) ([]*State, Refusal) { return nil, r }
