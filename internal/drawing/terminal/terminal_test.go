package terminal_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/drawing"
	"github.com/rvcheck/rvcheck/internal/drawing/terminal"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models/timeline"
)

var update = flag.Bool("update", false, "write the drawings in docs/SHOW.md anew")

func read(t *testing.T, name string) *histories.History {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	h, err := histories.Read(file, name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func sheet(name string, h *histories.History) *drawing.Sheet {
	return drawing.New(name, h, drawing.Findings(timeline.Judge(h).Findings))
}

func draw(t *testing.T, s *drawing.Sheet, opts terminal.Options) string {
	t.Helper()
	var b strings.Builder
	if err := terminal.Write(&b, s, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDocument keeps docs/SHOW.md what the program draws.
func TestDocument(t *testing.T) {
	const file, mark = "../../../docs/SHOW.md", "<!-- drawings -->\n"
	document, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, _, found := strings.Cut(string(document), mark)
	if !found {
		t.Fatalf("%s: expected the line %q", file, mark)
	}
	want := head + mark + drawings(t)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(document)); diff != "" {
		t.Errorf("%s is not what is drawn (-drawn +document); make docs writes it\n%s", file, diff)
	}
}

func drawings(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, example := range []struct {
		title, file string
		around      int
	}{
		{"Progress that overtakes an event", "overtaken.history.jsonl.zst", 5},
		{"A tombstone that a compaction loses", "tombstone.history.jsonl.zst", 2},
	} {
		s := sheet(example.file, read(t, example.file))
		for _, width := range []int{80, 200} {
			fmt.Fprintf(&b, "\n### %s, %d columns\n\n```\n$ checker show %s --width %d --around %d\n%s```\n", example.title, width,
				example.file, width, example.around, draw(t, s, terminal.Options{Width: width, Around: example.around}))
		}
	}
	return b.String()
}

// TestEverythingFits draws histories of all kinds: no line is wider than it may be,
// and whatever is not cut is there.
func TestEverythingFits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	damages := simulation.Damages()
	marked := 0
	for n := range 120 {
		h := simulation.Generate(rng, simulation.Draw(rng, 2+n%9, 40))
		damaged := simulation.Clone(h)
		if damages[n%len(damages)].Apply(rng, damaged) {
			h = damaged
		}
		s := sheet("history", h)
		for finding := -1; finding < len(s.Findings); finding++ {
			for _, width := range []int{terminal.MinWidth, 80, 137, 200} {
				all := draw(t, s, terminal.Options{Width: width, Finding: finding, Around: -1})
				cut := draw(t, s, terminal.Options{Width: width, Finding: finding, Around: n % 4})
				fits(t, all, width)
				fits(t, cut, width)
				complete(t, s, all)
				marked += markedRows(t, s, finding, cut)
			}
		}
	}
	if marked < 100 {
		t.Errorf("%d marked rows; the histories show too little", marked)
	}
}

func fits(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if n := utf8.RuneCountInString(line); n > width {
			t.Fatalf("%d characters, allowed are %d: %q\n%s", n, width, line, text)
		}
		if strings.TrimRight(line, " ") != line {
			t.Fatalf("spaces at the end of %q", line)
		}
	}
}

// complete finds a row for each call and each event.
func complete(t *testing.T, s *drawing.Sheet, text string) {
	t.Helper()
	body := rows(text)
	calls := strings.Count(body, "┌") + strings.Count(body, "■")
	if calls != len(s.Calls) {
		t.Fatalf("%d calls are drawn, expected %d\n%s", calls, len(s.Calls), text)
	}
	events := strings.Count(body, "●") + strings.Count(body, "○") + strings.Count(body, "×")
	if events != len(s.Events) {
		t.Fatalf("%d events are drawn, expected %d\n%s", events, len(s.Events), text)
	}
}

// markedRows counts them, and fails if an operation of the finding has none.
func markedRows(t *testing.T, s *drawing.Sheet, finding int, text string) int {
	t.Helper()
	n := strings.Count(rows(text), "▶")
	if finding >= 0 && n < len(s.Findings[finding].Operations) {
		t.Fatalf("%d marked rows for the operations %v\n%s", n, s.Findings[finding].Operations, text)
	}
	return n
}

// rows is a drawing without its legend.
func rows(text string) string {
	body, _, _ := strings.Cut(text, "▶ of the violation")
	return body
}

func TestHostileNamesStayInTheirPlace(t *testing.T) {
	name := "\x1b[2J\r\n\u202e\xff日本"
	h := &histories.History{
		Header: histories.Header{Format: 1, Layer: histories.EtcdLayer, World: histories.Closed, Target: name},
		Operations: []histories.Operation{{
			ID: 1, Client: name, Label: name, Endpoint: 1, Call: 5, Return: histories.Never,
			Request: histories.Request{Kind: histories.Get, Key: histories.Key{Name: name}},
			Answer:  histories.Answer{Outcome: histories.Unknown},
		}},
		Notes: []histories.Note{{Time: 1, Kind: name, Text: name}},
	}
	text := draw(t, sheet(drawing.Plain(name), h), terminal.Options{Width: 60, Finding: -1})
	fits(t, text, 60)
	for _, r := range text {
		if r != '\n' && (r < ' ' || r > '~') && !strings.ContainsRune("▶┌│└■┊●○×⋮·→…", r) {
			t.Errorf("the character %q is drawn\n%s", r, text)
		}
	}
}

func TestColorOnlyWhereAsked(t *testing.T) {
	s := sheet("history", read(t, "overtaken.history.jsonl.zst"))
	for _, width := range []int{80, 200} {
		plain := draw(t, s, terminal.Options{Width: width, Around: 3})
		colored := draw(t, s, terminal.Options{Width: width, Around: 3, Color: true})
		if strings.Contains(plain, "\x1b") || !strings.Contains(colored, "\x1b[1;31m") {
			t.Errorf("width %d: colours are not as asked for", width)
		}
		for _, sequence := range []string{"\x1b[1;31m", "\x1b[2m", "\x1b[0m"} {
			colored = strings.ReplaceAll(colored, sequence, "")
		}
		if diff := cmp.Diff(plain, colored); diff != "" {
			t.Errorf("width %d: colours change more than colours\n%s", width, diff)
		}
	}
}
