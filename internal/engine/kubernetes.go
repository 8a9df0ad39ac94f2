package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/models/kube"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// kubernetes is the dialect of the Kubernetes API: RVs of objects, watches from
// behind an RV, pages by tokens, bookmarks that come when the server likes.
type kubernetes struct {
	// home is the namespace of what the run adds to a plan, empty where objects have none.
	home string
}

// home is a namespace that every space has whose objects are in namespaces.
const home = "a"

// tombstoneWait is how long a lane waits until a watch shows the revision of a delete
// that was answered.
const tombstoneWait = time.Second

func (kubernetes) reserved(op *plans.Op) string {
	switch {
	case etcdKind(op.Kind) || !known(op.Kind):
		return "the operation " + string(op.Kind) + " has no form at the Kubernetes layers"
	case op.Key.Resource != "" || op.Scope.Key.Resource != "":
		return "a resource besides the run's own"
	case op.Revision.Kind != plans.Unset && op.Kind.IsRead() || op.StartRevision.Kind != plans.Unset:
		return "an option of the etcd layer"
	}
	return ""
}

// etcdKind reports whether only the etcd layer has such operations.
func etcdKind(kind histories.Kind) bool {
	switch kind {
	case histories.Progress, histories.Put, histories.DeleteRange, histories.Transact, histories.LeaseGrant,
		histories.LeaseAttach, histories.LeaseKeepAlive, histories.LeaseTimeToLive, histories.LeaseRevoke,
		histories.Status, plans.ExpireKind:
		return true
	default:
		return false
	}
}

func (kubernetes) needs(op *plans.Op, _ targets.Description) []targets.Feature {
	switch op.Kind {
	case histories.Create, histories.Update, histories.Patch, histories.Delete, histories.DeleteCollection, plans.FillKind:
		return append(kubeWriteNeeds(op), targets.Writes)
	case histories.Get, histories.List, histories.Next:
		return append(kubeReadNeeds(op), targets.Reads)
	case histories.Watch:
		return append(kubeReadNeeds(op), targets.Watches)
	case histories.Stop, histories.Await:
		return []targets.Feature{targets.Watches}
	case histories.Compact:
		return []targets.Feature{targets.Compaction}
	default:
		return nil
	}
}

// kubeWriteNeeds are what a write needs beyond that there are writes.
func kubeWriteNeeds(op *plans.Op) []targets.Feature {
	return wanted(map[targets.Feature]bool{
		targets.Namespaces:           namespaced(op),
		targets.UnconditionalUpdates: op.Kind == histories.Update && unconditional(op.Expect),
		targets.Patches:              op.Kind == histories.Patch && op.Patch != histories.ApplyPatch,
		targets.Applies:              op.Kind == histories.Patch && op.Patch == histories.ApplyPatch,
		targets.DeleteCollections:    op.Kind == histories.DeleteCollection,
		targets.Finalizers:           op.Finalizers != "" || op.ClearFinalizers,
		targets.Statuses:             op.Status,
		targets.DryRuns:              op.DryRun,
		targets.GeneratedNames:       op.GenerateName,
		targets.Selectors:            op.LabelSelector != "" || op.FieldSelector != "",
	})
}

// unconditional reports whether an update names no resource version; zero is none.
func unconditional(expect plans.Ref) bool {
	return expect.Kind == plans.Unset || expect == plans.Ref{Kind: plans.Number}
}

// kubeReadNeeds are what a read or a watch needs beyond that there are any.
func kubeReadNeeds(op *plans.Op) []targets.Feature {
	return wanted(map[targets.Feature]bool{
		targets.Namespaces:       namespaced(op),
		targets.Selectors:        op.LabelSelector != "" || op.FieldSelector != "",
		targets.WatchLists:       op.SendInitialEvents != nil,
		targets.Encodings:        op.Encoding != "" && op.Encoding != histories.Protobuf,
		targets.ProtobufEncoding: op.Encoding == histories.Protobuf,
	})
}

// namespaced reports whether an operation names a namespace.
func namespaced(op *plans.Op) bool {
	return op.Key.Namespace != "" || op.Scope.Key.Namespace != "" || strings.Contains(op.FieldSelector, "metadata.namespace")
}

// wanted are the features that are, in the order of targets.Features.
func wanted(features map[targets.Feature]bool) []targets.Feature {
	var found []targets.Feature
	for _, feature := range targets.Features {
		if features[feature] {
			found = append(found, feature)
		}
	}
	return found
}

