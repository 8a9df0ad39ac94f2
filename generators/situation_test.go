package generators

import (
	"slices"
	"strings"
	"testing"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
)

// situation is what a family of faults of real stores needs in order to show, told
// by the plan alone: whichever scene or chance brought it about.
type situation struct {
	name string
	// least is how many of 500 plans must have it, about half of what there are.
	least int
	in    func(plans.Plan) bool
}

var situations = []situation{
	{"names of which one is the beginning of another", 110, func(p plans.Plan) bool {
		return related(p, func(one, other string) bool { return strings.HasPrefix(other, one) })
	}},
	{"names of which one is another's wildcard pattern", 30, func(p plans.Plan) bool {
		return related(p, func(one, other string) bool { return strings.ContainsAny(one, "_%") && matches(one, other) })
	}},
	{"creates of one fresh key by several lanes beside other writes", 30, createsRace},
	{"a conditional delete that is repeated", 30, deletesTwice},
	{"a watch of a history of more than ten revisions, asked for progress at once", 7, asksAtOnce},
	{"a watch of nothing, asked for progress more than once", 8, asksInVain},
	{"a transaction that writes and reads at a future revision, then reads by several lanes", 11, readsAfterRefusal},
	{"a delete, a compaction to it, and a watch from it", 20, watchesTombstone},
	{"pages of one object, of the newest revision", 15, func(p plans.Plan) bool {
		return pages(p, func(first *plans.Op) bool { return first.Limit == 1 && first.Revision == plans.Ref{} })
	}},
	{"a list from a start key that is no object's", 30, func(p plans.Plan) bool {
		names := writtenIn(p)
		return slices.ContainsFunc(operations(p), func(op *plans.Op) bool { return op.HasStart && !slices.Contains(names, op.Start) })
	}},
}

// TestSituationsAreDrawn checks that the plans of a usual run have each situation often.
func TestSituationsAreDrawn(t *testing.T) {
	const drawn = 500
	seen := make([]int, len(situations))
	for seed := range uint64(drawn) {
		plan := Draw(seed, Config{Swarm: true, Scenes: true, Clients: 4, Endpoints: 3})
		for i, s := range situations {
			if s.in(plan) {
				seen[i]++
			}
		}
	}
	for i, s := range situations {
		t.Logf("%3d of %d plans: %s", seen[i], drawn, s.name)
		if seen[i] < s.least {
			t.Errorf("%d of %d plans have %s, expected at least %d", seen[i], drawn, s.name, s.least)
		}
	}
}

// writtenIn are the names of all keys that a plan's calls write.
func writtenIn(p plans.Plan) (names []string) {
	for _, op := range operations(p) {
		if op.Kind.IsWrite() && op.Key.Name != "" {
			names = append(names, op.Key.Name)
		}
	}
	return names
}

func related(p plans.Plan, like func(one, other string) bool) bool {
	names := writtenIn(p)
	return slices.ContainsFunc(names, func(one string) bool {
		return slices.ContainsFunc(names, func(other string) bool { return one != other && like(one, other) })
	})
}

// matches reports whether SQL's LIKE lets a pattern match a name.
func matches(pattern, name string) bool {
	switch {
	case pattern == "" || name == "":
		return strings.Trim(pattern, "%") == name
	case pattern[0] == '%':
		return matches(pattern[1:], name) || matches(pattern, name[1:])
	default:
		return (pattern[0] == '_' || pattern[0] == name[0]) && matches(pattern[1:], name[1:])
	}
}

func createsRace(p plans.Plan) bool {
	known := map[string]bool{}
	for _, phase := range p.Phases() {
		creators, others := map[string]map[string]bool{}, map[string]int{}
		writes := 0
		for _, lane := range phase.Lanes {
			for _, op := range lane.Ops {
				if !op.Op.Kind.IsWrite() {
					continue
				}
				writes++
				name := op.Op.Key.Name
				others[name]++
				if op.Op.Kind == histories.Create && !known[name] {
					if creators[name] == nil {
						creators[name] = map[string]bool{}
					}
					creators[name][lane.Name] = true
				}
			}
		}
		for name, lanes := range creators {
			if len(lanes) > 2 && writes > others[name] {
				return true
			}
		}
		for name := range others {
			known[name] = true
		}
	}
	return false
}

