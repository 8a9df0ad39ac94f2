package session

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory"
)

// stale shows the mutant delete-stale-succeeds in one lane; honest stores pass it.
const stale = `# rvcheck plan v1 · layer etcd · seed 1
c1    a1: create a
c1    update a rv=last
c1    delete a rv=rv(a1)
`

const harmless = `# rvcheck plan v1 · layer etcd · seed 1
c1    create a
`

func parsed(t *testing.T, text string) plans.Plan {
	t.Helper()
	plan, err := plans.Parse(text, "plan")
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func mutant(t *testing.T, id string) targets.Target {
	t.Helper()
	target, err := memory.Open(memory.Options{Mutant: id})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := target.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return target
}

// alternating gives harmless plans, and a failing one at every third.
func alternating(t *testing.T) func(int) plans.Plan {
	failing, passing := parsed(t, stale), parsed(t, harmless)
	return func(n int) plans.Plan {
		if n%3 == 0 {
			return failing
		}
		return passing
	}
}

func status(r *report.Report, id string) report.Status {
	for _, p := range r.Properties {
		if p.ID == id {
			return p.Status
		}
	}
	return "absent"
}

func runs(t *testing.T, target targets.Target, opts Options) *report.Report {
	t.Helper()
	r, err := Run(t.Context(), target, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Errors) > 0 {
		t.Fatalf("errors: %q", r.Errors)
	}
	return r
}

func filesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestRunKeepsWhatFailed(t *testing.T) {
	out := t.TempDir()
	r := runs(t, mutant(t, "delete-stale-succeeds"), Options{
		Source: alternating(t), Plans: 4, Seed: 9, Out: out,
		Commands: func(plan, _ string) []string { return []string{"replay " + filepath.Base(plan)} },
	})
	if r.Verdict != report.Violated || r.Plans != 4 || r.Failed != 1 || status(r, models.WriteDeleteCAS) != report.Broken {
		t.Errorf("got %s, %d plans, %d failed, write/delete-cas %s", r.Verdict, r.Plans, r.Failed, status(r, models.WriteDeleteCAS))
	}
	want := []string{"0003.history.jsonl.zst", "0003.plan", "README.md", "report.json"}
	if diff := cmp.Diff(want, filesIn(t, r.Folder)); diff != "" {
		t.Errorf("the folder (-want +got)\n%s", diff)
	}
	latest, err := os.Readlink(filepath.Join(out, "latest"))
	if err != nil || latest != filepath.Base(r.Folder) {
		t.Errorf("latest points to %q (%v), expected %q", latest, err, filepath.Base(r.Folder))
	}
	if text, err := os.ReadFile(r.Violations[0].Plan); err != nil || string(text) != stale {
		t.Errorf("the plan that was kept is not the plan that failed: %v\n%s", err, text)
	}
	if readme, err := os.ReadFile(filepath.Join(r.Folder, "README.md")); err != nil || !strings.Contains(string(readme), "replay 0003.plan") {
		t.Errorf("the README does not say how to go on: %v\n%s", err, readme)
	}
	sameAsFile(t, r)
	readable(t, r.Violations[0].History)
}

func sameAsFile(t *testing.T, r *report.Report) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.Folder, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	if err := r.WriteJSON(&printed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), printed.String()); diff != "" {
		t.Errorf("report.json is not what --json prints\n%s", diff)
	}
	if !json.Valid(text) {
		t.Error("report.json is no JSON")
	}
}

func readable(t *testing.T, file string) {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if h, err := histories.Read(in, file); err != nil || len(h.Operations) == 0 || h.Truncated {
		t.Errorf("the history that was kept cannot be read: %v", err)
	}
}

