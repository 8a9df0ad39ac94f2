package linear

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
)

// TestUnseenWritesThatCannotMatter holds the judge, which leaves out the writes
// of unknown outcome that cannot explain an answer, against a search that tries
// them all: on valid histories, and on histories where answers were lost after
// the fact and others altered, so that every verdict occurs.
func TestUnseenWritesThatCannotMatter(t *testing.T) {
	seeds := 4000
	if testing.Short() {
		seeds = 400
	}
	opts := Options{Timeout: 2 * time.Second}
	all := func(*histories.Operation) bool { return true }
	verdicts := make(map[Verdict]int)
	for seed := range seeds {
		h := altered(uint64(seed))
		fast := Judge(h, opts)
		full := order(arrange(h, gather(h), all), beginning(h), opts)
		verdicts[fast.Verdict]++
		if fast.Verdict != full.Verdict && fast.Verdict != Inconclusive && full.Verdict != Inconclusive {
			t.Fatalf("seed %d: %s, but %s where all unknown writes are tried", seed, fast.Verdict, full.Verdict)
		}
	}
	t.Log(verdicts)
	if verdicts[OK] < seeds/10 || verdicts[Violated] < seeds/10 || verdicts[Inconclusive] > seeds/100 {
		t.Errorf("verdicts are too uneven to tell anything: %v", verdicts)
	}
}

// altered makes a history of a few operations, a third of them unknown.
func altered(seed uint64) *histories.History {
	rng := rand.New(rand.NewPCG(seed, 11))
	config := simulation.Draw(rng, 3, 5+int(seed%9))
	config.Lost = 0.3
	h := simulation.Generate(rng, config)
	h.Streams = nil
	for range rng.IntN(4) {
		if len(h.Operations) > 0 {
			alter(rng, h, &h.Operations[rng.IntN(len(h.Operations))])
		}
	}
	return h
}

func alter(rng *rand.Rand, h *histories.History, op *histories.Operation) {
	a := &op.Answer
	switch rng.IntN(6) {
	case 0:
		a.Revision += histories.Revision(rng.IntN(5) - 2)
	case 1:
		a.Count += int64(rng.IntN(3) - 1)
	case 2:
		op.Request.Expect++
	case 3:
		if op.Request.Kind.IsRead() {
			*a = histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: histories.Compacted}}
		}
	case 4:
		if len(a.Objects) > 0 {
			a.Objects = slices.Clone(a.Objects)
			a.Objects[0].Version++
		}
	default:
		if op.Request.Kind.IsWrite() {
			*a = histories.Answer{Outcome: histories.Unknown}
			hide(h, op.Request.Write)
		}
	}
}

// hide takes what a write stored out of single answers, as if nobody had seen it.
func hide(h *histories.History, write histories.WriteID) {
	for i := range h.Operations {
		if a := &h.Operations[i].Answer; len(a.Objects) == 1 && a.Objects[0].Write == write {
			a.Objects, a.Count = nil, 0
		}
	}
}
