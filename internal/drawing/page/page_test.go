package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/drawing"
	"github.com/rvcheck/rvcheck/internal/drawing/page"
	"github.com/rvcheck/rvcheck/models"
)

// hostile would end the script, the style or the document, were it markup.
const hostile = "</script><script>alert(1)</script><!-- </style> --> \" ' & \x00\xff\u2028 {{.}}"

func hostileSheet() *drawing.Sheet {
	h := &histories.History{
		Plan:   hostile,
		Header: histories.Header{Format: 1, Layer: histories.EtcdLayer, World: histories.Closed, Target: hostile, Server: hostile},
		Operations: []histories.Operation{{
			ID: 1, Client: hostile, Label: hostile, Endpoint: 1, Call: 5, Return: 9,
			Request: histories.Request{Kind: histories.Get, Key: histories.Key{Name: hostile}},
			Answer:  histories.Answer{Outcome: histories.Unknown, Error: &histories.Error{Class: histories.Other, Message: hostile}},
		}},
		Notes: []histories.Note{{Time: 1, Kind: hostile, Text: hostile}},
	}
	found := []models.Finding{{Property: "get/fresh", Operations: []int{1}, Allowed: hostile, Observed: hostile, Explanation: hostile}}
	return drawing.New(hostile, h, drawing.Findings(found))
}

func write(t *testing.T, p page.Page) string {
	t.Helper()
	var b strings.Builder
	if err := page.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, from)
	inside, _, ended := strings.Cut(rest, to)
	if !found || !ended {
		t.Fatalf("nothing between %s and %s", from, to)
	}
	return inside
}

func TestHostileTextsAreNoMarkup(t *testing.T) {
	text := write(t, page.Page{Title: hostile, Sheets: []*drawing.Sheet{hostileSheet()}, Report: &page.Report{Verdict: hostile}})
	for _, part := range []string{"<script", "</script>", "<style", "</style>"} {
		want := map[bool]int{true: 2, false: 1}[strings.Contains(part, "script")]
		if got := strings.Count(text, part); got != want {
			t.Errorf("%d times %s, expected %d", got, part, want)
		}
	}
	if strings.Contains(text, "\x00") || strings.Contains(text, "<!-- <") {
		t.Error("a text stands in the page as it is")
	}
	var data struct{ Sheets []drawing.Sheet }
	if err := json.Unmarshal([]byte(between(t, text, `id="data">`, "</script>")), &data); err != nil {
		t.Fatal(err)
	}
	if got, want := data.Sheets[0].Calls[0].Label, drawing.Plain(hostile); got != want {
		t.Errorf("the page has %q, expected %q", got, want)
	}
}

// TestThePageAllowsItsOwnScriptOnly holds the policy against what it is about.
func TestThePageAllowsItsOwnScriptOnly(t *testing.T) {
	text := write(t, page.Page{Title: "x"})
	policy := html.UnescapeString(between(t, text, `http-equiv="Content-Security-Policy" content="`, `"`))
	for name, inside := range map[string]string{
		"script-src": between(t, text, "</script>\n<script>", "</script>"),
		"style-src":  between(t, text, "<style>", "</style>"),
	} {
		sum := sha256.Sum256([]byte(inside))
		if want := name + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %q", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy allows too much: %q", policy)
	}
}

func TestThePageNeedsNoNetwork(t *testing.T) {
	text := write(t, page.Page{Title: "x", Sheets: []*drawing.Sheet{hostileSheet()}})
	for _, way := range []string{`https?://`, `\bsrc=`, `\bhref=`, `url\(`, `@import`, `\bfetch\(`, `XMLHttpRequest`, `innerHTML`, `\beval\(`} {
		if found := regexp.MustCompile(way).FindString(text); found != "" {
			t.Errorf("the page has %q", found)
		}
	}
}

// TestNoNulls spares the script a test of every list.
func TestNoNulls(t *testing.T) {
	text := write(t, page.Page{Title: "x", Sheets: []*drawing.Sheet{drawing.New("empty", &histories.History{}, nil)}})
	want := `{"report":null,"sheets":[{"name":"empty","target":"","server":"","plan":[],"commands":[],"lanes":[],"calls":[],"events":[],"notices":[],"findings":[]}]}`
	if diff := cmp.Diff(want, between(t, text, `id="data">`, "</script>")); diff != "" {
		t.Errorf("data differs (-want +got)\n%s", diff)
	}
}
