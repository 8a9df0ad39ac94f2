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
	layer  dialect
	script *script
	known  *knowledge
	step   *step
}

// request resolves everything but the operation that next, stop, await and
// progress are about. The operation is that of the step, or one inside it.
func (r *resolver) request(ctx context.Context, op *plans.Op) (histories.Request, error) {
	request := plain(op)
	own := ownKey(op)
	for _, operand := range []struct {
		ref  plans.Ref
		into *histories.Revision
	}{
		{op.Expect, &request.Expect},
		{op.Revision, &request.Revision},
		{op.StartRevision, &request.StartRevision},
		{op.MinMod, &request.MinModRevision},
		{op.MaxMod, &request.MaxModRevision},
		{op.MinCreate, &request.MinCreateRevision},
		{op.MaxCreate, &request.MaxCreateRevision},
	} {
		revision, err := r.revision(ctx, operand.ref, own)
		if err != nil {
			return request, err
		}
		*operand.into = revision
	}
	if err := r.layer.resolve(ctx, r, op, &request); err != nil {
		return request, err
	}
	if op.Txn == nil {
		return request, nil
	}
	var err error
	request.Txn, err = r.txn(ctx, op.Txn)
	return request, err
}

// plain is the part of a request that needs no resolution.
func plain(op *plans.Op) histories.Request {
	request := histories.Request{
		Kind: op.Kind, Key: op.Key, Scope: op.Scope, Labels: op.Labels, Size: op.Size,
		Limit: op.Limit, Start: op.Start, HasStart: op.HasStart,
		CountOnly: op.CountOnly, KeysOnly: op.KeysOnly, Serializable: op.Serializable,
		SortTarget: op.Sort, SortOrder: op.Order,
		PrevKV: op.PrevKV, ProgressNotify: op.ProgressNotify, Fragment: op.Fragment, Physical: op.Physical, TTL: op.TTL,
		Conditional: op.Expect.Kind != plans.Unset,
	}
	if op.Kind == histories.Watch {
		request.WatchID = op.ID
	}
	if op.NoPut {
		request.Filters = append(request.Filters, histories.NoPut)
	}
	if op.NoDelete {
		request.Filters = append(request.Filters, histories.NoDelete)
	}
	return request
}

// revision resolves one reference; an unset one is zero. Last is that of the key.
func (r *resolver) revision(ctx context.Context, ref plans.Ref, own histories.Key) (histories.Revision, error) {
	base, err := r.base(ctx, ref, own)
	return add(base, ref.Offset), err
}

func (r *resolver) base(ctx context.Context, ref plans.Ref, own histories.Key) (histories.Revision, error) {
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
		if revision, ok := r.known.lastOf(own); ok {
			return revision, nil
		}
		return 0, unresolved("no RV of the key is known")
	case plans.RV, plans.Tombstone:
		return r.produced(ctx, ref)
	case plans.After:
		return r.after(ctx, ref.Label)
	default:
		return 0, unresolvedf("a reference %s(…) is not carried out yet", ref.Kind)
	}
}

// ownKey is the key that the operation is about, for what has a scope that of the
// scope.
func ownKey(op *plans.Op) histories.Key {
	switch op.Kind {
	case histories.List, histories.Watch, histories.DeleteRange, histories.DeleteCollection:
		return op.Scope.Key
	default:
		return op.Key
	}
}

// produced is the revision that the labelled operation stands for.
func (r *resolver) produced(ctx context.Context, ref plans.Ref) (histories.Revision, error) {
	o, err := r.happened(ctx, ref.Label)
	if err != nil {
		return 0, err
	}
	return r.layer.produced(ctx, r, ref.Kind, ref.Label, o)
}

// after is what a watch names that takes over from the labelled one.
func (r *resolver) after(ctx context.Context, label string) (histories.Revision, error) {
	s, err := r.stream(ctx, label)
	if err != nil {
		return 0, err
	}
	if start := s.following(); start != 0 {
		return r.layer.resumption(start), nil
	}
	// A watch from now that has delivered nothing began at its answer at the latest.
	if answered := r.script.results[label].answer.Revision; answered > 0 {
		return answered + 1, nil
	}
	return 0, unresolvedf("nothing tells where %s began", label)
}

// stream is the stream that the labelled watch opened.
func (r *resolver) stream(ctx context.Context, label string) (*stream, error) {
	watch, err := r.happened(ctx, label)
	if err != nil {
		return nil, err
	}
	if watch.stream == nil {
		return nil, unresolvedf("%s opened no stream", label)
	}
	return watch.stream, nil
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

// next completes the request for the page that follows the one labelled Of.
func (r *resolver) next(ctx context.Context, request *histories.Request) error {
	page, err := r.happened(ctx, r.step.op.Of)
	if err != nil {
		return err
	}
	if !isPage(page.request.Kind) {
		return unresolvedf("%s is no list", r.step.op.Of)
	}
	request.Of, request.Scope = page.id, page.request.Scope
	if request.Limit == 0 {
		request.Limit = page.request.Limit
	}
	return r.layer.next(r.step.op, page, request)
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
