package linear_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube/linear"
	etcd "github.com/rvcheck/rvcheck/models/linear"
	"github.com/rvcheck/rvcheck/models/scenarios"
)

// TestScenarios: in what the scenarios keep and permit there is no fault, and of those
// that break what can be told without streams many are refused.
func TestScenarios(t *testing.T) {
	names, err := fs.Glob(scenarios.Files, "kube_*.txt")
	if err != nil {
		t.Fatal(err)
	}
	broken, refused, decided := 0, 0, 0
	for _, name := range names {
		datadriven.RunTest(t, "../../scenarios/"+name, func(t *testing.T, d *datadriven.TestData) string {
			h, err := scenarios.Parse(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			result := linear.Judge(h, etcd.Options{})
			switch {
			case d.Cmd != "breaks" && result.Verdict == etcd.Violated:
				d.Fatalf(t, "nothing here is to be reported: %+v", result.Finding)
			case d.Cmd != "breaks" && result.Verdict == etcd.OK:
				decided++
			case d.Cmd == "breaks" && len(h.Streams) == 0 && !beyond(d.CmdArgs[0].Key) && !inSteps(h):
				if broken++; result.Verdict == etcd.Violated {
					refused++
				} else {
					t.Logf("%s: accepted: %v", d.Pos, d.CmdArgs)
				}
			}
			if f := result.Finding; f != nil {
				requireExplained(t, d, f)
			}
			return d.Expected
		})
	}
	t.Logf("%d of %d broken histories without streams refused, %d whole ones decided", refused, broken, decided)
	if refused*5 < broken*4 || decided < 20 {
		t.Error("expected four fifths of the broken ones to be refused and twenty whole ones to be decided")
	}
}

// beyond reports whether a property is about the form of answers, tokens or expiry.
func beyond(property string) bool {
	group, rest, _ := strings.Cut(property, "/")
	return group == "expiry" || group == "error" || group == "page" || rest == "form" || rest == "limit" || rest == "order"
}

// inSteps reports whether something may take effect in several steps, which the judge leaves
// out: deletions of collections, and of objects with finalizers.
func inSteps(h *histories.History) bool {
	return slices.ContainsFunc(h.Operations, func(op histories.Operation) bool {
		finalizers := func(o histories.Object) bool { return len(o.Meta().Finalizers) > 0 }
		return op.Request.Kind == histories.DeleteCollection || slices.ContainsFunc(op.Answer.Objects, finalizers)
	})
}

func requireExplained(t *testing.T, d *datadriven.TestData, f *models.Finding) {
	t.Helper()
	if p, known := models.Lookup(f.Property); !known || f.Allowed != p.Statement || f.Observed == "" || f.Culprit == 0 ||
		!strings.HasPrefix(f.Explanation, "No order of the calls") || strings.Contains(f.Explanation, "operation ") {
		d.Fatalf(t, "not explained well: %+v", f)
	}
}
