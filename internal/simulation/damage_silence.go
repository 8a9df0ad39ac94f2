package simulation

import (
	"math/rand/v2"

	"github.com/rvcheck/rvcheck/histories"
)

// silenceDamages are watches on which something never arrives. The history shows
// it by the awaits of the stop protocol, which have then failed.
var silenceDamages = []Damage{
	{ID: "watch-silent", Property: "watch/delivers", Streams: true, Apply: silence},
	{ID: "progress-unanswered", Property: "progress/answered", Streams: true, Apply: unanswered},
	{ID: "watch-untold", Property: "expiry/watch-told", Streams: true, Apply: alterStream(expired, untold)},
}

func closingAwait(op *histories.Operation) bool {
	return op.Client == histories.ClosingClient && op.Request.Kind == histories.Await && op.Answer.Outcome == histories.OK
}

// silence cuts what a watch delivered after some moment, and lets the awaits fail.
func silence(rng *rand.Rand, h *histories.History) bool {
	await := pick(rng, h, closingAwait)
	if await == nil {
		return false
	}
	s := h.Stream(await.Request.Of)
	all := changes(s)
	if len(all) == 0 {
		return false
	}
	s.Events = s.Events[:one(rng, all)]
	remark(s)
	failAwaits(h, s)
	return true
}

func failAwaits(h *histories.History, s *histories.Stream) {
	var reached histories.Revision
	for i := range s.Events {
		reached = max(reached, s.Events[i].Object.RV)
		if !isChange(&s.Events[i]) {
			reached = max(reached, s.Events[i].Header)
		}
	}
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Request.Kind == histories.Await && op.Request.Of == s.Op && op.Request.Revision > reached {
			op.Answer = histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: histories.Timeout}}
		}
	}
}

// unanswered takes all progress notifications out of a stream.
func unanswered(rng *rand.Rand, h *histories.History) bool {
	await := pick(rng, h, closingAwait)
	if await == nil {
		return false
	}
	s := h.Stream(await.Request.Of)
	var kept []histories.Event
	for _, i := range changes(s) {
		kept = append(kept, s.Events[i])
	}
	if len(kept) == len(s.Events) {
		return false
	}
	s.Events = kept
	remark(s)
	failAwaits(h, s)
	return true
}

// untold leaves a watch open that was to be cancelled as compacted.
func untold(_ *rand.Rand, h *histories.History, s *histories.Stream) bool {
	end := lastTime(h)
	h.Operations = append(h.Operations, histories.Operation{
		ID: len(h.Operations) + 1, Client: histories.ClosingClient, Endpoint: 1, Call: end + 1, Return: end + 2,
		Request: histories.Request{Kind: histories.Await, Of: s.Op, Revision: readLedger(h).newest},
		Answer:  histories.Answer{Outcome: histories.Fail, Error: &histories.Error{Class: histories.Timeout}},
	})
	s.End = &histories.End{Time: end + 3, Reason: histories.EndRun}
	return true
}
