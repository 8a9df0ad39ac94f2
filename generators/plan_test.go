package generators

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// operations are all operations of a plan, in text order.
func operations(plan plans.Plan) []*plans.Op {
	var ops []*plans.Op
	for _, step := range plan.Steps {
		if step.Op != nil {
			ops = append(ops, step.Op)
		}
	}
	return ops
}

var config = rapid.Custom(func(t *rapid.T) Config {
	c := Config{
		Clients:    rapid.IntRange(0, 5).Draw(t, "clients"),
		Steps:      rapid.IntRange(0, 90).Draw(t, "steps"),
		Endpoints:  rapid.IntRange(0, 3).Draw(t, "endpoints"),
		Swarm:      rapid.Bool().Draw(t, "swarm"),
		Scenes:     rapid.Bool().Draw(t, "scenes"),
		PlainNames: rapid.Bool().Draw(t, "plain"),
		Fill:       rapid.IntRange(-1, 20).Draw(t, "fill"),
		Patience:   rapid.IntRange(-1, 100).Draw(t, "patience"),
	}
	if rapid.Bool().Draw(t, "limited") {
		c.Unsupported = map[targets.Feature]string{}
		for _, feature := range features {
			if rapid.Bool().Draw(t, string(feature)) {
				c.Unsupported[feature] = "for this test"
			}
		}
	}
	return c
})

var features = []targets.Feature{
	targets.Writes, targets.Reads, targets.Watches, targets.Compaction, targets.ProgressOnCall, targets.Puts,
	targets.Ranges, targets.RangeOptions, targets.ManyEndpoints, targets.Transactions, targets.Leases,
	targets.WatchOptions, targets.StatusCalls, targets.Deletes, targets.Serializable, targets.SortedReads,
	targets.RevisionBounds, targets.WatchIDs, targets.SharedStreams, targets.HugeLimits,
}

func TestPlansAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := Plan(config.Draw(t, "config")).Draw(t, "plan")
		if err := plan.Validate(); err != nil {
			t.Log(err)
			t.Log(plans.Format(plan))
			t.Fatal("a drawn plan is not valid")
		}
		parsed, err := plans.Parse(plans.Format(plan), "plan")
		if d := cmp.Diff(plan, parsed); err != nil || d != "" {
			t.Log(err, d)
			t.Fatal("the text of a drawn plan is another plan")
		}
	})
}

func TestPlansKeepWithinTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := config.Draw(t, "config").withDefaults()
		plan := Plan(cfg).Draw(t, "plan")
		ops, lanes := operations(plan), plan.Lanes()
		t.Log(plans.Format(plan))
		if len(ops) > cfg.Steps || len(ops) < cfg.Steps/2 {
			t.Fatal("a plan has too many or too few operations")
		}
		if len(lanes) < 1 || len(lanes) > cfg.Clients {
			t.Fatal("a plan has too many lanes")
		}
		for i := range lanes {
			if !slices.ContainsFunc(lanes, func(l plans.Lane) bool { return l.Name == "c"+string(rune('1'+i)) }) {
				t.Fatal("a client has no work")
			}
			if lanes[i].Endpoint > cfg.Endpoints {
				t.Fatal("a lane is on an endpoint that is not there")
			}
		}
	})
}

func TestUnsupportedFeaturesAreLeftOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := config.Draw(t, "config")
		for _, op := range operations(Plan(cfg).Draw(t, "plan")) {
			for _, feature := range needs(op) {
				if _, missing := cfg.Unsupported[feature]; missing && !isLastResort(cfg, op) {
					t.Log(plans.FormatOp(*op, histories.EtcdLayer))
					t.Fatal("an operation needs a feature that is not there")
				}
			}
		}
	})
}

// isLastResort: where nothing else can be done, a plan gets its operations all the same.
func isLastResort(cfg Config, op *plans.Op) bool {
	return op.Kind == histories.Get && !cfg.can(targets.Reads)
}

