package generators

import (
	"math"
	"strings"

	"github.com/rvcheck/rvcheck/histories"
	"github.com/rvcheck/rvcheck/plans"
	"github.com/rvcheck/rvcheck/targets"
)

// get writes a get.
func (a *author) get(lane int, name string, at plans.Ref) string {
	return a.add(lane, plans.Op{Kind: histories.Get, Key: key(name), Revision: at}, a.answers(at))
}

// list writes a list, of a page if the limit is not 0.
func (a *author) list(lane int, scope histories.Scope, at plans.Ref, limit int) string {
	return a.add(lane, plans.Op{Kind: histories.List, Scope: scope, Revision: at, Limit: int64(limit)}, a.answers(at))
}

// next writes the page after a page.
func (a *author) next(lane int, page string, limit int) string {
	return a.add(lane, plans.Op{Kind: histories.Next, Of: page, Limit: int64(limit)}, true)
}

// answers reports whether a read at the revision is expected to succeed.
func (a *author) answers(at plans.Ref) bool {
	return at.Kind == plans.Unset || at.Kind != plans.Number && at.Offset == 0
}

var everything = histories.Scope{}

func single(name string) histories.Scope {
	return histories.Scope{Shape: histories.Single, Key: key(name)}
}

func prefix(name string) histories.Scope {
	return histories.Scope{Shape: histories.Prefix, Key: key(name)}
}

func span(from, end string) histories.Scope {
	return histories.Scope{Shape: histories.Range, Key: key(from), End: end}
}

// scope draws a part of the key space, mostly one with keys in it.
func (a *author) scope() histories.Scope {
	switch name := a.someKey(); a.below(13) {
	case 0, 1, 2, 3:
		return everything
	case 4, 12:
		return single(a.ambiguous())
	case 5, 6, 7:
		return prefix(name[:a.between(1, len(name))])
	case 8:
		return prefix(name + "/")
	case 9:
		return a.slice(name, name+"\x00")
	case 10:
		return a.span()
	default:
		return pick(a.dice, prefix("none/"), single("none"), a.slice("none", "none0"))
	}
}

// ambiguous draws a key that other keys begin with, if there is one.
func (a *author) ambiguous() string {
	var found []string
	for i, name := range a.keys[:len(a.keys)-1] {
		if strings.HasPrefix(a.keys[i+1], name) {
			found = append(found, name)
		}
	}
	if len(found) == 0 || a.chance(30) {
		return a.someKey()
	}
	return found[a.below(len(found))]
}

// slice is a range where the target has ranges.
func (a *author) slice(from, end string) histories.Scope {
	if !a.cfg.can(targets.Ranges) {
		return prefix(from)
	}
	return span(from, end)
}

// span draws a range between two keys, the ends in or out.
func (a *author) span() histories.Scope {
	from, end := a.someKey(), a.someKey()
	if from > end {
		from, end = end, from
	}
	if from == end || a.chance(40) {
		end += "\x00"
	}
	return a.slice(from, end)
}

// limit draws a limit around the number of keys that are there in the scope.
func (a *author) limit(scope histories.Scope) int {
	n := len(a.inside(scope))
	if a.chance(a.mix.options[hostile]) {
		if limit := pick(a.dice, -1, math.MaxInt32, 10_001); limit < targets.HugeLimit || a.cfg.can(targets.HugeLimits) {
			return limit
		}
	}
	return max(1, pick(a.dice, 1, 1, 2, 3, n/2, n-1, n, n+1))
}

// edge draws a limit that just cuts the keys of the scope, or just does not.
func (a *author) edge(scope histories.Scope) int {
	n := len(a.inside(scope))
	return max(1, pick(a.dice, n-1, n, n, n+1))
}

// startKey draws where a list begins: at, before or after a key, before the
// first, past the last.
func (a *author) startKey() string {
	return pick(a.dice, a.someKey(), a.someKey(), a.someKey()+"\x00", "", a.keys[len(a.keys)-1]+"~", "\xff\xff")
}

// readAt draws the revision of a read: the newest as a rule.
func (a *author) readAt(lane int) plans.Ref {
	if !a.chance(a.mix.options[atRevision]) {
		return plans.Ref{}
	}
	return a.revision(lane)
}

// revision draws a revision with something about it: around a write, a delete or
// a compaction, the newest, the oldest, none at all.
func (a *author) revision(lane int) plans.Ref {
	choices := []choice[plans.Ref]{
		{4, now}, {3, plus(now, -1)}, {2, plus(now, -a.between(2, 9))}, {1, number(1)}, {1, plus(now, 1)},
	}
	if marks := a.within(lane, mark.tells); len(marks) > 0 {
		r := rv(a.recent(marks).label)
		choices = append(choices, choice[plans.Ref]{8, r}, choice[plans.Ref]{3, plus(r, -1)}, choice[plans.Ref]{1, plus(r, 1)})
	}
	if marks := a.within(lane, mark.removes); len(marks) > 0 {
		r := tombstone(a.recent(marks).label)
		choices = append(choices, choice[plans.Ref]{5, r}, choice[plans.Ref]{2, plus(r, -1)}, choice[plans.Ref]{2, plus(r, 1)})
	}
	if marks := a.within(lane, mark.compacts); len(marks) > 0 {
		choices = append(choices, choice[plans.Ref]{4, compacted}, choice[plans.Ref]{3, plus(compacted, -1)}, choice[plans.Ref]{2, plus(compacted, 1)})
	}
	if a.chance(a.mix.options[hostile]) {
		choices = append(choices,
			choice[plans.Ref]{8, plus(now, future)}, choice[plans.Ref]{4, number(math.MaxInt64)}, choice[plans.Ref]{12, number(-a.negative())}, choice[plans.Ref]{3, number(0)})
	}
	return choose(a.dice, choices)
}

// negative draws how far below zero a hostile number is.
func (a *author) negative() int64 { return pick[int64](a.dice, 1, 1, 5, math.MaxInt64) }

// tells: the answer will carry a revision.
func (m mark) tells() bool {
	return m.expected && (m.op.Kind.IsWrite() || m.op.Kind.IsRead() || m.op.Kind == plans.FillKind)
}

// removes: the operation will remove a key, or several.
func (m mark) removes() bool {
	return m.expected && (m.op.Kind == histories.Delete || m.op.Kind == histories.DeleteRange)
}

// compacts: the operation will compact.
func (m mark) compacts() bool { return m.expected && m.op.Kind == histories.Compact }
