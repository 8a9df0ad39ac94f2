package main

import (
	"strings"
	"testing"
)

// killedAfter are samples of seeds that killed in so many plans; 0 survived.
func killedAfter(plans ...int) measured {
	m := measured{Setting: "default", Seeds: len(plans), Limit: 300}
	for _, n := range plans {
		m.Samples = append(m.Samples, sample{Killed: n > 0, Plans: n, Operations: 50 * n})
	}
	return m
}

func TestMeasurements(t *testing.T) {
	settled := killedAfter(1, 0, 0)
	settled.Settled = true
	for _, test := range []struct {
		of   measured
		cell string
		good bool
	}{
		{killedAfter(3, 1, 2), "2 / 3 · 100", true},
		{killedAfter(4, 1, 2, 3), "2 / 4 · 100", true},
		{killedAfter(40, 1, 30), "30 / 40 · 1500", false},
		{killedAfter(1, 0, 2), "2 / >300 · 100", false},
		{settled, ">300 / >300", false},
	} {
		if got := test.of.cell(); got != test.cell {
			t.Errorf("got %q, expected %q", got, test.cell)
		}
		if got := test.of.good(); got != test.good {
			t.Errorf("%s: got good %t, expected %t", test.cell, got, test.good)
		}
	}
}

func TestInterruptedMeasurement(t *testing.T) {
	interrupted := killedAfter(1, 2)
	interrupted.Seeds = 3
	if got := interrupted.cell(); got != "–" {
		t.Errorf("got %q for two of three seeds", got)
	}
	if interrupted.good() {
		t.Error("two of three seeds are no result")
	}
}

func TestMeasurementsSortSurvivorsLast(t *testing.T) {
	sorted := killedAfter(5, 0, 2).sorted()
	if sorted[0].Plans != 2 || sorted[1].Plans != 5 || sorted[2].Killed {
		t.Errorf("got %+v, expected 2, 5 and the survivor", sorted)
	}
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	markdown(&b, [][]string{{"a", "b"}, {"1", "2"}})
	if got, expected := b.String(), "| a | b |\n|---|---|\n| 1 | 2 |\n"; got != expected {
		t.Errorf("got %q, expected %q", got, expected)
	}
}