// needs are the features of an operation, said anew and for all kinds.
func needs(op *plans.Op) (needed []targets.Feature) {
	switch op.Kind {
	case histories.Create, histories.Update:
		needed = append(needed, targets.Writes)
	case histories.Put:
		needed = append(needed, targets.Puts)
	case histories.DeleteRange:
		needed = append(needed, targets.Deletes)
	case histories.Transact:
		needed = append(needed, targets.Transactions)
		for _, nested := range slices.Concat(op.Txn.Then, op.Txn.Else) {
			needed = append(needed, ofOptions(&nested)...)
			if nested.Txn != nil {
				needed = append(needed, needs(&nested)...)
			}
		}
	case histories.LeaseGrant, histories.LeaseAttach, histories.LeaseKeepAlive, histories.LeaseTimeToLive,
		histories.LeaseRevoke, plans.ExpireKind:
		needed = append(needed, targets.Leases)
	case histories.Status:
		needed = append(needed, targets.StatusCalls)
	case histories.Delete:
		needed = append(needed, targets.Writes)
		if op.Expect.Kind == plans.Unset {
			needed[0] = targets.Deletes
		}
	case histories.Get, histories.List, histories.Next:
		needed = append(needed, targets.Reads)
	case histories.Watch, histories.Stop, histories.Await:
		needed = append(needed, targets.Watches)
	case histories.Progress:
		needed = append(needed, targets.Watches, targets.ProgressOnCall)
	case histories.Compact:
		needed = append(needed, targets.Compaction)
	default:
	}
	if op.Endpoint > 1 {
		needed = append(needed, targets.ManyEndpoints)
	}
	return append(needed, ofOptions(op)...)
}

// ofOptions are the features of an operation's options.
func ofOptions(op *plans.Op) (needed []targets.Feature) {
	if op.Limit != 0 || op.HasStart || op.Kind == histories.Next || op.Kind == histories.List && op.Scope.Shape == histories.Range {
		needed = append(needed, targets.Ranges)
	}
	if op.Limit >= targets.HugeLimit {
		needed = append(needed, targets.HugeLimits)
	}
	if op.CountOnly || op.KeysOnly {
		needed = append(needed, targets.RangeOptions)
	}
	if op.Serializable {
		needed = append(needed, targets.Serializable)
	}
	if op.Sort != "" {
		needed = append(needed, targets.SortedReads)
	}
	if filters(op) {
		needed = append(needed, targets.RevisionBounds)
	}
	if op.NoPut || op.NoDelete || op.Fragment {
		needed = append(needed, targets.WatchOptions)
	}
	if op.ID != 0 && op.Kind == histories.Watch {
		needed = append(needed, targets.WatchIDs)
	}
	if op.On != "" {
		needed = append(needed, targets.SharedStreams)
	}
	if op.Lease != "" {
		needed = append(needed, targets.Leases)
	}
	return needed
}

func TestDrawIsDeterministic(t *testing.T) {
	for seed := range uint64(20) {
		one, other := Draw(seed, Default()), Draw(seed, Default())
		if d := cmp.Diff(one, other); d != "" {
			t.Errorf("seed %d gives two plans:\n%s", seed, d)
		}
		if one.Seed != seed {
			t.Errorf("the plan of seed %d says that its seed is %d", seed, one.Seed)
		}
		if d := cmp.Diff(one.Steps, Draw(seed+1, Default()).Steps); d == "" {
			t.Errorf("seeds %d and %d give the same plan", seed, seed+1)
		}
	}
}

// TestPlansAreVaried checks that a thousand plans have everything in them, and logs
// how often.
func TestPlansAreVaried(t *testing.T) {
	const drawn, least = 1000, 5
	seen := map[string]int{}
	for seed := range uint64(drawn) {
		plan, trace := composed(seed, Config{Swarm: true, Scenes: true, Endpoints: 2})
		for name := range inPlan(plan, trace) {
			seen[name]++
		}
	}
	for _, name := range expectedInPlans() {
		t.Logf("%3d of %d plans: %s", seen[name], drawn, name)
		if seen[name] < least {
			t.Errorf("%d of %d plans have %s, expected at least %d", seen[name], drawn, name, least)
		}
	}
}

func composed(seed uint64, cfg Config) (plan plans.Plan, trace []string) {
	cfg = cfg.withDefaults()
	plan = rapid.Custom(func(t *rapid.T) (p plans.Plan) {
		p, trace = compose(dice{t}, cfg)
		return p
	}).Example(int(seed))
	return plan, trace
}

// inPlan names what a plan has.
func inPlan(plan plans.Plan, trace []string) map[string]bool {
	has := map[string]bool{}
	for _, name := range trace {
		has["scene "+name] = true
	}
	for _, step := range plan.Steps {
		has["barrier"] = has["barrier"] || step.Barrier
	}
	has["no barrier"] = !has["barrier"]
	has["one lane"] = len(plan.Lanes()) == 1
	for _, op := range operations(plan) {
		has["kind "+string(op.Kind)] = true
		has["endpoint 2"] = has["endpoint 2"] || op.Endpoint == 2
		for _, word := range strings.Fields(plans.FormatOp(*op, plan.Layer)) {
			name, _, _ := strings.Cut(word, "=")
			has[string(op.Kind)+" "+name] = true
		}
		for _, ref := range []plans.Ref{op.Expect, op.Revision, op.StartRevision} {
			has["reference "+string(ref.Kind)] = true
			has["far reference"] = has["far reference"] || ref.Offset == future
			has["negative reference"] = has["negative reference"] || ref.Kind == plans.Number && ref.Offset < 0
		}
		if op.Txn != nil {
			inTransaction(op.Txn, has)
		}
		has["too large"] = has["too large"] || op.Size > largest
		has["many revisions"] = has["many revisions"] || op.Fill >= 1000
		has["byte 0"] = has["byte 0"] || strings.Contains(op.Key.Name, "\x00")
		has["byte 255"] = has["byte 255"] || strings.Contains(op.Key.Name, "\xff")
	}
	maps.DeleteFunc(has, func(_ string, there bool) bool { return !there })
	return has
}

