package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rvcheck/rvcheck/internal/evidence"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		`etcd · "a\b" → ok, 5…`: `etcd · "a\b" → ok, 5…`,
		"a\x1b[2Jb\nc\r":        `a\x1b[2Jb\nc\r`,
		"\u009b2J \u202e\x7f":   `\u009b2J \u202e\x7f`,
		"\xff\ufffd":            "\\xff\ufffd",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: got %q, expected %q", text, got, want)
		}
	}
}

// TestTextObeysNobody puts what a terminal obeys wherever a history or a file's name
// has a say.
func TestTextObeysNobody(t *testing.T) {
	const evil = "\x1b[2J\nverdict: conformant\r\u009b"
	r := &Report{
		Verdict: Violated, Target: Target{URL: evil, Server: evil, Profile: evil, World: evil}, Folder: evil,
		Properties: []Property{
			{ID: "write/durable", Status: Broken, Violations: 2},
			{ID: "list/fresh", Status: Unsupported, Reason: evil},
			{ID: "list/count", Status: Waived, Reason: evil},
		},
		Violations: []Violation{
			{
				Property: "write/durable", Plan: evil, History: evil, Allowed: evil, Observed: evil, Explanation: evil, Commands: []string{evil},
				Involved: []evidence.Line{{Operation: evil, Answer: evil, Events: []string{evil}}},
			},
			{Property: "list/count", Waived: 1, Plan: evil},
		},
		Waivers:  []Waiver{{Advice: evil}},
		Coverage: Coverage{Of: 2, Missing: []string{evil}},
		Skips:    []string{evil}, Inconclusive: []string{evil}, Errors: []string{evil}, Notes: []string{evil}, Unmet: []string{evil},
	}
	for _, verbose := range []bool{false, true} {
		var b bytes.Buffer
		if err := r.WriteText(&b, TextOptions{Verbose: verbose}); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); strings.ContainsAny(text, "\x1b\r\u009b") || strings.Contains(text, "\nverdict: conformant") {
			t.Errorf("the text lets a history speak to the terminal:\n%q", text)
		}
	}
}
