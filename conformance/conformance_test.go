package conformance_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rvcheck/rvcheck/conformance"
	"github.com/rvcheck/rvcheck/targets"
	"github.com/rvcheck/rvcheck/targets/memory"
)

func mutant(id string) func(t *testing.T) targets.Target {
	return func(t *testing.T) targets.Target {
		t.Helper()
		target, err := memory.Open(memory.Options{Mutant: id})
		if err != nil {
			t.Fatal(err)
		}
		return target
	}
}

// The reference store keeps the contract, so its author sees this test pass.
func TestReferenceStore(t *testing.T) {
	conformance.Run(t, mutant(""), conformance.Plans(40), conformance.Seed(1))
}

const stale = `# rvcheck plan v1 · layer etcd · seed 5
c1    a1: create a
c1    update a rv=last
c1    delete a rv=rv(a1)
`

func TestReplayPasses(t *testing.T) {
	conformance.Replay(t, mutant(""), stale, 3)
}

// inChild is set where this test binary runs itself: a test that fails on
// purpose must not fail here.
const inChild = "RVCHECK_FAIL_ON_PURPOSE"

func TestFailsOnPurpose(t *testing.T) {
	switch os.Getenv(inChild) {
	case "run":
		conformance.Run(t, mutant("page-unpinned"), conformance.Plans(40), conformance.Seed(1))
	case "seed":
		conformance.Run(t, mutant("more-never"), conformance.Plans(20), conformance.Properties("list/more"), conformance.NoShrink())
	case "replay":
		conformance.Replay(t, mutant("delete-stale-succeeds"), stale, 2)
	case "waived":
		conformance.Replay(t, mutant("delete-stale-succeeds"), stale, 2, knownFailing(t, "write/delete-cas fails reason=\"deletes are not compared\"\npage/pined flaky reason=x\n"))
	case "nothing":
		conformance.Replay(t, mutant(""), stale, 1, conformance.Properties("page"))
	case "pattern":
		conformance.Run(t, mutant(""), conformance.Properties("pgae"))
	default:
		t.Skip("runs only as a child of TestFailures")
	}
}

func knownFailing(t *testing.T, text string) conformance.Option {
	t.Helper()
	file := filepath.Join(t.TempDir(), "known.txt")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return conformance.KnownFailing(file)
}

// A known failure does not fail the test; a subtest that was waived does not pass.
func TestKnownFailing(t *testing.T) {
	conformance.Replay(t, mutant("delete-stale-succeeds"), stale, 2, knownFailing(t, "write/delete-cas op=delete fails reason=x\n"))
}

func TestCheckRefusesABadKnownFailingFile(t *testing.T) {
	var o conformance.Options
	knownFailing(t, "watch\nlist fails\n")(&o)
	_, err := conformance.Check(t.Context(), mutant("")(t), o)
	var bad conformance.KnownFailingErrors
	if !errors.As(err, &bad) || len(bad) != 2 {
		t.Errorf("got %v, expected two bad lines", err)
	}
}

func TestFailures(t *testing.T) {
	for mode, expected := range map[string][]string{
		"run": {
			"paste it into conformance.Replay, or run with go test -artifacts",
			"--- FAIL: TestFailsOnPurpose/page/pinned",
			"page/pinned is violated: Every page of a chain shows the snapshot at the revision of the first page.",
			"VIOLATED page/pinned (MUST)",
			"again: RVCHECK_SEED=1 go test -run '^TestFailsOnPurpose$' .",
			"reproduced:  20/20",
			"# rvcheck plan v1 · layer etcd · seed ", // the plan itself, to paste
			"expect page/pinned",                     // reduced
			"--- PASS: TestFailsOnPurpose/write/durable",
			"--- SKIP: TestFailsOnPurpose/crash/durable",
		},
		"seed": {`RVCHECK_SEED="x"; expected a number from 1 on`},
		"replay": {
			"write/delete-cas is violated: ",
			"reproduced:  2/2",
			"c1    delete a rv=rv(a1)",
		},
		"waived": {
			"--- SKIP: TestFailsOnPurpose/write/delete-cas",
			"waived line 1: deletes are not compared",
			"known.txt:2: page/pined: names no property; remove this line",
		},
		"nothing": {
			"--- SKIP: TestFailsOnPurpose/page/pinned",
			"not decided: what was asked for was not exercised",
		},
		"pattern": {`property pattern "pgae" names no property`},
	} {
		t.Run(mode, func(t *testing.T) {
			child := exec.Command(os.Args[0], "-test.run=^TestFailsOnPurpose$", "-test.v")
			child.Env = append(os.Environ(), inChild+"="+mode)
			if mode == "seed" {
				child.Env = append(child.Env, "RVCHECK_SEED=x")
			}
			out, err := child.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) {
				t.Fatalf("got %v, expected a test that fails", err)
			}
			if strings.Contains(string(out), "/0001.") || strings.Contains(string(out), ".history.jsonl") {
				t.Error("the output shows a path that is removed")
			}
			for _, text := range expected {
				if !strings.Contains(string(out), text) {
					t.Errorf("the output lacks %q", text)
				}
			}
			if t.Failed() {
				t.Logf("%s", out)
			}
		})
	}
}

