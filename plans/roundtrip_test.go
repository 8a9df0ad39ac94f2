package plans

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseIsTheInverseOfFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := arbitrary.Draw(t, "plan")
		text := Format(plan)
		parsed, err := Parse(text, "plan")
		if err != nil {
			t.Log(err)
			t.Log(text)
			t.Fatal("the text of a valid plan was refused")
		}
		if d := cmp.Diff(plan, parsed); d != "" {
			t.Log(text)
			t.Log(d)
			t.Fatal("the text of a valid plan is another plan")
		}
		if err := plan.Validate(); err != nil {
			t.Log(err)
			t.Fatal("a valid plan was refused by Validate")
		}
	})
}

func TestEveryStepStandsOnItsLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := arbitrary.Draw(t, "plan")
		p, err := parse(Format(plan))
		if err != nil {
			t.Log(err)
			t.Fatal("the text of a valid plan was refused")
		}
		for i, line := range p.lines {
			if line != Line(i) {
				t.Log(i, line)
				t.Fatal("a step stands on another line than Line says")
			}
		}
	})
}

// FuzzParse checks that no text makes Parse panic, and that what it accepts has
// a text form of its own that means the same.
func FuzzParse(f *testing.F) {
	for _, example := range examples {
		f.Add(example)
	}
	for _, bad := range refused {
		f.Add(bad.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := Parse(text, "fuzz")
		if err != nil {
			checkForm(t, err)
			return
		}
		again, err := Parse(Format(plan), "formatted")
		if err != nil {
			t.Fatalf("the formatted text was refused: %v\n%s", err, Format(plan))
		}
		if d := cmp.Diff(plan, again); d != "" {
			t.Fatalf("the formatted text is another plan (-first +again):\n%s", d)
		}
	})
}
