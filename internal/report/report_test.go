package report

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/internal/evidence"
	"github.com/rvcheck/rvcheck/models"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); rewrite it with -update if the change is meant\n%s", file, diff)
	}
}

// sample is a report with one of everything.
func sample() *Report {
	r := &Report{
		Format: Format, Seed: 42, Plans: 200, Failed: 2, Operations: 9120, Skipped: 3, Seconds: 31.24,
		Target: Target{
			URL: "memory://?mutant=skip-batch", Layer: "etcd", Server: "reference", Profile: "reference", World: "closed",
		},
		Properties: []Property{
			{ID: "watch/no-gap", Strength: models.Must, Status: Broken, Exercised: 812, Violations: 26, FailedPlans: 24, ExamplesCut: 22},
			{ID: "watch/ordered", Strength: models.Must, Status: Passed, Exercised: 812},
			{ID: "get/fresh", Strength: models.Must, Status: Undecided, Exercised: 12, Reason: "in 1 plan"},
			{ID: "progress/answered", Strength: models.Must, Status: Unsupported, Reason: "progress: not offered by this target"},
			{ID: "watch/delivers", Strength: models.Should, Status: NotExercised},
		},
		Violations: []Violation{sampleViolation("0009", 40), sampleViolation("0007", 5)},
		Folder:     "runs/20260102T030405Z-42",
		Inconclusive: []string{
			"runs/20260102T030405Z-42/0011.history.jsonl.zst: 3 open writes: the budget of 10s is spent",
		},
		Notes: []string{"a remark"},
		Coverage: Coverage{
			Covered: 71, Of: 78,
			Missing: []string{"get future", "list past range cut", "next compacted", "put ok", "stop", "create ok", "create conflict"},
		},
	}
	r.Verdict = r.Decide()
	return r
}

func sampleViolation(plan string, operations int) Violation {
	base := "runs/20260102T030405Z-42/" + plan
	return Violation{
		Property: "watch/no-gap", Strength: models.Must, Operations: operations, Occurrences: 1, Consequences: 2,
		Statement: "A watch delivers every change of its scope from its start up to whatever it delivers last.",
		Source:    "etcd documentation, API guarantees, watch APIs: reliable, resumable", Rules: []string{"ETCD-09"},
		Plan: base + ".plan", History: base + ".history.jsonl.zst", Revision: "6", Key: `"b"`,
		Allowed: "put b@6=1-2", Observed: "nothing between 5 and 7",
		Explanation: "The watch went from revision 5 to 7 and skipped the change at 6.",
		Involved: []evidence.Line{
			{ID: 4, Line: 12, Call: 1_204_000, Return: 1_530_500, Operation: "c1    b1: create b {x=1}", Answer: "ok, revision 6"},
			{
				ID: 5, Call: 1_100_000, Operation: "c2    w1: watch all startRevision=5", Answer: "ok, revision 5",
				Events: []string{"put a@5=1-1 (batch 1, header 5)", "put c@7=1-3 (batch 2, header 7)", "end: cancelled"},
			},
		},
		Commands: []string{"checker replay " + base + ".plan --times 20 --target 'memory://?mutant=skip-batch'"},
	}
}

func text(t *testing.T, r *Report, opts TextOptions) string {
	t.Helper()
	var b strings.Builder
	if err := r.WriteText(&b, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	golden(t, "violated.txt", text(t, sample(), TextOptions{}))
	golden(t, "verbose.txt", text(t, sample(), TextOptions{Verbose: true}))
	golden(t, "oneplan.txt", text(t, sample(), TextOptions{OnePlan: true, DefaultTarget: true}))
	golden(t, "color.txt", text(t, sample(), TextOptions{Color: true}))
}

func TestOnePlanThatExercisesNothing(t *testing.T) {
	r := &Report{Properties: []Property{{ID: "watch/ordered", Status: NotExercised}}}
	if got := text(t, r, TextOptions{OnePlan: true}); !strings.Contains(got, "\nno property was exercised\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestTextOfStrictAndInterrupted(t *testing.T) {
	r := sample()
	r.Violations, r.Inconclusive, r.Notes = nil, nil, nil
	r.Properties = []Property{
		{ID: "watch/ordered", Strength: models.Must, Status: Passed, Exercised: 1},
		{ID: "watch/no-gap", Strength: models.Must, Status: NotExercised},
	}
	r.Strict, r.Interrupted, r.Replayed, r.Failed = true, true, true, 0
	r.Skips = []string{"line 6: c2 compact now: unsupported: compaction: not exclusive (in 1 of 200 runs)"}
	r.Unmet = []string{"watch/no-gap"}
	r.Completed, r.Planned = 120, 200
	r.Verdict = r.Decide()
	golden(t, "strict.txt", text(t, r, TextOptions{}))
}

// known is a run that fails only as the known-failing file says, but for a line of
// the file that does not hold.
func known() *Report {
	r := sample()
	first, second := sampleViolation("0003", 4), sampleViolation("0009", 40)
	first.Waived, second.Waived = 3, 3
	r.Violations, r.Inconclusive, r.Notes, r.Failed, r.FailedAsKnown = []Violation{second, first}, nil, nil, 0, 2
	r.Properties = []Property{
		{
			ID: "watch/no-gap", Strength: models.Must, Status: Waived, Exercised: 812, Violations: 2, Waived: 2,
			Reason: "line 3: a batch is lost now and then",
		},
		{ID: "watch/ordered", Strength: models.Must, Status: Passed, Exercised: 812},
	}
	r.KnownFailing = "known.txt"
	r.Waivers = []Waiver{
		{Line: 3, Property: "watch/no-gap", Status: WaiverFlaked, Mode: "flaky", Reason: "a batch is lost now and then", Failures: 2},
		{
			Line: 4, Property: "watch/ordered", Status: WaiverPassed, Mode: "fails", Reason: "out of order",
			Link: "https://example.org/1", Until: "2027-03-01", Plan: "ordered.plan", Replays: 20,
			Advice: "known.txt:4: watch/ordered: no longer fails: its plan passed 20 times; remove this line",
		},
	}
	r.Verdict = r.Decide()
	return r
}

func TestWaived(t *testing.T) {
	golden(t, "waived.txt", text(t, known(), TextOptions{}))
	golden(t, "waived-verbose.txt", text(t, known(), TextOptions{Verbose: true, Color: true}))
	var b strings.Builder
	if err := known().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "waived.json", b.String())
}

// Beside known violations, those that are not known are what is shown.
func TestPartlyWaived(t *testing.T) {
	r := known()
	r.Waivers = r.Waivers[:1]
	r.Violations = append(r.Violations, sampleViolation("0007", 50))
	r.Properties[0].Status, r.Properties[0].Violations, r.Properties[0].Reason = Broken, 3, ""
	r.Replayed, r.Failed = true, 1
	r.Verdict = r.Decide()
	golden(t, "partly-waived.txt", text(t, r, TextOptions{}))
}

func TestJSON(t *testing.T) {
	var b strings.Builder
	if err := sample().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "violated.json", b.String())
}