func deletesTwice(p plans.Plan) bool {
	seen := map[string]bool{}
	for _, op := range operations(p) {
		if op.Kind != histories.Delete || op.Expect.Kind != plans.RV {
			continue
		}
		at := op.Key.Name + " " + op.Expect.Label
		if seen[at] {
			return true
		}
		seen[at] = true
	}
	return false
}

// inTurn reports whether a lane does operations of these forms right after each other.
func inTurn(p plans.Plan, forms ...func(*plans.Op) bool) bool {
	for _, lane := range p.Lanes() {
		for i := range lane.Ops {
			rest := lane.Ops[i:]
			if len(rest) < len(forms) {
				break
			}
			fits := true
			for j, form := range forms {
				fits = fits && form(rest[j].Op)
			}
			if fits {
				return true
			}
		}
	}
	return false
}

func asksAtOnce(p plans.Plan) bool {
	if !slices.ContainsFunc(operations(p), func(op *plans.Op) bool { return op.Fill > 0 }) {
		return false
	}
	return inTurn(p, func(op *plans.Op) bool {
		return op.Kind == histories.Watch && op.StartRevision.Kind == plans.RV && op.StartRevision.Offset <= 0
	}, func(op *plans.Op) bool { return op.Kind == histories.Progress })
}

func asksInVain(p plans.Plan) bool {
	names, asked := writtenIn(p), map[string]int{}
	for _, op := range operations(p) {
		if op.Kind == histories.Progress {
			asked[op.Of]++
		}
	}
	return slices.ContainsFunc(operations(p), func(op *plans.Op) bool {
		return op.Kind == histories.Watch && asked[op.Label] > 1 &&
			!slices.ContainsFunc(names, func(name string) bool { return covers(op.Scope, name) })
	})
}

func readsAfterRefusal(p plans.Plan) bool {
	ops := operations(p)
	for i, op := range ops {
		if op.Txn == nil {
			continue
		}
		branch := slices.Concat(op.Txn.Then, op.Txn.Else)
		writes := slices.ContainsFunc(branch, func(o plans.Op) bool { return o.Kind == histories.Put })
		future := slices.ContainsFunc(branch, func(o plans.Op) bool { return o.Kind.IsRead() && o.Revision.Kind == plans.Now && o.Revision.Offset > 9 })
		if !writes || !future {
			continue
		}
		readers := map[int]bool{}
		for _, later := range ops[i+1:] {
			if later.Kind.IsRead() {
				readers[later.Endpoint] = true
			}
		}
		if len(readers) > 2 {
			return true
		}
	}
	return false
}

func watchesTombstone(p plans.Plan) bool {
	compacted := map[string]bool{}
	for _, op := range operations(p) {
		switch {
		case op.Kind == histories.Compact && op.Revision.Kind == plans.Tombstone && op.Revision.Offset == 0:
			compacted[op.Revision.Label] = true
		case op.Kind == histories.Watch && op.StartRevision.Kind == plans.Tombstone && op.StartRevision.Offset == 0 && compacted[op.StartRevision.Label]:
			return true
		}
	}
	return false
}

// pages reports whether a chain of at least three pages begins in this way.
func pages(p plans.Plan, begins func(first *plans.Op) bool) bool {
	length := map[string]int{}
	for _, op := range operations(p) {
		switch {
		case op.Kind == histories.List && begins(op):
			length[op.Label] = 1
		case op.Kind == histories.Next && length[op.Of] > 1:
			return true
		case op.Kind == histories.Next && length[op.Of] > 0:
			length[op.Label] = length[op.Of] + 1
		}
	}
	return false
}