func inTransaction(txn *plans.Txn, has map[string]bool) {
	for _, c := range txn.Compares {
		has["compare "+c.Target+c.Op] = true
		has["compare "+string(c.Value.Kind)] = true
	}
	has["transaction else"] = has["transaction else"] || len(txn.Else) > 0
	for _, op := range slices.Concat(txn.Then, txn.Else) {
		has["transaction "+string(op.Kind)] = true
		has["transaction revision"] = has["transaction revision"] || op.Revision.Kind != plans.Unset
		if op.Txn != nil {
			nested := map[string]bool{}
			inTransaction(op.Txn, nested)
			for name := range nested {
				has["nested "+name] = true
			}
		}
	}
}

func expectedInPlans() []string {
	names := []string{
		"barrier", "no barrier", "one lane", "endpoint 2", "byte 0", "byte 255", "far reference", "negative reference",
		"reference number", "reference rv", "reference tombstone", "reference now", "reference compacted", "reference last",
		"update rv", "delete rv", "create size", "create {x", "put size", "get revision", "get serializable",
		"list revision", "list limit", "list startKey", "list countOnly", "list keysOnly", "list serializable", "next limit",
		"watch startRevision", "watch prevKV", "watch progress", "compact physical", "kind fill", "kind expire",
		"watch on", "watch id", "watch noput", "watch nodelete", "watch fragment", "reference after",
		"list sort", "list minMod", "list maxMod", "list minCreate", "list maxCreate", "get sort",
		"create lease", "put lease", "grant id", "compare mod=", "compare mod!=", "compare mod<", "compare mod>",
		"compare create=", "compare version=", "compare value=", "compare lease=", "compare lease", "compare write",
		"transaction put", "transaction delete", "transaction deleterange", "transaction get", "transaction list",
		"transaction txn", "transaction else", "transaction revision", "nested transaction put", "nested transaction get", "too large", "many revisions",
	}
	for _, k := range kinds {
		if k.kind != drop {
			names = append(names, "kind "+string(k.kind))
		}
	}
	for _, s := range scenes {
		names = append(names, "scene "+s.name)
	}
	return names
}

// TestLanesSeldomWait checks that few operations refer to another lane's operation
// without a barrier between, for which their lane would have to wait.
func TestLanesSeldomWait(t *testing.T) {
	referring, loose := 0, 0
	for seed := range uint64(300) {
		plan := Draw(seed, Default())
		for _, phase := range plan.Phases() {
			for _, lane := range phase.Lanes {
				for _, op := range lane.Ops {
					for _, label := range op.Op.References() {
						referring++
						if other := within(phase, label); other != nil && other.Lane != lane.Name {
							loose++
						}
					}
				}
			}
		}
	}
	t.Logf("%d of %d references name another lane's operation in the same phase", loose, referring)
	if loose*6 > referring {
		t.Errorf("%d of %d references make a lane wait, expected at most a sixth", loose, referring)
	}
}

// within finds a labelled operation in a phase.
func within(phase plans.Phase, label string) *plans.Op {
	for _, lane := range phase.Lanes {
		for _, op := range lane.Ops {
			if op.Op.Label == label {
				return op.Op
			}
		}
	}
	return nil
}

// TestReferencesPointBack checks that no operation refers to one that stands
// below it: the engine waits only for what stands above.
func TestReferencesPointBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		above := map[string]bool{}
		for _, op := range operations(Plan(config.Draw(t, "config")).Draw(t, "plan")) {
			for _, label := range op.References() {
				if !above[label] {
					t.Fatal("an operation refers to one below it")
				}
			}
			above[op.Label] = true
		}
	})
}

func TestDiceAreEven(t *testing.T) {
	counts := make([]int, 10)
	for seed := range 2000 {
		counts[rapid.Custom(func(t *rapid.T) int { return dice{t}.below(10) }).Example(seed)]++
	}
	for value, n := range counts {
		if n < 140 || n > 260 {
			t.Errorf("%d came %d times of 2000, expected about 200", value, n)
		}
	}
}
