package rediscovery

import (
	"strings"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/testbed/servers"
)

func TestRowsNameServersAndProperties(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range Rows {
		if seen[row.ID] || len(row.Properties) == 0 || row.Fault == "" {
			t.Errorf("%s is there twice or lacks something", row.ID)
		}
		seen[row.ID] = true
		for _, name := range []string{row.Server, row.Control} {
			if _, err := servers.Find(name); err != nil {
				t.Errorf("%s: %v", row.ID, err)
			}
		}
	}
}

func outcome(found bool, plan int, seconds float64) Outcome {
	return Outcome{Found: found, Plan: plan, Seconds: seconds, Operations: plan, Reproduced: "20/20", Report: Report{Verdict: "conformant", Plans: 7}}
}

func TestTable(t *testing.T) {
	row := Row{ID: "X01", Server: "etcd@v3.5.7", Control: "etcd@v3.7.3", Fault: "it works", Properties: []string{"get/fresh"}, Race: true}
	result := Result{Row: row, Outcomes: []Outcome{
		outcome(true, 9, 2), outcome(false, 0, 0), outcome(true, 3, 1), outcome(true, 4, 1.5), outcome(true, 5, 8),
	}, Silent: []Outcome{outcome(false, 0, 0), outcome(false, 0, 0)}}
	var b strings.Builder
	if err := WriteTable(&b, []Result{result}); err != nil {
		t.Fatal(err)
	}
	want := head + "| X01 | etcd@v3.5.7 | it works | get/fresh | 4 of 5 | 5, 9 | 2.0, 8.0 | 5, 9 | 20/20 | etcd@v3.7.3: silent in 14 plans |\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestPassed(t *testing.T) {
	hit, miss := outcome(true, 1, 1), outcome(false, 0, 0)
	noise := miss
	noise.Report.Verdict = "violated"
	for _, test := range []struct {
		race     bool
		outcomes []Outcome
		silent   []Outcome
		want     bool
	}{
		{false, []Outcome{hit, hit}, []Outcome{miss}, true},
		{false, []Outcome{hit, miss}, []Outcome{miss}, false},
		{true, []Outcome{hit, hit, hit, hit, miss}, nil, true},
		{true, []Outcome{hit, hit, hit, miss, miss}, nil, false},
		{false, []Outcome{hit}, []Outcome{noise}, false},
	} {
		if got := (Result{Row: Row{Race: test.race}, Outcomes: test.outcomes, Silent: test.silent}).Passed(); got != test.want {
			t.Errorf("%+v: got %v", test, got)
		}
	}
}

func TestFollowNotesTheFirstViolation(t *testing.T) {
	var o Outcome
	o.follow(strings.NewReader("plan 3 of 9, 0 properties violated\nplan 4 violates get/fresh\nplan 5 violates get/fresh\n"), time.Now())
	if o.Plan != 4 {
		t.Errorf("got plan %d", o.Plan)
	}
}
