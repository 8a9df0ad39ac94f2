package report

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/rvcheck/rvcheck/models"
)

// ciSample is the sample with a plan, a waiver that does not hold and an error.
func ciSample() *Report {
	r := sample()
	r.Violations[1].PlanText = "# rvcheck plan v1 · layer etcd · seed 42\nc1    b1: create b {x=1}\nc2    w1: watch all startRevision=5\n"
	r.Properties = append(r.Properties, Property{ID: "list/snapshot", Strength: models.Must, Status: Waived, Exercised: 3, Violations: 1, Waived: 1, Reason: "line 2: known"})
	r.Waivers = []Waiver{{Line: 3, Property: "get/fresh", Status: WaiverPassed, Advice: "known.txt:3: get/fresh did not fail; remove the line"}}
	r.Errors = []string{"closing the target: timeout"}
	r.Verdict = r.Decide()
	return r
}

func TestJUnit(t *testing.T) {
	var b strings.Builder
	if err := ciSample().WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "junit.xml", b.String())
}

func TestSummary(t *testing.T) {
	var b strings.Builder
	if err := ciSample().WriteSummary(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.md", b.String())
}

// hostile ends code blocks, tables and elements, and moves the cursor.
const hostile = "```\n\x1b[2J</details><script>alert(1)</script> | `x` ]]> \x00\xff"

func hostileReport() *Report {
	r := ciSample()
	r.Target.URL = hostile
	for i := range r.Violations {
		v := &r.Violations[i]
		v.Explanation, v.Observed, v.PlanText = hostile, hostile, hostile
		v.Involved[0].Answer = hostile
	}
	r.Errors, r.Notes = []string{hostile}, []string{hostile}
	return r
}

func TestJUnitIsWellFormedWhateverItHolds(t *testing.T) {
	var b strings.Builder
	if err := hostileReport().WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
	}
	if strings.ContainsAny(b.String(), "\x00\x1b") {
		t.Errorf("control characters in\n%s", b.String())
	}
}

func TestSummaryIsNoMarkupWhateverItHolds(t *testing.T) {
	var b strings.Builder
	if err := hostileReport().WriteSummary(&b); err != nil {
		t.Fatal(err)
	}
	fence := ""
	for line := range strings.SplitSeq(b.String(), "\n") {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = line
		case fence != "" && line == fence:
			fence = ""
		case fence == "" && strings.Contains(line, "<script>") && !strings.HasPrefix(line, "Target `"):
			t.Errorf("markup outside of a block: %s", line)
		}
	}
	if fence != "" {
		t.Errorf("a block is not closed:\n%s", b.String())
	}
}

func TestJUnitOfARunThatDecidedNothing(t *testing.T) {
	r := &Report{Format: Format, Properties: []Property{{ID: "get/fresh", Strength: models.Must, Status: NotExercised}}}
	r.Verdict = r.Decide()
	suite := r.suite()
	if suite.Errors != 1 || suite.Skipped != 1 || suite.Tests != 2 {
		t.Errorf("an inconclusive run has to be an error: %+v", suite)
	}
}
