package reducer

import (
	"fmt"
	"slices"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// What shows a fault of a whole family best is often no part of the plan that failed: a read of
// everything sees more of a race than the read of one key that happened to.

// families are such plans, for a finding of this kind.
func families(plan plans.Plan, c cone) []plans.Plan {
	var all []plans.Plan
	for _, line := range c.suspects() {
		op := plan.Steps[line-plans.Line(0)].Op
		all = slices.Concat(all, readings(plan, op), contests(plan, op), leased(plan, op))
	}
	if c.stream {
		all = append(all, busiest(plan), withSteps(plan, []plans.Step{writer("c1")}))
		all = append(append(all, backlogs(plan)...), shared(plan)...)
	}
	return all
}

// beset returns a plan of one lane with another client beside it that writes all the
// time: what needs only that some other call is in flight shows often then.
func beset(plan plans.Plan) plans.Plan {
	return withSteps(plan, append(slices.Clone(plan.Steps), writer("c2")))
}

// writer is a step that writes all the time.
func writer(lane string) plans.Step {
	const writes = 20
	return plans.Step{Op: &plans.Op{Kind: plans.FillKind, Lane: lane, Endpoint: 1, Fill: writes}}
}

// inFirst is a step of the first client, at the first endpoint if not at another.
func inFirst(op plans.Op) plans.Step {
	op.Lane, op.Endpoint = "c1", max(op.Endpoint, 1)
	return plans.Step{Op: &op}
}

// busiest is a plain watch over everything that is told its progress while two clients
// write all the time. What comes on a stream is no call: it comes in the middle of calls
// that overlap only where two others are made, and a narrow watch hears of few writes.
func busiest(plan plans.Plan) plans.Plan {
	all := []plans.Step{inFirst(plans.Op{Kind: histories.Watch, Label: "w1"})}
	if plan.Layer == histories.EtcdLayer {
		all = append(all, inFirst(plans.Op{Kind: histories.Progress, Of: "w1"}))
	}
	return beset(withSteps(plan, append(all, writer("c1"))))
}

// backlogs are plans of a plain watch that has to catch up with many changes, and, where
// the plan compacts, of a compaction meanwhile.
func backlogs(plan plans.Plan) []plans.Plan {
	const many = 50
	from := plans.Ref{Kind: plans.Number, Offset: firstRevision}
	watch := plans.Op{Kind: histories.Watch, Label: "w1", ResourceVersion: from}
	if plan.Layer == histories.EtcdLayer {
		watch.StartRevision, watch.ResourceVersion = from, plans.Ref{}
	}
	behind := []plans.Step{inFirst(plans.Op{Kind: plans.FillKind, Fill: many}), inFirst(watch)}
	var all []plans.Plan
	if plan.Layer == histories.EtcdLayer {
		all = append(all, withSteps(plan, append(slices.Clone(behind), inFirst(plans.Op{Kind: histories.Progress, Of: "w1"}))))
	} else {
		all = append(all, withSteps(plan, behind))
	}
	if slices.ContainsFunc(plan.Steps, func(s plans.Step) bool { return s.Op != nil && s.Op.Kind == histories.Compact }) {
		compact := inFirst(plans.Op{Kind: histories.Compact, Revision: plans.Ref{Kind: plans.Now}})
		all = append(all, withSteps(plan, append(slices.Clone(behind), compact)))
	}
	return all
}

// shared are plans of two watches on one transport stream, of everything and of one key,
// that are told their progress while two clients write all the time.
func shared(plan plans.Plan) []plans.Plan {
	if !slices.ContainsFunc(plan.Steps, func(s plans.Step) bool { return s.Op != nil && s.Op.On != "" }) {
		return nil
	}
	one := histories.Scope{Shape: histories.Single, Key: histories.Key{Name: "a"}}
	var all []plans.Plan
	for _, scopes := range [][]histories.Scope{{{}, one}, {one, {}}} {
		all = append(all, beset(withSteps(plan, []plans.Step{
			inFirst(plans.Op{Kind: histories.Watch, Label: "w1", Scope: scopes[0]}),
			inFirst(plans.Op{Kind: histories.Watch, Label: "w2", Scope: scopes[1], On: "w1"}),
			inFirst(plans.Op{Kind: histories.Progress, Of: "w2"}),
			writer("c1"),
		})))
	}
	return all
}

// readings are plans of a read of everything, asked for as this one or plainly, or of its
// pages, while another client writes all the time, before it there is an object, or none; or
// while the first two objects come to be. A narrow read sees few writes, and what a limit or a
// count shows changes only with the number of objects.
func readings(plan plans.Plan, op *plans.Op) []plans.Plan {
	if !op.Kind.IsRead() {
		return nil
	}
	plainly := plans.Op{Kind: histories.List, Endpoint: op.Endpoint, Serializable: op.Serializable}
	if op.ResourceVersion.Kind == plans.Number {
		plainly.ResourceVersion, plainly.Match = op.ResourceVersion, op.Match
	}
	asked := plainly
	asked.Limit, asked.CountOnly, asked.KeysOnly = min(op.Limit, 1), op.CountOnly, op.KeysOnly
	ways := [][]plans.Step{{inFirst(asked)}}
	switch {
	case op.Kind == histories.Next:
		asked.Label, asked.Limit = "l1", 1
		ways = [][]plans.Step{{inFirst(asked), inFirst(plans.Op{Kind: histories.Next, Endpoint: op.Endpoint, Of: "l1"})}}
	case asked.Limit != 0 || asked.CountOnly || asked.KeysOnly:
		ways = append(ways, []plans.Step{inFirst(plainly)})
	}
	before := []plans.Step{inFirst(plans.Op{Kind: plans.FillKind, Fill: 2})}
	var all []plans.Plan
	for _, reads := range ways {
		all = append(all,
			beset(withSteps(plan, reads)), beset(withSteps(plan, append(slices.Clone(before), reads...))),
			withSteps(plan, append(slices.Clone(reads), inLane("c2", 1, firstTwo(plan.Layer))...)))
	}
	return all
}

// firstTwo make two objects, at once where there are transactions.
func firstTwo(layer histories.Layer) []plans.Step {
	put := func(name string) plans.Op { return plans.Op{Kind: histories.Put, Key: histories.Key{Name: name}} }
	if layer == histories.EtcdLayer {
		return []plans.Step{inFirst(plans.Op{Kind: histories.Transact, Txn: &plans.Txn{Then: []plans.Op{put("a"), put("b")}}})}
	}
	create := func(name string) plans.Step {
		return inFirst(plans.Op{Kind: histories.Create, Key: histories.Key{Namespace: plainNamespace, Name: name}})
	}
	return []plans.Step{create("a"), create("b")}
}

// contests are plans of one object that several clients write at once, or that one of them
// reads meanwhile, or writes on a condition.
func contests(plan plans.Plan, op *plans.Op) []plans.Plan {
	key := histories.Key{Namespace: op.Key.Namespace, Name: "a"}
	before := []plans.Step{inFirst(plans.Op{Kind: histories.Create, Key: key, Label: "a1"}), {Barrier: true}}
	after := func(ops ...plans.Op) plans.Plan {
		return withSteps(plan, append(slices.Clone(before), atOnce(ops...)...))
	}
	asked, other := plans.Op{Kind: op.Kind, Endpoint: op.Endpoint, Key: key, Serializable: op.Serializable}, plans.Op{Kind: histories.Put, Key: key}
	if plan.Layer != histories.EtcdLayer {
		other.Kind = histories.Patch
	}
	switch op.Kind {
	case histories.Get:
		created := plans.Ref{Kind: plans.RV, Label: "a1"}
		if op.Revision.Kind != plans.Unset {
			asked.Revision = created
		}
		switch op.ResourceVersion.Kind {
		case plans.Unset, plans.Number:
			asked.ResourceVersion = op.ResourceVersion
		default:
			asked.ResourceVersion = created
		}
		return []plans.Plan{after(asked, other, other)}
	case histories.Create, histories.Put: // they have no condition
		return []plans.Plan{withSteps(plan, atOnce(asked, asked, asked)), after(asked, other, other)}
	case histories.Update, histories.Delete, histories.Patch:
		expecting := func(expect plans.Ref) plans.Op {
			write := asked
			write.Expect = expect
			return write
		}
		absent, last, never := expecting(plans.Ref{Kind: plans.Number}), expecting(plans.Ref{Kind: plans.Last}), expecting(plans.Ref{Kind: plans.Number, Offset: 1})
		return []plans.Plan{
			withSteps(plan, atOnce(absent, absent, absent)), withSteps(plan, atOnce(absent, other, other)),
			after(last, last, last), after(last, other, other), after(never, other, other),
		}
	default:
		return nil
	}
}

// leased are plans of a lease that has one key and ends soon, and of what was asked of one.
func leased(plan plans.Plan, op *plans.Op) []plans.Plan {
	if !isLease(op.Kind) && op.Lease == "" {
		return nil
	}
	lease := []plans.Step{
		inFirst(plans.Op{Kind: histories.LeaseGrant, Label: "g1", TTL: briefTTL}),
		inFirst(plans.Op{Kind: histories.Put, Key: histories.Key{Name: "a"}, Lease: "g1"}),
	}
	switch op.Kind {
	case histories.LeaseKeepAlive, histories.LeaseTimeToLive, histories.LeaseRevoke:
		asked := inFirst(plans.Op{Kind: op.Kind, Endpoint: op.Endpoint, Lease: "g1"})
		return []plans.Plan{withSteps(plan, lease), withSteps(plan, append(slices.Clone(lease), asked))}
	default:
		return []plans.Plan{withSteps(plan, lease)}
	}
}

// atOnce gives each operation to a client of its own.
func atOnce(ops ...plans.Op) []plans.Step {
	var all []plans.Step
	for i, op := range ops {
		op.Lane, op.Endpoint = fmt.Sprintf("c%d", i+1), max(op.Endpoint, 1)
		all = append(all, plans.Step{Op: &op})
	}
	return all
}

// outright are plans of one lane in which an operation asks for something that needs no other
// client: a revision at an end of the history, or a condition that certainly fails. All that
// came before it still does, or, where it writes one object, that object's create alone.
func outright(plan plans.Plan, order []deed, line int) []plans.Plan {
	i := slices.IndexFunc(order, func(d deed) bool { return d.line == line })
	if i < 0 {
		return nil
	}
	op := order[i].step.Op
	v := &variation{layer: plan.Layer, op: op}
	v.asked()
	var all []plans.Plan
	for _, variant := range v.found {
		changed := slices.Clone(order)
		changed[i].step.Op = variant
		all = append(all, serial(plan, changed))
		if op.Kind.IsWrite() && op.Key.Name != "" && op.Kind != histories.Create {
			create := inFirst(plans.Op{Kind: histories.Create, Key: op.Key})
			all = append(all, withSteps(plan, append([]plans.Step{create}, inLane("c1", 1, []plans.Step{{Op: variant}})...)))
		}
	}
	return all
}
