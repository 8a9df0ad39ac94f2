package kube

import (
	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models"
	"github.com/rvcheck/rvcheck/models/kube"
)

// objectMutants are about what a write does to its object.
var objectMutants = []Mutant{
	{
		ID: "noop-writes", Family: 12, Primary: models.WriteNoOp,
		Sentence: "A patch that changes nothing stores the object anew.",
		Source:   "kubernetes, GuaranteedUpdate in storage/etcd3 (the comparison left out)",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			now := stored(m.state.Now(), r.Key)
			if r.Kind != histories.Patch || now == nil || kube.Write(now, &r).Change != kube.Unchanged || !r.Options().NoOp || r.Options().DryRun {
				return nil, histories.Answer{}
			}
			return storing(m.state, *now)
		}}),
	},
	{
		ID: "generation-of-status", Family: 12, Primary: models.WriteGeneration,
		Sentence: "A write of the status counts as a change of the specification.",
		Source:   "Kubernetes API conventions, metadata (the difference left out)",
		make: misstored(
			func(_ *histories.Object, r histories.Request) bool { return r.Options().Status },
			func(_, o *histories.Object) { o.Generation++ },
		),
	},
	{
		ID: "generation-stands", Family: 12, Primary: models.WriteGeneration,
		Sentence: "A patch changes the specification and leaves the generation as it is.",
		Source:   "Kubernetes API conventions, metadata (the count left out)",
		make: misstored(
			func(_ *histories.Object, r histories.Request) bool {
				return r.Kind == histories.Patch && !r.Options().Status
			},
			func(now, o *histories.Object) { o.Generation = now.Generation },
		),
	},
	{
		ID: "dry-run-stores", Family: 12, Primary: models.WriteDryRun,
		Sentence: "A dry run of a create or an update is carried out.",
		Source:   "kine commits 5827b22 and 36e2db8 (an option that is not known is ignored)",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			if options := r.Options(); options.DryRun && r.Kind != histories.Delete && r.Kind != histories.DeleteCollection {
				_, shown := m.state.Apply(&r, m.cache)
				options.DryRun, r.Kube = false, &options
				next, _ := m.state.Apply(&r, m.cache)
				return next, shown
			}
			return nil, histories.Answer{}
		}}),
	},
	{
		ID: "dry-delete-removes", Family: 12, Primary: models.WriteDryRun,
		Sentence: "A dry run of a delete is carried out.",
		Source:   "kine commits 5827b22 and 36e2db8 (an option that is not known is ignored)",
		make: always(fault{request: func(_ moment, r *histories.Request) {
			if options := r.Options(); options.DryRun && r.Kind == histories.Delete {
				options.DryRun, r.Kube = false, &options
			}
		}}),
	},
	{
		ID: "uid-of-the-name", Family: 12, Primary: models.WriteIdentity,
		Sentence: "An object that is created again under its name has the uid of the one before.",
		Source:   "kubernetes client-go, fake object trackers (identity by name)",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			if r.Kind != histories.Create || r.Options().DryRun || stored(m.state.Now(), r.Key) != nil || r.Options().GenerateName {
				return nil, histories.Answer{}
			}
			o := *kube.Write(nil, &r).Object
			o.UID = "uid-of-" + r.Key.Namespace + "-" + r.Key.Name
			return storing(m.state, o)
		}}),
	},
	{
		ID: "uid-anew", Family: 12, Primary: models.WriteIdentity,
		Sentence: "An update gives the object another uid.",
		Source:   "kubernetes API conventions, metadata (uid left to the client)",
		make: misstored(
			func(_ *histories.Object, r histories.Request) bool { return r.Kind == histories.Update },
			func(_, o *histories.Object) { o.UID = "" },
		),
	},
	{
		ID: "finalizers-ignored", Family: 12, Primary: models.WriteTwoPhase,
		Sentence: "A delete removes an object that has finalizers.",
		Source:   "kine commits 5827b22 and 36e2db8 (an option that is not known is ignored)",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			now := stored(m.state.Now(), r.Key)
			if r.Kind != histories.Delete || now == nil || r.Options().DryRun || kube.Write(now, &r).Change != kube.Stored {
				return nil, histories.Answer{}
			}
			return m.state.Remove(r.Key), histories.Answer{Outcome: histories.OK, Kube: &histories.KubeAnswer{UID: now.UID}}
		}}),
	},
	{
		ID: "deletion-forgotten", Family: 12, Primary: models.WriteTwoPhase,
		Sentence: "An update of an object whose deletion has begun takes the mark away.",
		Source:   "kubernetes API conventions, metadata (deletionTimestamp left to the client)",
		make: misstored(
			func(now *histories.Object, _ histories.Request) bool { return now.Deleting },
			func(_, o *histories.Object) { o.Deleting = false },
		),
	},
	{
		ID: "delete-marks-again", Family: 12, Primary: models.WriteTwoPhase,
		Sentence: "A delete of an object whose deletion has begun stores it once more.",
		Source:   "kubernetes, BeforeDelete in registry/rest (the second delete of a pending deletion)",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			now := stored(m.state.Now(), r.Key)
			if r.Kind != histories.Delete || now == nil || !now.Deleting || r.Options().DryRun || kube.Write(now, &r).Object == nil {
				return nil, histories.Answer{}
			}
			return storing(m.state, *now)
		}}),
	},
	{
		ID: "collection-forgets-last", Family: 12, Primary: models.WriteCollection,
		Sentence: "A deletion of a collection answers with all objects of the scope and leaves the last one alone.",
		Source:   "k8s-dqlite PR 298 (a deletion is tried once)",
		make: always(fault{step: func(m moment, r histories.Request) (*kube.State, histories.Answer) {
			if m.call.Kind != histories.DeleteCollection || r.Kind != histories.Delete || r.Options().DryRun {
				return nil, histories.Answer{}
			}
			for o := range m.state.Now().All() {
				if m.call.Scope.Contains(o.Key) && r.Key.Compare(o.Key) < 0 {
					return nil, histories.Answer{}
				}
			}
			return m.state, histories.Answer{Outcome: histories.OK}
		}}),
	},
	{
		ID: "status-write-replaces-labels", Family: 12, Primary: models.WritePatch,
		Sentence: "A patch of the status takes the labels away.",
		Source:   "kubernetes API conventions, status (a strategy that does not reset the rest)",
		make: misstored(
			func(now *histories.Object, r histories.Request) bool {
				return r.Kind == histories.Patch && r.Options().Status && len(now.Labels) > 0
			},
			func(_, o *histories.Object) { o.Labels = nil },
		),
	},
}