func TestKeepKeepsAll(t *testing.T) {
	r := runs(t, mutant(t, ""), Options{Source: alternating(t), Plans: 2, Out: t.TempDir(), Keep: true})
	want := []string{"0001.history.jsonl.zst", "0001.plan", "0002.history.jsonl.zst", "0002.plan", "README.md", "report.json"}
	if diff := cmp.Diff(want, filesIn(t, r.Folder)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWithoutFolderThePlanIsInTheReport(t *testing.T) {
	r := runs(t, mutant(t, "delete-stale-succeeds"), Options{Source: alternating(t), Plans: 3})
	if r.Folder != "" || r.Violations[0].Plan != "" || r.Violations[0].PlanText != stale {
		t.Errorf("got folder %q, plan %q and the text %q", r.Folder, r.Violations[0].Plan, r.Violations[0].PlanText)
	}
}

func TestStops(t *testing.T) {
	always := func(models.Judgement) bool { return true }
	for name, test := range map[string]struct {
		opts Options
		want int
	}{
		"plans":     {Options{Plans: 5}, 5},
		"fail fast": {Options{Plans: 9, FailFast: true}, 3},
		"until":     {Options{Plans: 9, Until: always}, 1},
		"fail fast minds the selected properties only": {
			Options{Plans: 4, FailFast: true, Properties: []models.Property{{ID: models.GetFresh, Layers: []histories.Layer{histories.EtcdLayer}}}}, 4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.opts.Source = alternating(t)
			if r := runs(t, mutant(t, "delete-stale-succeeds"), test.opts); r.Plans != test.want {
				t.Errorf("ran %d plans, expected %d", r.Plans, test.want)
			}
		})
	}
}

func TestDurationBeginsNoPlanAfterIt(t *testing.T) {
	r := runs(t, mutant(t, ""), Options{Source: alternating(t), Duration: 1})
	if r.Plans > 1 || r.Interrupted {
		t.Errorf("ran %d plans, interrupted %v; expected at most one, which is no interruption", r.Plans, r.Interrupted)
	}
}

func TestInterruptedRunHasItsVerdict(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Run(ctx, mutant(t, ""), Options{
		Source: alternating(t), Plans: 9,
		Observe: func(p Progress) {
			if p.Plan == 2 {
				cancel()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Plans != 2 || !r.Interrupted || r.Verdict != report.Inconclusive || r.ExitCode() != report.ExitInconclusive {
		t.Errorf("got %d plans, interrupted %v, %s, exit code %d", r.Plans, r.Interrupted, r.Verdict, r.ExitCode())
	}
	if diff := cmp.Diff([]string{"interrupted after 2 of 9 plans; nothing violated"}, r.Doubts()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReplaySaysHowOften(t *testing.T) {
	plan := parsed(t, stale)
	r := runs(t, mutant(t, "delete-stale-succeeds"), Options{
		Source: func(int) plans.Plan { return plan }, Plans: 3, Repeats: true,
	})
	if len(r.Violations) != 1 || r.Violations[0].Reproduced != "3/3" || r.Failed != 3 || r.Violations[0].Operations != 3 {
		t.Errorf("got %+v", r.Violations)
	}
}

func TestProgress(t *testing.T) {
	var seen []Progress
	runs(t, mutant(t, "delete-stale-succeeds"), Options{
		Source: alternating(t), Plans: 3, Observe: func(p Progress) { seen = append(seen, p) },
	})
	if len(seen) != 3 || !slices.Equal(seen[2].Broken, []string{models.WriteDeleteCAS}) || seen[1].Violated != 0 || seen[2].Violated != 1 {
		t.Errorf("got %+v", seen)
	}
	if seen[0].Verdict() != "no violation" || seen[2].Verdict() != "violated: write/delete-cas" {
		t.Errorf("got %q and %q", seen[0].Verdict(), seen[2].Verdict())
	}
}

func TestProfileIsOverridden(t *testing.T) {
	r := runs(t, mutant(t, ""), Options{Source: alternating(t), Plans: 1, Profile: "etcd-3.5"})
	if r.Target.Profile != "etcd-3.5" {
		t.Errorf("the report shows the profile %q", r.Target.Profile)
	}
}

// broken is a target whose space cannot be made.
type broken struct{ targets.Target }

var errBroken = &targets.SetupError{Where: "here", Expected: "a space"}

func (broken) NewSpace(context.Context, string) (targets.Space, error) { return nil, errBroken }

func TestSetupFailureEndsTheRun(t *testing.T) {
	r, err := Run(t.Context(), broken{mutant(t, "")}, Options{Source: alternating(t), Plans: 5, Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != report.Error || r.ExitCode() != report.ExitError || len(r.Errors) != 1 || !strings.Contains(r.Errors[0], "here: a space") {
		t.Errorf("got %s, exit code %d, errors %q", r.Verdict, r.ExitCode(), r.Errors)
	}
}

func TestFolderThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Run(t.Context(), mutant(t, ""), Options{Source: alternating(t), Plans: 1, Out: file})
	var path *os.PathError
	if !errors.As(err, &path) {
		t.Errorf("got %v, expected an error about the folder", err)
	}
}

// waiting is a plan whose last operation cannot be called: it refers to a create
// that fails.
const waiting = `# rvcheck plan v1 · layer etcd · seed 1
expect page/pinned
c1    create a
c1    a2: create a
c1    get a revision=rv(a2)
`

// What was skipped is counted, and of a single plan each operation is shown. A plan
// that did not show what it is meant to show proves nothing.
func TestSkippedOperationsAreVisible(t *testing.T) {
	plan := parsed(t, waiting)
	r := runs(t, mutant(t, ""), Options{
		Source: func(int) plans.Plan { return plan }, Plans: 2, Repeats: true, Expected: plan.Expectations(),
	})
	if r.Skipped != 2 || len(r.Skips) != 1 || !strings.HasPrefix(r.Skips[0], "line 5: c1 get a revision=rv(a2): ") {
		t.Errorf("got %d skipped operations, %q", r.Skipped, r.Skips)
	}
	if r.Verdict != report.Inconclusive || !slices.Equal(r.Unmet, []string{models.PagePinned}) {
		t.Errorf("got %s, unmet %q", r.Verdict, r.Unmet)
	}
	want := []string{"expected page/pinned, which was not exercised: the plan was not carried out whole"}
	if diff := cmp.Diff(want, r.Doubts()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestExpectationsThatAreMet(t *testing.T) {
	plan := parsed(t, stale)
	for name, test := range map[string]struct {
		mutant   string
		expected string
		verdict  report.Verdict
	}{
		"exercised":      {"", models.WriteCreateExclusive, report.Conformant},
		"a group":        {"", "write", report.Conformant},
		"violated":       {"delete-stale-succeeds", models.WriteDeleteCAS, report.Violated},
		"not asked for":  {"", "nothing", report.Conformant},
		"not exercised":  {"", models.PagePinned, report.Inconclusive},
		"other violated": {"delete-stale-succeeds", models.PagePinned, report.Violated},
	} {
		t.Run(name, func(t *testing.T) {
			r := runs(t, mutant(t, test.mutant), Options{
				Source: func(int) plans.Plan { return plan }, Plans: 1, Repeats: true, Expected: []string{test.expected},
			})
			if r.Verdict != test.verdict {
				t.Errorf("got %s, unmet %q, expected %s", r.Verdict, r.Unmet, test.verdict)
			}
		})
	}
}

func TestSkipsOfSomeRunsOnly(t *testing.T) {
	s := skips{times: map[string]int{}}
	s.add("line 2: a")
	s.add("line 3: b")
	s.add("line 2: a")
	if diff := cmp.Diff([]string{"line 2: a", "line 3: b (in 1 of 2 runs)"}, s.words(2)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A store that tells no progress is waited for in the first plans that show it, and in one
// of ten after them.
func TestUnheardProgress(t *testing.T) {
	quiet := parsed(t, "# rvcheck plan v1 · layer etcd · seed 1\nc1    w1: watch a\n")
	r := runs(t, mutant(t, "progress-unanswered-when-idle"), Options{
		Source: func(int) plans.Plan { return quiet }, Plans: 21, Deadline: 400 * time.Millisecond,
	})
	const shown = unheardEnough + 2
	if r.Plans != 21 || r.Failed != shown {
		t.Errorf("%d of %d plans failed, expected %d of 21", r.Failed, r.Plans, shown)
	}
}
