package plans

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocumentation checks docs/PLANS.md: its examples are plans as Format writes
// them, and it names every operation and option.
func TestDocumentation(t *testing.T) {
	content, err := os.ReadFile("../docs/PLANS.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(content), "```\n")
	examples := 0
	for i := 1; i < len(blocks); i += 2 {
		plan, err := Parse(blocks[i], "docs/PLANS.md")
		if err != nil {
			t.Error(err)
			continue
		}
		examples++
		if d := cmp.Diff(blocks[i], Format(plan)); d != "" {
			t.Errorf("an example that Format writes otherwise (-example +formatted):\n%s", d)
		}
	}
	if examples == 0 {
		t.Error("no examples found")
	}
	for _, f := range forms {
		if !strings.Contains(string(content), "`"+string(f.kind)) {
			t.Errorf("the operation %s is not described", f.kind)
		}
	}
	for _, o := range options {
		if !strings.Contains(string(content), "`"+o.name) && o.name != "rv" {
			t.Errorf("the option %s is not described", o.name)
		}
	}
}
