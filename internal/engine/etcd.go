package engine

import (
	"context"
	"slices"
	"strconv"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// etcd is the dialect of the etcd layer: revisions in headers, watches that begin
// with a revision, pages by the next key, progress on request.
type etcd struct{}

// These forms have a text so that plans of later versions can be read.
func (etcd) reserved(op *plans.Op) string {
	switch {
	case kubernetesKind(op.Kind) || !known(op.Kind):
		return "the operation " + string(op.Kind) + " is not carried out yet"
	case op.Kind == histories.Transact && op.Txn == nil:
		return "a transaction without a body"
	case op.Kind == histories.Update && op.Expect.Kind == plans.Unset:
		return "an update without rv= has no form at the etcd layer"
	case kubernetesOnly(op):
		return "an option of the Kubernetes layers"
	}
	return ""
}

// known reports whether there is such an operation at any layer.
func known(kind histories.Kind) bool {
	return slices.Contains(histories.Kinds, kind) || kind == plans.FillKind || kind == plans.ExpireKind
}

func kubernetesKind(kind histories.Kind) bool {
	return kind == histories.Patch || kind == histories.DeleteCollection
}

// kubernetesOnly reports whether the operation carries an option that the etcd
// layer does not have.
func kubernetesOnly(op *plans.Op) bool {
	return op.UID.Kind != plans.Unset || op.ResourceVersion.Kind != plans.Unset || op.Match != "" ||
		op.LabelSelector != "" || op.FieldSelector != "" || op.AllowWatchBookmarks ||
		op.SendInitialEvents != nil || op.TimeoutSeconds != 0 || op.DryRun ||
		op.Scope.Shape == histories.Namespace
}

func (etcd) needs(op *plans.Op, target targets.Description) []targets.Feature {
	switch op.Kind {
	case histories.Create, histories.Update:
		return append(leaseNeeds(op), targets.Writes)
	case histories.Delete:
		if op.Expect.Kind != plans.Unset {
			return []targets.Feature{targets.Writes}
		}
		return []targets.Feature{targets.Deletes}
	case histories.Put:
		return append(leaseNeeds(op), targets.Puts)
	case histories.DeleteRange:
		return []targets.Feature{targets.Deletes}
	case plans.FillKind:
		return []targets.Feature{fillFeature(target)}
	case histories.Get, histories.List, histories.Next:
		return append(rangeNeeds(op), targets.Reads)
	case histories.Progress:
		return []targets.Feature{targets.Watches, targets.ProgressOnCall}
	case histories.Watch:
		return watchNeeds(op)
	case histories.Stop, histories.Await:
		return []targets.Feature{targets.Watches}
	case histories.Compact:
		return []targets.Feature{targets.Compaction}
	case histories.Transact:
		return append(nestedNeeds(op.Txn), targets.Transactions)
	case histories.LeaseGrant, histories.LeaseAttach, histories.LeaseKeepAlive, histories.LeaseTimeToLive,
		histories.LeaseRevoke, plans.ExpireKind:
		return []targets.Feature{targets.Leases}
	case histories.Status:
		return []targets.Feature{targets.StatusCalls}
	default:
		return nil
	}
}

func (etcd) resolve(ctx context.Context, r *resolver, op *plans.Op, request *histories.Request) error {
	return r.bind(ctx, op, request)
}

// produced is the revision in the answer of the operation; a tombstone only where it
// removed a key.
func (etcd) produced(_ context.Context, _ *resolver, kind plans.RefKind, label string, o *outcome) (histories.Revision, error) {
	if o.answer.Outcome != histories.OK || o.answer.Revision == 0 {
		return 0, unresolvedf("%s produced no revision", label)
	}
	if kind == plans.Tombstone && !removed(&o.answer) {
		return 0, unresolvedf("%s removed nothing", label)
	}
	return o.answer.Revision, nil
}

// removed reports whether an answer, or a result of a transaction, tells of keys
// that were removed.
func removed(answer *histories.Answer) bool {
	return answer.Deleted > 0 || slices.ContainsFunc(answer.Results, func(result histories.Answer) bool { return removed(&result) })
}

// next goes on behind the last key. The whole chain stays at the revision of its
// first page.
func (etcd) next(op *plans.Op, page *outcome, request *histories.Request) error {
	switch n := len(page.answer.Objects); {
	case page.answer.Outcome != histories.OK:
		return unresolvedf("%s returned no page", op.Of)
	case page.request.SortTarget != "":
		return unresolvedf("%s is sorted, and pages follow the order of keys", op.Of)
	case !page.answer.More || n == 0:
		return unresolvedf("%s was the last page", op.Of)
	default:
		request.Start, request.HasStart = page.answer.Objects[n-1].Key.Name+"\x00", true
	}
	request.KeysOnly, request.Serializable = page.request.KeysOnly, page.request.Serializable
	request.MinModRevision, request.MaxModRevision = page.request.MinModRevision, page.request.MaxModRevision
	request.MinCreateRevision, request.MaxCreateRevision = page.request.MinCreateRevision, page.request.MaxCreateRevision
	request.Revision = page.request.Revision
	if request.Revision <= 0 {
		request.Revision = page.answer.Revision
	}
	return nil
}

func (etcd) resumption(first histories.Revision) histories.Revision { return first }

// fill makes a put where there are puts, else an update from what is known of the key.
func (etcd) fill(e *execution, n int, _ *histories.Answer, request *histories.Request) {
	request.Key = histories.Key{Name: "~fill-" + e.script.lanes[n].Name}
	last, exists := e.known.lastOf(request.Key)
	switch {
	case fillFeature(e.target) == targets.Puts:
		request.Kind = histories.Put
	case exists:
		request.Kind, request.Expect, request.Conditional = histories.Update, last, true
	default:
		request.Kind = histories.Create
	}
}

// witness asks for previous values as well.
func (etcd) witness(first histories.Revision) histories.Request {
	return histories.Request{Kind: histories.Watch, StartRevision: first, PrevKV: true}
}

func (etcd) first(watch *histories.Request) histories.Revision { return watch.StartRevision }

// forgets is false: the server names its compaction.
func (etcd) forgets(*histories.End) bool { return false }

func (d etcd) probe() histories.Request {
	return histories.Request{Kind: histories.Get, Key: d.last(1)}
}

func (etcd) last(n int) histories.Key {
	if n == 1 {
		return histories.Key{Name: "~last"}
	}
	return histories.Key{Name: "~last-" + strconv.Itoa(n)}
}

// mark is never needed: what does not show the last write is asked for progress.
func (etcd) mark(*histories.Request, int) (histories.Request, bool) {
	return histories.Request{}, false
}

func (etcd) takes(watch *histories.Request, object *histories.Object) bool {
	return watch.Scope.Contains(object.Key)
}

func (etcd) shows(watch *histories.Request, key histories.Key, revision histories.Revision) bool {
	return !slices.Contains(watch.Filters, histories.NoPut) && watch.StartRevision <= revision && watch.Scope.Contains(key)
}

func (etcd) certain(*histories.Request) bool { return true }

func (etcd) progresses(target targets.Description) bool {
	_, missing := target.Unsupported[targets.ProgressOnCall]
	return !missing
}
