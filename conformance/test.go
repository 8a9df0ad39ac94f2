package conformance

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/internal/report"
	"github.com/rvcheck/rvcheck/internal/session"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// Run checks the target that the factory opens, a subtest for each property. The
// target is closed when the test ends. Without options that say otherwise it runs
// 200 plans, 20 under -short, and keeps what failed in t.ArtifactDir under go
// test -artifacts.
func Run(t *testing.T, factory func(t *testing.T) targets.Target, options ...Option) {
	t.Helper()
	o := forTest(t, options)
	target := opened(t, factory)
	s, err := o.session(target.Describe())
	if err != nil {
		t.Fatalf("conformance: %v", err)
	}
	check(t, target, s)
}

// Replay runs one plan, given as text, so many times, a subtest for each property:
// a plan that once failed makes a good regression test.
func Replay(t *testing.T, factory func(t *testing.T) targets.Target, text string, times int, options ...Option) {
	t.Helper()
	plan, err := plans.Parse(text, "plan")
	if err != nil {
		t.Fatalf("conformance: %v", err)
	}
	o := forTest(t, options)
	target := opened(t, factory)
	s, err := o.session(target.Describe())
	if err != nil {
		t.Fatalf("conformance: %v", err)
	}
	s.Source = func(int) plans.Plan { return plan }
	s.Seed, s.Plans, s.Duration, s.Repeats = plan.Seed, times, 0, true
	s.Expected = plan.Expectations()
	check(t, target, s)
}

// closing is how long a target may take to remove what the run left.
const closing = 30 * time.Second

func opened(t *testing.T, factory func(t *testing.T) targets.Target) targets.Target {
	t.Helper()
	target := factory(t)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closing)
		defer cancel()
		if err := target.Close(ctx); err != nil {
			t.Errorf("conformance: closing the target: %v", err)
		}
	})
	return target
}

func check(t *testing.T, target targets.Target, options session.Options) {
	t.Helper()
	if deadline, limited := t.Deadline(); limited {
		// Whoever waits for a verdict must get one: a few properties can be shrunk in time.
		options.Shrinking.Budget = min(options.Shrinking.Budget, time.Until(deadline)/10)
	}
	r, err := run(t.Context(), target, options)
	if err != nil {
		t.Errorf("conformance: %v", err)
	}
	if r == nil {
		return
	}
	t.Logf("%s: seed %d, %s, %s, %d skipped", r.Target.URL, r.Seed,
		report.Plural(r.Plans, "plan"), report.Plural(r.Operations, "operation"), r.Skipped)
	for _, text := range r.Skips {
		t.Logf("skipped: %s", text)
	}
	if r.Verdict == report.Violated && !options.Repeats {
		t.Logf("again: %s=%d go test -run '%s' .", seedVariable, r.Seed, pattern(t.Name()))
	}
	for _, p := range r.Properties {
		t.Run(p.ID, func(t *testing.T) { subtest(t, r, p) })
	}
	for _, text := range r.Errors {
		t.Errorf("the check went wrong: %s", text)
	}
	for _, w := range r.Waivers {
		if w.Advice != "" {
			t.Errorf("waiver: %s", w.Advice)
		}
	}
	for _, text := range r.Inconclusive {
		t.Errorf("not decided: %s", text)
	}
	doubts := r.Doubts()
	for _, text := range doubts {
		t.Errorf("not decided: %s", text)
	}
	if r.Verdict == report.Inconclusive && len(r.Inconclusive)+len(doubts) == 0 {
		t.Error("not decided: what was asked for was not exercised")
	}
}

// pattern selects a test by its name, as go test -run wants it.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// subtest says what became of one property. The message of a failure is the same
// for all violations of the property; the details are in the log.
func subtest(t *testing.T, r *Report, p Property) {
	switch p.Status {
	case report.Passed:
		t.Logf("exercised %s", report.Plural(p.Exercised, "time"))
	case report.Broken:
		v := r.Examples(p.ID)[0]
		t.Log(details(v))
		t.Errorf("%s is violated: %s", p.ID, v.Statement)
	case report.Undecided:
		t.Errorf("%s is not decided %s", p.ID, p.Reason)
	case report.Unsupported, report.NotExercised, report.Waived:
		t.Skip(strings.TrimSpace(string(p.Status) + " " + p.Reason))
	}
}

// details words a violation, with the plan that shows it.
func details(v *Violation) string {
	var b strings.Builder
	_ = v.WriteText(&b) // a Builder does not fail
	text := v.PlanText
	if v.Plan != "" {
		if file, err := os.ReadFile(v.Plan); err == nil {
			text = string(file)
		}
	} else {
		b.WriteString("  the plan; paste it into conformance.Replay, or run with go test -artifacts to keep it with its history:\n\n")
	}
	return b.String() + text
}
