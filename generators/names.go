package generators

import (
	"slices"
	"strconv"
	"strings"
)

// Keys are few, so that operations meet on them, and related, so that a store
// that confuses two of them shows it.

// family is a set of names that some kind of fault would confuse; those that it would
// confuse most easily stand beside each other.
type family struct {
	weight int
	plain  bool // letters, digits and '/' only
	names  []string
}

var families = []family{
	// Nothing special.
	{weight: 4, plain: true, names: []string{"a", "b", "c", "d", "e", "f", "g", "h"}},
	// Prefixes of each other, with and without a separator.
	{weight: 5, plain: true, names: []string{"a", "a/", "a/b", "a/b/c", "a/bc", "ab", "abc", "aa", "a0", "A"}},
	// Namespaces of which one is a prefix of the other.
	{weight: 4, plain: true, names: []string{"ns", "ns1", "ns11/a", "ns1/a", "ns/a", "ns/ab", "ns/a/b", "nsx/a"}},
	// Names that sort around the separator '/': '.' and '-' before it, '0' after.
	{weight: 3, names: []string{"a/x", "a.", "a-", "a0", "a-b/x", "a.b", "a/", "a"}},
	// Wildcards and escapes of databases and paths.
	{weight: 4, names: []string{"a%", "a1b", "a_b", "axb", "a%b", "a?b", "a*", "a[b]", "a'b", `a\b`, "n_s/x", "nxs/x"}},
	// Case, and numbers that are equal as numbers.
	{weight: 2, plain: true, names: []string{"a", "A", "Ab", "aB", "9", "10", "1", "01", "1e3", "1000"}},
	// Any bytes.
	{weight: 3, names: []string{"\x00", "a", "a\x00", "a\x00b", "a\x01", "a\xfe", "a\xff", "\xff", "\xff\xff", "\x00\xff"}},
	// Length, spaces, text beyond ASCII, dots.
	{weight: 2, names: []string{
		strings.Repeat("x", 120), strings.Repeat("x", 120) + "y", strings.Repeat("x", 119),
		"a b", " ", "ä", "a\n", "../a", ".", `"`, "日本",
	}},
}

// drawKeys draws the names that a plan uses, by ascending order: some of one family
// or two, and in half of the plans names that stand beside each other there.
func drawKeys(d dice, cfg Config) []string {
	n := d.keyCount()
	var pool []string
	for range 1 + d.below(2) {
		pool = append(pool, d.family(cfg.PlainNames).names...)
	}
	for i := 0; len(pool) < n; i++ {
		pool = append(pool, "k"+strconv.Itoa(i))
	}
	var keys []string
	beside, from := d.chance(50), d.below(len(pool))
	for len(keys) < n && len(pool) > 0 {
		i := from % len(pool) // those before it are taken out
		if !beside {
			i = d.below(len(pool))
		}
		if !slices.Contains(keys, pool[i]) {
			keys = append(keys, pool[i])
		}
		pool = slices.Delete(pool, i, i+1)
	}
	slices.Sort(keys)
	return keys
}

// keyCount is the number of keys of a plan: few as a rule, sometimes enough for
// many pages.
func (d dice) keyCount() int {
	switch at := d.below(20); {
	case at < 2:
		return 1
	case at < 18:
		return d.between(2, 6)
	default:
		return d.between(7, 30)
	}
}

func (d dice) family(plain bool) family {
	weights := make([]int, len(families))
	for i, f := range families {
		if !plain || f.plain {
			weights[i] = f.weight
		}
	}
	return families[d.weighted(weights)]
}
