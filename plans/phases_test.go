package plans

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parsed(t *testing.T, lines ...string) Plan {
	t.Helper()
	plan, err := Parse(head+strings.Join(lines, "\n"), t.Name())
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// outline writes lanes as "c1@1: 2 3".
func outline(lanes []Lane) []string {
	var lines []string
	for _, lane := range lanes {
		line := fmt.Sprintf("%s@%d:", lane.Name, lane.Endpoint)
		for _, op := range lane.Ops {
			line += fmt.Sprintf(" %d", op.Line)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestPhases(t *testing.T) {
	plan := parsed(t,
		"c2@3 get a", "c1 get b", "c2 get c", "# remark", "--", "--", "c1 get d", "! kill", "expect get/fresh", "c3 get e", "--")
	var got [][]string
	for _, phase := range plan.Phases() {
		got = append(got, outline(phase.Lanes))
	}
	want := [][]string{{"c2@3: 2 4", "c1@1: 3"}, {"c1@1: 8", "c3@1: 11"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("phases (-want +got):\n%s", d)
	}
	faults := plan.Phases()[1].Faults
	if d := cmp.Diff([]PhaseFault{{Line: 9, After: 1, Fault: &Fault{Action: "kill"}}}, faults); d != "" {
		t.Errorf("faults (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"c2@3: 2 4", "c1@1: 3 8", "c3@1: 11"}, outline(plan.Lanes())); d != "" {
		t.Errorf("lanes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"get/fresh"}, plan.Expectations()); d != "" {
		t.Errorf("expectations (-want +got):\n%s", d)
	}
}

func TestPrune(t *testing.T) {
	plan := parsed(t,
		"c1 l1: list all limit=1", "c1 n1: next l1", "c1 n2: next n1", "c1 get a revision=rv(n2)", "c1 get b")
	plan.Steps = plan.Steps[1:]
	if err := plan.Validate(); err == nil {
		t.Error("a dangling reference was accepted")
	}
	pruned := plan.Prune()
	if err := pruned.Validate(); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff(head+"c1    get b\n", Format(pruned)); d != "" {
		t.Errorf("pruned plan (-want +got):\n%s", d)
	}
}
