package models

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/rvcheck/rvcheck/histories"
)

// mostExcused bounds how many binding rules of the etcd layer may go undecided.
const mostExcused = 9

// TestCompleteness holds the rules and the catalogue against each other: a rule of
// the etcd layer is decided by a property or says why not, and never both; a
// property decides rules that exist. Run with -v for the table.
func TestCompleteness(t *testing.T) {
	var table strings.Builder
	writer := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	var must, excused int
	for _, r := range Rules() {
		claims := r.Claims()
		fmt.Fprintf(writer, "%s\t%s\t%s\t%s\n", r.ID, r.Level, r.Strength, r.Standing())
		switch {
		case len(claims) > 0 && r.Excuse != "":
			t.Errorf("%s is excused, and claimed by %s", r.ID, claims[0].ID)
		case len(claims) > 0 && r.Strength == May:
			t.Errorf("%s is a freedom, and claimed by %s", r.ID, claims[0].ID)
		case len(claims) == 0 && r.Excuse == "" && r.Strength != May:
			t.Errorf("%s is neither claimed by a property nor excused: %s", r.ID, r.Statement)
		}
		if r.Level != histories.EtcdLayer {
			continue
		}
		if r.Excuse == higherLayer {
			t.Errorf("%s is a rule of the etcd layer, and its excuse says that it is not", r.ID)
		}
		if r.Strength == Must {
			must++
			if r.Excuse != "" {
				excused++
			}
		}
	}
	if excused > mostExcused {
		t.Errorf("%d binding rules of the etcd layer are excused, expected at most %d", excused, mostExcused)
	}
	if err := writer.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d rules, %d of them binding at the etcd layer, of which %d are excused\n%s", len(Rules()), must, excused, table.String())
}

// height orders the layers: what a lower one shows, a higher one shows as well.
var height = map[histories.Layer]int{histories.EtcdLayer: 0, histories.StorageLayer: 1, histories.KubeLayer: 2}

// TestRulesOfProperties shows that what the catalogue claims exists, and that no
// property stands without a rule.
func TestRulesOfProperties(t *testing.T) {
	for _, p := range Catalogue() {
		if len(p.Rules) == 0 {
			t.Errorf("%s decides no rule", p.ID)
		}
		for i, id := range p.Rules {
			rule, found := LookupRule(id)
			switch {
			case !found:
				t.Errorf("%s decides %s, which is no rule", p.ID, id)
			case slices.Contains(p.Rules[:i], id):
				t.Errorf("%s names %s twice", p.ID, id)
			case !slices.ContainsFunc(p.Layers, func(l histories.Layer) bool { return height[l] >= height[rule.Level] }):
				t.Errorf("%s decides %s of the layer %s, where it does not hold", p.ID, id, rule.Level)
			}
		}
	}
}

// TestRulesAreWhole shows that the families have no holes, and each rule what a
// reader needs.
func TestRulesAreWhole(t *testing.T) {
	sizes := map[string]int{"ETCD": 24, "RV": 13, "WR": 33, "GET": 9, "LIST": 22, "PAGE": 15, "WATCH": 27, "BM": 8, "EXP": 11, "WL": 9, "ERR": 24, "INF": 17}
	met := map[string]int{}
	sentence := regexp.MustCompile(`^[A-Z0-9][^|\n]*\.$`)
	for _, r := range Rules() {
		met[r.Family()]++
		if want := fmt.Sprintf("%s-%02d", r.Family(), met[r.Family()]); r.ID != want {
			t.Errorf("rule %s stands where %s should", r.ID, want)
		}
		if !sentence.MatchString(r.Statement) {
			t.Errorf("%s: the statement is no sentence: %q", r.ID, r.Statement)
		}
		if r.Source == "" || !slices.Contains([]Strength{Must, Should, Impl, May}, r.Strength) {
			t.Errorf("%s: source %q, strength %q", r.ID, r.Source, r.Strength)
		}
	}
	for family, size := range sizes {
		if met[family] != size {
			t.Errorf("the family %s has %d rules, expected %d", family, met[family], size)
		}
	}
}