func (kubernetes) resolve(ctx context.Context, r *resolver, op *plans.Op, request *histories.Request) error {
	options := histories.KubeOptions{
		ResourceVersion: op.RawResourceVersion, ResourceVersionMatch: op.Match,
		LabelSelector: op.LabelSelector, FieldSelector: op.FieldSelector, AllowWatchBookmarks: op.AllowWatchBookmarks,
		SendInitialEvents: op.SendInitialEvents, TimeoutSeconds: op.TimeoutSeconds, DryRun: op.DryRun,
		Patch: op.Patch, Force: op.Force, ClearFinalizers: op.ClearFinalizers, NoOp: op.NoOp, Status: op.Status,
		GenerateName: op.GenerateName, Encoding: op.Encoding, Slow: op.Slow,
	}
	if op.Kind == histories.Patch && op.Patch == "" {
		options.Patch = histories.MergePatch
	}
	if op.Finalizers != "" {
		options.Finalizers = strings.Split(op.Finalizers, ",")
	}
	if op.ResourceVersion.Kind != plans.Unset && op.RawResourceVersion == "" {
		revision, err := r.revision(ctx, op.ResourceVersion, ownKey(op))
		if err != nil {
			return err
		}
		options.ResourceVersion = revision.String()
	}
	if !isPlain(&options) {
		request.Kube = &options
	}
	var err error
	request.ExpectUID, err = r.uid(ctx, op.UID, op.Key)
	return err
}

// isPlain reports whether no option is set.
func isPlain(o *histories.KubeOptions) bool {
	return o.ResourceVersion == "" && o.ResourceVersionMatch == "" && o.LabelSelector == "" && o.FieldSelector == "" &&
		!o.AllowWatchBookmarks && o.SendInitialEvents == nil && o.TimeoutSeconds == 0 && !o.DryRun && o.Patch == "" &&
		!o.Force && o.Finalizers == nil && !o.ClearFinalizers && !o.NoOp && !o.Status && !o.GenerateName && o.Encoding == "" && !o.Slow
}

// uid resolves a precondition on the uid; an unset one is empty.
func (r *resolver) uid(ctx context.Context, ref plans.Ref, own histories.Key) (string, error) {
	switch ref.Kind {
	case plans.Unset:
		return "", nil
	case plans.Number:
		return fmt.Sprintf("00000000-0000-4000-8000-%012d", ref.Offset), nil
	case plans.Last:
		if uid, ok := r.known.uidOf(own); ok {
			return uid, nil
		}
		return "", unresolved("no uid of the key is known")
	default:
		o, err := r.happened(ctx, ref.Label)
		if err != nil {
			return "", err
		}
		if uid := uidOf(&o.answer); uid != "" {
			return uid, nil
		}
		return "", unresolvedf("%s showed no uid", ref.Label)
	}
}

// uidOf is the uid of the object that an answer is about, empty where it shows none.
func uidOf(answer *histories.Answer) string {
	if uid := answer.Details().UID; uid != "" {
		return uid
	}
	if answer.Outcome == histories.OK && len(answer.Objects) == 1 {
		return answer.Objects[0].UID
	}
	return ""
}

// produced is the revision of a list or a create, or the RV of the one object that
// the answer shows. A tombstone is what the watches have shown of the uid.
func (kubernetes) produced(ctx context.Context, r *resolver, kind plans.RefKind, label string, o *outcome) (histories.Revision, error) {
	answer := &o.answer
	switch {
	case answer.Outcome != histories.OK:
		return 0, unresolvedf("%s produced no revision", label)
	case kind == plans.Tombstone:
		return r.buried(ctx, label, o)
	case answer.Revision > 0:
		return answer.Revision, nil
	case len(answer.Objects) == 1 && answer.Objects[0].RV > 0:
		return answer.Objects[0].RV, nil
	}
	return 0, unresolvedf("%s produced no revision", label)
}

// buried is the revision of the tombstone of the object that a delete was about. It
// waits for it a little where the object is gone; one that was only marked may stay.
func (r *resolver) buried(ctx context.Context, label string, o *outcome) (histories.Revision, error) {
	uid := uidOf(&o.answer)
	if uid == "" {
		return 0, unresolvedf("%s showed no uid", label)
	}
	wait := tombstoneWait
	if len(o.answer.Objects) > 0 || o.request.Options().DryRun {
		wait = 0
	}
	ctx, done := context.WithTimeout(ctx, wait)
	defer done()
	if revision, ok := r.known.tombstone(ctx, uid); ok {
		return revision, nil
	}
	return 0, unresolvedf("no watch has shown that %s removed anything", label)
}

