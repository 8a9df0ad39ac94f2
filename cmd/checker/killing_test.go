package main

import (
	"testing"
	"time"
)

// A busy machine gives the same kill table: the reductions are bounded by runs, and by time
// closely only for who limits the time.
func TestReductionsAreBoundedByRuns(t *testing.T) {
	for duration, budget := range map[time.Duration]time.Duration{0: reductionLimit, time.Second: reductionBudget} {
		f := hunter{flags: &flags{duration: duration}}
		s := f.reduction(faulty{})
		if s.Attempts != reductionAttempts || s.Budget != budget {
			t.Errorf("--duration %s: %d runs and %s; expected %d runs and %s", duration, s.Attempts, s.Budget, reductionAttempts, budget)
		}
	}
	if s := (hunter{flags: &flags{noShrink: true}}).reduction(faulty{}); s.Attempts != 0 || s.Budget != 0 {
		t.Errorf("--no-shrink reduces: %+v", s)
	}
}
