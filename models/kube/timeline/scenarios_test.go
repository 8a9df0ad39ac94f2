package timeline_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube/timeline"
	"github.com/rvcheck/rvcheck/models/scenarios"
)

// TestScenarios runs the transcripts of the Kubernetes layers: a history, and below it
// the verdict. Each case names the property that it is about and whether it keeps or
// breaks it; what the contract permits without a property being put to the test is
// "permits". Run with -rewrite when a change of the verdicts is meant.
func TestScenarios(t *testing.T) {
	kept, broken := map[string]bool{}, map[string]bool{}
	for _, file := range files(t) {
		datadriven.RunTest(t, "../../scenarios/"+file, func(t *testing.T, d *datadriven.TestData) string {
			history, err := scenarios.Parse(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			result := timeline.Judge(history)
			requireExplained(t, d, result)
			if d.Cmd == "permits" && len(result.Findings) > 0 {
				d.Fatalf(t, "nothing here is to be reported:\n%s", verdict(result))
			}
			for _, arg := range d.CmdArgs {
				switch d.Cmd {
				case "keeps":
					if result.Exercised[arg.Key] == 0 || len(result.Findings) > 0 {
						d.Fatalf(t, "%s should be exercised and kept:\n%s", arg.Key, verdict(result))
					}
					kept[arg.Key] = true
				case "breaks":
					if !slices.ContainsFunc(result.Findings, func(f models.Finding) bool { return f.Property == arg.Key }) {
						d.Fatalf(t, "%s should be violated:\n%s", arg.Key, verdict(result))
					}
					broken[arg.Key] = true
				}
			}
			return verdict(result)
		})
	}
	for _, p := range models.Catalogue() {
		if p.HoldsOn(histories.KubeLayer) && (!kept[p.ID] || !broken[p.ID]) {
			t.Errorf("%s: has a scenario that keeps it: %t, one that breaks it: %t", p.ID, kept[p.ID], broken[p.ID])
		}
	}
}

// numbered finds operations that are named by their ids: a reader of a plan knows none.
var numbered = regexp.MustCompile(`#\d|\boperation \d|\bwrite \d`)

// requireExplained demands that each finding says what happened, in sentences of its
// own and by names that a plan has.
func requireExplained(t *testing.T, d *datadriven.TestData, r timeline.Result) {
	t.Helper()
	for _, f := range r.Findings {
		p, known := models.Lookup(f.Property)
		text := f.Explanation
		if !known || !strings.HasSuffix(text, ".") || strings.HasSuffix(text, "..") || strings.Contains(text, "%!") || text == p.Statement ||
			numbered.MatchString(text+f.Allowed+f.Observed) || f.Allowed == "" || f.Observed == "" {
			d.Fatalf(t, "%s is not explained well: %s\n%s", f.Property, text, verdict(r))
		}
	}
}

func files(t *testing.T) []string {
	t.Helper()
	names, err := fs.Glob(scenarios.Files, "kube_*.txt")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func verdict(r timeline.Result) string {
	var b strings.Builder
	if len(r.Findings) == 0 {
		b.WriteString("conformant\n")
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %v\n  allowed:  %s\n  observed: %s\n  %s\n", f.Property, f.Operations, f.Allowed, f.Observed, f.Explanation)
		if f.Consequences > 0 {
			fmt.Fprintf(&b, "  consequences: %d\n", f.Consequences)
		}
	}
	if r.Open != "" {
		fmt.Fprintf(&b, "open: %s\n", r.Open)
	}
	return b.String()
}