// next sends the token of the page, or of the error that offers to go on
// inconsistently, with everything else as it was (PAGE-08, PAGE-10).
func (kubernetes) next(op *plans.Op, page *outcome, request *histories.Request) error {
	token := page.answer.Continue
	switch {
	case token == "" && page.answer.Outcome != histories.OK:
		return unresolvedf("%s returned no page", op.Of)
	case token == "":
		return unresolvedf("%s was the last page", op.Of)
	case op.Damaged:
		token = damage(token)
	}
	options, before := request.Options(), page.request.Options()
	options.Continue = token
	options.LabelSelector, options.FieldSelector = before.LabelSelector, before.FieldSelector
	if options.Encoding == "" {
		options.Encoding = before.Encoding
	}
	request.Kube = &options
	return nil
}

// damage changes the first character of a token, so that nothing can be left of its
// meaning: further behind it might become the token of another page.
func damage(token string) string {
	first := "A"
	if strings.HasPrefix(token, first) {
		first = "B"
	}
	return first + token[1:]
}

// resumption is the revision before: a watch begins behind what it names.
func (kubernetes) resumption(first histories.Revision) histories.Revision { return first - 1 }

// fill makes patches of one object, which it creates where it is not there.
func (d kubernetes) fill(e *execution, n int, before *histories.Answer, request *histories.Request) {
	request.Key = histories.Key{Namespace: d.home, Name: "fill-" + strconv.Itoa(n+1)}
	request.Kind, request.Kube, request.Conditional = histories.Patch, &histories.KubeOptions{Patch: histories.MergePatch}, false
	last, exists := e.known.lastOf(request.Key)
	gone := before != nil && before.Error != nil && before.Error.Class == histories.NotFound
	switch {
	case !exists || gone:
		request.Kind, request.Kube = histories.Create, nil
	case !e.supports(targets.Patches):
		request.Kind, request.Kube, request.Expect, request.Conditional = histories.Update, nil, last, true
	}
}

// witness asks for bookmarks as well.
func (d kubernetes) witness(first histories.Revision) histories.Request {
	options := histories.KubeOptions{AllowWatchBookmarks: true}
	if first > 0 {
		options.ResourceVersion = d.resumption(first).String()
	}
	return histories.Request{Kind: histories.Watch, Kube: &options}
}

// first is the revision after the resource version; without one, or with 0, the watch
// begins with a state that only the server knows, and so it does with initial events.
func (kubernetes) first(watch *histories.Request) histories.Revision {
	options := watch.Options()
	from, err := strconv.ParseInt(options.ResourceVersion, 10, 64)
	if err != nil || from <= 0 || options.SendInitialEvents != nil && *options.SendInitialEvents {
		return 0
	}
	return add(histories.Revision(from), 1)
}

func (kubernetes) forgets(end *histories.End) bool {
	return end != nil && end.Reason == histories.EndCompacted
}

func (kubernetes) probe() histories.Request { return histories.Request{Kind: histories.List, Limit: 1} }

func (d kubernetes) last(n int) histories.Key {
	if n == 1 {
		return histories.Key{Namespace: d.home, Name: "last"}
	}
	return histories.Key{Namespace: d.home, Name: "last-" + strconv.Itoa(n)}
}

// mark is the create of an object in the watch's namespace, with labels that its selector takes.
func (d kubernetes) mark(watch *histories.Request, n int) (histories.Request, bool) {
	object, ok := kube.Example(watch, histories.Key{Namespace: d.home, Name: "mark-" + strconv.Itoa(n)})
	return histories.Request{Kind: histories.Create, Key: object.Key, Labels: object.Labels}, ok && !watch.Options().Slow
}

func (kubernetes) takes(watch *histories.Request, object *histories.Object) bool {
	return !watch.Options().Slow && kube.Shows(watch, object)
}

// shows is false where selectors may hide the object, and where the client reads so
// slowly that nobody can tell when it arrives.
func (d kubernetes) shows(watch *histories.Request, key histories.Key, revision histories.Revision) bool {
	options := watch.Options()
	return !options.Slow && options.LabelSelector == "" && options.FieldSelector == "" &&
		d.first(watch) <= revision && watch.Scope.Contains(key)
}

// certain is false of a watch that begins with a state: it need not show what was gone by
// then.
func (d kubernetes) certain(watch *histories.Request) bool { return d.first(watch) > 0 }

func (kubernetes) progresses(targets.Description) bool { return false }
