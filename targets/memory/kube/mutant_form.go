package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// formMutants are about the form of answers and streams.
var formMutants = []Mutant{
	{
		ID: "expired-with-another-reason", Family: 13, Primary: models.ExpiryForm,
		Sentence: "What is too old is refused with the status 410 and the reason BadRequest.",
		Source:   "kubernetes issue 25151 (the form of 410)",
		make: always(fault{
			answer: func(_ moment, _ histories.Request, a *histories.Answer) {
				if a.Outcome == histories.Fail && a.Error.Class == histories.Compacted {
					e := *a.Error
					e.Reason = "BadRequest"
					a.Error = &e
				}
			},
			opened: func(_ moment, w *kube.Opened) {
				if w.Refused != nil && w.Refused.Class == histories.Compacted {
					e := *w.Refused
					e.Reason = "BadRequest"
					w.Refused = &e
				}
			},
		}),
	},
	{
		ID: "match-on-watch-ignored", Family: 13, Primary: models.ErrorStatus,
		Sentence: "A watch with sendInitialEvents and without resourceVersionMatch is accepted.",
		Source:   "kubernetes, validateWatchOptions in meta/internalversion (the check left out)",
		make: always(fault{request: func(_ moment, r *histories.Request) {
			if options := r.Options(); r.Kind == histories.Watch && options.SendInitialEvents != nil {
				r.Kube = with(*r, func(o *histories.KubeOptions) { o.ResourceVersionMatch = "NotOlderThan" })
			}
		}}),
	},
	{
		ID: "events-after-error", Family: 13, Primary: models.WatchErrorLast,
		Sentence: "After the error of a watch that is too old its events come.",
		Source:   "kubernetes storage tests, an error that blocks further events; kine, events after a compacted start",
		make: always(fault{opened: func(m moment, w *kube.Opened) {
			if w.Refused != nil {
				w.Initial = []histories.Event{kube.ErrorEvent(w.Refused)}
				w.Refused, w.After = nil, m.state.Compacted()
			}
		}}),
	},
	{
		ID: "version-with-zero", Family: 13, Primary: models.VersionForm,
		Sentence: "The resource version of an object has a leading zero.",
		Source:   "KEP-5504 (the form of resource versions)",
		make: always(fault{shown: func(o *histories.Object) {
			meta := o.Meta()
			meta.RawRV = "0" + o.RV.String()
			o.RV, o.Kube = 0, &meta
		}}),
	},
	{
		ID: "refusal-of-conflict-unspecific", Family: 13, Primary: models.ErrorReason,
		Sentence: "A precondition that does not hold is refused with the status 500 and the reason InternalError.",
		Source:   "kubernetes, API errors of aggregated servers (an error of the store passed on as it is)",
		make:     misworded(histories.Conflict, func(e *histories.Error) { e.Code, e.Reason = "500", "InternalError" }),
	},
	{
		ID: "missing-without-reason", Family: 13, Primary: models.ErrorReason,
		Sentence: "What is missing is refused with the status 404 and no reason.",
		Source:   "Kubernetes API conventions, status codes (the reason left out)",
		make:     misworded(histories.NotFound, func(e *histories.Error) { e.Reason = "" }),
	},
}
