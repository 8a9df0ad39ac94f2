package kube

import (
	"math/rand/v2"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/internal/simulation"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

var expiryDamages = []Damage{
	{ID: "exact-410-missing", Property: models.ExpiryOwed, Apply: calls(simulation.Both(refusedAs(histories.Compacted, histories.List), inMode(kube.Exact)), answeredEmpty)},
	{ID: "page-410-missing", Property: models.ExpiryOwed, Apply: calls(simulation.Both(refusedAs(histories.Compacted, histories.Next), inMode(kube.Continuation)), answeredPage)},
	{ID: "exact-410-unowed", Property: models.ExpiryJustified, Apply: calls(simulation.Both(succeeded(histories.List), inMode(kube.Exact)), gone)},
	{ID: "page-410-unowed", Property: models.ExpiryJustified, Apply: calls(simulation.Both(succeeded(histories.Next), inMode(kube.Continuation)), gone)},
	{ID: "get-410", Property: models.ExpiryJustified, Apply: calls(simulation.Both(succeeded(histories.Get)), gone)},
	{ID: "list-410", Property: models.ExpiryJustified, Apply: calls(simulation.Both(succeeded(histories.List), inMode(kube.MostRecent, kube.Any, kube.NotOlderThan)), gone)},
	{ID: "watch-410-unowed", Property: models.ExpiryJustified, Apply: streams(begins, goneWatch)},
	{ID: "410-of-another-form", Property: models.ExpiryForm, Apply: calls(refusedAs(histories.Compacted, histories.List, histories.Next), otherForm)},
}

func gone(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer = refusal(histories.Compacted, "410", "Expired")
	return true
}

func answeredPage(_ *rand.Rand, h *histories.History, op *histories.Operation) bool {
	op.Answer = histories.Answer{Outcome: histories.OK, Revision: h.Operation(op.Request.Of).Answer.Revision}
	return op.Answer.Revision > 0
}

func otherForm(_ *rand.Rand, _ *histories.History, op *histories.Operation) bool {
	op.Answer = refusal(histories.Compacted, "404", "NotFound")
	return true
}

// goneWatch ends a watch with a 410 in the place of its last event.
func goneWatch(_ *rand.Rand, _ *histories.History, s *histories.Stream) bool {
	last := &s.Events[len(s.Events)-1]
	e := refusal(histories.Compacted, "410", "Expired").Error
	*last = histories.Event{Type: histories.ErrorEvent, Time: last.Time, Batch: last.Batch, Last: true, Kube: &histories.KubeEvent{Error: e}}
	s.End = &histories.End{Time: last.Time, Reason: histories.EndCompacted, Error: e}
	return true
}
