package linear

import (
	"fmt"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
)

// hard is a history that takes a search long: n unknown deletes of keys of which
// reads tell just enough, and a last answer that nothing explains.
func hard(n int) *histories.History {
	h := &histories.History{Header: histories.Header{Layer: histories.EtcdLayer, Exclusive: true}}
	add := func(op histories.Operation) {
		op.ID = len(h.Operations) + 1
		h.Operations = append(h.Operations, op)
	}
	for i := range n {
		key := histories.Key{Name: fmt.Sprint("k", i)}
		write := histories.WriteID(fmt.Sprint("w", i))
		add(histories.Operation{
			Call: 0, Return: 1,
			Request: histories.Request{Kind: histories.Create, Key: key, Write: write},
			Answer:  histories.Answer{Outcome: histories.OK, Revision: histories.Revision(2 + i)},
		})
		add(histories.Operation{
			Call: 2, Return: 3,
			Request: histories.Request{Kind: histories.Delete, Key: key},
			Answer:  histories.Answer{Outcome: histories.Unknown},
		})
	}
	add(histories.Operation{
		Call: 4, Return: 5, Request: histories.Request{Kind: histories.List, Limit: 1},
		Answer: histories.Answer{Outcome: histories.OK, Revision: 1000, Count: int64(n + 1)},
	})
	return h
}

func TestBudgetOfTime(t *testing.T) {
	start := time.Now()
	r := Judge(hard(24), Options{Timeout: 100 * time.Millisecond})
	if r.Verdict != Inconclusive || r.Reason == "" || r.Finding != nil {
		t.Errorf("got %+v, expected an inconclusive result with a reason", r)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("the judge took %s beyond its budget", took)
	}
}

func TestBudgetOfMemory(t *testing.T) {
	r := Judge(hard(24), Options{Timeout: time.Minute, Memory: 1 << 20})
	if r.Verdict != Inconclusive || r.Reason == "" {
		t.Errorf("got %+v, expected an inconclusive result with a reason", r)
	}
}

func TestSmallestHardHistoryIsViolated(t *testing.T) {
	if r := Judge(hard(3), Options{}); r.Verdict != Violated || r.Finding.Property != models.ListCount {
		t.Errorf("got %+v, expected a violation of %s", r, models.ListCount)
	}
}

// A fault of the specification must reach the caller as a panic, not end the
// process from a goroutine of the search.
func TestFaultReachesTheCaller(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the fault was lost")
		}
	}()
	order([]porcupine.Operation{{Input: &move{}, Return: 1}}, models.Empty(), Options{})
}
