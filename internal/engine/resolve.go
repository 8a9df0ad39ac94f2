package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// unresolved is the reason why an operation is skipped: it refers to something
// that did not happen.
type unresolved string

func (u unresolved) Error() string { return string(u) }

func unresolvedf(format string, args ...any) error { return unresolved(fmt.Sprintf(format, args...)) }

// resolver turns the symbolic operands of one operation into a request.
type resolver struct {
	script *script
	known  *knowledge
	step   *step
}

// request resolves everything but the operation that next, stop, await and
// progress are about.
func (r *resolver) request(ctx context.Context) (histories.Request, error) {
	op := r.step.op
	request := histories.Request{
		Kind: op.Kind, Key: op.Key, Scope: op.Scope, Labels: op.Labels, Size: op.Size,
		Limit: op.Limit, Start: op.Start, HasStart: op.HasStart,
		CountOnly: op.CountOnly, KeysOnly: op.KeysOnly, Serializable: op.Serializable,
		PrevKV: op.PrevKV, ProgressNotify: op.ProgressNotify, Physical: op.Physical, TTL: op.TTL,
		Conditional: op.Expect.Kind != plans.Unset,
	}
	for _, operand := range []struct {
		ref  plans.Ref
		into *histories.Revision
	}{
		{op.Expect, &request.Expect},
		{op.Revision, &request.Revision},
		{op.StartRevision, &request.StartRevision},
	} {
		revision, err := r.revision(ctx, operand.ref)
		if err != nil {
			return request, err
		}
		*operand.into = revision
	}
	return request, nil
}

// revision resolves one reference; an unset one is zero.
func (r *resolver) revision(ctx context.Context, ref plans.Ref) (histories.Revision, error) {
	base, err := r.base(ctx, ref)
	return add(base, ref.Offset), err
}

func (r *resolver) base(ctx context.Context, ref plans.Ref) (histories.Revision, error) {
	switch ref.Kind {
	case plans.Unset, plans.Number:
		return 0, nil
	case plans.Now:
		return r.known.now(), nil
	case plans.Compacted:
		if revision, ok := r.known.compaction(); ok {
			return revision, nil
		}
		return 0, unresolved("no compaction was acknowledged")
	case plans.Last:
		if revision, ok := r.known.lastOf(r.ownKey()); ok {
			return revision, nil
		}
		return 0, unresolved("no RV of the key is known")
	case plans.RV, plans.Tombstone:
		return r.produced(ctx, ref)
	default:
		return 0, unresolvedf("a reference %s(…) is not carried out yet", ref.Kind)
	}
}

// ownKey is the key that the operation is about, for watches and lists that of
// their scope.
func (r *resolver) ownKey() histories.Key {
	if r.step.op.Kind == histories.List || r.step.op.Kind == histories.Watch {
		return r.step.op.Scope.Key
	}
	return r.step.op.Key
}

// produced is the revision that the answer of the labelled operation carried; a
// tombstone only where that operation removed a key.
func (r *resolver) produced(ctx context.Context, ref plans.Ref) (histories.Revision, error) {
	o, err := r.happened(ctx, ref.Label)
	if err != nil {
		return 0, err
	}
	if o.answer.Outcome != histories.OK || o.answer.Revision == 0 {
		return 0, unresolvedf("%s produced no revision", ref.Label)
	}
	if ref.Kind == plans.Tombstone && (o.request.Kind != histories.Delete || o.answer.Deleted == 0) {
		return 0, unresolvedf("%s removed nothing", ref.Label)
	}
	return o.answer.Revision, nil
}

// happened returns the outcome of the labelled operation. Of an operation that
// stands earlier in the plan's text it waits for the end: those waits all point
// upwards, so no two lanes can wait for each other. A later one counts only if it
// is over already.
func (r *resolver) happened(ctx context.Context, label string) (*outcome, error) {
	o := r.script.results[label]
	if o == nil {
		return nil, unresolvedf("nothing is labelled %s", label)
	}
	if o.line < r.step.line {
		select {
		case <-o.done:
		case <-ctx.Done():
			return nil, unresolved("the run was interrupted")
		}
	}
	select {
	case <-o.done:
	default:
		return nil, unresolvedf("%s has not happened yet", label)
	}
	if !o.happened {
		return nil, unresolvedf("%s did not happen", label)
	}
	return o, nil
}

// next completes the request for the page that follows the one labelled Of. The
// whole chain stays at the revision of its first page.
func (r *resolver) next(ctx context.Context, request *histories.Request) error {
	page, err := r.happened(ctx, r.step.op.Of)
	if err != nil {
		return err
	}
	switch n := len(page.answer.Objects); {
	case !isPage(page.request.Kind):
		return unresolvedf("%s is no list", r.step.op.Of)
	case page.answer.Outcome != histories.OK:
		return unresolvedf("%s returned no page", r.step.op.Of)
	case !page.answer.More || n == 0:
		return unresolvedf("%s was the last page", r.step.op.Of)
	default:
		request.Start, request.HasStart = page.answer.Objects[n-1].Key.Name+"\x00", true
	}
	request.Of, request.Scope = page.id, page.request.Scope
	request.KeysOnly, request.Serializable = page.request.KeysOnly, page.request.Serializable
	if request.Limit == 0 {
		request.Limit = page.request.Limit
	}
	request.Revision = page.request.Revision
	if request.Revision <= 0 {
		request.Revision = page.answer.Revision
	}
	return nil
}

func isPage(kind histories.Kind) bool { return kind == histories.List || kind == histories.Next }

// add adds without wrapping around.
func add(base histories.Revision, offset int64) histories.Revision {
	sum := base + histories.Revision(offset)
	switch {
	case offset > 0 && sum < base:
		return math.MaxInt64
	case offset < 0 && sum > base:
		return math.MinInt64
	}
	return sum
}