// FuzzReferenceStore is what the author of a store that keeps the contract sees.
func FuzzReferenceStore(f *testing.F) {
	conformance.Fuzz(f, mutant(""))
}

// FuzzFailsOnPurpose fails for one of its own inputs.
func FuzzFailsOnPurpose(f *testing.F) {
	if os.Getenv(inChild) != "fuzz" {
		f.Skip("runs only as a child of TestFuzzFailure")
	}
	conformance.Fuzz(f, mutant("created-revision-zero"))
}

func TestFuzzFailure(t *testing.T) {
	child := exec.Command(os.Args[0], "-test.run=^FuzzFailsOnPurpose$", "-test.v")
	child.Env = append(os.Environ(), inChild+"=fuzz")
	out, err := child.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("got %v, expected a test that fails:\n%s", err, out)
	}
	for _, text := range []string{"is violated: ", "reproduced: ", "# rvcheck plan v1 · layer etcd"} {
		if !strings.Contains(string(out), text) {
			t.Errorf("the output lacks %q:\n%s", text, out)
		}
	}
}

// Under -artifacts what failed stays, and the paths are shown.
func TestArtifactsStay(t *testing.T) {
	folder := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestFailsOnPurpose$", "-test.v", "-test.artifacts", "-test.outputdir="+folder)
	child.Env = append(os.Environ(), inChild+"=replay")
	out, err := child.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("got %v, expected a test that fails", err)
	}
	_, rest, _ := strings.Cut(string(out), "plan:        ")
	file, _, _ := strings.Cut(rest, " (")
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the plan that is shown is not there: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(file), "report.html")); err != nil {
		t.Errorf("the folder of the plan has no page: %v", err)
	}
}

// A run that failed leaves its page in its folder, one that passed does not.
func TestPage(t *testing.T) {
	for id, violated := range map[string]bool{"delete-stale-succeeds": true, "": false} {
		target := mutant(id)(t)
		r, err := conformance.Check(t.Context(), target, conformance.Options{
			Plans: 5, Seed: 1, Properties: []string{"write/delete-cas"}, Out: t.TempDir(), NoShrink: true,
		})
		if closed := target.Close(context.Background()); err != nil || closed != nil {
			t.Fatal(err, closed)
		}
		if got := r.Verdict == conformance.Violated; got != violated {
			t.Fatalf("%q is violated: %v, expected %v; it may need other plans", id, got, violated)
		}
		text, err := os.ReadFile(filepath.Join(r.Folder, "report.html"))
		if found := err == nil && strings.Contains(string(text), `"property":"write/delete-cas"`); found != violated {
			t.Errorf("%q leaves a page with the violation: %v (%v)", id, found, err)
		}
	}
}

func TestCheck(t *testing.T) {
	target := mutant("page-unpinned")(t)
	defer func() {
		if err := target.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	r, err := conformance.Check(t.Context(), target, conformance.Options{Plans: 40, Seed: 1, FailFast: true, Properties: []string{"page"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != conformance.Violated || len(r.Violations) == 0 || r.Violations[0].Property != "page/pinned" || r.Violations[0].PlanText == "" {
		t.Errorf("got %s with %+v", r.Verdict, r.Violations)
	}
}

func TestCheckRefusesOptions(t *testing.T) {
	target := mutant("")(t)
	_, err := conformance.Check(t.Context(), target, conformance.Options{Properties: []string{"nothing"}})
	var wrong *conformance.PatternError
	if !errors.As(err, &wrong) {
		t.Errorf("got %v, expected a PatternError", err)
	}
}

// Whoever imports the door must not have to compile a server or a client library.
func TestDependencies(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skipf("go list does not work here: %v", err)
	}
	for pkg := range strings.FieldsSeq(string(out)) {
		for _, heavy := range []string{"go.etcd.io/etcd/", "k8s.io/client-go", "k8s.io/apiserver", "google.golang.org/grpc", "rvcheck/targets/"} {
			if strings.Contains(pkg, heavy) {
				t.Errorf("conformance depends on %s", pkg)
			}
		}
	}
}