func TestJSONOfNothing(t *testing.T) {
	var b strings.Builder
	if err := (&Report{Format: Format}).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Contains(got, "null") {
		t.Errorf("an empty report has null in it, expected empty lists:\n%s", got)
	}
}

func TestVerdict(t *testing.T) {
	passed := Property{ID: "a/a", Strength: models.Must, Status: Passed, Exercised: 1}
	broken := Property{ID: "a/b", Strength: models.Should, Status: Broken, Exercised: 1, Violations: 1}
	idle := Property{ID: "a/c", Strength: models.Must, Status: NotExercised}
	idleShould := Property{ID: "a/d", Strength: models.Should, Status: NotExercised}
	waived := Property{ID: "a/f", Strength: models.Must, Status: Waived, Exercised: 1, Violations: 1, Waived: 1}
	stale := []Waiver{{Line: 1, Status: WaiverPassed, Mode: "fails", Advice: "remove it"}}
	flaked := []Waiver{{Line: 1, Status: WaiverFlaked, Mode: "flaky"}}
	lacking := Property{ID: "a/e", Strength: models.Must, Status: Unsupported}
	for _, test := range []struct {
		name    string
		report  Report
		verdict Verdict
		code    int
	}{
		{"passed", Report{Properties: []Property{passed, idle, lacking}}, Conformant, 0},
		{"a SHOULD counts", Report{Properties: []Property{passed, broken}}, Violated, 1},
		{"a violation stands in spite of an error", Report{Properties: []Property{broken}, Errors: []string{"x"}}, Violated, 1},
		{"a violation stands in an undecided run", Report{Properties: []Property{broken}, Inconclusive: []string{"x"}}, Violated, 1},
		{"an error comes before undecided", Report{Properties: []Property{passed}, Errors: []string{"x"}, Inconclusive: []string{"x"}}, Error, 4},
		{"undecided", Report{Properties: []Property{passed}, Inconclusive: []string{"x"}}, Inconclusive, 3},
		{"nothing exercised", Report{Properties: []Property{idle, lacking}}, Inconclusive, 3},
		{"waived", Report{Properties: []Property{passed, waived}, Waivers: flaked}, Conformant, 0},
		{"waived beside a violation", Report{Properties: []Property{broken, waived}, Waivers: flaked}, Violated, 1},
		{"a setup is never waived", Report{Properties: []Property{waived}, Waivers: flaked, Errors: []string{"x"}}, Error, 4},
		{"a waiver that does not hold", Report{Properties: []Property{passed}, Waivers: stale}, Violated, 1},
		{"a waiver that does not hold, with nothing exercised", Report{Waivers: stale, Inconclusive: []string{"x"}}, Violated, 1},
		{"nothing at all", Report{}, Inconclusive, 3},
		{"interrupted", Report{Properties: []Property{passed}, Interrupted: true}, Inconclusive, 3},
		{"interrupted after a violation", Report{Properties: []Property{broken}, Interrupted: true}, Violated, 1},
		{"strict", Report{Properties: []Property{passed, idle}, Strict: true}, Inconclusive, 3},
		{"strict is about MUST and what is supported", Report{Properties: []Property{passed, idleShould, lacking}, Strict: true}, Conformant, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := test.report
			r.Verdict = r.Decide()
			if r.Verdict != test.verdict || r.ExitCode() != test.code {
				t.Errorf("got %s with exit code %d, expected %s with %d", r.Verdict, r.ExitCode(), test.verdict, test.code)
			}
		})
	}
}

func TestExamplesAreShortestFirst(t *testing.T) {
	r := &Report{Violations: []Violation{
		{Property: "a/a", Operations: 7},
		{Property: "a/b", Operations: 1},
		{Property: "a/a", Operations: 3},
		{Property: "a/a", Operations: 5},
		{Property: "a/a", Operations: 3, Plan: "second"},
	}}
	var got []int
	for _, v := range r.Examples("a/a") {
		got = append(got, v.Operations)
	}
	if diff := cmp.Diff([]int{3, 3, 5, 7}, got); diff != "" {
		t.Error(diff)
	}
	if first := r.Examples("a/a")[0]; first.Plan != "" {
		t.Errorf("of two equally long plans the later one came first")
	}
}
