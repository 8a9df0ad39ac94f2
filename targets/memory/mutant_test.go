package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rvcheck/rvcheck/models"
)

// TestMutantTranscripts shows each fault beside the honest store: one script, run
// on both, in testdata/mutants/ID.txt. A line on which they differ is printed for
// both. Calls overlap because the script says so, see stage.
func TestMutantTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata/mutants", func(t *testing.T, path string) {
		id := strings.TrimSuffix(filepath.Base(path), ".txt")
		mutant, err := choose(id)
		if err != nil {
			t.Fatal(err)
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "script" {
				d.Fatalf(t, "expected script, not %s", d.Cmd)
			}
			return compare(t, mutant, strings.Split(strings.TrimSpace(d.Input), "\n"))
		})
	})
}

// compare runs a script on the honest store and on the mutant. It fails if they
// do not differ.
func compare(t *testing.T, mutant Mutant, script []string) string {
	t.Helper()
	honest, _ := choose("")
	a, b := newStage(honest), newStage(mutant)
	var out strings.Builder
	differ := false
	for _, line := range script {
		good, bad := a.play(t, line), b.play(t, line)
		switch {
		case good == bad && good != "":
			fmt.Fprintf(&out, "%s\n         %s\n", line, good)
		case good == bad:
			fmt.Fprintf(&out, "%s\n", line)
		default:
			differ = true
			fmt.Fprintf(&out, "%s\n honest: %s\n mutant: %s\n", line, good, bad)
		}
	}
	if !differ {
		t.Errorf("%s: the script does not show the fault\n%s", mutant.ID, out.String())
	}
	return out.String()
}

func TestMutantsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	families := map[int]bool{}
	racing := 0
	for _, m := range Mutants() {
		if seen[m.ID] {
			t.Errorf("%s: expected an id of its own", m.ID)
		}
		seen[m.ID], families[m.Family] = true, true
		if m.Sentence == "" || m.Source == "" || Families[m.Family] == "" {
			t.Errorf("%s: expected a sentence, a source and a family of the list", m.ID)
		}
		if _, ok := models.Lookup(m.Primary); !ok {
			t.Errorf("%s: expected a property of the catalogue, not %q", m.ID, m.Primary)
		}
		if _, err := os.Stat(filepath.Join("testdata", "mutants", m.ID+".txt")); err != nil {
			t.Errorf("%s: expected a transcript: %v", m.ID, err)
		}
		if m.ConcurrencyOnly {
			racing++
		}
	}
	if len(families) < 8 || len(seen) < 15 || 3*racing < len(seen) {
		t.Errorf("expected mutants of at least 8 families, at least 15, a third of them only under concurrency; got %d families, %d mutants, %d of them racing", len(families), len(seen), racing)
	}
}

// TestFaultsOfRacesNeedARace plays the transcripts of the faults that need
// concurrency again, each call by itself: nothing may differ.
func TestFaultsOfRacesNeedARace(t *testing.T) {
	for _, mutant := range Mutants() {
		if !mutant.ConcurrencyOnly {
			continue
		}
		script, err := os.ReadFile(filepath.Join("testdata", "mutants", mutant.ID+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		honest, _ := choose("")
		a, b := newStage(honest), newStage(mutant)
		for _, line := range alone(string(script)) {
			if good, bad := a.play(t, line), b.play(t, line); good != bad {
				t.Errorf("%s: %s: without a race expected %s, not %s", mutant.ID, line, good, bad)
			}
		}
	}
}

// alone takes the calls of a script that begin, and plays each to its end at once.
func alone(text string) []string {
	_, text, _ = strings.Cut(text, "script\n")
	text, _, _ = strings.Cut(text, "----")
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		name, rest, ok := strings.Cut(line, " ")
		switch {
		case ok && strings.HasSuffix(name, ">"):
			lines = append(lines, strings.TrimSuffix(name, ">")+" "+rest)
		case ok:
			lines = append(lines, line)
		}
	}
	return lines
}

// TestProbability: a fault with probability 1/2 acts about every other time, and
// the same seed decides the same way.
func TestProbability(t *testing.T) {
	acted := func(seed uint64) (pattern string) {
		mutant, _ := choose("deleted-count-zero")
		s := newStage(mutant)
		s.store.options = Options{Probability: 0.5, Seed: seed}
		for range 100 {
			created := s.play(t, "c1 create a")
			answer := s.play(t, "c1 delete a rv="+strings.TrimPrefix(created, "ok revision="))
			pattern += map[bool]string{true: ".", false: "x"}[strings.Contains(answer, "deleted=1")]
		}
		return pattern
	}
	first := acted(1)
	if n := strings.Count(first, "x"); n < 30 || n > 70 {
		t.Errorf("expected the fault in about 50 of 100 calls, not %d: %s", n, first)
	}
	if again := acted(1); again != first {
		t.Errorf("expected the same seed to decide the same way\n%s\n%s", first, again)
	}
	if other := acted(2); other == first {
		t.Error("expected another seed to decide in another way")
	}
}
