package engine

import (
	"context"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// dialect is what a layer says in its own words. The engine counts the revisions of
// a stream from the first that it can show, whatever the layer's requests name.
type dialect interface {
	// reserved says which form of the plan language the layer does not have, empty if
	// it has it.
	reserved(op *plans.Op) string
	// needs are the features that an operation uses.
	needs(op *plans.Op, target targets.Description) []targets.Feature

	// resolve adds to the request of an operation what only this layer's requests have.
	resolve(ctx context.Context, r *resolver, op *plans.Op, request *histories.Request) error
	// produced is the revision that a labelled operation stands for.
	produced(ctx context.Context, r *resolver, kind plans.RefKind, label string, o *outcome) (histories.Revision, error)
	// next completes the request for the page that follows a list or a page.
	next(op *plans.Op, page *outcome, request *histories.Request) error
	// resumption is what a watch names that begins with the revision.
	resumption(first histories.Revision) histories.Revision
	// fill makes the next write of a fill; n counts the lanes, and before is the answer
	// to the write before, nil for the first.
	fill(e *execution, n int, before *histories.Answer, request *histories.Request)

	// witness is the request for the whole space from a revision on, zero: from now.
	witness(first histories.Revision) histories.Request
	// first is the first revision that a watch shows, zero where only the server knows.
	first(watch *histories.Request) histories.Revision
	// forgets reports whether a stream ended because its history is gone, with nothing
	// that says where another one could begin.
	forgets(end *histories.End) bool
	// probe is a read that shows whether the store answers, and its revision.
	probe() histories.Request
	// last is the key of the n-th attempt at the last write. No plan that is generated
	// uses it.
	last(n int) histories.Key
	// mark is a write that a watch shows which does not show the last write, made with the
	// n-th key for such writes; false where no write is known to be one.
	mark(watch *histories.Request, n int) (histories.Request, bool)
	// takes reports whether a watch shows a write that left this object.
	takes(watch *histories.Request, object *histories.Object) bool
	// shows reports whether a watch that is up to date has to show a write of the key at
	// the revision.
	shows(watch *histories.Request, key histories.Key, revision histories.Revision) bool
	// certain reports whether a watch has to show a lane all that is written from its first
	// revision on.
	certain(watch *histories.Request) bool
	// progresses reports whether progress can be asked for.
	progresses(target targets.Description) bool
}

// shown reports whether a write at or above the revision is known that a watch has to
// show.
func shown(d dialect, known *knowledge, watch *histories.Request, revision histories.Revision) bool {
	return known.any(func(key histories.Key, newest histories.Revision) bool {
		return newest >= revision && d.shows(watch, key, newest)
	})
}

// dialectOf is the dialect of a target.
func dialectOf(target targets.Description) dialect {
	if target.Layer != histories.KubeLayer {
		return etcd{}
	}
	if _, clusterScoped := target.Unsupported[targets.Namespaces]; clusterScoped {
		return kubernetes{}
	}
	return kubernetes{home: home}
}
